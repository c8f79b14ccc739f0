"""Reproduce SVM-seg and the two hybrids (Bakić 2012, Zagreb): segments of a page, and four other extractors.

A page is cut into segments at `div` and `table`. An element with more than half of the page's text is split further, or
is a segment if it has no children. Any other `div` or `table` is a segment, and so is the content between them.
`segment-svm` decides on each segment by 37 features, each in [0, 1]; `hybrid-section` also sees which share of the
segment each of four other extractors (the experts) kept; `hybrid-document` chooses an expert by the page's features.

Published, F1 of the longest common subsequence of words on cleaneval: SVM-A 0.930, SVM-B 0.915, SVM-seg 0.901 (BTE
0.944). Repeat it: `python -m benchmarks.reproduce DATA --only bakic hybrids`, or `make reproduce`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from html import escape
from statistics import fmean, median
from typing import TypeAlias

import numpy as np
from lxml import etree
from lxml.html import HtmlElement
from rapidfuzz.distance import LCSseq

from newscorpus.arrays import Integers, Matrix
from newscorpus.artifacts import Scorer, load_artifact
from newscorpus.config import Revision
from newscorpus.data import Article, Rejected
from newscorpus.lab.systems.bte import body_text
from newscorpus.lab.systems.peers import load_peer
from newscorpus.model_folders import METADATA, ArtifactError
from newscorpus.page.extractor import Extractor, FoundText, PreparedPage, SystemExtractor
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.template import TemplateRules
from newscorpus.tokens import words

UNREAD = ("script", "style")
WHOLE = frozenset({"div", "table", "td", "caption"})
"""Elements that are segments of their own; `td` and `caption` occur in tables that are split."""
CELLS = ("td", "caption")

Node: TypeAlias = "str | HtmlElement"
"""A run of text, or an element."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a page: its HTML, and its visible text with one paragraph per block-level element."""

    html: str
    paragraphs: tuple[str, ...]


def cut(tree: HtmlElement) -> tuple[Segment, ...]:
    """Return the segments of a page in document order."""
    return tuple(map(make_segment, _cut(read_body(tree))))


def read_body(tree: HtmlElement) -> HtmlElement:
    """Copy the page's body, or the document if it has none, without scripts and styles."""
    body = tree.find("body")
    copy = deepcopy(tree if body is None else body)
    etree.strip_elements(copy, *UNREAD, with_tail=False)
    return copy


def make_segment(html: str) -> Segment:
    """Make a segment of a piece of HTML."""
    root = parse(html)
    return Segment(html, () if isinstance(root, Rejected) else tuple(block.text for block in segment(root)))


def outer_html(element: HtmlElement) -> str:
    """Return the HTML of an element without its tail."""
    return etree.tostring(element, encoding="unicode", method="html", with_tail=False)


def _cut(body: HtmlElement) -> Iterator[str]:
    """Yield the HTML of each segment. The stack replaces recursion, since pages nest deeper than Python allows."""
    sizes: dict[HtmlElement, int] = {}  # characters of the text in each element, without white space
    for _, element in etree.iterwalk(body, events=("end",)):
        tails = sum(sizes[child] + _visible(child.tail) for child in element)
        sizes[element] = tails + _visible(element.text)
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


