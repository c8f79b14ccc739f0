"""Leave out what a site adds to its articles in its own words: consent forms, appeals, notes below, readers' comments.

The classifier takes these for text, since they are running text beside it. Each is known by two signs: a phrase or a
name, and its place. `additions.toml` has the phrases.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

import numpy as np
from msgspec.structs import replace

from newscorpus.arrays import Floats, Matrix
from newscorpus.data import Block, Element, Label
from newscorpus.page.parsing.segment import elements_around
from newscorpus.page.text.features import FEATURES, PageFeatures
from newscorpus.page.text.features.phrases import PHRASES
from newscorpus.page.text.post_analysis.headline import Labelled, is_heading
from newscorpus.resources import read_toml
from newscorpus.tokens import fold, words

CONSENT, APPEAL, NOTE, COMMENTS = "consent_form", "appeal", "note_below", "comments"
"""Reasons of the blocks that are left out."""

_CONSENT = re.compile(
    r"(?:^|\s)(?:onetrust|didomi|cookiebot|(?:cookies?|consent|gdpr|ccpa|privacy)[-_]"
    r"(?:banner|bar|box|form|layer|message|modal|notice|overlay|popup|pref|settings|wall))",
    re.IGNORECASE,
)
"""How classes and ids of forms that ask for consent begin, as their makers name them; not tags ("tag-cookies")."""
_FORMS = frozenset(("div", "section", "aside", "dialog", "form"))
MIN_APPEALS = 3
"""Fewest different phrases of an appeal for money in a box; advice may say "donate" and "donations"."""
MIN_APPEALING, MAX_APPEAL = 0.4, 0.5
"""Share of the box's blocks that appeal, at least, and its share of the text, at most: more is an article on giving."""
NEAR_END = 3
"""Blocks at the end of a text that may be a note."""
MAX_NOTE_WORDS = 70
MIN_RIGHTS = 2
"""Fewest phrases of a note on rights: "All rights reserved. This material may not be published"."""
MIN_WORDS, MIN_SHARE = 60, 0.3
"""Text before readers' comments, in words and of the whole text: nearer to its start, a link leads down to them."""
MAX_HEADING_WORDS = 6
"""Longest heading of comments, numbers and names of sites included."""

_WORDS, _DONATE, _RIGHTS = (tuple(FEATURES).index(name) for name in ("words", "says_donate", "says_rights"))


def drop_additions(labelled: Labelled, features: PageFeatures) -> Labelled:
    """Leave out what the site adds, with the kind of addition among the reasons; never the whole text."""
    good = [at for at, item in enumerate(labelled) if item.label is Label.GOOD]
    if len(good) < 2:
        return labelled
    blocks, n_words = [item.block for item in labelled], features.matrix[:, _WORDS].astype(np.float64)
    appealing = [at for at in good if features.matrix[at, _DONATE]]
    reasons = {
        **dict.fromkeys(_comments(labelled, good, n_words), COMMENTS),
        **dict.fromkeys(_notes(blocks, good[1:][-NEAR_END:], features.matrix), NOTE),
        **dict.fromkeys(_appeals(blocks, appealing, good, n_words) if appealing else (), APPEAL),
        **dict.fromkeys(_consents(blocks, good), CONSENT),
    }
    if not reasons or len(reasons) == len(good):
        return labelled
    return tuple(
        replace(item, label=Label.BAD, reasons=(*item.reasons, reasons[at])) if at in reasons else item
        for at, item in enumerate(labelled)
    )


def _comments(labelled: Labelled, good: Sequence[int], n_words: Floats) -> Iterable[int]:
    """The places of the good blocks below the heading of readers' comments, and of the heading."""
    words_so_far = np.cumsum(n_words[good])
    least = max(MIN_WORDS, MIN_SHARE * words_so_far[-1])
    begin, end = good[int(np.argmax(words_so_far >= least))], good[-1] + 1
    if words_so_far[-1] < least:
        return ()
    short = begin + 1 + np.flatnonzero(n_words[begin + 1 : end] <= MAX_HEADING_WORDS)
    heading = next((at for at in short.tolist() if _opens_comments(labelled, at)), end)
    return (at for at in good if at >= heading)


def _opens_comments(labelled: Labelled, at: int) -> bool:
    """Whether a block stands above comments; items of lists and links that are no heading lead to them.

    One word that the classifier takes for text may be the heading of a chapter.
    """
    item = labelled[at]
    leads_there = item.block.tag == "li" or item.block.link_text == item.block.text
    if leads_there and not is_heading(item.block):
        return False
    key = _key(item.block.text)
    return key in _headings() and (item.label is not Label.GOOD or len(key) > 1)


def _key(text: str) -> tuple[str, ...]:
    return tuple(word for word in words(fold(text)) if not word.isdigit())


@cache
def _headings() -> frozenset[tuple[str, ...]]:
    return frozenset(map(_key, _phrases("comments")))


def _notes(blocks: Sequence[Block], last: Sequence[int], matrix: Matrix) -> Iterator[int]:
    """The places of notes among the `last` blocks of a text: where an entry is filed, who has the rights."""
    for at in last:
        text = blocks[at].text
        is_on_rights = matrix[at, _RIGHTS] and len(_said("rights", text)) >= MIN_RIGHTS
        if matrix[at, _WORDS] <= MAX_NOTE_WORDS and (is_on_rights or _opens_note().match(text)):
            yield at


@cache
def _opens_note() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(map(re.escape, _phrases('entry')))})", re.IGNORECASE)


def _appeals(
    blocks: Sequence[Block], appealing: Collection[int], good: Sequence[int], n_words: Floats
) -> Iterator[int]:
    """The places of the good blocks in boxes that appeal for money: the elements right around those `appealing`."""
    inside: dict[Element | None, list[int]] = {blocks[at].element.parent: [] for at in appealing}
    for at in good:
        for element in blocks[at].element.ancestry:
            if element in inside:
                inside[element].append(at)
    for places in inside.values():
        is_part = n_words[places].sum() <= MAX_APPEAL * n_words[good].sum()
        n_appealing = sum(at in appealing for at in places)
        said = _said("donate", "\n".join(blocks[at].text for at in places)) if is_part else frozenset()
        if len(said) >= MIN_APPEALS and n_appealing >= MIN_APPEALING * len(places):
            yield from places


def _consents(blocks: Sequence[Block], good: Sequence[int]) -> Iterator[int]:
    """The places of the good blocks in forms that ask for consent."""
    around = elements_around([blocks[at] for at in good])
    forms = {each for each in around if each.tag in _FORMS and _CONSENT.search(f"{each.classes} {each.id}")}
    if forms:
        yield from (at for at in good if not forms.isdisjoint(blocks[at].element.ancestry))


def _said(kind: str, text: str) -> frozenset[str]:
    """The different phrases of a kind of `PHRASES` in a text."""
    return frozenset(found.casefold() for found in _pattern(kind).findall(text))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    phrases = sorted(filter(None, map(str.split, PHRASES[kind].split("|"))), key=len, reverse=True)
    either = "|".join(r"\W+".join(map(re.escape, each)) for each in phrases)
    return re.compile(rf"\b(?:{either})\b", re.IGNORECASE)


@cache
def _phrases(kind: str) -> tuple[str, ...]:
    """The phrases of a kind in `additions.toml`, of all languages."""
    by_language: Mapping[str, Sequence[str]] = read_toml(__package__, "additions.toml")[kind]
    return tuple(chain.from_iterable(by_language.values()))
