"""Pick title, date and authors of a page without structured data by a linear classifier of elements.

Kazennikov 2013: stage one takes the element with the highest score for a field; stage two removes its parts that the
same classifier finds foreign. Authors are our addition. Trained on pages labelled by their structured data
(`newscorpus.lab.training.learned_fields`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
from lxml.html import HtmlElement

from newscorpus.arrays import Floats
from newscorpus.data import Evidence
from newscorpus.page.fields.dates import Setting, find_dates
from newscorpus.page.fields.markup import holds_many, opening, pieces, plain
from newscorpus.page.fields.nearby import following, preceding
from newscorpus.page.fields.nodes import (
    GROUPS,
    Amounts,
    Nodes,
    describe_elements,
    load_linear,
    measure_amounts,
    measure_some,
)
from newscorpus.page.fields.people import is_agency, is_personal_name, names_in
from newscorpus.page.fields.visible import is_elsewhere

MODEL = "learned-fields"
FIELDS = ("title", "published", "authors")
"""The fields, in the order of the model's scores."""

CANDIDATES = frozenset(
    "a address b dd div dt em h1 h2 h3 h4 h5 h6 header i li p section small span strong td time".split()
)
"""Elements that may hold a field: those of the paper, and the inline ones of bylines."""

LONGEST = {"title": 300, "published": 160, "authors": 160}
"""Maximum number of characters of a field: the longest gold title has 186."""
SHORTEST = 4
"""Minimum number of letters and digits of a field."""
MAX_RUN = 1_000
"""Longest text, white space included, that is measured."""
BEFORE, AFTER = 5, 20
"""Elements examined before and after the headline; four times as many give the same results (dev, 2026-11)."""
FIRST = 40
"""Candidates examined where a page has no heading."""
FOREIGN = -1.0
"""Parts of the chosen element with at most this score are removed: beyond the margin of the SVM."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The element picked for a field, and its outermost foreign parts."""

    element: HtmlElement
    foreign: tuple[HtmlElement, ...]


def read_learned(
    tree: HtmlElement, headline: HtmlElement | None, setting: Setting, model: str = MODEL
) -> Iterator[Evidence]:
    """Yield evidence of the elements picked near the heading, at most one per field; source "learned".

    `model` is the name of the shipped model, or the folder of another.
    """
    # Elements around the heading, or the first ones: a page has thousands, and each costs some 0.02 ms.
    if headline is None:
        near = list(islice(tree.iter(*CANDIDATES), FIRST))
    else:
        beside = (*preceding(headline, BEFORE), headline, *islice(following(headline), AFTER))
        near = [each for each in beside if each.tag in CANDIDATES]

    def is_short(element: HtmlElement) -> bool:
        return len(opening(element, MAX_RUN + 1)) <= MAX_RUN and not holds_many(element)

    nodes = _describe(near, measure_some(near, is_short))
    if not nodes.elements:
        return
    scores = load_linear(model).score(nodes)
    around = frozenset(headline.iterancestors()) if headline is not None else frozenset()
    for column, field in enumerate(FIELDS):
        picked = pick(nodes, scores[:, column], field, setting)
        if picked and around and is_elsewhere(picked.element, around):
            continue
        if picked and (value := read_value(field, text_of(picked), setting)):
            yield Evidence(field, value, "learned")


def describe_candidates(tree: HtmlElement) -> Nodes:
    """Return the elements of `tree` that may hold a field, with their features."""
    return _describe(tree.iter(*CANDIDATES), measure_amounts(tree))


def _describe(elements: Iterable[HtmlElement], measured: Mapping[HtmlElement, Amounts]) -> Nodes:
    kept = {
        element: amount
        for element in elements
        if (amount := measured.get(element))
        and amount.letters + amount.digits >= SHORTEST
        and amount.characters <= max(LONGEST.values())
    }
    return describe_elements(list(kept), list(kept.values()), GROUPS)


def pick(nodes: Nodes, scores: Floats, field: str, setting: Setting) -> Picked | None:
    """Return the element with the highest positive score whose text parses as the field; None where none does."""
    for place in np.argsort(-scores, kind="stable"):
        if scores[place] <= 0:
            return None
        if may_hold(field, nodes.amounts[place].characters):
            element = nodes.elements[place]
            picked = Picked(element, _foreign(nodes, scores, element))
            if read_value(field, text_of(picked), setting):
                return picked
    return None


def may_hold(field: str, characters: int) -> bool:
    """Tell whether an element with this many characters may hold the field."""
    return characters <= LONGEST[field]


def _foreign(nodes: Nodes, scores: Floats, element: HtmlElement) -> tuple[HtmlElement, ...]:
    inside = set(element.iterdescendants())
    foreign: list[HtmlElement] = []
    for part, score in zip(nodes.elements, scores, strict=True):
        if score <= FOREIGN and part in inside and not any(ancestor in foreign for ancestor in part.iterancestors()):
            foreign.append(part)
    return tuple(foreign)


def text_of(picked: Picked) -> str:
    """Return the text of the element without its foreign parts, or all of it if nothing else remains."""
    kept = plain(" ".join(pieces(picked.element, picked.foreign.__contains__)))
    return kept or plain(picked.element.text_content())


def read_value(field: str, text: str, setting: Setting) -> str:
    """Parse `text` as a field; "" where that fails."""
    if field == "published":
        return next((date.value for date in find_dates(text, setting)), "")
    if field == "authors":
        return ", ".join(name for name in names_in(text) if is_personal_name(name) or is_agency(name))
    return text
