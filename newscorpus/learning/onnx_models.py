"""Fitted estimators of scikit-learn as ONNX models, so that using a model needs no unpickling.

`newscorpus.artifacts.Scorer` runs them.
"""

import warnings

from onnx import ModelProto, TensorProto, checker, helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType
from skl2onnx.helpers.onnx_helper import select_model_inputs_outputs
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline

from newscorpus.artifacts import ROWS, SCORES
from newscorpus.learning.onnx_trees import IR_VERSION, OPSET, OPSET_ML


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
