"""Linear models over hashed features: rows to learn from, and weights as ONNX."""

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper
from scipy.sparse import csr_matrix

from newscorpus.extraction.linear import INDICES, SCORES, LinearModel
from newscorpus.extraction.nodes import COLUMNS, Floats, Integers, Nodes
from newscorpus.learning.onnx_trees import IR_VERSION, OPSET


def join_rows(pages: Sequence[Nodes], places: Sequence[Integers]) -> csr_matrix:
    """One row for each node at the places of each page, of the values of its features."""
    found = [(nodes, nodes.features_of(place)) for nodes, at in zip(pages, places, strict=True) for place in at]
    columns = [nodes.columns[features].astype(np.int32) for nodes, features in found]
    values = [nodes.values[features].astype(np.float32) for nodes, features in found]
    ends = np.cumsum([0, *map(len, columns)])
    return csr_matrix((np.concatenate(values), np.concatenate(columns), ends), shape=(len(found), COLUMNS))


def weights_to_onnx(weights: Floats) -> bytes:
    """The weights, shape (columns, things told), as an ONNX model that looks them up; stored in half precision."""
    table = numpy_helper.from_array(weights.astype(np.float16), "table")
    nodes = [
        helper.make_node("Gather", ["table", INDICES], ["half"], axis=0),
        helper.make_node("Cast", ["half"], [SCORES], to=TensorProto.FLOAT),
    ]
    given = helper.make_tensor_value_info(INDICES, TensorProto.INT64, [None])
    wanted = helper.make_tensor_value_info(SCORES, TensorProto.FLOAT, [None, weights.shape[1]])
    graph = helper.make_graph(nodes, "weights", [given], [wanted], [table])
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION, producer_name="newscorpus")
    checker.check_model(model)
    return bytes(model.SerializeToString())


def in_memory(weights: Floats, bias: Floats) -> LinearModel:
    """The model of fitted weights, shape (columns, things told), without a name."""
    return LinearModel("", lambda columns: weights[columns], bias)
