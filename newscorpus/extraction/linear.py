"""Linear models over the hashed features of elements, as they travel with the package."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from newscorpus.artifacts import METADATA, ArtifactError, load_artifact
from newscorpus.extraction.nodes import COLUMNS, GROUPS, Floats, Integers, Nodes

WEIGHTS = "weights.onnx"
INDICES, SCORES = "columns", "weights"
"""Input and output of the weights file: columns to their weights, one for each thing the model tells."""
BIAS = "bias"
"""The parameter of the model that is added to the sums of weights."""
FEATURES = tuple(f"{group}, hashed to {COLUMNS}" for group in GROUPS)


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A linear model.

    Attributes:
        name: what decides, as articles name it: "model:NAME@VERSION".
        weigh: columns to their weights: shape (columns, things told).
        bias: one for each thing told.
    """

    name: str
    weigh: Callable[[Integers], Floats]
    bias: Floats

    def score(self, nodes: Nodes) -> Floats:
        """The scores of each node, at least one: shape (nodes, things told)."""
        weighted = self.weigh(nodes.columns) * nodes.values[:, None]
        sums: Floats = np.add.reduceat(weighted, nodes.starts)
        return sums + self.bias


def load_linear(model: str) -> LinearModel:
    """The model of that name that travels with the package.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
    """
    artifact = load_artifact(model, FEATURES)
    session = artifact.session(WEIGHTS)
    bias = artifact.metadata.parameters.get(BIAS)
    if not isinstance(bias, list):
        raise ArtifactError(f"model {model!r}: {METADATA} does not name {BIAS}")

    def weigh(columns: Integers) -> Floats:
        return np.asarray(session.run([SCORES], {INDICES: columns})[0], np.float64)

    return LinearModel(f"model:{model}@{artifact.metadata.version}", weigh, np.array(bias))
