"""Reproduce SVM-seg and the two hybrids (Bakić 2012, Zagreb): segments of a page, and four other extractors.

A page is cut where `div` and `table` stand. An element that holds more than half of the page's text is looked into, or,
where it holds text alone, is a segment; any other `div` or `table` is a segment too, and so is what stands between
them. `segment-svm` decides on each segment by its 37 features, each in [0, 1]; `hybrid-section` also sees how much of
the segment each of four other extractors, the experts, kept; `hybrid-document` chooses by the page's features which
expert to believe.

Published, F1 of the longest common subsequence of words on cleaneval: SVM-A 0.930, SVM-B 0.915, SVM-seg 0.901 (BTE
0.944). Repeat it: `python -m benchmarks.reproduce DATA --only bakic hybrids`, or `make reproduce`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from statistics import fmean, median
from typing import TypeAlias

import numpy as np
from lxml import etree
from lxml.html import HtmlElement
from rapidfuzz.distance import LCSseq

from newscorpus.arrays import Integers, Matrix
from newscorpus.artifacts import METADATA, ArtifactError, Scorer, load_artifact
from newscorpus.config import Revision
from newscorpus.data import Article, Rejected
from newscorpus.lab.systems.bte import body_text
from newscorpus.lab.systems.peers import load_peer
from newscorpus.page.extractor import Extractor, FoundText, Reading, SystemExtractor
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.template import TemplateRules
from newscorpus.tokens import words

UNREAD = ("script", "style")
WHOLE = frozenset({"div", "table", "td", "caption"})
"""Elements that are segments of their own; the last two are met in a table that is looked into."""
CELLS = ("td", "caption")

Node: TypeAlias = "str | HtmlElement"
"""A run of text, or an element."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a page: its markup and text, and its visible text, a paragraph for each block-level element."""

    html: str
    paragraphs: tuple[str, ...]


def cut(tree: HtmlElement) -> tuple[Segment, ...]:
    """Return the segments of a page in document order."""
    return tuple(map(make_segment, _cut(read_body(tree))))


def read_body(tree: HtmlElement) -> HtmlElement:
    """A copy of the page's body without scripts and styles; of the document where it has no body."""
    body = tree.find("body")
    copy = deepcopy(tree if body is None else body)
    etree.strip_elements(copy, *UNREAD, with_tail=False)
    return copy


def make_segment(html: str) -> Segment:
    """Make a segment of a piece of HTML."""
    root = parse(html)
    return Segment(html, () if isinstance(root, Rejected) else tuple(block.text for block in segment(root)))


def outer_html(element: HtmlElement) -> str:
    """Return the markup and text of an element, without the text behind it."""
    return etree.tostring(element, encoding="unicode", method="html", with_tail=False)


def _cut(body: HtmlElement) -> Iterator[str]:
    """The HTML of each segment. The stack holds what is being looked into, since pages nest deeper than Python."""
    sizes = _text_sizes(body)
    half = sizes[body] / 2
    buffer: list[str] = []
    stack = [_children(body)]
    while stack:
        node = next(stack[-1], None)
        if isinstance(node, str):
            buffer += [escape(node, quote=False)] if node.strip() else []
            continue
        is_large = node is not None and sizes[node] > half
        if buffer and (node is None or is_large or node.tag in WHOLE):
            yield "".join(buffer)
            buffer = []
        if node is None:
            stack.pop()
        elif is_large and len(node) > 0:
            stack.append(_cells(node) if node.tag == "table" else _children(node))
        elif is_large or node.tag in WHOLE:
            yield outer_html(node)
        else:
            buffer.append(outer_html(node))


def _children(element: HtmlElement) -> Iterator[Node]:
    yield element.text or ""
    for child in element:
        yield child
        yield child.tail or ""


