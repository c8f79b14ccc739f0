"""SVM-B (Bakić 2012): as SVM-seg, but the machine also sees how much of a segment each of four extractors kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newscorpus.extraction.extractor import Reading
from newscorpus.published.segment_systems import segment_svm
from newscorpus.published.segment_systems.experts import EXPERTS, Expert, ask, load_experts, share_found
from newscorpus.published.segment_systems.segment_svm import Matrix, load_svm
from newscorpus.published.segment_systems.segments import FEATURES, Segment
from newscorpus.tokens import words

MODEL = "hybrid-section"
COLUMNS = (*FEATURES, *(f"kept_by_{name}" for name in EXPERTS))


@dataclass(frozen=True, slots=True)
class ExpertFeatures:
    """Measures segments with the help of experts, in their order."""

    experts: Mapping[str, Expert]

    def __call__(self, reading: Reading, segments: Sequence[Segment]) -> Matrix:
        """The 37 features of each segment, and the share of its words that each expert kept."""
        kept = measure_kept(segments, ask(self.experts, reading))
        return np.hstack((segment_svm.measure(reading, segments), kept))


def measure_kept(segments: Sequence[Segment], texts: Mapping[str, str]) -> Matrix:
    """The share of each segment's words that stand in each of `texts`: shape (segments, texts); 0 without words."""
    wholes = [words(text) for text in texts.values()]
    parts = [words(" ".join(segment.paragraphs)) for segment in segments]
    shares = [[share_found(part, whole) for whole in wholes] for part in parts]
    return np.array(shares, np.float32).reshape(len(segments), len(texts))


def load() -> segment_svm.SegmentSystem:
    """The system with the model that travels with the package and the experts of the thesis.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
        MissingPeerError: the package of an expert is not installed.
    """
    return segment_svm.SegmentSystem(load_svm(MODEL, COLUMNS), ExpertFeatures(load_experts()))
