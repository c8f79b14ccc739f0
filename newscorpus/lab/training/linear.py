"""Fit linear machines to the hashed features of elements, for the models `node-svm` and `learned-fields`."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from newscorpus.arrays import Flags, Integers
from newscorpus.artifacts import array_bytes
from newscorpus.page.fields.nodes import BIAS, COLUMNS, WEIGHTS, LinearModel, Nodes


def draw_places(wanted: Flags, others: Flags, limit: int, generator: np.random.Generator) -> Integers:
    """Places of all `wanted` nodes of a page, and of at most `limit` of the `others`, drawn at random; in order."""
    return np.union1d(np.flatnonzero(wanted), generator.permutation(np.flatnonzero(others))[:limit])


def join_rows(pages: Sequence[Nodes], places: Sequence[Integers]) -> csr_matrix:
    """One row for each node at the places of each page, of the values of its features."""
    found = [(nodes, nodes.features_of(place)) for nodes, at in zip(pages, places, strict=True) for place in at]
    columns = [nodes.columns[features].astype(np.int32) for nodes, features in found]
    values = [nodes.values[features].astype(np.float32) for nodes, features in found]
    ends = np.cumsum([0, *map(len, columns)])
    return csr_matrix((np.concatenate(values), np.concatenate(columns), ends), shape=(len(found), COLUMNS))


def machine_of(fitted: LinearSVC) -> LinearModel:
    """What was fitted as a model of one output, without a name."""
    return LinearModel("", fitted.coef_.T, fitted.intercept_)


def constant(score: float) -> LinearModel:
    """The model of one output that gives every node the same score."""
    return LinearModel("", np.zeros((COLUMNS, 1)), np.array([score]))


def join_machines(machines: Sequence[LinearModel]) -> LinearModel:
    """One model without a name, with the outputs of all."""
    weights = np.hstack([machine.weights for machine in machines])
    return LinearModel("", weights, np.concatenate([machine.bias for machine in machines]))


def weights_file(model: LinearModel) -> dict[str, bytes]:
    """The weights as they are shipped, in half precision: the file by its name."""
    return {WEIGHTS: array_bytes(model.weights.astype(np.float16))}


def bias_parameter(model: LinearModel) -> dict[str, float | list[float]]:
    """The bias as it is shipped, rounded: the parameter by its name."""
    return {BIAS: [round(float(value), 6) for value in model.bias]}
