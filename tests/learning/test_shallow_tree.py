import numpy as np

from newscorpus.learning.shallow_tree import choose


def test_the_strongest_pruning_within_one_standard_error_of_the_best() -> None:
    scores = np.array([[0.7, 0.9], [0.8, 1.0], [0.82, 0.82], [0.5, 0.5]])  # means 0.8, 0.9, 0.82, 0.5; error 0.1
    assert choose(scores) == 2
    assert choose(scores[[1, 0, 3]]) == 0 + 1
