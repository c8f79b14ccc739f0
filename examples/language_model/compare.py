"""Train one model on each system's texts, and test all on the same held-out texts."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from examples.language_model.kneser_ney import train_words
from newscorpus.lab.evaluation.scores import estimate
from newscorpus.tokens import paragraphs, tokenise

RUN = 8
"""Tokens in a run that training and held-out texts must not share, as in the study of GPT-2 (Radford et al. 2019)."""

SEED = 1
"""Of the order in which pages are taken when amounts are made equal."""

Text = list[list[str]]
"""Paragraphs of tokens."""


@dataclass(frozen=True, slots=True)
class Row:
    """How well a model trained on one system's texts predicts the held-out ones."""

    task: str  # what was trained and tested on
    system: str  # what the training texts are from
    tokens: int  # of the training texts, ends of paragraphs included
    unseen: float  # share of the held-out words that no training text has
    perplexity: float  # by token, the ends of paragraphs included
    bits: float  # by character, likewise
    # bits by character beyond those of the reference, with the ends of the 95 % interval; None for itself
    more: tuple[float, float, float] | None


def compare(task: str, training: Mapping[str, Sequence[str]], held_out: Sequence[str], reference: str) -> Iterator[Row]:
    """Compare the systems; a row for each, that of the reference first.

    Args:
        task: what is trained and tested on.
        training: texts by system; of all of them those paragraphs go that share a run of words with a held-out text.
        held_out: texts to test on.
        reference: the system that the others are compared with.
    """
    alphabet = len(set(chain.from_iterable(chain(*training.values(), held_out))))
    tests = [cut(text) for text in held_out]
    tokens, letters = sum(map(count, tests)), sum(map(count_letters, held_out))
    known = {run for test in tests for paragraph in test for run in _runs(paragraph)}
    needed: list[float] = []
    for system in sorted(training, key=lambda name: name != reference):
        texts = [[line for line in cut(text) if known.isdisjoint(_runs(line))] for text in training[system]]
        model = train_words(chain.from_iterable(texts), alphabet)
        bits = [model.bits(test) for test in tests]
        needed = needed or bits
        # bits beyond those of the reference, and the interval when other texts of the kind are drawn
        sums = np.column_stack([np.subtract(bits, needed), [count_letters(text) for text in held_out]])
        beyond = estimate(sums, lambda rows: rows[:, 0] / rows[:, 1])
        words = [word for test in tests for paragraph in test for word in paragraph]
        yield Row(
            task=task,
            system=system,
            tokens=sum(map(count, texts)),
            unseen=sum(not model.knows(word) for word in words) / max(1, len(words)),
            perplexity=2 ** (sum(bits) / tokens),
            bits=sum(bits) / letters,
            more=None if system == reference else (beyond.value, beyond.low, beyond.high),
        )


def cut_to_equal(training: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Cut all systems' texts to the tokens of the shortest: whole paragraphs of pages in one random order."""
    order = list(range(max(map(len, training.values()))))
    random.Random(SEED).shuffle(order)
    fewest = min(sum(count(cut(text)) for text in texts) for texts in training.values())
    return {system: list(_first([texts[at] for at in order], fewest)) for system, texts in training.items()}


def _first(texts: Iterable[str], tokens: int) -> Iterator[str]:
    """Paragraphs of texts until they have so many tokens."""
    for paragraph in chain.from_iterable(map(paragraphs, texts)):
        tokens -= len(tokenise(paragraph)) + 1
        if tokens < 0:
            return
        yield paragraph


def cut(text: str) -> Text:
    """Cut a text into paragraphs of tokens."""
    return [tokenise(paragraph) for paragraph in paragraphs(text)]


def count(text: Text) -> int:
    """Count the tokens of a text, ends of paragraphs included."""
    return sum(len(paragraph) + 1 for paragraph in text)


def count_letters(text: str) -> int:
    """Count the characters of a text, spaces and ends of paragraphs included."""
    return sum(len(paragraph) + 1 for paragraph in paragraphs(text))


def _runs(paragraph: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All runs of words by which a paragraph is known again."""
    return (tuple(paragraph[start : start + RUN]) for start in range(len(paragraph) - RUN + 1))
