"""Train an n-gram language model with interpolated modified Kneser-Ney smoothing (Chen and Goodman 1998, section 3).

The vocabulary is open: below the unigrams lies a model of the same kind that spells words character by character, and
below that one an alphabet whose characters are equally likely. So models trained on different texts give probabilities
to the same events, and none gains by knowing fewer words.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

START, END = "<s>", "\n"
"""Stand before and after a paragraph, or a word that is spelled; no token is one of them."""

Gram: TypeAlias = tuple[str, ...]
Discounts: TypeAlias = tuple[float, float, float, float]

WORD_ORDER, SPELLER_ORDER = 3, 5
"""Longest n-grams of words, and of characters."""

FALLBACK: Discounts = (0.0, 0.5, 1.0, 1.5)
"""Discounts where there are too few n-grams to estimate them from."""


@dataclass(frozen=True, slots=True)
class Order:
    """All n-grams of one length."""

    # of each n-gram, the highest order's as they stand in the texts, the others' by distinct words before
    counts: Mapping[Gram, int]
    totals: Mapping[Gram, int]  # sum of the counts by context
    backoff: Mapping[Gram, float]  # by context, the share of probability that goes to the next lower order
    discounts: Discounts  # what is taken from a count of 0, 1, 2, and 3 or more


@dataclass(frozen=True, slots=True)
class Model:
    """A trained model."""

    orders: tuple[Order, ...]  # from the unigrams up
    base: Callable[[str], float]  # probability of a token that no n-gram speaks of

    def probability(self, word: str, context: Gram) -> float:
        """Compute the probability of a word after a context, which may be longer than the model looks back."""
        found = self.base(word)
        for length, order in enumerate(self.orders):
            history = context[len(context) - length :]
            total = order.totals.get(history)
            if length > len(context) or not total:
                break
            count = order.counts.get((*history, word), 0)
            found = (count - order.discounts[min(count, 3)]) / total + order.backoff[history] * found
        return found

    def bits(self, sequences: Iterable[Sequence[str]]) -> float:
        """Compute the bits that the model needs for sequences of tokens, their ends included."""
        return -sum(
            math.log2(self.probability(gram[-1], gram[:-1]))
            for sequence in sequences
            for gram in _grams(sequence, len(self.orders))
        )

    def knows(self, word: str) -> bool:
        """Whether a word occurs in the training texts."""
        return (word,) in self.orders[0].counts


def train_words(paragraphs: Iterable[Sequence[str]], alphabet: int) -> Model:
    """Train a model of words.

    Args:
        paragraphs: of tokens; read once.
        alphabet: number of characters that words are spelled with.
    """
    held = list(paragraphs)
    words = sorted({token for paragraph in held for token in paragraph})
    speller = train(words, SPELLER_ORDER, lambda _: 1 / (alphabet + 1))
    return train(held, WORD_ORDER, cache(lambda word: 2.0 ** -speller.bits([word])))


def train(sequences: Iterable[Sequence[str]], order: int, base: Callable[[str], float]) -> Model:
    """Train a model on sequences of tokens, such as the characters of words, up to n-grams of the given length."""
    counts = Counter(gram for sequence in sequences for gram in _grams(sequence, order))
    orders = []
    for length in range(order, 0, -1):
        orders.append(_order({gram: count for gram, count in counts.items() if len(gram) == length}))
        # Shorter n-grams count by distinct words before them, those at a start as often as they stand there.
        lower = Counter(gram[1:] for gram in counts if len(gram) == length)
        lower.update({gram: count for gram, count in counts.items() if len(gram) < length})
        counts = lower
    return Model(tuple(reversed(orders)), base)


def _grams(sequence: Sequence[str], order: int) -> Iterable[Gram]:
    """For each token and the end the longest n-gram that it closes; shorter ones stand at the start only."""
    tokens = (START, *sequence, END)
    return (tokens[max(0, end - order) : end] for end in range(2, len(tokens) + 1))


def _order(counts: Mapping[Gram, int]) -> Order:
    """Totals, discounts and weights of the n-grams of one length."""
    discounts = _discounts(Counter(counts.values()))
    totals: Counter[Gram] = Counter()
    taken: defaultdict[Gram, float] = defaultdict(float)
    for gram, count in counts.items():
        totals[gram[:-1]] += count
        taken[gram[:-1]] += discounts[min(count, 3)]
    return Order(counts, totals, {context: taken[context] / total for context, total in totals.items()}, discounts)


def _discounts(seen: Mapping[int, int]) -> Discounts:
    """The discounts of Chen and Goodman, from how many n-grams have the counts 1 to 4."""
    n1, n2, n3, n4 = (seen.get(count, 0) for count in range(1, 5))
    if not n1 * n2 * n3 * n4:
        return FALLBACK
    y = n1 / (n1 + 2 * n2)
    found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    return (0.0, *found) if all(0 < one < count for count, one in enumerate(found, 1)) else FALLBACK
