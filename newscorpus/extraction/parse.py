"""Parse: text to a tree, guarded against what stalls the parser or makes it lose text."""

import re

from lxml import etree
from lxml.html import HtmlElement, HTMLParser

from newscorpus.data import Rejected

MAX_ATTRIBUTES = 1000
"""Of one element: the parser takes quadratic time over them, 0.1 s for 5,000 (measured 2026-11, libxml2 2.14)."""

LONG_TAG = 4 * MAX_ATTRIBUTES
"""Characters: a tag with more than `MAX_ATTRIBUTES` distinct attributes is longer."""

_ATTRIBUTE = r"""(?>[\s/]+[^\s=>"'/]++(?>\s*+=\s*+(?>"[^"]*+"|'[^']*+'|[^\s>"']++))?+)"""
_CROWDED_TAG = re.compile(rf"(<[a-zA-Z][^\s>/]*+){_ATTRIBUTE}{{{MAX_ATTRIBUTES},}}+")
_DOCUMENT_END = re.compile(r"(?i)</(?:body|html)\s*>")


def parse(html: str, url: str = "") -> HtmlElement | Rejected:
    """The tree of `html`, the page at `url`; its root is the `html` element.

    Repairs, before parsing: the attributes of an element with more than `MAX_ATTRIBUTES` are dropped; end tags of body
    and html are dropped, because the parser loses what stands behind them. Rejects a document without elements and one
    that is nested deeper than the parser goes (2,048), since the text below would be lost.
    """
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    source = _DOCUMENT_END.sub("", _thin_attributes(html)).encode("utf-8", "replace")
    try:
        root = etree.fromstring(source, parser)
    except etree.XMLSyntaxError as error:
        return Rejected("parse", "no_document", str(error).splitlines()[0], url)
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
        return Rejected("parse", "nested_too_deep", url=url)
    if not isinstance(root, HtmlElement):
        return Rejected("parse", "no_document", url=url)
    return root


def _thin_attributes(html: str) -> str:
    pieces = html.split("<")
    if max(map(len, pieces)) < LONG_TAG:
        return html
    return "<".join(_CROWDED_TAG.sub(r"\1", "<" + piece)[1:] if len(piece) >= LONG_TAG else piece for piece in pieces)
