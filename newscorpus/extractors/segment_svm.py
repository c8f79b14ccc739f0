"""SVM-seg (Bakić 2012): a support vector machine decides on each segment of the page by its 37 features."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from newscorpus.data import Rejected
from newscorpus.extraction.assemble import MainText
from newscorpus.extraction.read import Reading
from newscorpus.extractors.segment_features import FEATURES, measure_segment
from newscorpus.extractors.segments import Segment, cut
from newscorpus.extractors.svm import Matrix, Svm, load_svm

MODEL = "segment-svm"

Measure = Callable[[Reading, Sequence[Segment]], Matrix]
"""The features of the segments of what was read: shape (segments, columns)."""


@dataclass(frozen=True, slots=True)
class SegmentSystem:
    """Keeps the segments of a page that a machine calls good (class 1).

    Attributes:
        svm: the machine.
        measure: what it sees of the segments.
    """

    svm: Svm
    measure: Measure

    def find(self, reading: Reading) -> MainText | Rejected:
        """The text of the good segments."""
        segments = cut(reading.tree)
        if not segments:
            return Rejected("segment", "no_segments", url=reading.page.url)
        good = self.svm.classify(self.measure(reading, segments)) == 1
        kept = [segment for segment, is_good in zip(segments, good, strict=True) if is_good]
        paragraphs = [paragraph for segment in kept for paragraph in segment.paragraphs]
        if not paragraphs:
            return Rejected("extract", "no_main_text", url=reading.page.url)
        return MainText(paragraphs, self.svm.name)


def measure(_: Reading, segments: Sequence[Segment]) -> Matrix:
    """The 37 features of each segment."""
    return np.array([measure_segment(segment.html) for segment in segments], np.float32).reshape(-1, len(FEATURES))


def load() -> SegmentSystem:
    """The system with the model that travels with the package.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
    """
    return SegmentSystem(load_svm(MODEL, FEATURES), measure)
