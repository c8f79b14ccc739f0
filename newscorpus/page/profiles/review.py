"""Judge the blocks of a page again, with what the profile of its portal says of them."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from newscorpus.arrays import Floats
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.data import Block
from newscorpus.page.extractor import Reading
from newscorpus.page.profiles.evidence import EVIDENCE, PageEvidence, SiteEvidence
from newscorpus.page.profiles.learn import SeenPage, document_of
from newscorpus.page.text.classify import GOOD, probability_of
from newscorpus.page.text.verdict import Logistic, read_logistic
from newscorpus.portal.profile import Profile, ProfileFile, read_profile
from newscorpus.tokens import count_words

MODEL = "site-review"
LOGISTIC = "block"
"""Name of the numbers of the logistic model in the metadata."""
LOADED = 32
"""Profiles that a process holds, a few MB each."""


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
