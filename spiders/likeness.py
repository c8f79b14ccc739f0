"""The content of a page in a few bytes: equal for pages that show a reader the same."""

import hashlib
import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from newscorpus.text import collapse

TEXTS = frozenset({"h1", "h2", "h3", "p"})
OUTSIDE = frozenset({"a", "aside", "footer", "header", "nav", "script", "style", "template"})
MIN_CHARACTERS = 40
"""Shorter content says too little: a page without paragraphs is not the same as the next one without."""


def content_signature(root: HtmlElement) -> str:
    """16 hex digits for headings and paragraphs, links and digits left out; "" where there is hardly any of them."""
    text = re.sub(r"\d+", "0", collapse(" ".join(_texts(root))))
    if len(text) < MIN_CHARACTERS:
        return ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _texts(root: HtmlElement) -> Iterator[str]:
    """Pieces of text in headings and paragraphs, always in the same order."""
    left = [(root, False)]
    while left:
        element, inside = left.pop()
        if not isinstance(element.tag, str) or element.tag in OUTSIDE:
            continue
        inside = inside or element.tag in TEXTS
        if inside:
            yield from filter(None, (element.text, *(child.tail for child in element)))
        left.extend((child, inside) for child in element)
