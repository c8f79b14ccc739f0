"""Parse HTML to a tree, guarded against input that stalls the parser or makes it lose text."""

import re

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Rejected
from newscorpus.tokens import UNSEEN, clean

UNGUARDED = 50_000
"""Pages of fewer characters are not checked for attributes: 10,000 in one element take some 0.1 s in each of three
stages, and 40,000 take 2.4 s. The check takes a thirtieth of the time of longer pages."""

# As the HTML standard reads tags (13.2.5) and raw text; possessive, so that no text is read twice.
# Groups repeat inside atomic groups: CPython before 3.11.5 matches `(?:...)*+` wrongly (gh-106052).
_ATTRIBUTE = r"""[\s/]*+(?>=?+[^\s/>=]++|=)(?>\s*+=\s*+(?>"[^"]*+"|'[^']*+'|[^\s>]*+))?+"""
_RAW_TEXT = "script|style|textarea|title|iframe|noembed|noframes|xmp"
_TAG = re.compile(
    r"<(?:!--(?!-?>)(?>(?:[^-]++|-(?!->))*)"
    rf"|(?:(?P<raw>(?i:{_RAW_TEXT}))(?=[\s/>])|/?[a-zA-Z][^\s/>]*+)(?P<attributes>(?>(?:{_ATTRIBUTE})*))"
    r"(?(raw)[\s/]*+(?>(?:[^<]++|<(?!/(?i:(?P=raw))[\s/>]))*)))"
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
# Most tags have no attributes or a few plain ones; a run of them is read at once, which halves the time.
_PLAIN_TAG = (
    r"</[a-zA-Z][^\s/>]*+>"
    rf"|<(?!(?i:{_RAW_TEXT})[\s/>])[a-zA-Z][^\s/>]*+(?>(?:\s[a-z-]++=\"[^\"]*+\"){{0,30}})[\s/]*+>"
)
_OTHER_TAG = re.compile(rf"(?>(?:[^<]++|{_PLAIN_TAG})*)(?:{_TAG.pattern}|<|\Z)")
_DOCUMENT_END = re.compile(rb"</(?:[bB][oO][dD][yY]|[hH][tT][mM][lL])\b[^<>]*+>")  # a flag would cost the fast search

_HEAD_TAGS = frozenset("base link meta noscript object script style template title".split())
_TITLE = re.compile(r"<title\b[^<>]*+>", re.IGNORECASE)
_TITLE_END = re.compile(r"</title[\s/>]", re.IGNORECASE)

_UNSEEN_REFERENCE = re.compile(
    r"&(?i:shy;?|(?:lrm|rlm|ZeroWidthSpace|NoBreak);|#0*(?:"  # a flag for all of it would cost the fast search
    + "|".join(f"{ord(character)}|x0*{ord(character):x}" for character in UNSEEN)
    + r")(?![0-9a-f]);?)"
)
"""A reference to a character that does not show."""

_EDITOR = re.compile(r"[?&](?:ve)?action=edit(?:&|$)")
"""The end of the address of a wiki's editor."""

_ELEMENT_CLASS = etree.ElementDefaultClassLookup(element=HtmlElement)
"""`lxml.html.HTMLParser` chooses the class of each element in Python, which triples the time of every walk."""


def parse(html: str, url: str = "", limits: Limits = Limits()) -> HtmlElement | Rejected:
    """Parse `html`, the page at `url`, to a tree with the root element `html`.

    Text is composed (NFC) and loses invisible characters, such as soft hyphens, so that words can be matched.
    Repairs, before parsing: the attributes of an element with more than `limits.max_attributes` are dropped; end tags
    of body and html are dropped, because the parser loses what stands behind them; a title without an end tag ends
    before the next tag, because it would swallow the page; what the parser leaves in the head from the first element on
    that it does not know goes to the body. Rejects a document without elements, one with more tags or attributes than
    the limits allow, and one that is nested deeper than the parser goes (2,048), since the text below would be lost.
    """
    if len(html) > limits.max_tags and (tags := html.count("<")) > limits.max_tags:
        return Rejected("parse", "too_many_tags", f"{tags} tags, at most {limits.max_tags}", url)
    html = clean(_UNSEEN_REFERENCE.sub("", html))
    if (title := _TITLE.search(html)) and not _TITLE_END.search(html, title.end()):
        end = html.find("<", title.end())
        html = f"{html[:end]}</title>{html[end:]}" if end >= 0 else html
    crowds = _find_crowds(html, limits)
    if crowds is None:
        return Rejected("parse", "too_many_attributes", f"more than {limits.max_all_attributes}", url)
    starts, ends = [0, *(end for _, end in crowds)], [*(start for start, _ in crowds), len(html)]
    kept = "".join(html[start:end] for start, end in zip(starts, ends, strict=True))
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_ELEMENT_CLASS)
    try:
        root = etree.fromstring(_DOCUMENT_END.sub(b"", kept.encode("utf-8", "replace")), parser)
    except etree.XMLSyntaxError as error:
        return Rejected("parse", "no_document", str(error).splitlines()[0], url)
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
        return Rejected("parse", "nested_too_deep", url=url)
    if not isinstance(root, HtmlElement):
        return Rejected("parse", "no_document", url=url)
    # Put what stands in the head from the first unknown element on at the beginning of the body, since it is shown
    children = list(next(root.iterchildren("head"), ()))
    first = next((at for at, child in enumerate(children) if child.tag not in _HEAD_TAGS), None)
    if first is not None:
        body = root.find("body")
        body = etree.SubElement(root, "body") if body is None else body
        body[:0] = children[first:]
    if "action=edit" in html:
        _drop_editor_links(root)
    return root


def _drop_editor_links(root: HtmlElement) -> None:
    """Drop the links of headings to an editor ("[edit]"), with the elements around them that have no other words."""
    for heading in list(root.iter("h1", "h2", "h3", "h4", "h5", "h6")):
        for link in [each for each in heading.iter("a") if _EDITOR.search(each.get("href") or "")]:
            holders = [link, *(each for each in link.iterancestors() if heading in each.iterancestors())]
            part = next((each for each in reversed(holders) if not _has_words_besides_links(each)), link)
            if part.getparent() is not None and heading in part.iterancestors():  # it may be dropped with another one
                part.drop_tree()


def _has_words_besides_links(element: HtmlElement) -> bool:
    linked = sum(sum(map(str.isalpha, each.text_content())) for each in element.iter("a"))
    return sum(map(str.isalpha, element.text_content())) > linked


def _find_crowds(html: str, limits: Limits) -> list[tuple[int, int]] | None:
    """Return the spans of attributes in elements that have too many; None if the others' exceed the limit."""
    if len(html) <= UNGUARDED:
        return []
    spans = [tag.span("attributes") for tag in _OTHER_TAG.finditer(html)]
    most = limits.max_attributes
    crowds = [(start, end) for start, end in spans if end - start > 2 * most and _count(html, start, end) > most]
    # An attribute has at least two characters, and in plain tags an equals sign
    length, most_all = sum(end - start for start, end in spans), limits.max_all_attributes
    if len(html) > 2 * most_all and html.count("=") + length // 2 > most_all:
        every = {tag.span("attributes") for tag in _TAG.finditer(html)}
        if sum(_count(html, *span) for span in every.difference(crowds)) > most_all:
            return None
    return crowds


def _count(html: str, start: int, end: int) -> int:
    return sum(1 for _ in _ATTRIBUTES.finditer(html, start, end))
