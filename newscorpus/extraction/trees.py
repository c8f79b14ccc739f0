"""Boosted trees as they travel with a model: rows of features to probabilities."""

import numpy as np
from numpy.typing import NDArray

from newscorpus.artifacts import Artifact, ArtifactError


class Trees:
    """The trees of one file of a model.

    Args:
        artifact: the model.
        file: name of the file.
        width: number of columns that the trees see.

    Raises:
        ArtifactError: the model has no such file, or its trees see another number of columns.
    """

    def __init__(self, artifact: Artifact, file: str, width: int) -> None:
        self._session = artifact.session(file)
        if (found := self._session.get_inputs()[0].shape[1]) != width:
            name = artifact.metadata.name
            raise ArtifactError(f"model {name!r}: {file} was trained on {found} columns, not on {width}")

    def probability(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The probability of each row, shape (rows,); `rows` has the shape (rows, width)."""
        margin = np.asarray(self._session.run(None, {"features": rows})[0], np.float64)[:, 0]
        probability: NDArray[np.float64] = 1 / (1 + np.exp(-margin))
        return probability
