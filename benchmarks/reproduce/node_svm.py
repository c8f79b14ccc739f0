"""Kazennikov (2013): the right element, by groups of features; trained on one site, tested on others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from benchmarks.reproduce.learned_fields import limited, with_all
from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.lab.systems.node_svm import CANDIDATES
from newscorpus.lab.training.learned_fields import count_picks, fit_fields, make_field_pages
from newscorpus.lab.training.node_svm import LEAST_F1, NodeScores, fit_nodes, make_node_page, score_choices
from newscorpus.page.fields.nodes import GROUPS

PUBLISHED = {
    "Lenta": (0.885, 0.890, 0.915, 0.926, 0.936),
    "RIA": (0.895, 0.895, 0.915, 0.932, 0.935),
}
"""Share of right elements by groups 1, 1+2, 1+2+3, all, and all with the second stage."""

COLUMNS = (
    *("trained on", "pages", "tested on", "pages"),
    *("1", "1+2", "1+2+3", "all", "two stages"),
    *("1, around", "all, around", "F1 all", "F1 two"),
)


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is learned from, and what is tested on."""

    domain: str  # whose pages are learned from; "" for the train split
    language: str = ""  # of the pages to test on, "" for any; they are of other sites, or of the dev split

    def is_training(self, page: GoldPage) -> bool:
        """Whether `page` is learned from."""
        return page.domain == self.domain if self.domain else page.split == "train"

    def is_test(self, page: GoldPage) -> bool:
        """Whether `page` is tested on."""
        return not self.is_training(page) and self.language in ("", page.language)


FIELD_COLUMNS = ("trained on", "field", "pages", "P", "R", "F1", "1", "1+2", "1+2+3", "all", "two stages")
TOGETHER = "ir_research"
"""The set whose pages have titles and dates, too."""

EXPERIMENTS = {
    "ir_research": (Experiment("yahoo.com"), Experiment("nymag.com"), Experiment("")),
    "daniel": (Experiment("regnum.ru", "ru"), Experiment("ria.ru", "ru"), Experiment("")),
}
"""By set."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What an experiment gives."""

    experiment: Experiment  # what was learned from and tested on
    trained: int  # pages learned from
    steps: tuple[NodeScores, ...]  # scores by groups 1, 1+2, 1+2+3, all


def reproduce(data: Path, experiments: Mapping[str, Sequence[Experiment]] = EXPERIMENTS) -> str:
    """The share of right elements for each experiment and each number of groups; title, date and text together."""
    published = [(name, None, "other sites", None, *shares, *[None] * 4) for name, shares in PUBLISHED.items()]
    ours = {dataset: _measure(data, dataset, of_set) for dataset, of_set in experiments.items()}
    rows = [_row(dataset, measured) for dataset, of_set in ours.items() for measured in of_set]
    figures = [(name, "all", None, *[None] * 3, *shares[:-1], shares[-1]) for name, shares in PUBLISHED.items()]
    return (
        "# Node SVM (Kazennikov 2013)\n\n"
        "Share of pages on which the chosen element is the right one: its F1 is within 0.01 of the best candidate's. "
        "With two stages, that of its text without the foreign parts. Around: share on which the wrong element holds "
        "the right one, by group 1 and by all. The first two lines are published.\n\n"
        f"{table(COLUMNS, [*published, *rows])}\n"
        f"## Title, date and text together\n\n{TOGETHER}, as above. P: right ones of the elements chosen; R: of the "
        "pages that have one; F1 by groups, and with two stages. `all` counts the elements of the three fields "
        "together, as the paper does.\n\n"
        f"{table(FIELD_COLUMNS, [*figures, *_together(data, ours[TOGETHER])])}"
    )


def _measure(data: Path, dataset: str, experiments: Sequence[Experiment]) -> list[Measured]:
    """The experiments on a set, whose pages are described once for each number of groups."""
    pages = list(read_pages(data / f"{dataset}.jsonl.zst"))
    steps = []
    for count in range(1, len(GROUPS) + 1):
        made = [found for page in pages if (found := make_node_page(page, GROUPS[:count], CANDIDATES))]
        scores = []
        for one in experiments:
            train = [page for page in made if one.is_training(page.page) and page.best_f1 >= LEAST_F1]
            test = [page for page in made if one.is_test(page.page)]
            scores.append(score_choices(test, fit_nodes(train), CANDIDATES))
        steps.append(scores)
    return [
        Measured(experiment, sum(map(experiment.is_training, pages)), scores)
        for experiment, scores in zip(experiments, zip(*steps, strict=True), strict=True)
    ]


def _together(data: Path, measured: Iterable[Measured]) -> Iterator[tuple[object, ...]]:
    """A line for each of title, date and text, and for all three."""
    pages = read_pages(data / f"{TOGETHER}.jsonl.zst")
    made = [(page, found) for page in pages for found in make_field_pages([page])]
    for each in measured:
        train = [found for page, found in made if each.experiment.is_training(page)]
        test = [found for page, found in made if each.experiment.is_test(page)]
        steps = []  # by field: right choices, choices, and pages that have a right one; by groups of features
        for count, text in enumerate(each.steps, 1):
            model, asked = fit_fields(limited(train, GROUPS[:count])), limited(test, GROUPS[:count])
            one_stage = count_picks(asked, model, two_stages=False)
            steps.append(_joined(one_stage, replace(text, right_cleaned=text.right)))
        last = _joined(count_picks(asked, model), each.steps[-1])
        for field, picks in last.items():
            f1s = [step[field].scores.f1 for step in steps]
            scores = picks.scores
            yield (each.experiment.domain or "many sites", field, picks.gold, *astuple(scores), *f1s, scores.f1)


def _joined(fields: Mapping[str, Overlap], text: NodeScores) -> dict[str, Overlap]:
    return with_all({"title": fields["title"], "published": fields["published"], "text": text.overlap})


def _row(dataset: str, measured: Measured) -> tuple[object, ...]:
    first, last, experiment = measured.steps[0], measured.steps[-1], measured.experiment
    language = f", {experiment.language}" if experiment.language else ""
    tested = f"other sites{language}" if experiment.domain else "dev split"
    return (
        *(f"{dataset}: {experiment.domain or 'train split'}", measured.trained, tested, last.pages),
        *(step.right for step in measured.steps),
        *(last.right_cleaned, first.around, last.around, last.f1, last.f1_cleaned),
    )
