"""Cut a page into segments where `div` and `table` stand, and measure them (Bakić 2012, segmentation and features).

An element that holds more than half of the page's text is looked into, or, where it holds text alone, is a segment; any
other `div` or `table` is a segment too, and so is what stands between them. A segment has 37 features, each in [0, 1].
"""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from statistics import fmean, median
from typing import TypeAlias

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import Rejected
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment

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
    """The segments of a page in document order."""
    return tuple(map(make_segment, _cut(read_body(tree))))


def read_body(tree: HtmlElement) -> HtmlElement:
    """A copy of the page's body without scripts and styles; of the document where it has no body."""
    body = tree.find("body")
    copy = deepcopy(tree if body is None else body)
    etree.strip_elements(copy, *UNREAD, with_tail=False)
    return copy


def make_segment(html: str) -> Segment:
    """The segment that a piece of HTML is."""
    root = parse(html)
    return Segment(html, () if isinstance(root, Rejected) else tuple(block.text for block in segment(root)))


def outer_html(element: HtmlElement) -> str:
    """The markup and text of an element, without the text behind it."""
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
    """The outermost cells and captions of a table."""
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
