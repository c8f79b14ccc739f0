"""Training of the models of `segment-svm`, `hybrid-section` and `hybrid-document` (Bakić 2012)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import numpy as np

from newscorpus.artifacts import WEIGHTS, Metadata, save_artifact
from newscorpus.evaluation.scores import ngram_overlap
from newscorpus.extractors import hybrid_document, hybrid_section, segment_svm
from newscorpus.extractors.experts import EXPERTS, Expert, load_experts
from newscorpus.extractors.segment_features import FEATURES
from newscorpus.extractors.svm import CLASSES, Matrix
from newscorpus.learning.gold import Progress, describe_data, training_articles
from newscorpus.learning.onnx_models import estimator_to_onnx
from newscorpus.learning.segments import Measure, SegmentedPage, make_segmented
from newscorpus.learning.svm import ChosenSvm, SvmSearch, fit_svm

MODEL_VERSION = "1"
PACKAGES = ("numpy", "scikit-learn", "skl2onnx")

PAGES_A_SET = 250
"""Pages learned from of each set: more segments than a kernel machine can take."""

_CARD = """# {name}, version {version}

{what} A support vector machine (libSVM) over {columns} features in [0, 1], after Bakić (2012); see
`docs/published-systems.md`.

Use: `newscorpus extract PAGE --extractor {name}`.

## Made from

The first {pages} pages with an article of the train split of each of these sets; their pages are not part of the model.

| set | pages | licence | SHA-256 of the file |
|---|--:|---|---|
{data}

Made by `newscorpus train {name}` with {versions}; the same data give the same model. Kernel {kernel}, C {penalty:g},
chosen by cross-validation over sites; fitted to {rows} rows.

## How well it does

{measure} in that cross-validation: {score:.3f}. Figures on the development split, beside the other systems, are in
`docs/published-systems.md`.
"""


@dataclass(frozen=True, slots=True)
class _System:
    """What is told of a system on its card."""

    name: str
    columns: tuple[str, ...]
    what: str
    measure: str


SEGMENTS = _System(segment_svm.MODEL, FEATURES, "Tells the segments of a page that are main text.", "F1 of segments")
SECTIONS = _System(
    hybrid_section.MODEL,
    hybrid_section.COLUMNS,
    f"Tells the segments of a page that are main text, knowing what {', '.join(EXPERTS)} kept of each.",
    "F1 of segments",
)
DOCUMENTS = _System(
    hybrid_document.MODEL, FEATURES, f"Chooses one of {', '.join(EXPERTS)} for a page.", "Share of best choices"
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
    found: list[SegmentedPage] = []
    seen: Counter[str] = Counter()
    for page in training_articles(data, progress):
        seen[page.dataset] += 1
        if seen[page.dataset] <= PAGES_A_SET and (segmented := make_segmented(page, experts)):
            found.append(segmented)
    return found


def _save(system: _System, chosen: ChosenSvm, pages: Sequence[SegmentedPage], data: Path, output: Path) -> Metadata:
    metadata = Metadata(
        name=system.name,
        version=MODEL_VERSION,
        features=system.columns,
        parameters={CLASSES: [float(number) for number in chosen.machine.classes_], "C": chosen.penalty},
        files={},
        versions={"python": python_version(), **{name: version(name) for name in PACKAGES}},
        data=describe_data(data, Counter(page.page.dataset for page in pages)),
        scores={"cross-validation": {"rows": float(chosen.rows), chosen.measure: round(chosen.score, 4)}},
    )
    weights = {WEIGHTS: estimator_to_onnx(chosen.machine, len(system.columns))}
    save_artifact(output, metadata, weights, _card(system, chosen, metadata))
    return metadata


def _card(system: _System, chosen: ChosenSvm, metadata: Metadata) -> str:
    data = (
        f"| {name} | {row['pages']} | {row['licence']} | `{row['sha256']}` |" for name, row in metadata.data.items()
    )
    return _CARD.format(
        name=system.name,
        version=metadata.version,
        what=system.what,
        columns=len(system.columns),
        pages=PAGES_A_SET,
        data="\n".join(data),
        versions=", ".join(f"{name} {number}" for name, number in metadata.versions.items()),
        kernel=chosen.kernel,
        penalty=chosen.penalty,
        rows=chosen.rows,
        measure=system.measure,
        score=chosen.score,
    )
