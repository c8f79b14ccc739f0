"""Boosted trees of LightGBM as an ONNX model, so that using a model needs neither LightGBM nor unpickling.

Fitted estimators of scikit-learn as ONNX models, so that using a model needs no unpickling.

`newscorpus.artifacts.Scorer` runs them.

Rows of hashed features to learn linear models from.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import lightgbm
import numpy as np
from onnx import ModelProto, TensorProto, checker, helper
from scipy.sparse import csr_matrix
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType
from skl2onnx.helpers.onnx_helper import select_model_inputs_outputs
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline

from newscorpus.arrays import Integers
from newscorpus.artifacts import ROWS, SCORES
from newscorpus.extraction.nodes import COLUMNS, Nodes

OPSET_ML = 3
OPSET = 18
IR_VERSION = 9
"""Versions that every ONNX Runtime since 1.16 reads."""


@dataclass
class _Nodes:
    """The attributes of the operator TreeEnsembleRegressor, filled node by node."""

    nodes_treeids: list[int] = field(default_factory=list)
    nodes_nodeids: list[int] = field(default_factory=list)
    nodes_featureids: list[int] = field(default_factory=list)
    nodes_modes: list[str] = field(default_factory=list)
    nodes_values: list[float] = field(default_factory=list)
    nodes_truenodeids: list[int] = field(default_factory=list)
    nodes_falsenodeids: list[int] = field(default_factory=list)
    nodes_missing_value_tracks_true: list[int] = field(default_factory=list)
    target_treeids: list[int] = field(default_factory=list)
    target_nodeids: list[int] = field(default_factory=list)
    target_ids: list[int] = field(default_factory=list)
    target_weights: list[float] = field(default_factory=list)


def trees_to_onnx(booster: lightgbm.Booster) -> bytes:
    """`booster` as an ONNX model: input `features` (rows, features), output `margin` (rows, 1).

    The margin is the sum of the leaves, before the objective's link function. Numeric features without missing values
    are supported.
    """
    nodes = _Nodes()
    for tree_id, tree in enumerate(booster.dump_model()["tree_info"]):
        _add_tree(nodes, tree_id, tree["tree_structure"])
    operator = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["margin"],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function="SUM",
        post_transform="NONE",
        **vars(nodes),
    )
    graph = helper.make_graph(
        [operator],
        "trees",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, booster.num_feature()])],
        [helper.make_tensor_value_info("margin", TensorProto.FLOAT, [None, 1])],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="newscorpus")
    checker.check_model(model)
    return bytes(model.SerializeToString())


def _add_tree(nodes: _Nodes, tree_id: int, root: Mapping[str, Any]) -> None:
    ids = {id(node): number for number, node in enumerate(_walk(root))}
    for node in _walk(root):
        is_leaf = "leaf_value" in node
        nodes.nodes_treeids.append(tree_id)
        nodes.nodes_nodeids.append(ids[id(node)])
        nodes.nodes_featureids.append(0 if is_leaf else node["split_feature"])
        nodes.nodes_modes.append("LEAF" if is_leaf else "BRANCH_LEQ")
        nodes.nodes_values.append(0.0 if is_leaf else node["threshold"])
        nodes.nodes_truenodeids.append(0 if is_leaf else ids[id(node["left_child"])])
        nodes.nodes_falsenodeids.append(0 if is_leaf else ids[id(node["right_child"])])
        nodes.nodes_missing_value_tracks_true.append(0)
        if is_leaf:
            nodes.target_treeids.append(tree_id)
            nodes.target_nodeids.append(ids[id(node)])
            nodes.target_ids.append(0)
            nodes.target_weights.append(node["leaf_value"])


def _walk(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    if "leaf_value" not in node:
        yield from _walk(node["left_child"])
        yield from _walk(node["right_child"])


def estimator_to_onnx(estimator: BaseEstimator, columns: int) -> bytes:
    """A fitted `estimator`, or pipeline of them, as an ONNX model: `features` (rows, columns) to `scores`.

    `scores` has the shape (rows, classes) for a classifier, in the order of `classes_`: probabilities, or margins where
    it gives no probabilities (of two classes the first's margin is the second's with the sign changed); (rows, 1) for a
    regressor. Computed in single precision. The same estimator makes the same bytes.
    """
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    options = {} if hasattr(last, "predict_proba") else {id(last): {"raw_scores": True}}
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # skl2onnx reads attributes that will go
        model = to_onnx(
            estimator,
            initial_types=[(ROWS, FloatTensorType([None, columns]))],
            options=options if is_classifier(last) else None,
            target_opset={"": OPSET, "ai.onnx.ml": OPSET_ML},
        )
    return _with_scores_alone(model, len(last.classes_) if is_classifier(last) else 1)


def _with_scores_alone(model: ModelProto, columns: int) -> bytes:
    """`model` with nothing but its last output, called SCORES; where that is a map of the classes, what it was of."""
    last = model.graph.output[-1].name
    given = next((node.input[0] for node in model.graph.node if node.op_type == "ZipMap"), last)
    nodes = list(select_model_inputs_outputs(model, [given]).graph.node)
    used = {name for node in nodes for name in node.input}
    for node in nodes:
        node.output[:] = [SCORES if name == given else name for name in node.output]
    graph = helper.make_graph(
        nodes,
        "estimator",
        list(model.graph.input),
        [helper.make_tensor_value_info(SCORES, TensorProto.FLOAT, [None, columns])],
        [weights for weights in model.graph.initializer if weights.name in used],
    )
    slim = helper.make_model(
        graph, opset_imports=list(model.opset_import), ir_version=IR_VERSION, producer_name="newscorpus"
    )
    checker.check_model(slim)
    return bytes(slim.SerializeToString())


def join_rows(pages: Sequence[Nodes], places: Sequence[Integers]) -> csr_matrix:
    """One row for each node at the places of each page, of the values of its features."""
    found = [(nodes, nodes.features_of(place)) for nodes, at in zip(pages, places, strict=True) for place in at]
    columns = [nodes.columns[features].astype(np.int32) for nodes, features in found]
    values = [nodes.values[features].astype(np.float32) for nodes, features in found]
    ends = np.cumsum([0, *map(len, columns)])
    return csr_matrix((np.concatenate(values), np.concatenate(columns), ends), shape=(len(found), COLUMNS))
