"""Boosted trees of LightGBM as an ONNX model, so that using a model needs neither LightGBM nor unpickling."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import lightgbm
from onnx import TensorProto, checker, helper

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
