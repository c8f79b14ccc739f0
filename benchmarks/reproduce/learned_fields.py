"""Kazennikov (2013), title and date, and authors too: the right element, by groups of features and by stages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from benchmarks.reproduce.tables import table
from newscorpus.extraction.fields.learned import FIELDS
from newscorpus.extraction.nodes import GROUPS, describe_elements
from newscorpus.gold.conventions import LICENCES
from newscorpus.gold.pages import GoldPage, read_pages
from newscorpus.learning.learned_fields import FieldPage, fit_fields, make_field_pages, score_picks

UNSEEN = ("htmldate", "ir_research", "l3s_gn1")
"""Sets that are only tested on."""
COLUMNS = ("field", "pages", "1", "1+2", "1+2+3", "all", "two stages")

Choice = Callable[[GoldPage], bool]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is learned from, and what is tested on.

    Attributes:
        title: of its table.
        sets: whose pages are read.
        is_training, is_test: whether a page is learned from, and tested on.
    """

    title: str
    sets: tuple[str, ...]
    is_training: Choice
    is_test: Choice


def one_site(domain: str) -> Experiment:
    """Learned from one site of ir_research, tested on its others."""
    return Experiment(
        f"ir_research: trained on {domain}, tested on the other sites",
        ("ir_research",),
        lambda page: page.domain == domain,
        lambda page: page.domain != domain,
    )


EXPERIMENTS = (
    one_site("yahoo.com"),
    one_site("nymag.com"),
    Experiment(
        f"Trained on the train split of {', '.join(LICENCES)}, tested on the dev split of these, {', '.join(UNSEEN)}",
        (*LICENCES, *UNSEEN),
        lambda page: page.split == "train" and page.dataset in LICENCES,
        lambda page: page.split == "dev",
    ),
)


def reproduce(data: Path) -> str:
    """A table an experiment: the share of pages whose picked element says what the structured data said."""
    return (
        "# Learned fields (Kazennikov 2013)\n\n"
        "Pages without their structured data. Share of pages on which the text of the picked element says what the "
        "structured data said, of those where some element says it: the same title, the same day, all authors. "
        "Columns: groups of features; with all of them also the second stage, which takes foreign parts out of the "
        "element. The paper has no authors.\n\n" + "\n".join(_run(data, experiment) for experiment in EXPERIMENTS)
    )


def _run(data: Path, experiment: Experiment) -> str:
    train = list(_made(data, experiment.sets, experiment.is_training))
    test = list(_made(data, experiment.sets, experiment.is_test))
    steps = [_scores(train, test, GROUPS[:count]) for count in range(1, len(GROUPS) + 1)]
    cleaned = _scores(train, test, GROUPS, two_stages=True)
    rows = [
        (field, _held(test, column), *(step[field] for step in steps), cleaned[field])
        for column, field in enumerate(FIELDS)
    ]
    return f"## {experiment.title}\n\n{len(train)} pages to train on.\n\n{table(COLUMNS, rows)}"


def _made(data: Path, sets: Sequence[str], choice: Choice) -> Iterator[FieldPage]:
    pages = chain.from_iterable(read_pages(data / f"{name}.jsonl.zst") for name in sets)
    return make_field_pages(page for page in pages if choice(page))


def _held(pages: Sequence[FieldPage], column: int) -> int:
    return sum(bool(page.holds[:, column].any()) for page in pages)


def _scores(
    train: Sequence[FieldPage], test: Sequence[FieldPage], groups: tuple[str, ...], *, two_stages: bool = False
) -> dict[str, float]:
    model = fit_fields(limited(train, groups))
    return score_picks(limited(test, groups), model, two_stages=two_stages)


def limited(pages: Sequence[FieldPage], groups: tuple[str, ...]) -> list[FieldPage]:
    """The pages with the features of `groups` alone."""
    return [replace(page, nodes=describe_elements(page.nodes.elements, page.nodes.amounts, groups)) for page in pages]
