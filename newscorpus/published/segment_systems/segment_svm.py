"""A trained support vector machine, as the segment and hybrid systems use it.

SVM-seg (Bakić 2012): a support vector machine decides on each segment of the page by its 37 features.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.artifacts import METADATA, ArtifactError, Scorer, load_artifact
from newscorpus.data import Rejected
from newscorpus.extraction.extractor import FoundText, Reading
from newscorpus.published.segment_systems.segments import FEATURES, Segment, cut, measure_segment

CLASSES = "classes"
"""The parameter of the model that holds its classes, in the order of its scores."""

Matrix = NDArray[np.float32]
Classes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Svm:
    """A classifier.

    Attributes:
        name: what decides, as articles name it: "model:NAME@VERSION".
        classify: rows of features, shape (rows, columns), to the class of each.
    """

    name: str
    classify: Callable[[Matrix], Classes]


def load_svm(model: str, columns: Sequence[str]) -> Svm:
    """The machine that travels with the package as `model`, for these `columns`.

    Raises:
        ArtifactError: the model is missing, damaged or made for other columns.
    """
    artifact = load_artifact(model, columns)
    classes = artifact.metadata.parameters.get(CLASSES)
    if not isinstance(classes, list):
        raise ArtifactError(f"model {model!r}: {METADATA} does not name its {CLASSES}")
    scorer, order = Scorer(artifact), np.array(classes, np.int64)
    return Svm(f"model:{model}@{artifact.metadata.version}", lambda rows: order[scorer(rows).argmax(axis=1)])


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

    def find(self, reading: Reading) -> FoundText | Rejected:
        """The text of the good segments."""
        segments = cut(reading.tree)
        if not segments:
            return Rejected("segment", "no_segments", url=reading.page.url)
        good = self.svm.classify(self.measure(reading, segments)) == 1
        kept = [segment for segment, is_good in zip(segments, good, strict=True) if is_good]
        paragraphs = [paragraph for segment in kept for paragraph in segment.paragraphs]
        if not paragraphs:
            return Rejected("extract", "no_main_text", url=reading.page.url)
        return FoundText(paragraphs, self.svm.name)


def measure(_: Reading, segments: Sequence[Segment]) -> Matrix:
    """The 37 features of each segment."""
    return np.array([measure_segment(segment.html) for segment in segments], np.float32).reshape(-1, len(FEATURES))


def load() -> SegmentSystem:
    """The system with the model that travels with the package.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
    """
    return SegmentSystem(load_svm(MODEL, FEATURES), measure)
