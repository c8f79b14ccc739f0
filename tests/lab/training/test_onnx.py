import lightgbm
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from newscorpus.artifacts import WEIGHTS, Artifact, Scorer, onnx_session
from newscorpus.lab.training.onnx import estimator_to_onnx, trees_to_onnx
from newscorpus.model_folders import ArtifactError, Metadata

COLUMNS = 4
METADATA = Metadata("toy", "1", (), {}, {}, {}, {}, {})
ROWS: NDArray[np.float32] = np.random.default_rng(0).normal(size=(200, COLUMNS)).astype(np.float32)
TWO = ROWS[:, 0] + ROWS[:, 1] ** 2 > 0.5
FOUR = np.digitize(ROWS[:, 0], [-1, 0, 1])


def scores(estimator: BaseEstimator, rows: NDArray[np.float32] = ROWS) -> NDArray[np.float64]:
    return Scorer(Artifact(METADATA, {WEIGHTS: estimator_to_onnx(estimator, COLUMNS)}))(rows)


@pytest.mark.parametrize("target", [TWO, FOUR], ids=["two", "four"])
def test_a_classifier_gives_a_probability_for_each_class(target: NDArray[np.int64]) -> None:
    fitted = DecisionTreeClassifier(max_depth=3).fit(ROWS, target)
    assert scores(fitted) == pytest.approx(fitted.predict_proba(ROWS), abs=1e-5)


@pytest.mark.parametrize(
    "estimator",
    [LinearSVC(), SGDClassifier(loss="hinge", random_state=0), SVC()],
    ids=["linear", "streamed", "kernel"],
)
def test_a_classifier_without_probabilities_gives_margins(estimator: BaseEstimator) -> None:
    of_two = estimator.fit(ROWS, TWO).decision_function(ROWS)
    assert scores(estimator) == pytest.approx(np.stack((-of_two, of_two), axis=1), abs=1e-3)
    of_four = estimator.fit(ROWS, FOUR).decision_function(ROWS)
    assert scores(estimator) == pytest.approx(of_four, abs=1e-3)


def test_no_rows_have_no_scores_and_the_same_estimator_makes_the_same_bytes() -> None:
    assert scores(LinearSVC().fit(ROWS, TWO), ROWS[:0]).shape == (0, 2)
    made = [estimator_to_onnx(DecisionTreeClassifier(random_state=0).fit(ROWS, TWO), COLUMNS) for _ in range(2)]
    assert made[0] == made[1]


def test_a_model_of_other_files_is_refused() -> None:
    with pytest.raises(ArtifactError, match=r"model 'toy': metadata\.json does not name model\.onnx"):
        Scorer(Artifact(METADATA, {"other.onnx": b""}))


TREE_COLUMNS = 6


@pytest.fixture(scope="module")
def rows() -> NDArray[np.float32]:
    generator = np.random.default_rng(1)
    return generator.normal(size=(400, TREE_COLUMNS)).round(1).astype(np.float32)  # round: values on the thresholds


def booster(rows: NDArray[np.float32], seed: int) -> lightgbm.Booster:
    target = 1 / (1 + np.exp(-(rows[:, 0] * rows[:, 1] + rows[:, 2])))
    parameters = {"objective": "cross_entropy", "num_leaves": 8, "min_data_in_leaf": 5, "seed": seed, "verbose": -1,
                  "num_threads": 1, "bagging_fraction": 0.5, "bagging_freq": 1}  # fmt: skip
    return lightgbm.train(parameters, lightgbm.Dataset(rows, target), 15)


def margins(model: bytes, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = onnx_session(model).run(None, {"features": rows})[0]
    assert found.shape == (len(rows), 1)
    return found[:, 0]


def test_the_margins_are_those_of_the_booster(rows: NDArray[np.float32]) -> None:
    trees = booster(rows, seed=1)
    model = trees_to_onnx(trees)
    assert margins(model, rows) == pytest.approx(trees.predict(rows, raw_score=True), abs=1e-5)
    assert margins(model, rows[:1]) == pytest.approx(margins(model, rows)[:1], abs=1e-6)
    assert model == trees_to_onnx(booster(rows, seed=1))


def test_trees_of_a_single_leaf(rows: NDArray[np.float32]) -> None:
    parameters = {"objective": "cross_entropy", "min_data_in_leaf": 1_000, "verbose": -1, "num_threads": 1}
    stumps = lightgbm.train(parameters, lightgbm.Dataset(rows, np.full(len(rows), 0.25)), 2)
    assert margins(trees_to_onnx(stumps), rows) == pytest.approx(stumps.predict(rows, raw_score=True), abs=1e-5)
