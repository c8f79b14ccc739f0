"""Judge the blocks of a page again, with what the profile of its portal says of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from newscorpus.arrays import Flags, Floats
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.data import Block
from newscorpus.page.extractor import Reading
from newscorpus.page.profiles.learn import SeenPage, document_of
from newscorpus.page.profiles.names import paths_of, text_key
from newscorpus.page.text.classify import GOOD, probability_of
from newscorpus.page.text.verdict import Logistic, read_logistic
from newscorpus.portal.profile import Profile, ProfileFile, read_profile
from newscorpus.tokens import count_words

MODEL = "site-review"
LOGISTIC = "block"
"""Name of the numbers of the logistic model in the metadata."""
LOADED = 32
"""Profiles that a process holds, a few MB each."""

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

_BLOCKS, _TEXTS, _WORDS, _GOOD = range(4)


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
        n = int(at.max()) + 1
        alone = {(path, key) for path, key, n_copies in zip(at.tolist(), keys, copies, strict=True) if not n_copies}
        texts = np.bincount([path for path, _ in sorted(alone)], minlength=n)
        here = np.stack((np.bincount(at), texts, np.bincount(at, words), np.bincount(at, words * probability)), axis=1)
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


def _share(facts: Floats, prior: float) -> Floats:
    """The share of main text at paths."""
    return np.asarray((facts[:, _GOOD] + PRIOR_WORDS * prior) / (facts[:, _WORDS] + PRIOR_WORDS))


class SiteReview:
    """What judges the blocks of a portal's pages again: a logistic model of the evidence.

    Raises:
        ArtifactError: the model is missing, damaged or made for other evidence.
    """

    def __init__(self, profile: Profile, artifact: Artifact | None = None) -> None:
        self._evidence = SiteEvidence(profile)
        self._logistic = read_logistic(artifact or load_artifact(MODEL, tuple(EVIDENCE)), LOGISTIC, len(EVIDENCE))

    def __call__(self, reading: Reading, probability: Floats, words: Floats) -> Floats:
        """Per block the probability of being main text, from the one that the model gives by the page alone."""
        return self._judge(document_of(reading), reading.blocks, probability, words)

    def good(self, page: SeenPage) -> tuple[bool, ...]:
        """Per block of a page whether it is taken for main text."""
        blocks = [item.block for item in page.labelled]
        probability = np.array([item.score for item in page.labelled])
        words = np.array([count_words(block.text) for block in blocks], np.float64)
        return tuple((self._judge(page.id, blocks, probability, words) > GOOD).tolist())

    def _judge(self, document: str, blocks: Sequence[Block], probability: Floats, words: Floats) -> Floats:
        return judge(self._logistic, self._evidence.measure(document, blocks, probability, words))


@lru_cache(LOADED)
def load_review(file: ProfileFile) -> SiteReview:
    """Load the review of a profile, once a process while it is in use; errors as for `read_profile`, `SiteReview`."""
    return SiteReview(read_profile(file.path))


def judge(logistic: Logistic, evidence: PageEvidence) -> Floats:
    """The probability of each block, by the evidence on it; none for what stands everywhere."""
    probability = probability_of(evidence.rows @ np.array(logistic.weights) + logistic.bias)
    return np.where(evidence.is_everywhere, 0.0, probability)


def log_odds(probability: Floats, least: float) -> Floats:
    """The logarithm of the odds."""
    certain = np.clip(probability, least, 1 - least)
    return np.asarray(np.log(certain / (1 - certain)))
