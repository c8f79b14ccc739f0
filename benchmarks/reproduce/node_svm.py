"""Kazennikov (2013): the right element, by groups of features; trained on one site, tested on others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reproduce.tables import table
from newscorpus.extraction.nodes import GROUPS
from newscorpus.gold.pages import GoldPage, read_pages
from newscorpus.published.node_svm.find import CANDIDATES
from newscorpus.published.node_svm.train import (
    LEAST_F1,
    NodePage,
    NodeScores,
    fit_nodes,
    make_node_page,
    score_choices,
)

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
    """What is learned from, and what is tested on.

    Attributes:
        domain: whose pages are learned from; "" for the train split.
        language: of the pages to test on, "" for any; they are of other sites, or of the dev split.
    """

    domain: str
    language: str = ""

    def is_training(self, page: GoldPage) -> bool:
        """Whether `page` is learned from."""
        return page.domain == self.domain if self.domain else page.split == "train"

    def is_test(self, page: GoldPage) -> bool:
        """Whether `page` is tested on."""
        return not self.is_training(page) and self.language in ("", page.language)


EXPERIMENTS = {
    "ir_research": (Experiment("yahoo.com"), Experiment("nymag.com"), Experiment("")),
    "daniel": (Experiment("regnum.ru", "ru"), Experiment("ria.ru", "ru"), Experiment("")),
}
"""By set."""


def reproduce(data: Path) -> str:
    """The share of right elements for each experiment and each number of groups."""
    published = [(name, None, "other sites", None, *shares, *[None] * 4) for name, shares in PUBLISHED.items()]
    ours = [row for dataset in EXPERIMENTS for row in _rows(data, dataset)]
    return (
        "# Node SVM (Kazennikov 2013)\n\n"
        "Share of pages on which the chosen element is the right one: its F1 is within 0.01 of the best candidate's. "
        "With two stages, that of its text without the foreign parts. Around: share on which the wrong element holds "
        "the right one, by group 1 and by all. The first two lines are published.\n\n"
        f"{table(COLUMNS, [*published, *ours])}"
    )


def _rows(data: Path, dataset: str) -> Iterator[tuple[object, ...]]:
    """A line for each experiment on a set, whose pages are described once for each number of groups."""
    pages = list(read_pages(data / f"{dataset}.jsonl.zst"))
    steps = []
    for count in range(1, len(GROUPS) + 1):
        made = [found for page in pages if (found := make_node_page(page, GROUPS[:count], CANDIDATES))]
        steps.append([_scores(made, experiment) for experiment in EXPERIMENTS[dataset]])
    for experiment, scores in zip(EXPERIMENTS[dataset], zip(*steps, strict=True), strict=True):
        yield _row(dataset, experiment, sum(map(experiment.is_training, pages)), scores)


def _scores(pages: Sequence[NodePage], experiment: Experiment) -> NodeScores:
    train = [page for page in pages if experiment.is_training(page.page) and page.best_f1 >= LEAST_F1]
    test = [page for page in pages if experiment.is_test(page.page)]
    return score_choices(test, fit_nodes(train), CANDIDATES)


def _row(dataset: str, experiment: Experiment, trained: int, scores: Sequence[NodeScores]) -> tuple[object, ...]:
    first, last = scores[0], scores[-1]
    language = f", {experiment.language}" if experiment.language else ""
    return (
        f"{dataset}: {experiment.domain or 'train split'}",
        trained,
        f"other sites{language}" if experiment.domain else "dev split",
        last.pages,
        *(step.right for step in scores),
        last.right_cleaned,
        first.around,
        last.around,
        last.f1,
        last.f1_cleaned,
    )
