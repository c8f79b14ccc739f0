"""Measure what the profile of a portal says of each block of a page, beside what the model says of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from newscorpus.arrays import Flags, Floats, Integers
from newscorpus.data import Block
from newscorpus.page.profiles.names import paths_of, text_key
from newscorpus.portal.profile import Profile

EVIDENCE: Final = {
    "own": "log odds of the model's verdict on the block",
    "path": "log odds of main text at the block's path on the other pages; on this page where the path is not known",
    "is_known": "the path is known from other pages",
    "is_repeated": "the text stands on many of the other pages",
    "path_repeats": "texts at the path that stand there on other pages too, of all at the path",
}
"""What the review of a page sees of each block, in order, and what each says."""

REPEATED_SHARE = 0.15
"""Share of the other pages on which a text stands that is repeated, as in the probe that preceded this."""
EVERYWHERE_SHARE, EVERYWHERE_PAGES, EVERYWHERE_WORDS = 0.5, 3, 6
"""Share and number of the other pages on which a text of so many words stands that is no article's, whatever the model
thinks: shorter ones are datelines and headings of chapters. Out of fold 5 of 100 such words remain (2026-11)."""
PRIOR_WORDS = 20.0
"""Words, with the share of main text of the whole site, that are added to those at a path."""
LEAST_OWN, LEAST_PATH = 1e-4, 1e-2
"""Probabilities nearer to 0 or 1 count as this near: those of the model, and shares of main text."""


def log_odds(probability: Floats, least: float) -> Floats:
    """The logarithm of the odds."""
    certain = np.clip(probability, least, 1 - least)
    return np.asarray(np.log(certain / (1 - certain)))


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What a profile says of the blocks of a page."""

    rows: Floats  # shape (blocks, len(EVIDENCE))
    is_everywhere: Flags  # per block, whether its text stands on most of the other pages


class SiteEvidence:
    """What a profile says, in tables. What a page brought to the profile itself is no evidence on that page."""

    def __init__(self, profile: Profile) -> None:
        self._documents = frozenset(profile.pages)
        self._row = {path: row for row, path in enumerate(profile.paths)}
        facts = [(one.blocks, one.texts, one.words, one.good_words) for one in profile.paths.values()]
        self._facts: Floats = np.array([*facts, (0, 0, 0, 0)], np.float64)  # the last row is of unknown paths
        self._copies = {key: repeated.pages for key, repeated in profile.texts.items()}

    def measure(self, document: str, blocks: Sequence[Block], probability: Floats, words: Floats) -> PageEvidence:
        """The evidence on each block of a page.

        Args:
            document: id of the page.
            blocks: of the page, at least one.
            probability: of each block, by the model.
            words: of each block, their number.
        """
        is_own = document in self._documents
        paths, keys = paths_of(blocks), [text_key(block.text) for block in blocks]
        number = {path: at for at, path in enumerate(dict.fromkeys(paths))}
        at = np.array([number[path] for path in paths])
        rows = np.array([self._row.get(path, -1) for path in number])
        copies = np.array([self._copies.get(key, 0) for key in keys], np.float64)
        copies = np.maximum(copies - is_own, 0)
        here = _count(at, keys, copies, probability, words)
        facts = np.maximum(self._facts[rows] - is_own * here * (rows >= 0)[:, None], 0)
        _, _, all_words, all_good = self._facts.sum(axis=0) - is_own * here[rows >= 0].sum(axis=0)
        prior = (max(all_good, 0) + 1) / (max(all_words, 0) + 3)
        is_known = facts[:, _BLOCKS] > 0
        share = np.where(is_known, _share(facts, prior), here[:, _GOOD] / np.maximum(here[:, _WORDS], 1))
        repeats = 1 - np.minimum(facts[:, _TEXTS] / np.maximum(facts[:, _BLOCKS], 1), 1)
        n_pages = max(len(self._documents) - is_own, 1)
        rows = np.empty((len(blocks), len(EVIDENCE)))
        rows[:, 0] = log_odds(probability, LEAST_OWN)
        rows[:, 1] = log_odds(share, LEAST_PATH)[at]
        rows[:, 2] = is_known[at]
        rows[:, 3] = copies >= REPEATED_SHARE * n_pages
        rows[:, 4] = (repeats * is_known)[at]
        is_everywhere = copies >= max(EVERYWHERE_SHARE * n_pages, EVERYWHERE_PAGES)
        return PageEvidence(rows, is_everywhere & (words >= EVERYWHERE_WORDS))


_BLOCKS, _TEXTS, _WORDS, _GOOD = range(4)


def _share(facts: Floats, prior: float) -> Floats:
    """The share of main text at paths."""
    return np.asarray((facts[:, _GOOD] + PRIOR_WORDS * prior) / (facts[:, _WORDS] + PRIOR_WORDS))


def _count(at: Integers, keys: Sequence[str], copies: Floats, probability: Floats, words: Floats) -> Floats:
    """What a page brings to the facts of its paths: blocks, texts that stand on no other page, words, good words."""
    n = int(at.max()) + 1
    alone = {(path, key) for path, key, n_copies in zip(at.tolist(), keys, copies, strict=True) if not n_copies}
    texts = np.bincount([path for path, _ in sorted(alone)], minlength=n)
    return np.stack((np.bincount(at), texts, np.bincount(at, words), np.bincount(at, words * probability)), axis=1)
