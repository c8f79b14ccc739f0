"""Kazennikov (2013): the right element, by groups of features; trained on one site, tested on others."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reproduce.tables import table
from newscorpus.extraction.nodes import GROUPS
from newscorpus.extractors.node_svm import CANDIDATES
from newscorpus.learning.node_scores import NodeScores, score_choices
from newscorpus.learning.node_svm import NodeTraining, fit_nodes, in_memory
from newscorpus.learning.nodes import NodePage, make_node_page
from newscorpus.learning.pages import GoldPage, read_pages

PUBLISHED = {
    "Lenta": (0.885, 0.890, 0.915, 0.926, 0.936),
    "RIA": (0.895, 0.895, 0.915, 0.932, 0.935),
}
"""Share of right elements by groups 1, 1+2, 1+2+3, all, and all with the second stage."""

COLUMNS = ("trained on", "pages", "tested on", "pages", "1", "1+2", "1+2+3", "all", "two stages", "F1 all", "F1 two")


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is learned from, and what is tested on.

    Attributes:
        dataset: name of the set.
        domain: whose pages are learned from; "" for the train split.
        language: of the pages to test on, "" for any; they are of other sites, or of the dev split.
    """

    dataset: str
    domain: str
    language: str = ""

    def is_training(self, page: GoldPage) -> bool:
        """Whether `page` is learned from."""
        return page.domain == self.domain if self.domain else page.split == "train"

    def is_test(self, page: GoldPage) -> bool:
        """Whether `page` is tested on."""
        return not self.is_training(page) and self.language in ("", page.language)


EXPERIMENTS = (
    Experiment("ir_research", "yahoo.com"),
    Experiment("ir_research", "nymag.com"),
    Experiment("ir_research", ""),
    Experiment("daniel", "regnum.ru", "ru"),
    Experiment("daniel", "ria.ru", "ru"),
    Experiment("daniel", ""),
)


def reproduce(data: Path) -> str:
    """The share of right elements for each experiment and each number of groups."""
    published = [(name, None, "other sites", None, *shares, None, None) for name, shares in PUBLISHED.items()]
    ours = [_run(data, experiment) for experiment in EXPERIMENTS]
    return (
        "# Node SVM (Kazennikov 2013)\n\n"
        "Share of pages on which the chosen element is the right one: its F1 is within 0.01 of the best candidate's. "
        "With two stages, that of its text without the foreign parts. The first two lines are published.\n\n"
        f"{table(COLUMNS, [*published, *ours])}"
    )


def _run(data: Path, experiment: Experiment) -> tuple[object, ...]:
    pages = list(read_pages(data / f"{experiment.dataset}.jsonl.zst"))
    train = [page for page in pages if experiment.is_training(page)]
    test = [page for page in pages if experiment.is_test(page)]
    steps = [_scores(train, test, GROUPS[:count]) for count in range(1, len(GROUPS) + 1)]
    last = steps[-1]
    language = f", {experiment.language}" if experiment.language else ""
    return (
        f"{experiment.dataset}: {experiment.domain or 'train split'}",
        len(train),
        f"other sites{language}" if experiment.domain else "dev split",
        last.pages,
        *(step.right for step in steps),
        last.right_cleaned,
        last.f1,
        last.f1_cleaned,
    )


def _scores(train: Sequence[GoldPage], test: Sequence[GoldPage], groups: tuple[str, ...]) -> NodeScores:
    training = NodeTraining()
    learned = [page for page in _made(train, groups) if page.best_f1 >= training.least_f1]
    return score_choices(_made(test, groups), in_memory(*fit_nodes(learned, training)), CANDIDATES)


def _made(pages: Sequence[GoldPage], groups: tuple[str, ...]) -> list[NodePage]:
    return [made for page in pages if (made := make_node_page(page, groups, CANDIDATES))]
