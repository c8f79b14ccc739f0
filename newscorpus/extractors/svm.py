"""A trained support vector machine, as the segment and hybrid systems use it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.artifacts import METADATA, ArtifactError, Scorer, load_artifact

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
