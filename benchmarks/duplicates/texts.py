"""Texts like news, made of random words, and changed as portals change them. Everything follows from seeds."""

import random
from collections.abc import Sequence
from functools import cache

from newscorpus.page.signature import jaccard, shingles, word_hashes

SYLLABLES = "va ná sta ří mo ku lo pře ni te ško dě ra za vé pro si je ou ž".split()
VOCABULARY = 30_000
PARAGRAPH_WORDS = 45

Words = Sequence[str]


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Words that look Czech, and the sums of their frequencies, which fall as Zipf and Mandelbrot say."""
    choose = random.Random(0)
    words = ["".join(choose.choices(SYLLABLES, k=1 + rank % 5)) for rank in range(VOCABULARY)]
    sums, total = [], 0.0
    for rank in range(VOCABULARY):
        total += 1 / (rank + 10)
        sums.append(total)
    return words, sums


def make_words(choose: random.Random, n_words: int) -> list[str]:
    """Words of a text."""
    words, sums = vocabulary()
    return choose.choices(words, cum_weights=sums, k=n_words)


def as_text(words: Words) -> str:
    """Words as a text, one paragraph a line."""
    starts = range(0, len(words), PARAGRAPH_WORDS)
    return "\n".join(" ".join(words[start : start + PARAGRAPH_WORDS]) + "." for start in starts)


def similarity(one: Words, other: Words) -> float:
    """Exact Jaccard similarity of two texts."""
    first, second = (shingles(word_hashes(" ".join(words))) for words in (one, other))
    return jaccard(first, second)


def rewritten(words: Words, target: float, spots: int, choose: random.Random) -> list[str]:
    """A text of a similarity to another as near to `target` as replacing words in so many passages can make it."""
    fresh = make_words(choose, len(words))
    least, most = 0, len(words)
    while most - least > 1:
        middle = (least + most) // 2
        is_above = similarity(words, _replaced(words, fresh, middle, spots)) > target
        least, most = (middle, most) if is_above else (least, middle)
    both = [_replaced(words, fresh, count, spots) for count in (least, most)]
    return min(both, key=lambda other: abs(similarity(words, other) - target))


def _replaced(words: Words, fresh: Words, count: int, spots: int) -> list[str]:
    """The words with `count` of them replaced, in passages at equal distances."""
    changed = list(words)
    for spot in range(spots):
        size = count // spots + (spot < count % spots)
        start = min(len(words) * (2 * spot + 1) // (2 * spots), len(words) - size)
        changed[start : start + size] = fresh[start : start + size]
    return changed


def excerpt(words: Words, share: float, own_words: int, choose: random.Random) -> list[str]:
    """The beginning of a text behind an opening of its own, as a portal cuts an agency's text."""
    return [*make_words(choose, own_words), *words[: round(len(words) * share)]]