def _cells(table: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the outermost cells and captions of a table."""
    around = next(table.iterancestors(*CELLS), None)
    return (cell for cell in table.iter(*CELLS) if next(cell.iterancestors(*CELLS), None) is around)


def _text_sizes(body: HtmlElement) -> dict[HtmlElement, int]:
    """Characters of text in each element, white space not counted."""
    sizes: dict[HtmlElement, int] = {}
    for _, element in etree.iterwalk(body, events=("end",)):
        inside = sum(sizes[child] + _visible(child.tail) for child in element)
        sizes[element] = inside + _visible(element.text)
    return sizes


def _visible(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


SIZE_LIMITS = (10**2, 10**3, 10**4, 10**5, 10**6)
"""Bytes below which a segment falls into the first five size classes; all others are in the sixth."""

COUNTED = (
    "blockquote br caption cite code col colgroup div dl form frameset h1 h2 h3 h4 h5 h6 hr iframe object ol p samp "
    "span table ul"
).split()

FEATURES = (
    *(f"under_{limit}_bytes" for limit in SIZE_LIMITS),
    f"from_{SIZE_LIMITS[-1]}_bytes",
    "markup_share",
    "link_markup_share",
    "mean_run_to_longest",
    "median_run_to_longest",
    "longest_run_to_all",
    *COUNTED,
)

_TOKEN = re.compile(r"""<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)(?:"[^"]*"|'[^']*'|[^>"'])*>|(?P<text>[^<]+)""")


def measure_segment(html: str) -> list[float]:
    """The features of one segment, in the order of `FEATURES`. Lengths are of characters, sizes of UTF-8 bytes."""
    markup, link_markup, open_links = 0, 0, 0
    runs: list[int] = []
    counts = dict.fromkeys(COUNTED, 0)
    for token in _TOKEN.finditer(html):
        name = token["name"]
        if name is None:
            length = len(" ".join(token["text"].split()))
            runs += [length] if length and not open_links else []
            continue
        markup += len(token[0])
        if name == "a":
            link_markup += len(token[0])
            open_links = max(open_links + (-1 if token["end"] else 1), 0)
        elif not token["end"] and name in counts:
            counts[name] += 1
    size = max(len(html), 1)
    most = max(*counts.values(), 1)
    return [
        *_size_class(len(html.encode("utf-8", "replace"))),
        markup / size,
        link_markup / size,
        *_run_measures(runs),
        *(count / most for count in counts.values()),
    ]


def _size_class(size: int) -> list[float]:
    place = sum(size >= limit for limit in SIZE_LIMITS)
    return [float(at == place) for at in range(len(SIZE_LIMITS) + 1)]


def _run_measures(runs: Sequence[int]) -> tuple[float, float, float]:
    """Of the lengths of the texts between two tags outside links: mean and median to longest, longest to their sum."""
    if not runs:
        return 0.0, 0.0, 0.0
    longest = max(runs)
    return fmean(runs) / longest, median(runs) / longest, longest / sum(runs)


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
        """Return the text of the good segments."""
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
        """Return the text of the chosen expert; its name is in the article's flags."""
        name = self.choose(reading.tree)
        text = self.experts[name](reading)
        if not text:
            return Rejected("extract", "no_main_text", f"{name} found none", reading.page.url)
        return FoundText(text.split("\n"), self.svm.name, flags=(f"by_{name.replace('-', '_')}",))

    def choose(self, tree: HtmlElement) -> str:
        """Return the name of the expert for a page."""
        return tuple(self.experts)[int(self.svm.classify(measure_page(tree)[None])[0])]


def measure(segments: Sequence[Segment]) -> Matrix:
    """Return the 37 features of each segment."""
    return np.array([measure_segment(segment.html) for segment in segments], np.float32).reshape(-1, len(FEATURES))


def measure_page(tree: HtmlElement) -> Matrix:
    """Return the 37 features of a whole page: shape (37,)."""
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
    """Return the main text according to each of `experts`."""
    return {name: expert(reading) for name, expert in experts.items()}


def by_extractor(extractor: Extractor) -> Expert:
    """Make an expert of an extractor."""

    def text(reading: Reading) -> str:
        article = extractor(reading.page)
        return article.text if isinstance(article, Article) else ""

    return text


def load_experts() -> dict[str, Expert]:
    """Return the four experts of the thesis by name.

    Raises:
        MissingPeerError: the package of one is not installed; one line that says how to get it.
    """
    peers = {name: by_extractor(load_peer(name)) for name in EXPERTS[1:]}
    return {"bte": lambda reading: body_text(reading.html), **peers}


def load(name: str, template: TemplateRules | None, model: str, _revision: Revision) -> SystemExtractor:
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
    system = DocumentSystem(svm, experts) if name == HYBRID_DOCUMENT else SegmentSystem(svm, experts)
    return SystemExtractor(system.find, template)
