"""Train `segment-svm`, `hybrid-section` and `hybrid-document` (Bakić 2012): support vector machines (libSVM).

Kernel and penalty are chosen by cross-validation over sites.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.svm import SVC

from newscorpus.arrays import Flags, Integers, Matrix
from newscorpus.artifacts import WEIGHTS
from newscorpus.data import Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import Overlap, ngram_overlap
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.systems import segment_systems
from newscorpus.lab.systems.segment_systems import (
    CLASSES,
    EXPERTS,
    FEATURES,
    HYBRID_DOCUMENT,
    HYBRID_SECTION,
    SECTION_FEATURES,
    SEGMENT_SVM,
    Expert,
    Segment,
    cut,
)
from newscorpus.lab.training.block_learner import check_labels
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.onnx import estimator_to_onnx
from newscorpus.lab.training.sources import Progress, TrainingPages, first_of_each_set, fold_groups
from newscorpus.page.extractor import read
from newscorpus.tokens import words

MODEL_VERSION = "2"
PACKAGES = ("numpy", "scikit-learn", "skl2onnx")

PAGES_A_SET = 250
"""Pages learned from of each set: more segments than a kernel machine can take."""

GOOD_SHARE = 0.9
"""Minimum share of words in the gold text that makes a segment a good one."""

_EXPERTS = ", ".join(EXPERTS)
ABOUT = {
    SEGMENT_SVM: "SVM-seg (Bakić 2012): tells by 37 features which segments are main text.",
    HYBRID_SECTION: f"SVM-B (Bakić 2012): as segment-svm, knowing what {_EXPERTS} kept of each segment.",
    HYBRID_DOCUMENT: f"SVM-A (Bakić 2012): chooses by 37 features one of {_EXPERTS} for a page.",
}
SOURCE = f"The first {PAGES_A_SET} pages with an article of the train split of each of these sets."

CompareTexts = Callable[[str, str], Overlap]
"""Overlap of an extracted text and the gold text."""


@dataclass(frozen=True, slots=True)
class SegmentedPage:
    """A page to learn from, cut into segments."""

    page: GoldPage
    segments: tuple[Segment, ...]
    features: Matrix  # of the segments: shape (segments, 37)
    kept: Matrix  # share of each segment that each expert kept: shape (segments, experts)
    good: Flags  # whether each segment is main text
    whole: Matrix  # the 37 features of the whole page
    texts: Mapping[str, str]  # the main text according to each expert

    @property
    def hybrid_features(self) -> Matrix:
        """Features of the segments and shares kept by experts: shape (segments, 37 + experts)."""
        return np.hstack((self.features, self.kept))

    def text_of(self, chosen: Iterable[object]) -> str:
        """Return the text of the chosen segments; one truth value a segment."""
        kept = (segment for segment, is_chosen in zip(self.segments, chosen, strict=True) if is_chosen)
        return "\n".join(paragraph for segment in kept for paragraph in segment.paragraphs)

    def best_expert(self, overlap: CompareTexts) -> int:
        """Return the index of the expert whose text has the best F1; ties go to the first."""
        f1 = [overlap(text, self.page.text).scores.f1 for text in self.texts.values()]
        return f1.index(max(f1))


def make_segmented(page: GoldPage, experts: Mapping[str, Expert]) -> SegmentedPage | None:
    """Make the training example of `page`; None if it cannot be parsed."""
    prepared = read(Page.from_html(page.html, page.url))
    if isinstance(prepared, Rejected):
        return None
    segments, gold = cut(prepared.tree), words(page.text)
    texts = {name: expert(prepared) for name, expert in experts.items()}
    shares = [segment_systems.share_found(words(" ".join(segment.paragraphs)), gold) for segment in segments]
    return SegmentedPage(
        page=page,
        segments=segments,
        features=segment_systems.measure(segments),
        kept=segment_systems.measure_kept(segments, texts),
        good=np.array(shares) > GOOD_SHARE,
        whole=segment_systems.measure_page(prepared.tree),
        texts=texts,
    )


@dataclass(frozen=True, slots=True)
class SvmSearch:
    """How a machine is chosen and fitted; the time grows with the square of the rows."""

    kernels: tuple[str, ...] = ("linear", "rbf")  # of libSVM, to try
    penalties: tuple[float, ...] = (1.0, 10.0, 100.0)  # libSVM's C, to try
    folds: int = 5  # of the cross-validation
    choose_from: int = 3_000  # maximum rows for the choice
    fit_to: int = 8_000  # maximum rows for the fit; each may become a part of the model
    scoring: str = "f1"  # measure of scikit-learn that decides
    seed: int = 1  # of the samples


class ChosenSvm(NamedTuple):
    """A fitted machine, its cross-validated score by `measure`, and the number of rows it was fitted to."""

    machine: SVC
    measure: str
    score: float
    rows: int


def fit_svm(rows: Matrix, classes: Integers, groups: Sequence[str], search: SvmSearch = SvmSearch()) -> ChosenSvm:
    """Fit a machine with the kernel and penalty that do best on held-out groups.

    `rows` has the shape (rows, columns); each row has a class and a group (`fold_groups`).

    Raises:
        LabError: all rows have one class, or all but those of one group.
    """
    generator = np.random.default_rng(search.seed)
    chosen = np.sort(generator.permutation(len(rows))[: search.choose_from])
    found, group_of = classes[chosen], [groups[at] for at in chosen]
    folds = min(search.folds, len(set(group_of)))
    splits = list(GroupKFold(folds).split(found, groups=group_of)) if folds > 1 else []
    splits = [(rest, held) for rest, held in splits if np.ptp(found[rest])]
    if not splits:
        raise LabError("nothing can be learned: all rows are of one class, but for those of one site or page")
    grid = GridSearchCV(
        SVC(),
        {"kernel": search.kernels, "C": search.penalties},
        scoring=search.scoring,
        cv=splits,
        refit=False,
    )
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # about a class that a fold lacks
        grid.fit(rows[chosen], found)
    fitted = np.sort(generator.permutation(len(rows))[: search.fit_to])
    machine = SVC(**grid.best_params_).fit(rows[fitted], classes[fitted])
    return ChosenSvm(machine, search.scoring, float(grid.best_score_), len(fitted))


def fit_segments(pages: Sequence[SegmentedPage], rows: Sequence[Matrix]) -> ChosenSvm:
    """Fit a machine that tells good segments (class 1) from others (0); `rows` are the features by page."""
    good = np.concatenate([page.good for page in pages]).astype(np.int64)
    check_labels(int(good.sum()), len(good))
    groups, _ = fold_groups([page.page.site for page in pages])
    return fit_svm(np.concatenate(rows), good, np.repeat(groups, [len(page.good) for page in pages]).tolist())


def fit_documents(pages: Sequence[SegmentedPage], overlap: CompareTexts) -> ChosenSvm:
    """Fit a machine that predicts from a page's 37 features the index of the expert with the best F1.

    Raises:
        LabError: the same expert is the best on all pages.
    """
    best = np.array([page.best_expert(overlap) for page in pages], np.int64)
    if not np.ptp(best):
        raise LabError(f"nothing can be learned: {[*pages[0].texts][best[0]]} is the best expert on every page")
    groups, _ = fold_groups([page.page.site for page in pages])
    return fit_svm(np.stack([page.whole for page in pages]), best, groups, SvmSearch(scoring="accuracy"))


def train(name: str, source: TrainingPages, _progress: Progress) -> TrainedModel:
    """Train one of the three systems on the articles of `source`.

    For `hybrid-document`, the best expert of a page is the one with the best 4-gram F1.

    Raises:
        MissingPeerError: the package of an expert is not installed.
        LabError: nothing can be learned from the pages.
    """
    experts = {} if name == SEGMENT_SVM else segment_systems.load_experts()
    articles = first_of_each_set(source.articles, PAGES_A_SET)
    pages = [found for page in articles if (found := make_segmented(page, experts))]
    if not pages:
        raise LabError("nothing can be learned: no page has a segment")
    unit = fold_groups([page.page.site for page in pages])[1]
    if name == HYBRID_DOCUMENT:
        chosen = fit_documents(pages, ngram_overlap)
    else:
        chosen = fit_segments(pages, [page.hybrid_features for page in pages])
    machine, features = chosen.machine, SECTION_FEATURES if name == HYBRID_SECTION else FEATURES
    scored = "best choices" if name == HYBRID_DOCUMENT else "segments"
    fitted = f"kernel {machine.kernel}, C {machine.C:g}, fitted to {chosen.rows} rows"
    return TrainedModel(
        name=name,
        version=MODEL_VERSION,
        features=features,
        parameters={CLASSES: [float(number) for number in machine.classes_], "C": machine.C},
        weights={WEIGHTS: estimator_to_onnx(machine, len(features))},
        packages=PACKAGES,
        data=source.describe(Counter(page.page.dataset for page in pages)),
        scores={f"{unit} not seen": {chosen.measure: chosen.score}},
        about=ABOUT[name],
        source=SOURCE,
        how=f"Support vector machine (libSVM), {fitted}.",
        measure=f"Of {scored}, in the cross-validation over {unit} that chose kernel and C.",
    )
