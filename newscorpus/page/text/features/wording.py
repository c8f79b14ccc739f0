"""Measure a block's words in common with the rest of the page, its title and head, and its phrases.

The phrases occur between the paragraphs of an article: invitations, appeals, credits, pointers elsewhere. Words,
n-grams and phrases are compared by their hashes, all blocks at once.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Flags, Floats, Hashes, Integers
from newscorpus.page.text.features.characters import Words, count_characters
from newscorpus.page.text.features.own import Columns
from newscorpus.resources import read_toml

_BASE: Final = np.uint64(0x100000001B3)

PHRASES: Mapping[str, str] = read_toml(__package__, "phrases.toml")
"""Kinds of phrases, and the phrases, separated by `|`."""

LONGEST = 4
"""Maximum number of words of a phrase."""
OPENS = 2.0
"""Value of a block that begins with a phrase; 1 for a phrase further inside, 0 for none."""


def measure_repetition(words: Words) -> Columns:
    """Measure the share of a block's word trigrams that occur in an earlier, and in a later block."""
    triples = grams(words.hash, 3)
    order = np.argsort(triples)
    is_same = triples[order[1:]] == triples[order[:-1]]
    begins = np.concatenate(([True], ~is_same))[: len(order)]
    is_repeated = ~begins
    is_repeated[:-1] |= is_same
    chosen = order[is_repeated]
    if not len(chosen):
        return {"repeated_before": 0.0, "repeated_after": 0.0}
    text = words.text[chosen]
    starts = np.flatnonzero(begins[is_repeated])
    group = np.cumsum(begins[is_repeated]) - 1
    count = np.maximum(words.count, 1)

    def share(flags: NDArray[np.bool_]) -> Floats:
        return np.bincount(text[flags], minlength=len(count)) / count

    return {
        "repeated_before": share(np.minimum.reduceat(text, starts)[group] < text),
        "repeated_after": share(np.maximum.reduceat(text, starts)[group] > text),
    }


def overlap_with_title(words: Words, title: Hashes) -> tuple[Floats, Floats]:
    """Return per block the share of its words that occur in the title, and the share of the title's in it."""
    distinct = np.unique(title)
    matched = np.bincount(words.text[is_among(words.hash, distinct)], minlength=len(words.count))
    return matched / np.maximum(words.count, 1), np.minimum(matched / max(len(distinct), 1), 1.0)


def measure_hints(words: Words, description: Hashes, body: Hashes) -> Columns:
    """Measure the overlap with the page's description and the article body in structured data."""
    return {
        "description_overlap": _overlap(words, description, 2),
        "body_overlap": _overlap(words, body, 3) if len(body) else -1.0,
        "has_body": float(len(body)),
    }


def _overlap(words: Words, other: Hashes, size: int) -> Floats | float:
    """Return per text the share of its words that start an n-gram of `size` words that also occurs in `other`.

    The n-grams of a text extend into the next one, so that short texts are judged with their successor.
    """
    if len(other) < size:
        return 0.0
    is_known = is_among(grams(words.hash, size), np.sort(grams(other, size)))
    matched = np.bincount(words.text[: len(is_known)][is_known], minlength=len(words.count))
    return matched / np.maximum(words.count, 1)


def is_among(values: Hashes, ordered: Hashes) -> NDArray[np.bool_]:
    """Tell per value whether it occurs in `ordered`."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    at = np.searchsorted(ordered, values)
    at[at == len(ordered)] = 0
    return np.asarray(ordered[at] == values)


def grams(hashes: Hashes, size: int) -> Hashes:
    """Return a hash of every n-gram of `size` words."""
    count = max(len(hashes) - size + 1, 0)
    found = hashes[:count].copy()
    for place in range(1, size):
        found *= _BASE
        found += hashes[place : place + count]
    return found


def measure_phrases(words: Words) -> Columns:
    """Measure the phrases in each block, one column per kind."""
    says = np.zeros((len(PHRASES), len(words.count)))
    opens, tables = _tables()
    candidates = np.flatnonzero(opens[words.hash.astype(np.uint16)])  # few words may begin a phrase
    opens_block = np.diff(words.text, prepend=-1) > 0
    for size, (known, kinds) in enumerate(tables, 1):
        starts = candidates[candidates + size <= len(words.text)]
        starts = starts[words.text[starts] == words.text[starts + size - 1]]
        runs = grams(words.hash[starts[:, None] + np.arange(size)].ravel(), size)[::size]
        is_known = is_among(runs, known)
        starts, kind = starts[is_known], kinds[np.searchsorted(known, runs[is_known])]
        np.maximum.at(says, (kind, words.text[starts]), np.where(opens_block[starts], OPENS, 1.0))
    return {f"says_{kind}": row for kind, row in zip(PHRASES, says, strict=True)}


@cache
def _tables() -> tuple[Flags, tuple[tuple[Hashes, Integers], ...]]:
    """Return flags by the last 16 bits of hashes that begin phrases, and by length the phrases and their kinds.

    Phrases are sorted hashes, kinds are indices.
    """
    phrases = {
        " ".join(phrase.split()): kind for kind, listed in enumerate(PHRASES.values()) for phrase in listed.split("|")
    }
    phrases.pop("", None)
    words = count_characters([*phrases]).words
    kinds = np.array([*phrases.values()])
    starts = np.cumsum(words.count) - words.count
    tables = []
    for size in range(1, LONGEST + 1):
        of_size = words.count == size
        hashes = grams(words.hash, size)[starts[of_size]]
        order = np.argsort(hashes)
        tables.append((hashes[order], kinds[of_size][order]))
    opens = np.zeros(1 << 16, bool)
    opens[words.hash[starts].astype(np.uint16)] = True
    return opens, tuple(tables)
