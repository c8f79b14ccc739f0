"""Pick title, date and authors of a page without structured data by a linear classifier of elements.

Kazennikov 2013: stage one takes the element with the highest score for a field; stage two removes its parts that the
same classifier finds foreign. Authors are our addition. Trained on pages labelled by their structured data
(`newscorpus.lab.training.learned_fields`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby, islice

import numpy as np
from lxml.html import HtmlElement

from newscorpus.arrays import Floats
from newscorpus.data import Evidence
from newscorpus.model_folders import FIELDS_MODEL
from newscorpus.page.fields.byline import names_author
from newscorpus.page.fields.dates import Setting, find_dates
from newscorpus.page.fields.markup import LINE_END, holds_many, opening, pieces, plain
from newscorpus.page.fields.nearby import following, preceding
from newscorpus.page.fields.nodes import (
    GROUPS,
    Amounts,
    Nodes,
    describe_elements,
    load_linear,
    measure_amounts,
)
from newscorpus.page.fields.people import is_agency, is_personal_name, names_in
from newscorpus.page.fields.visible import OTHERS, is_elsewhere, stands_aside

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
"""Candidates examined on a page without a heading."""
FOREIGN = -1.0
"""Parts of the chosen element with at most this score are removed: they lie beyond the SVM's margin."""


def read_learned(
    tree: HtmlElement, headline: HtmlElement | None, setting: Setting, model: str = FIELDS_MODEL
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

    measured: dict[HtmlElement, Amounts] = {}  # of short elements and their descendants
    for element in near:
        if element not in measured and len(opening(element, MAX_RUN + 1)) <= MAX_RUN and not holds_many(element):
            measured |= measure_amounts(element, sum(1 for _ in element.iterancestors()))
    nodes = _describe(near, measured)
    if not nodes.elements:
        return
    scores = load_linear(model).score(nodes)
    around = frozenset(headline.iterancestors()) if headline is not None else frozenset()
    for column, field in enumerate(FIELDS):
        if not (picked := pick(nodes, scores[:, column], field, setting)):
            continue
        element, text = picked
        # Pages are called by two words with capitals, too: "Sample Page" in a menu, or in the header that holds it
        if field == "authors" and (element.find(".//nav") is not None or stands_aside(element, OTHERS)):
            continue
        if not (around and is_elsewhere(element, around)):
            yield Evidence(field, read_value(field, text, setting), "learned")


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


def pick(nodes: Nodes, scores: Floats, field: str, setting: Setting) -> tuple[HtmlElement, str] | None:
    """Find the element with the highest positive score whose text parses as the field; None if there is none.

    Returns:
        The element, and its text without its outermost foreign parts.
    """
    for place in np.argsort(-scores, kind="stable"):
        if scores[place] <= 0:
            return None
        if nodes.amounts[place].characters > LONGEST[field]:
            continue
        element = nodes.elements[place]
        inside = set(element.iterdescendants())
        foreign: list[HtmlElement] = []
        for part, score in zip(nodes.elements, scores, strict=True):
            if score <= FOREIGN and part in inside and not any(each in foreign for each in part.iterancestors()):
                foreign.append(part)
        text = text_without(element, foreign)
        if read_value(field, text, setting):
            return element, text
    return None


def text_without(element: HtmlElement, parts: Collection[HtmlElement]) -> str:
    """Return the text of an element without some of its parts, or all of it if nothing else remains.

    Names on lines of their own are joined by commas, behind a label too.
    """
    runs = groupby(pieces(element, parts.__contains__), LINE_END.__ne__)
    kept = [text for is_text, run in runs if is_text and (text := plain(" ".join(run)))]
    names = kept[1:] if kept and names_author(kept[0].lower()) else kept
    are_names = len(names) > 1 and all(map(is_personal_name, names))
    return (", " if are_names else " ").join(kept) or plain(element.text_content())


def read_value(field: str, text: str, setting: Setting) -> str:
    """Parse `text` as a field; "" where that fails."""
    if field == "published":
        return next((date.value for date in find_dates(text, setting)), "")
    if field == "authors":
        return ", ".join(name for name in names_in(text) if is_personal_name(name) or is_agency(name))
    return text
