"""Judge the blocks of a page again, with the evidence in the profile of its portal."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from newscorpus.arrays import Flags, Floats
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.data import Block
from newscorpus.model_folders import REVIEW_MODEL
from newscorpus.page.extractor import PreparedPage
from newscorpus.page.profiles.learn import SeenPage, document_of, paths_of, text_key
from newscorpus.page.text.classify import GOOD, probability_of
from newscorpus.page.text.verdict import Logistic, read_logistic
from newscorpus.portal.profile import Profile, ProfileFile, read_profile
from newscorpus.tokens import count_words

LOGISTIC = "block"
"""Name of the logistic model's parameters in the metadata."""
LOADED = 32
"""Profiles cached in a process, a few MB each."""

EVIDENCE: Final = {
    "own": "log odds of the model's verdict on the block",
    "path": "log odds of main text at the block's path on the other pages, or on this page if the path is unknown",
    "is_known": "the path is known from other pages",
    "is_repeated": "the text occurs on many of the other pages",
    "path_repeats": "share of the texts at the path that occur there on other pages, too",
}
"""The evidence on each block, in order, with meanings."""

REPEATED_SHARE = 0.15
"""Minimum share of the other pages with a repeated text, as in the preceding experiment."""
EVERYWHERE_SHARE, EVERYWHERE_PAGES, EVERYWHERE_WORDS = 0.5, 3, 6
"""A text of so many words on this share and number of other pages is boilerplate, whatever the model says; shorter ones
are datelines and chapter headings. Out of fold 5 of 100 such words remain (2026-11)."""
PRIOR_WORDS = 20.0
"""Pseudo-counts in words, with the site's share of main text, added to those at a path."""
LEAST_OWN, LEAST_PATH = 1e-4, 1e-2
"""Distances from 0 and 1 to which the model's probabilities, and shares of main text, are clipped."""

_BLOCKS, _TEXTS, _WORDS, _GOOD = range(4)


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """The evidence of a profile on the blocks of a page."""

    rows: Floats  # shape (blocks, len(EVIDENCE))
    is_everywhere: Flags  # per block, whether its text occurs on most other pages


class SiteEvidence:
    """The tables of a profile. A page's own contribution to the profile is no evidence on that page."""

    def __init__(self, profile: Profile) -> None:
        self._documents = frozenset(profile.pages)
        self._row = {path: row for row, path in enumerate(profile.paths)}
        facts = [(one.blocks, one.texts, one.words, one.good_words) for one in profile.paths.values()]
        self._facts: Floats = np.array([*facts, (0, 0, 0, 0)], np.float64)  # the last row is of unknown paths
        self._copies = {key: repeated.pages for key, repeated in profile.texts.items()}

    def measure(self, document: str, blocks: Sequence[Block], probability: Floats, words: Floats) -> PageEvidence:
        """Return the evidence on each block of a page, at least one, given its probability by the model."""
        is_own = document in self._documents
        paths, keys = paths_of(blocks), [text_key(block.text) for block in blocks]
        number = {path: at for at, path in enumerate(dict.fromkeys(paths))}
        at = np.array([number[path] for path in paths])
        rows = np.array([self._row.get(path, -1) for path in number])
        copies = np.array([self._copies.get(key, 0) for key in keys], np.float64)
        copies = np.maximum(copies - is_own, 0)
        n = int(at.max()) + 1
        alone = {(path, key) for path, key, n_copies in zip(at.tolist(), keys, copies, strict=True) if not n_copies}
        texts = np.bincount([path for path, _ in sorted(alone)], minlength=n)
        here = np.stack((np.bincount(at), texts, np.bincount(at, words), np.bincount(at, words * probability)), axis=1)
        facts = np.maximum(self._facts[rows] - is_own * here * (rows >= 0)[:, None], 0)
        _, _, all_words, all_good = self._facts.sum(axis=0) - is_own * here[rows >= 0].sum(axis=0)
        prior = (max(all_good, 0) + 1) / (max(all_words, 0) + 3)
        is_known = facts[:, _BLOCKS] > 0
        known_share = (facts[:, _GOOD] + PRIOR_WORDS * prior) / (facts[:, _WORDS] + PRIOR_WORDS)
        share = np.where(is_known, known_share, here[:, _GOOD] / np.maximum(here[:, _WORDS], 1))
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


class SiteReview:
    """Judges the blocks of a portal's pages again, by a logistic model of the evidence.

    Raises:
        ArtifactError: the model is missing, damaged or made for other evidence.
    """

    def __init__(self, profile: Profile, artifact: Artifact | None = None) -> None:
        self._evidence = SiteEvidence(profile)
        self._logistic = read_logistic(
            artifact or load_artifact(REVIEW_MODEL, tuple(EVIDENCE)), LOGISTIC, len(EVIDENCE)
        )

    def __call__(self, prepared: PreparedPage, probability: Floats, words: Floats) -> Floats:
        """Return per block the probability of main text, given that by the page alone."""
        return self._judge(document_of(prepared), prepared.blocks, probability, words)

    def good(self, page: SeenPage) -> tuple[bool, ...]:
        """Tell per block whether it is main text."""
        blocks = [item.block for item in page.labelled]
        probability = np.array([item.score for item in page.labelled])
        words = np.array([count_words(block.text) for block in blocks], np.float64)
        return tuple((self._judge(page.id, blocks, probability, words) > GOOD).tolist())

    def _judge(self, document: str, blocks: Sequence[Block], probability: Floats, words: Floats) -> Floats:
        return weigh_evidence(self._logistic, self._evidence.measure(document, blocks, probability, words))


@lru_cache(LOADED)
def load_review(file: ProfileFile) -> SiteReview:
    """Load the review of a profile, once a process while it is in use; errors as for `read_profile`, `SiteReview`."""
    return SiteReview(read_profile(file.path))


def weigh_evidence(logistic: Logistic, evidence: PageEvidence) -> Floats:
    """Return the probability of each block by its evidence; 0 for texts that occur everywhere."""
    probability = probability_of(evidence.rows @ np.array(logistic.weights) + logistic.bias)
    return np.where(evidence.is_everywhere, 0.0, probability)


def log_odds(probability: Floats, least: float) -> Floats:
    """Return the logarithm of the odds."""
    certain = np.clip(probability, least, 1 - least)
    return np.asarray(np.log(certain / (1 - certain)))
