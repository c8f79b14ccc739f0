from collections.abc import Callable, Sequence

import pytest
from onnx import TensorProto, helper

Stump = Callable[[Sequence[str], str, float, float, float], bytes]
"""A model of one tree over the columns given: below a threshold of one of them it says one margin, above the other."""


@pytest.fixture(scope="session")
def stump() -> Stump:
    """Make a model of one tree: the margin is `low` where `column` is at most `threshold`, else `high`."""

    def make(columns: Sequence[str], column: str, threshold: float, low: float, high: float) -> bytes:
        tree = helper.make_node(
            "TreeEnsembleRegressor", ["features"], ["margin"], domain="ai.onnx.ml", n_targets=1,
            aggregate_function="SUM",
            nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[tuple(columns).index(column), 0, 0],
            nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values=[threshold, 0.0, 0.0],
            nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
            target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[low, high],
        )  # fmt: skip
        read = helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, len(columns)])
        written = helper.make_tensor_value_info("margin", TensorProto.FLOAT, [None, 1])
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
        model = helper.make_model(helper.make_graph([tree], "t", [read], [written]), opset_imports=opsets, ir_version=9)
        return bytes(model.SerializeToString())

    return make
