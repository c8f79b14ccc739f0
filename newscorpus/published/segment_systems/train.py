"""Support vector machines (libSVM): kernel and penalty chosen by cross-validation over sites, then fitted.

Training of the models of `segment-svm`, `hybrid-section` and `hybrid-document` (Bakić 2012).
"""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.svm import SVC

from newscorpus.artifacts import WEIGHTS, Metadata, save_artifact
from newscorpus.evaluation.scores import ngram_overlap
from newscorpus.learning.card import system_card
from newscorpus.learning.onnx import estimator_to_onnx
from newscorpus.learning.sources import (
    Progress,
    TrainingError,
    describe_data,
    describe_versions,
    first_of_each_set,
    training_articles,
)
from newscorpus.published.segment_systems import hybrid_document, hybrid_section, segment_svm
from newscorpus.published.segment_systems.examples import Measure, SegmentedPage, make_segmented
from newscorpus.published.segment_systems.experts import EXPERTS, Expert, load_experts
from newscorpus.published.segment_systems.segment_svm import CLASSES, Classes, Matrix
from newscorpus.published.segment_systems.segments import FEATURES

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


MODEL_VERSION = "1"
PACKAGES = ("numpy", "scikit-learn", "skl2onnx")

PAGES_A_SET = 250
"""Pages learned from of each set: more segments than a kernel machine can take."""

SOURCE = f"The first {PAGES_A_SET} pages with an article of the train split of each of these sets."


@dataclass(frozen=True, slots=True)
class _System:
    """What the card tells of a system; `of` is what the score of the choice of kernel counts."""

    name: str
    columns: tuple[str, ...]
    about: str
    of: str


SEGMENTS = _System(
    segment_svm.MODEL, FEATURES, "SVM-seg (Bakić 2012): tells by 37 features which segments are main text.", "segments"
)
SECTIONS = _System(
    hybrid_section.MODEL,
    hybrid_section.COLUMNS,
    f"SVM-B (Bakić 2012): as segment-svm, knowing what {', '.join(EXPERTS)} kept of each segment.",
    "segments",
)
DOCUMENTS = _System(
    hybrid_document.MODEL,
    FEATURES,
    f"SVM-A (Bakić 2012): chooses by 37 features one of {', '.join(EXPERTS)} for a page.",
    "best choices",
)


def train_segment_svm(data: Path, output: Path, progress: Progress) -> Metadata:
    """Train `segment-svm`; see `newscorpus.learning.train.train`."""
    pages = _pages(data, {}, progress)
    chosen = fit_segments(pages, [page.features for page in pages])
    return _save(SEGMENTS, chosen, pages, data, output)


def train_hybrid_section(data: Path, output: Path, progress: Progress) -> Metadata:
    """Train `hybrid-section`; see `newscorpus.learning.train.train`.

    Raises:
        MissingPeerError: the package of an expert is not installed.
    """
    pages = _pages(data, load_experts(), progress)
    chosen = fit_segments(pages, [page.hybrid_features for page in pages])
    return _save(SECTIONS, chosen, pages, data, output)


def train_hybrid_document(data: Path, output: Path, progress: Progress) -> Metadata:
    """Train `hybrid-document`, the best expert being that of the best 4-gram F1; see `newscorpus.learning.train.train`.

    Raises:
        MissingPeerError: the package of an expert is not installed.
    """
    pages = _pages(data, load_experts(), progress)
    return _save(DOCUMENTS, fit_documents(pages, ngram_overlap), pages, data, output)


def fit_segments(pages: Sequence[SegmentedPage], rows: Sequence[Matrix]) -> ChosenSvm:
    """A machine that tells good segments (class 1) from others (0); `rows` has what it sees of each page's segments."""
    good = np.concatenate([page.good for page in pages]).astype(np.int64)
    return fit_svm(np.concatenate(rows), good, [page.page.domain for page in pages for _ in page.segments])


def fit_documents(pages: Sequence[SegmentedPage], overlap: Measure) -> ChosenSvm:
    """A machine that tells by a page's 37 features which expert has the best F1 there; its class is their place."""
    best = np.array([page.best_expert(overlap) for page in pages], np.int64)
    sites = [page.page.domain for page in pages]
    return fit_svm(np.stack([page.whole for page in pages]), best, sites, SvmSearch(scoring="accuracy"))


def _pages(data: Path, experts: Mapping[str, Expert], progress: Progress) -> list[SegmentedPage]:
    pages = first_of_each_set(training_articles(data, progress), PAGES_A_SET)
    return [found for page in pages if (found := make_segmented(page, experts))]


def _save(system: _System, chosen: ChosenSvm, pages: Sequence[SegmentedPage], data: Path, output: Path) -> Metadata:
    metadata = Metadata(
        name=system.name,
        version=MODEL_VERSION,
        features=system.columns,
        parameters={CLASSES: [float(number) for number in chosen.machine.classes_], "C": chosen.penalty},
        files={},
        versions=describe_versions(PACKAGES),
        data=describe_data(data, Counter(page.page.dataset for page in pages)),
        scores={"sites not seen": {chosen.measure: round(chosen.score, 4)}},
    )
    how = (
        f"Support vector machine (libSVM), kernel {chosen.kernel}, C {chosen.penalty:g}, fitted to {chosen.rows} rows."
    )
    measure = f"Of {system.of}, in the cross-validation over sites that chose kernel and C."
    weights = {WEIGHTS: estimator_to_onnx(chosen.machine, len(system.columns))}
    save_artifact(output, metadata, weights, system_card(metadata, system.about, SOURCE, how, measure))
    return metadata
