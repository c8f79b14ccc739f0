import numpy as np

from newscorpus.lab.training.block_systems import best_threshold


def test_the_threshold_of_the_best_f_score() -> None:
    output = np.array([-0.9, -0.5, -0.2, 0.3, 0.8])
    good = np.array([False, True, False, True, True])
    # F1: 6/7 where the last four are kept (precision 3/4, recall 1), 4/5 where the last two; F2 is higher still there.
    assert best_threshold(output, good, 1.0) == -0.9
    assert best_threshold(output, np.array([False, False, False, True, True]), 1.0) == -0.2
    assert best_threshold(output, np.array([True, False, False, True, True]), 1.0) == -0.2
    assert best_threshold(output, np.array([True, False, False, True, True]), 2.0) == -0.95
