"""Score one extracted text, or the blocks of one page, against gold, and estimate figures over many pages."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from operator import add

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from newscorpus.arrays import Floats
from newscorpus.tokens import clean, word_ngrams, words

NGRAM = 4
"""Words a shingle, as in the article-extraction-benchmark (Scrapinghub 2020)."""

ROUNDS = 1_000
"""Samples drawn, as in the article-extraction-benchmark (Scrapinghub 2020)."""
INTERVAL_PERCENT = (2.5, 97.5)
SEED = 0

MARKUP = re.compile(r"<[^>]*>")
NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and their harmonic mean, each 0..1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """Sizes of the intersection, of the extracted collection and of gold; overlaps of many pages add up."""

    common: int = 0
    predicted: int = 0
    gold: int = 0

    def __add__(self, other: "Overlap") -> "Overlap":
        return Overlap(*map(add, astuple(self), astuple(other)))

    @property
    def scores(self) -> Scores:
        """Precision, recall and F1: all 1 if both sides are empty, 0 if one is."""
        if self.predicted == self.gold == 0:
            return Scores(1.0, 1.0, 1.0)
        precision = self.common / self.predicted if self.predicted else 0.0
        recall = self.common / self.gold if self.gold else 0.0
        return Scores(precision, recall, harmonic_mean(precision, recall))


def harmonic_mean(precision: float, recall: float) -> float:
    """Return the F1 of a precision and a recall; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def ngrams(text: str, n: int = NGRAM) -> Counter[tuple[str, ...]]:
    """Return the multiset of word n-grams of `text`; fewer than n words make one n-gram, no words none."""
    tokens = words(clean(text))
    if len(tokens) < n:
        return Counter([tuple(tokens)] if tokens else [])
    return Counter(word_ngrams(tokens, n))


def ngram_overlap(predicted: str, gold: str, n: int = NGRAM) -> Overlap:
    """Return the overlap of two texts as multisets of word n-grams."""
    ours, theirs = ngrams(predicted, n), ngrams(gold, n)
    return Overlap((ours & theirs).total(), ours.total(), theirs.total())


def ngram_scores(predicted: str, gold: str) -> Scores:
    """Score an extracted text by multisets of word n-grams.

    As in the article-extraction-benchmark (Scrapinghub 2020, `evaluate.py`), except for words, which are those of
    `newscorpus.tokens.words`: scripts without spaces count by character.
    """
    return ngram_overlap(predicted, gold).scores


def ascii_words(text: str) -> list[str]:
    """Split into words as Bakić (2012, evaluation): at white space, without markup and characters above 127."""
    return NOT_ASCII.sub("", MARKUP.sub("", text)).split()


def lcs_overlap(predicted: str, gold: str, split: Callable[[str], list[str]] = ascii_words) -> Overlap:
    """Return the overlap by the longest common subsequence of words, by default those of Bakić (2012)."""
    ours, theirs = _numbered(split(predicted), split(gold))
    return Overlap(LCSseq.similarity(ours, theirs), len(ours), len(theirs))


def word_edits(predicted: str, gold: str) -> int:
    """Count the words to insert, delete or replace to turn the extracted text into gold (Novotný 2016)."""
    return Levenshtein.distance(*_numbered(words(predicted), words(gold)))


def character_similarity(predicted: str, gold: str) -> float:
    """Return 1 - Levenshtein distance in characters / length of the longer text (Brezovnik 2021); 0..1."""
    return Levenshtein.normalized_similarity(predicted, gold)


def _numbered(*texts: Sequence[str]) -> tuple[list[int], ...]:
    """Number the words: rapidfuzz compares hashes, and those of small numbers never collide."""
    numbers: dict[str, int] = {}
    return tuple([numbers.setdefault(word, len(numbers)) for word in text] for text in texts)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of yes-or-no verdicts against gold; confusions of many pages add up."""

    true_positive: int = 0
    false_positive: int = 0
    false_negative: int = 0
    true_negative: int = 0

    def __add__(self, other: "Confusion") -> "Confusion":
        return Confusion(*map(add, astuple(self), astuple(other)))

    @property
    def total(self) -> int:
        """Number of verdicts."""
        return sum(astuple(self))

    @property
    def accuracy(self) -> float:
        """Share of right verdicts; 1 if there were none."""
        return (self.true_positive + self.true_negative) / self.total if self.total else 1.0

    @property
    def scores(self) -> Scores:
        """Precision, recall and F1 of the positive class."""
        predicted = self.true_positive + self.false_positive
        return Overlap(self.true_positive, predicted, self.true_positive + self.false_negative).scores

    @property
    def measures(self) -> dict[str, float]:
        """Accuracy, precision, recall, F1 and the correlation `mcc`, by name."""
        return {"accuracy": self.accuracy, **asdict(self.scores), "mcc": self.mcc}

    @property
    def kappa(self) -> float:
        """Cohen's kappa (1960), agreement beyond chance, -1..1; 1 if all verdicts are the same."""
        tp, fp, fn, tn = self.true_positive, self.false_positive, self.false_negative, self.true_negative
        chance = (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)
        total = self.total**2
        return (self.total * (tp + tn) - chance) / (total - chance) if total > chance else 1.0

    @property
    def mcc(self) -> float:
        """Matthews correlation coefficient, -1..1; 0 if a row or column of the table is empty."""
        tp, fp, fn, tn = self.true_positive, self.false_positive, self.false_negative, self.true_negative
        scale = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return (tp * tn - fp * fn) / scale if scale else 0.0


def confusion(predicted: Iterable[bool], gold: Iterable[bool]) -> Confusion:
    """Count verdicts against gold, pair by pair.

    Raises:
        ValueError: the two differ in length.
    """
    pairs = Counter((bool(ours), bool(theirs)) for ours, theirs in zip(predicted, gold, strict=True))
    return Confusion(pairs[True, True], pairs[True, False], pairs[False, True], pairs[False, False])


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def estimate(pages: Floats, figure: Callable[[Floats], Floats], groups: Sequence[str] | None = None) -> Estimate:
    """Estimate a figure over all pages, with its percentile bootstrap interval.

    Args:
        pages: contributions of each page to the sums, shape (pages, columns).
        figure: function from sums of shape (n, columns) to n figures.
        groups: a name per page, such as its domain, to draw whole groups instead of pages.

    Raises:
        ValueError: there are no pages.
    """
    if not len(pages):
        raise ValueError("no pages to estimate from")
    units = pages
    if groups is not None:
        names, index = np.unique(np.asarray(groups), return_inverse=True)
        units = np.zeros((len(names), pages.shape[1]))
        np.add.at(units, index, pages)
    n = len(units)
    drawn = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), size=ROUNDS)
    low, high = np.percentile(figure(drawn @ units), INTERVAL_PERCENT)
    return Estimate(float(figure(units.sum(axis=0, keepdims=True))[0]), float(low), float(high))
