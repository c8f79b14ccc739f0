"""Plain text of what a page's markup claims: no tags, no entities, no placeholders."""

import html
import re

from newscorpus.text import collapse

TAG = re.compile(r"<[/!]?[a-zA-Z-][^<>]{0,500}>")
UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff\ud800-\udfff\x00-\x08\x0e-\x1f\x7f]")
"""Soft hyphen, zero-width space, direction marks, lone surrogates, controls; joiners stay, scripts need them."""
PLACEHOLDER = re.compile(r"\{\{|\}\}|\$\{|\[object |<%|%>")
NO_VALUE = frozenset(
    {
        "none",
        "null",
        "undefined",
        "nan",
        "n/a",
        "false",
        "true",
        "unknown",
        "[]",
        "{}",
        "()",
        '""',
        "''",
        "-",
        "--",
        "…",
    }
)
MAX_CHARACTERS = 5_000
"""Longest value of a field; of 4,733 pages of our sets 99.9 % have descriptions below 1,400 characters."""


def plain(value: object, max_characters: int = MAX_CHARACTERS) -> str:
    """Text of a scalar, entities and tags undone, white space collapsed; "" for what says nothing or is no text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value)[: max_characters * 2]
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = TAG.sub(" ", text)
    text = collapse(UNSEEN.sub("", text))[:max_characters]
    return "" if text.lower() in NO_VALUE or PLACEHOLDER.search(text) else text


def plain_lines(value: object, max_characters: int) -> str:
    """Text of several lines, each made plain, empty ones left out; a tag ends a line."""
    if not isinstance(value, str):
        return ""
    text = html.unescape(value[:max_characters]) if "&" in value else value[:max_characters]
    lines = (plain(line, max_characters) for line in TAG.sub("\n", text).split("\n"))
    return "\n".join(line for line in lines if line)
