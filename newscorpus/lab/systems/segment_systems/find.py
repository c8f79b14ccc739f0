"""Find the main text by segments, by experts, or by both (Bakić 2012, SVM-seg, SVM-A and SVM-B).

`segment-svm` decides on each segment of the page by its 37 features; `hybrid-section` also sees how much of the segment
each of four other extractors, the experts, kept; `hybrid-document` chooses by the page's features which expert to
believe.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from lxml.html import HtmlElement
from rapidfuzz.distance import LCSseq

from newscorpus.arrays import Integers, Matrix
from newscorpus.artifacts import METADATA, ArtifactError, Scorer, load_artifact
from newscorpus.data import Article, Rejected
from newscorpus.lab.systems.bte import body_text
from newscorpus.lab.systems.peers import load_peer
from newscorpus.lab.systems.segment_systems.segments import (
    FEATURES,
    Segment,
    cut,
    measure_segment,
    outer_html,
    read_body,
)
from newscorpus.page.extractor import Extractor, FoundText, Reading
from newscorpus.tokens import words

SEGMENT_SVM, HYBRID_SECTION, HYBRID_DOCUMENT = "segment-svm", "hybrid-section", "hybrid-document"
"""The systems; their models have the same names."""

EXPERTS = ("bte", "readability", "boilerpipe-default", "boilerpipe-article")
"""The four of the thesis, in its order."""

SECTION_FEATURES = (*FEATURES, *(f"kept_by_{name}" for name in EXPERTS))
"""What `hybrid-section` sees of a segment."""

CLASSES = "classes"
"""The parameter of a model that holds its classes, in the order of its scores."""

Expert = Callable[[Reading], str]
"""From what was read of a page to its main text according to one extractor, or ""."""


@dataclass(frozen=True, slots=True)
class Svm:
    """A trained support vector machine; `classify` gives the class of each row of features, shape (rows, columns)."""

    name: str
    classify: Callable[[Matrix], Integers]


@dataclass(frozen=True, slots=True)
class SegmentSystem:
    """Keeps the segments of a page that a machine calls good (class 1).

    What the experts kept of each segment stands beside its features; `segment-svm` has no experts.
    """

    svm: Svm
    experts: Mapping[str, Expert]

    def find(self, reading: Reading) -> FoundText | Rejected:
        """The text of the good segments."""
        segments = cut(reading.tree)
        if not segments:
            return Rejected("segment", "no_segments", url=reading.page.url)
        rows = np.hstack((measure(segments), measure_kept(segments, ask(self.experts, reading))))
        kept = [segment for segment, found in zip(segments, self.svm.classify(rows), strict=True) if found == 1]
        paragraphs = [paragraph for segment in kept for paragraph in segment.paragraphs]
        if not paragraphs:
            return Rejected("extract", "no_main_text", url=reading.page.url)
        return FoundText(paragraphs, self.svm.name)


@dataclass(frozen=True, slots=True)
class DocumentSystem:
    """Gives the text of the expert that a machine chooses for the page; its classes are places in `experts`."""

    svm: Svm
    experts: Mapping[str, Expert]

    def find(self, reading: Reading) -> FoundText | Rejected:
        """The text of the chosen expert; its name stands in the article's flags."""
        name = self.choose(reading.tree)
        text = self.experts[name](reading)
        if not text:
            return Rejected("extract", "no_main_text", f"{name} found none", reading.page.url)
        return FoundText(text.split("\n"), self.svm.name, flags=(f"by_{name.replace('-', '_')}",))

    def choose(self, tree: HtmlElement) -> str:
        """The name of the expert for a page."""
        return tuple(self.experts)[int(self.svm.classify(measure_page(tree)[None])[0])]


def measure(segments: Sequence[Segment]) -> Matrix:
    """The 37 features of each segment."""
    return np.array([measure_segment(segment.html) for segment in segments], np.float32).reshape(-1, len(FEATURES))


def measure_page(tree: HtmlElement) -> Matrix:
    """The 37 features of a whole page: shape (37,)."""
    return np.array(measure_segment(outer_html(read_body(tree))), np.float32)


def measure_kept(segments: Sequence[Segment], texts: Mapping[str, str]) -> Matrix:
    """The share of each segment's words that stand in each of `texts`: shape (segments, texts); 0 without words."""
    wholes = [words(text) for text in texts.values()]
    parts = [words(" ".join(segment.paragraphs)) for segment in segments]
    shares = [[share_found(part, whole) for whole in wholes] for part in parts]
    return np.array(shares, np.float32).reshape(len(segments), len(texts))


def share_found(part: Sequence[str], whole: Sequence[str]) -> float:
    """The share of the words of `part` that stand in `whole` in the same order (longest common subsequence)."""
    return LCSseq.similarity(part, whole) / len(part) if part else 0.0


def ask(experts: Mapping[str, Expert], reading: Reading) -> dict[str, str]:
    """The main text according to each of `experts`."""
    return {name: expert(reading) for name, expert in experts.items()}


def by_extractor(extractor: Extractor) -> Expert:
    """The expert that an extractor makes."""

    def text(reading: Reading) -> str:
        article = extractor(reading.page)
        return article.text if isinstance(article, Article) else ""

    return text


def load_experts() -> dict[str, Expert]:
    """The four experts of the thesis by name.

    Raises:
        MissingPeerError: the package of one is not installed; one line that says how to get it.
    """
    peers = {name: by_extractor(load_peer(name)) for name in EXPERTS[1:]}
    return {"bte": lambda reading: body_text(reading.html), **peers}


def load_segment_system(name: str, model: str = "") -> SegmentSystem | DocumentSystem:
    """Load the system of that name with the model that travels with the package or another, and the thesis's experts.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
        MissingPeerError: the package of an expert is not installed.
    """
    model = model or name
    artifact = load_artifact(model, SECTION_FEATURES if name == HYBRID_SECTION else FEATURES)
    classes = artifact.metadata.parameters.get(CLASSES)
    if not isinstance(classes, list):
        raise ArtifactError(f"model {model!r}: {METADATA} does not name its {CLASSES}")
    scorer, order = Scorer(artifact), np.array(classes, np.int64)
    svm = Svm(scorer.name, lambda rows: order[scorer(rows).argmax(axis=1)])
    experts = {} if name == SEGMENT_SVM else load_experts()
    return DocumentSystem(svm, experts) if name == HYBRID_DOCUMENT else SegmentSystem(svm, experts)
