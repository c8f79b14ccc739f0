"""Parse text to a tree, guarded against what stalls the parser or makes it lose text."""

import re
from collections.abc import Iterator

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Rejected

UNGUARDED = 200_000
"""Characters of a page in which attributes do no harm: with all of them in one element, they take some 2 s."""

# As the HTML standard reads tags (13.2.5) and raw text; possessive, so that no text is read twice.
_ATTRIBUTE = r"""[\s/]*+(?>=?+[^\s/>=]++|=)(?>\s*+=\s*+(?>"[^"]*+"|'[^']*+'|[^\s>]*+))?+"""
_RAW_TEXT = "script|style|textarea|title|iframe|noembed|noframes|xmp"
_TAG = re.compile(
    r"<(?:!--(?!-?>)(?:[^-]++|-(?!->))*+"
    rf"|(?:(?P<raw>(?i:{_RAW_TEXT}))(?=[\s/>])|/?[a-zA-Z][^\s/>]*+)(?P<attributes>(?:{_ATTRIBUTE})*+)"
    r"(?(raw)[\s/]*+(?:[^<]++|<(?!/(?P=raw)[\s/>]))*+))"
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_DOCUMENT_END = re.compile(rb"</(?:[bB][oO][dD][yY]|[hH][tT][mM][lL])\b[^<>]*+>")  # a flag would cost the fast search

_TITLE = re.compile(r"<title\b[^<>]*+>", re.IGNORECASE)
_TITLE_END = re.compile(r"</title[\s/>]", re.IGNORECASE)

_ELEMENT_CLASS = etree.ElementDefaultClassLookup(element=HtmlElement)
"""`lxml.html.HTMLParser` chooses the class of each element in Python, which triples the time of every walk."""


def parse(html: str, url: str = "", limits: Limits = Limits()) -> HtmlElement | Rejected:
    """The tree of `html`, the page at `url`; its root is the `html` element.

    Repairs, before parsing: the attributes of an element with more than `limits.max_attributes` are dropped; end tags
    of body and html are dropped, because the parser loses what stands behind them; a title without an end tag ends
    before the next tag, because it would swallow the page. Rejects a document without elements, one with more tags or
    attributes than the limits allow, and one that is nested deeper than the parser goes (2,048), since the text below
    would be lost.
    """
    if (tags := html.count("<")) > limits.max_tags:
        return Rejected("parse", "too_many_tags", f"{tags} tags, at most {limits.max_tags}", url)
    html = "".join(_thin_attributes(_close_title(html), limits.max_attributes))
    if _is_crowded(html, limits.max_all_attributes):
        return Rejected("parse", "too_many_attributes", f"more than {limits.max_all_attributes}", url)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_ELEMENT_CLASS)
    source = html.encode("utf-8", "replace")
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


def _thin_attributes(html: str, most: int) -> Iterator[str]:
    """The pieces of `html` between which attributes are left out."""
    kept = 0
    for start, end in _attribute_spans(html) if len(html) > UNGUARDED else ():
        if end - start > 2 * most and _count(html, start, end) > most:
            yield html[kept:start]
            kept = end
    yield html[kept:]


def _is_crowded(html: str, most: int) -> bool:
    """Whether `html` has more than `most` attributes, each of two characters or more."""
    return len(html) > 2 * most and sum(_count(html, *span) for span in _attribute_spans(html)) > most


def _attribute_spans(html: str) -> Iterator[tuple[int, int]]:
    return (tag.span("attributes") for tag in _TAG.finditer(html))


def _count(html: str, start: int, end: int) -> int:
    return sum(1 for _ in _ATTRIBUTES.finditer(html, start, end))
