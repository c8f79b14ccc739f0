"""Kazennikov (2013), title and date, and authors too: the right element, by groups of features and by stages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path

from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.lab.gold.pages import LICENCES, GoldPage, read_pages
from newscorpus.lab.training.learned_fields import FieldPage, count_picks, fit_fields, make_field_pages
from newscorpus.page.fields.nodes import GROUPS, LinearModel, describe_elements

UNSEEN = ("htmldate", "ir_research", "l3s_gn1")
"""Sets that are only tested on."""
COLUMNS = ("field", "pages", "1", "1+2", "1+2+3", "all", "P, two stages", "R, two stages", "F1, two stages")
SET_COLUMNS = ("set", "field", "pages", "P", "R", "F1")

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


def reproduce(data: Path, experiments: Sequence[Experiment] = EXPERIMENTS) -> str:
    """Tables for each experiment: shares of right elements by groups of features; precision, recall and F1."""
    return (
        "# Learned fields (Kazennikov 2013)\n\n"
        "Pages without their structured data. Share of pages on which the text of the picked element says what the "
        "structured data said, of those where some element says it: the same title, the same day, all authors. "
        "Columns: groups of features; with all of them also the second stage, which takes foreign parts out of the "
        "element: R is that share, P the share of the picks that are right, also of those on pages where no element "
        "says it. The line `all` counts the elements of the fields together, as the paper does, which has no "
        "authors.\n\n" + "\n".join(_run(data, experiment) for experiment in experiments)
    )


def _run(data: Path, experiment: Experiment) -> str:
    train = list(_made(data, experiment.sets, experiment.is_training))
    test = list(_made(data, experiment.sets, experiment.is_test))
    steps = []
    for count in range(1, len(GROUPS) + 1):
        model, asked = fit_fields(limited(train, GROUPS[:count])), limited(test, GROUPS[:count])
        steps.append(with_all(count_picks(asked, model, two_stages=False)))
    last = with_all(count_picks(asked, model))
    rows = [
        (field, picks.gold, *(step[field].scores.recall for step in steps), *astuple(picks.scores))
        for field, picks in last.items()
    ]
    said = f"## {experiment.title}\n\n{len(train)} pages to train on.\n\n{table(COLUMNS, rows)}"
    return said + _by_set(asked, model) if len(experiment.sets) > 1 else said


def _by_set(test: Sequence[FieldPage], model: LinearModel) -> str:
    """Precision, recall and F1 of both stages on each set, of the fields that its pages hold."""
    counted = {name: with_all(count_picks(list(pages), model)) for name, pages in groupby(test, attrgetter("dataset"))}
    rows = [
        (name, field, picks.gold, *astuple(picks.scores))
        for name, fields in counted.items()
        for field, picks in fields.items()
        if picks.gold
    ]
    return f"\nBy set, two stages:\n\n{table(SET_COLUMNS, rows)}"


def with_all(counted: Mapping[str, Overlap]) -> dict[str, Overlap]:
    """What was counted of each field, and of all together."""
    return {**counted, "all": sum(counted.values(), Overlap())}


def _made(data: Path, sets: Sequence[str], choice: Choice) -> Iterator[FieldPage]:
    pages = chain.from_iterable(read_pages(data / f"{name}.jsonl.zst") for name in sets)
    return make_field_pages(page for page in pages if choice(page))


def limited(pages: Sequence[FieldPage], groups: tuple[str, ...]) -> list[FieldPage]:
    """The pages with the features of `groups` alone."""
    return [replace(page, nodes=describe_elements(page.nodes.elements, page.nodes.amounts, groups)) for page in pages]
