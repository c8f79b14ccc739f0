"""Parse text to a tree, guarded against what stalls the parser or makes it lose text."""

import re
from collections.abc import Iterator

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import Rejected

MAX_ATTRIBUTES = 1000
"""Of one element: the parser takes quadratic time over them, 0.1 s for 5,000 (measured 2026-11, libxml2 2.14)."""

LONG_TAG = 4 * MAX_ATTRIBUTES
"""Characters: a tag with more than `MAX_ATTRIBUTES` distinct attributes is longer. One whose values hold `>` all along
is not seen: a page that does so on purpose meets the time limit of the processes that extract."""

# As the HTML standard reads them (13.2.5.32 and following); possessive, so that no text is read twice.
_ATTRIBUTE = r"""[\s/]*+(?>=?+[^\s/>=]++|=)(?>\s*+=\s*+(?>"[^"]*+"|'[^']*+'|[^\s>]*+))?+"""
_CROWD = re.compile(rf"(?:{_ATTRIBUTE}){{{MAX_ATTRIBUTES},}}+")
_TAG_NAME = re.compile(r"<[a-zA-Z][^\s/>]*+")
_DOCUMENT_END = re.compile(rb"</(?:[bB][oO][dD][yY]|[hH][tT][mM][lL])\b[^<>]*+>")  # a flag would cost the fast search

_TITLE = re.compile(r"<title\b[^<>]*+>", re.IGNORECASE)
_TITLE_END = re.compile(r"</title[\s/>]", re.IGNORECASE)

_ELEMENT_CLASS = etree.ElementDefaultClassLookup(element=HtmlElement)
"""`lxml.html.HTMLParser` chooses the class of each element in Python, which triples the time of every walk."""


def parse(html: str, url: str = "") -> HtmlElement | Rejected:
    """The tree of `html`, the page at `url`; its root is the `html` element.

    Repairs, before parsing: the attributes of an element with more than `MAX_ATTRIBUTES` are dropped; end tags of body
    and html are dropped, because the parser loses what stands behind them; a title without an end tag ends before the
    next tag, because it would swallow the page. Rejects a document without elements and one that is nested deeper than
    the parser goes (2,048), since the text below would be lost.
    """
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_ELEMENT_CLASS)
    source = "".join(_thin_attributes(_close_title(html))).encode("utf-8", "replace")
    try:
        root = etree.fromstring(_DOCUMENT_END.sub(b"", source), parser)
    except etree.XMLSyntaxError as error:
        return Rejected("parse", "no_document", str(error).splitlines()[0], url)
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
        return Rejected("parse", "nested_too_deep", url=url)
    if not isinstance(root, HtmlElement):
        return Rejected("parse", "no_document", url=url)
    return root


def _close_title(html: str) -> str:
    """End a title that has no end tag before the next tag."""
    title = _TITLE.search(html)
    if title is None or _TITLE_END.search(html, title.end()):
        return html
    end = html.find("<", title.end())
    return f"{html[:end]}</title>{html[end:]}" if end >= 0 else html


def _thin_attributes(html: str) -> Iterator[str]:
    """The pieces of `html` between which attributes are left out."""
    kept = 0
    for start, end in _long_stretches(html):
        tag = _TAG_NAME.search(html, max(start, kept), end)
        crowd = _CROWD.match(html, tag.end()) if tag else None
        if crowd:
            yield html[kept : crowd.start()]
            kept = crowd.end()
    yield html[kept:]


def _long_stretches(html: str) -> Iterator[tuple[int, int]]:
    """Where more than `LONG_TAG` characters follow without `>`; found by leaps, so that usual pages cost nothing."""
    start = 0
    while start + LONG_TAG < len(html):
        end = html.rfind(">", start, start + LONG_TAG)
        if end < 0:
            end = html.find(">", start + LONG_TAG)
            end = end if end >= 0 else len(html)
            yield start, end
        start = end + 1
