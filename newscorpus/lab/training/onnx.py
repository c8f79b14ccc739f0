"""Write fitted models as ONNX, so that using one needs neither the package that trained it nor unpickling."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import lightgbm
from onnx import ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto, checker, helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType
from skl2onnx.helpers.onnx_helper import select_model_inputs_outputs
from sklearn.base import BaseEstimator

from newscorpus.artifacts import ROWS, SCORES

OPSET_ML = 3
OPSET = 18
IR_VERSION = 9
"""Versions that every ONNX Runtime since 1.16 reads."""

NODE_COLUMNS = (
    *("nodes_treeids", "nodes_nodeids", "nodes_modes", "nodes_featureids", "nodes_values"),
    *("nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true"),
)
LEAF_COLUMNS = ("target_treeids", "target_nodeids", "target_ids", "target_weights")
"""Attributes of the operator TreeEnsembleRegressor: lists with a value per node, and per leaf."""


def trees_to_onnx(booster: lightgbm.Booster) -> bytes:
    """Write boosted trees as an ONNX model: input `features` (rows, features), output `margin` (rows, 1).

    The margin is the sum of the leaves, before the objective's link function. Numeric features without missing values
    are supported.
    """
    nodes: list[tuple[Any, ...]] = []
    leaves: list[tuple[Any, ...]] = []
    for tree, described in enumerate(booster.dump_model()["tree_info"]):
        walked = list(_walk(described["tree_structure"]))
        places = {id(node): place for place, node in enumerate(walked)}
        for place, node in enumerate(walked):
            if "leaf_value" in node:
                nodes.append((tree, place, "LEAF", 0, 0.0, 0, 0, 0))
                leaves.append((tree, place, 0, node["leaf_value"]))
            else:
                children = (places[id(node["left_child"])], places[id(node["right_child"])])
                nodes.append((tree, place, "BRANCH_LEQ", node["split_feature"], node["threshold"], *children, 0))
    attributes: dict[str, Any] = dict(zip(NODE_COLUMNS, map(list, zip(*nodes, strict=True)), strict=True))
    attributes |= zip(LEAF_COLUMNS, map(list, zip(*leaves, strict=True)), strict=True)
    operator = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["margin"],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function="SUM",
        post_transform="NONE",
        **attributes,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
    rows = helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, booster.num_feature()])
    margin = helper.make_tensor_value_info("margin", TensorProto.FLOAT, [None, 1])
    return _serialise("trees", [operator], [rows], margin, opsets)


def add_trees(model: bytes, booster: lightgbm.Booster) -> bytes:
    """Add boosted trees to those of a model that `trees_to_onnx` wrote; their margins add up."""
    joined, added = ModelProto.FromString(model), ModelProto.FromString(trees_to_onnx(booster))
    lists = {attribute.name: attribute for attribute in joined.graph.node[0].attribute}
    offset = max(lists["nodes_treeids"].ints) + 1
    for attribute in added.graph.node[0].attribute:
        if attribute.name.startswith(("nodes_", "target_")):
            trees = [tree + offset for tree in attribute.ints] if attribute.name.endswith("treeids") else attribute.ints
            lists[attribute.name].ints.extend(trees)
            lists[attribute.name].floats.extend(attribute.floats)
            lists[attribute.name].strings.extend(attribute.strings)
    checker.check_model(joined)
    return bytes(joined.SerializeToString())


def _walk(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    if "leaf_value" not in node:
        yield from _walk(node["left_child"])
        yield from _walk(node["right_child"])


def estimator_to_onnx(estimator: BaseEstimator, columns: int) -> bytes:
    """Write a fitted classifier as an ONNX model: `features` (rows, columns) to `scores` (rows, classes).

    The classes are in the order of `classes_`, their scores probabilities, or margins if it has no probabilities (with
    two classes, the first margin is the negated second). Single precision. The same estimator makes the same bytes.
    `newscorpus.artifacts.Scorer` runs the model.
    """
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # skl2onnx reads attributes that will go
        model = to_onnx(
            estimator,
            initial_types=[(ROWS, FloatTensorType([None, columns]))],
            options={} if hasattr(estimator, "predict_proba") else {id(estimator): {"raw_scores": True}},
            target_opset={"": OPSET, "ai.onnx.ml": OPSET_ML},
        )
    output = model.graph.output[-1].name
    given = next((node.input[0] for node in model.graph.node if node.op_type == "ZipMap"), output)
    nodes = list(select_model_inputs_outputs(model, [given]).graph.node)
    used = {name for node in nodes for name in node.input}
    for node in nodes:
        node.output[:] = [SCORES if name == given else name for name in node.output]
    weights = [weights for weights in model.graph.initializer if weights.name in used]
    scores = helper.make_tensor_value_info(SCORES, TensorProto.FLOAT, [None, len(estimator.classes_)])
    versions = {opset.domain: opset.version for opset in model.opset_import}
    opsets = [helper.make_opsetid(*opset) for opset in sorted(versions.items())]  # skl2onnx gives them in any order
    return _serialise("estimator", nodes, list(model.graph.input), scores, opsets, weights)


def _serialise(
    name: str,
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    output: ValueInfoProto,
    opsets: Sequence[OperatorSetIdProto],
    weights: Sequence[TensorProto] = (),
) -> bytes:
    graph = helper.make_graph(nodes, name, inputs, [output], weights)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="newscorpus")
    checker.check_model(model)
    return bytes(model.SerializeToString())
