import numpy as np
import pytest

from newscorpus.lab.training.block_learner import LabelledPage, TableError, table_lines

PAGES = [
    LabelledPage("toy", "a", np.array([[1, 0.1], [0, 2]], np.float32), np.array([True, False])),
    LabelledPage("toy", "b", np.array([[3, 1 / 3]], np.float32), np.array([True])),
]


def test_csv() -> None:
    assert b"".join(table_lines(".csv", ["words", "density@-1"], PAGES)).decode() == (
        "words,density@-1,class\n1.0,0.1,good\n0.0,2.0,bad\n3.0,0.33333334,good\n"
    )


def test_arff() -> None:
    assert b"".join(table_lines(".arff", ["words", "density@-1"], PAGES)).decode() == (
        "@relation blocks\n@attribute 'words' numeric\n@attribute 'density@-1' numeric\n@attribute class {bad,good}\n"
        "@data\n1.0,0.1,good\n0.0,2.0,bad\n3.0,0.33333334,good\n"
    )


def test_another_suffix_is_refused_before_anything_is_read() -> None:
    with pytest.raises(TableError, match=r"ends in \.csv or \.arff, not in '\.xls'"):
        table_lines(".xls", ["words"], iter(()))
