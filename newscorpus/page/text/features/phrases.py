"""Find phrases that are said between the paragraphs of an article: invitations, appeals, credits, pointers elsewhere.

Phrases are compared by the hashes of their words, all blocks and all phrases at once.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np

from newscorpus.arrays import Flags, Hashes, Integers
from newscorpus.page.text.features.characters import Words, count_characters
from newscorpus.page.text.features.own import Columns
from newscorpus.page.text.features.wording import grams, is_among
from newscorpus.resources import read_toml

PHRASES: Mapping[str, str] = read_toml(__package__, "phrases.toml")
"""A name for each kind of phrase, and the phrases, set apart by `|`."""

LONGEST = 4
"""Words of the longest phrase."""
OPENS = 2.0
"""Value of a block that opens with a phrase; 1 where one stands further inside, 0 where there is none."""


def measure_phrases(words: Words) -> Columns:
    """What each block says, a column a kind of phrase."""
    says = np.zeros((len(PHRASES), len(words.count)))
    opens, tables = _tables()
    candidates = np.flatnonzero(opens[words.hash.astype(np.uint16)])  # few words may open a phrase
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
    """The last 16 bits of the hashes of words that open a phrase; by number of words the phrases and their kinds.

    Phrases are given by their hashes, sorted, kinds by their indices.
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
