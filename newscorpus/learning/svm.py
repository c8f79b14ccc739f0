"""Support vector machines (libSVM): kernel and penalty chosen by cross-validation over sites, then fitted."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.svm import SVC

from newscorpus.extractors.svm import Classes, Matrix
from newscorpus.learning.gold import TrainingError

MIN_CLASSES = MIN_SITES = 2


@dataclass(frozen=True, slots=True)
class SvmSearch:
    """How a machine is chosen and fitted.

    Attributes:
        kernels: tried, of those of libSVM.
        penalties: tried, libSVM's C.
        folds: of the cross-validation; no site stands in two.
        choose_from: most rows that the choice is made from: its time grows with their square.
        fit_to: most rows that the chosen machine is fitted to; likewise, and each may become a part of the model.
        scoring: measure of scikit-learn that decides.
        seed: of the draw of rows.
    """

    kernels: tuple[str, ...] = ("linear", "rbf")
    penalties: tuple[float, ...] = (1.0, 10.0, 100.0)
    folds: int = 5
    choose_from: int = 3_000
    fit_to: int = 8_000
    scoring: str = "f1"
    seed: int = 1


@dataclass(frozen=True, slots=True)
class ChosenSvm:
    """A fitted machine.

    Attributes:
        machine: the estimator.
        kernel: chosen.
        penalty: chosen.
        measure: that chose.
        score: of that choice by this measure, in cross-validation.
        rows: that it was fitted to.
    """

    machine: SVC
    kernel: str
    penalty: float
    measure: str
    score: float
    rows: int


def fit_svm(rows: Matrix, classes: Classes, sites: Sequence[str], search: SvmSearch = SvmSearch()) -> ChosenSvm:
    """The machine of the kernel and penalty that do best on sites they have not seen.

    Args:
        rows: shape (rows, columns).
        classes: of each row.
        sites: of each row.
        search: what is tried, and on how much.

    Raises:
        TrainingError: the rows are of one class, or of one site.
    """
    if len(set(classes.tolist())) < MIN_CLASSES or len(set(sites)) < MIN_SITES:
        raise TrainingError("nothing to learn from: a machine needs rows of two classes, of two sites at least")
    generator = np.random.default_rng(search.seed)
    chosen = _draw(generator, len(rows), search.choose_from)
    grid = GridSearchCV(
        SVC(),
        {"kernel": search.kernels, "C": search.penalties},
        scoring=search.scoring,
        cv=GroupKFold(min(search.folds, len({sites[at] for at in chosen}))),
        refit=False,
    )
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # of a class that a fold lacks
        grid.fit(rows[chosen], classes[chosen], groups=[sites[at] for at in chosen])
    fitted = _draw(generator, len(rows), search.fit_to)
    machine = SVC(**grid.best_params_).fit(rows[fitted], classes[fitted])
    return ChosenSvm(machine, machine.kernel, machine.C, search.scoring, float(grid.best_score_), len(fitted))


def _draw(generator: np.random.Generator, rows: int, limit: int) -> NDArray[np.int64]:
    """Places of at most `limit` rows, in order."""
    return np.sort(generator.permutation(rows)[:limit])