def _visible(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


SIZE_LIMITS = (10**2, 10**3, 10**4, 10**5, 10**6)
"""Upper limits in bytes of the first five size classes; longer segments are in the sixth."""

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
    """Compute the features of one segment, in the order of `FEATURES`; lengths in characters, sizes in UTF-8 bytes."""
    markup, link_markup, open_links = 0, 0, 0
    runs: list[int] = []  # lengths of the texts between two tags, outside links
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
    n_bytes = len(html.encode("utf-8", "replace"))
    size_class = sum(n_bytes >= limit for limit in SIZE_LIMITS)
    longest = max(runs, default=0)
    return [
        *(float(at == size_class) for at in range(len(SIZE_LIMITS) + 1)),
        *(length / max(len(html), 1) for length in (markup, link_markup)),
        *((fmean(runs) / longest, median(runs) / longest, longest / sum(runs)) if runs else (0.0, 0.0, 0.0)),
        *(count / max(*counts.values(), 1) for count in counts.values()),
    ]


SEGMENT_SVM, HYBRID_SECTION, HYBRID_DOCUMENT = "segment-svm", "hybrid-section", "hybrid-document"
"""The systems; their models have the same names."""

EXPERTS = ("bte", "readability", "boilerpipe-default", "boilerpipe-article")
"""The four extractors of the thesis, in its order."""

SECTION_FEATURES = (*FEATURES, *(f"kept_by_{name}" for name in EXPERTS))
"""Features of a segment for `hybrid-section`."""

CLASSES = "classes"
"""Name of the model parameter that holds the classes, in the order of the scores."""

Expert = Callable[[PreparedPage], str]
"""The main text of a parsed page according to one extractor, or ""."""


@dataclass(frozen=True, slots=True)
class Svm:
    """A trained support vector machine; `classify` returns the class of each row, shape (rows, columns)."""

    name: str
    classify: Callable[[Matrix], Integers]


def find_segments(svm: Svm, experts: Mapping[str, Expert], prepared: PreparedPage) -> FoundText | Rejected:
    """Return the text of the segments that a machine calls good (class 1).

    The shares that experts kept of a segment are features, too; `segment-svm` has no experts.
    """
    segments = cut(prepared.tree)
    if not segments:
        return Rejected("segment", "no_segments", url=prepared.page.url)
    texts = {name: expert(prepared) for name, expert in experts.items()}
    rows = np.hstack((measure(segments), measure_kept(segments, texts)))
    kept = [segment for segment, found in zip(segments, svm.classify(rows), strict=True) if found == 1]
    paragraphs = [paragraph for segment in kept for paragraph in segment.paragraphs]
    if not paragraphs:
        return Rejected("extract", "no_main_text", url=prepared.page.url)
    return FoundText(paragraphs, svm.name)


def find_document(svm: Svm, experts: Mapping[str, Expert], prepared: PreparedPage) -> FoundText | Rejected:
    """Return the text of the expert that a machine chooses for the page (its classes number `experts`).

    The name of the expert becomes a flag of the article.
    """
    name = tuple(experts)[int(svm.classify(measure_page(prepared.tree)[None])[0])]
    text = experts[name](prepared)
    if not text:
        return Rejected("extract", "no_main_text", f"{name} found none", prepared.page.url)
    return FoundText(text.split("\n"), svm.name, flags=(f"by_{name.replace('-', '_')}",))


def measure(segments: Sequence[Segment]) -> Matrix:
    """Return the 37 features of each segment."""
    return np.array([measure_segment(segment.html) for segment in segments], np.float32).reshape(-1, len(FEATURES))


def measure_page(tree: HtmlElement) -> Matrix:
    """Return the 37 features of a whole page: shape (37,)."""
    return np.array(measure_segment(outer_html(read_body(tree))), np.float32)


def measure_kept(segments: Sequence[Segment], texts: Mapping[str, str]) -> Matrix:
    """Return the share of each segment's words found in each of `texts`: shape (segments, texts); 0 without words."""
    wholes = [words(text) for text in texts.values()]
    parts = [words(" ".join(segment.paragraphs)) for segment in segments]
    shares = [[share_found(part, whole) for whole in wholes] for part in parts]
    return np.array(shares, np.float32).reshape(len(segments), len(texts))


def share_found(part: Sequence[str], whole: Sequence[str]) -> float:
    """Return the share of the words of `part` found in `whole` in order (longest common subsequence)."""
    return LCSseq.similarity(part, whole) / len(part) if part else 0.0


def by_extractor(extractor: Extractor) -> Expert:
    """Make an expert of an extractor."""

    def text(prepared: PreparedPage) -> str:
        article = extractor(prepared.page)
        return article.text if isinstance(article, Article) else ""

    return text


def load_experts() -> dict[str, Expert]:
    """Return the four experts of the thesis by name.

    Raises:
        MissingPeerError: the package of an expert is not installed; the message says how to get it.
    """
    peers = {name: by_extractor(load_peer(name)) for name in EXPERTS[1:]}
    return {"bte": lambda prepared: body_text(prepared.html), **peers}


def load(name: str, template: TemplateRules | None, model: str, _revision: Revision) -> SystemExtractor:
    """Load the system `name` with its shipped model or another, and the experts of the thesis.

    Raises:
        ArtifactError: the model is missing, damaged or has other features.
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
    find = find_document if name == HYBRID_DOCUMENT else find_segments
    return SystemExtractor(partial(find, svm, experts), template)
