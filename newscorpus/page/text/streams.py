"""Keep one article of a page that appends others: in a stream without end, or below a "read on" box."""

import re
from collections.abc import Mapping
from typing import Final

from newscorpus.config import PostAnalysisConfig
from newscorpus.data import Element, Label
from newscorpus.page.text.features.structure import NAMES, kinds_of
from newscorpus.page.text.post_analysis import DEFAULTS
from newscorpus.page.text.post_analysis.headline import Labelled, likeness, lower_words, possible_headlines
from newscorpus.tokens import count_words

OTHER_ARTICLE = "other_article"
"""Reason of the blocks of another article."""
HEADINGS = ("h1", "h2")
"""Ranks of headings that articles begin with."""
MAX_HEADINGS = 50
"""Most headings of a page that are looked at: each is compared with the blocks around it."""

_ARTICLE: Final = 1 << NAMES.index("article")
_META: Final = 1 << NAMES.index("meta")
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"\W*\d{1,2}[:.h]\d\d\b.{0,6}")
"""A time of day alone: entries of live blogs have one, articles a date."""


def find_others(labelled: Labelled, title: str, config: PostAnalysisConfig = DEFAULTS) -> frozenset[int]:
    """The places of blocks that belong to other articles than the one of the title.

    Those are what stands in the box of another article, and where articles have no boxes, all from its heading on.
    """
    headings = [at for at, item in enumerate(labelled) if item.block.element.tag in HEADINGS][:MAX_HEADINGS]
    if len(headings) < 2:
        return frozenset()
    words = {at: lower_words(labelled[at].block.text) for at in headings}
    said = _that_say(title, words, config)
    own = min(said, key=lambda at: (labelled[at].block.tag, at), default=None)
    if own is None:
        return frozenset()
    others = [at for at in headings if likeness(words[at], words[own]) < config.min_headline_likeness]
    return frozenset(at for other in others for at in _article_at(labelled, other, own, config))


def _that_say(title: str, words: Mapping[int, tuple[str, ...]], config: PostAnalysisConfig) -> list[int]:
    """The places whose words say what the title says."""
    headlines, whole = possible_headlines(title), lower_words(title)
    return [
        at for at, said in words.items() if said in headlines or likeness(said, whole) >= config.min_headline_likeness
    ]


def _article_at(labelled: Labelled, other: int, own: int, config: PostAnalysisConfig) -> range:
    """The blocks of the article that begins with the heading at `other`; empty where it begins none."""
    mine, its = labelled[own].block.element, labelled[other].block.element
    boxes = _part(mine, its), _part(its, mine)
    is_boxed = boxes[0] is not mine and boxes[1] is not its
    if not _begins(labelled, other, own, boxes if is_boxed else None, config):
        return range(0)
    spans = range(own, other), range(other, len(labelled))
    if is_boxed:
        spans = _inside(labelled, own, boxes[0]), _inside(labelled, other, boxes[1])
    is_long = min(_good_words(labelled, span) for span in spans) >= config.min_article_words
    return spans[1] if is_long else range(0)


def _begins(
    labelled: Labelled, other: int, own: int, boxes: tuple[Element, Element] | None, config: PostAnalysisConfig
) -> bool:
    """Whether the heading at `other` looks like the beginning of an article; `boxes` are those of both headings."""
    ranks = labelled[own].block.tag, labelled[other].block.tag
    are_first = ranks == ("h1", "h1")
    if boxes is None:
        return own < other and are_first and all(_is_signed(labelled, at, config) for at in (own, other))
    are_alike = _are_articles(*boxes)
    if are_alike and ranks[0] == ranks[1]:
        return True
    return (are_first or (are_alike and boxes[0].tag == "article")) and _is_signed(labelled, other, config)


def _part(element: Element, other: Element) -> Element:
    """The outermost element around `element`, or itself, that does not hold `other` too."""
    around = frozenset(other.ancestry)
    return next((each for each in element.ancestry if each not in around), element)


def _inside(labelled: Labelled, at: int, box: Element) -> range:
    """The blocks in `box`, of which the one at `at` is one."""
    first, last = at, at + 1
    while first > 0 and box in labelled[first - 1].block.element.ancestry:
        first -= 1
    while last < len(labelled) and box in labelled[last].block.element.ancestry:
        last += 1
    return range(first, last)


def _good_words(labelled: Labelled, span: range) -> int:
    return sum(count_words(labelled[at].block.text) for at in span if labelled[at].label is Label.GOOD)


def _are_articles(own: Element, other: Element) -> bool:
    """Whether two boxes are of one kind, which is that of articles."""
    if own.tag != other.tag:
        return False
    shared = set(_NUMBER.sub("", own.classes).split()) & set(_NUMBER.sub("", other.classes).split())
    return own.tag == "article" or bool(kinds_of(" ".join(sorted(shared))) & _ARTICLE)


def _is_signed(labelled: Labelled, heading: int, config: PostAnalysisConfig) -> bool:
    """Whether a date or an author, and not only a time of day, follows close below a heading."""
    for item in labelled[heading + 1 : heading + 1 + config.near_blocks]:
        block = item.block
        if block.tag in HEADINGS:
            return False
        names = " ".join(f"{each.classes} {each.id} {each.role}" for each in (block.element, block.parent))
        if (kinds_of(names) & _META or "time" in block.inline) and not _CLOCK.fullmatch(block.text):
            return True
    return False
