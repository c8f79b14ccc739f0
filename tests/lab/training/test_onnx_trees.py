import lightgbm
import numpy as np
import pytest
from numpy.typing import NDArray

from newscorpus.artifacts import onnx_session
from newscorpus.lab.training.onnx import trees_to_onnx

COLUMNS = 6


@pytest.fixture(scope="module")
def rows() -> NDArray[np.float32]:
    generator = np.random.default_rng(1)
    return generator.normal(size=(400, COLUMNS)).round(1).astype(np.float32)  # round: values on the thresholds


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

    assert margins(trees_to_onnx(trees), rows) == pytest.approx(trees.predict(rows, raw_score=True), abs=1e-5)


def test_trees_of_a_single_leaf(rows: NDArray[np.float32]) -> None:
    parameters = {"objective": "cross_entropy", "min_data_in_leaf": 1_000, "verbose": -1, "num_threads": 1}
    stumps = lightgbm.train(parameters, lightgbm.Dataset(rows, np.full(len(rows), 0.25)), 2)

    assert margins(trees_to_onnx(stumps), rows) == pytest.approx(stumps.predict(rows, raw_score=True), abs=1e-5)


def test_the_same_trees_make_the_same_bytes(rows: NDArray[np.float32]) -> None:
    assert trees_to_onnx(booster(rows, seed=1)) == trees_to_onnx(booster(rows, seed=1))


def test_one_row_and_many(rows: NDArray[np.float32]) -> None:
    model = trees_to_onnx(booster(rows, seed=1))

    assert margins(model, rows[:1]) == pytest.approx(margins(model, rows)[:1], abs=1e-6)
