"""Training of the models of `segment-svm`, `hybrid-section` and `hybrid-document` (Bakić 2012)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from newscorpus.artifacts import WEIGHTS, Metadata, save_artifact
from newscorpus.evaluation.scores import ngram_overlap
from newscorpus.extractors import hybrid_document, hybrid_section, segment_svm
from newscorpus.extractors.experts import EXPERTS, Expert, load_experts
from newscorpus.extractors.segment_features import FEATURES
from newscorpus.extractors.svm import CLASSES, Matrix
from newscorpus.learning.gold import Progress, describe_data, describe_versions, first_of_each_set, training_articles
from newscorpus.learning.onnx_models import estimator_to_onnx
from newscorpus.learning.segments import Measure, SegmentedPage, make_segmented
from newscorpus.learning.svm import ChosenSvm, SvmSearch, fit_svm
from newscorpus.learning.system_card import system_card

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
