"""Name elements by rules that may find their like on the other pages of a portal."""

import re
from collections.abc import Iterator
from typing import Any

from newscorpus.profiles.names import MAX_NAME, stable_name

NAME = re.compile(r"[A-Za-z_][A-Za-z_-]*")
"""What CSS takes for an id or a class as it stands; one with a digit in it mostly counts something."""
TAG = re.compile(r"[a-z][a-z0-9-]*")
"""A tag that CSS takes as it stands; one such as `fb:like` it does not."""
TELLING = frozenset("article main h1 time address figure figcaption aside".split())
"""Elements that say by their tags what they hold."""
SAYING = ("itemprop", "property", "name", "rel", "role")
"""Attributes that say what an element holds, beside those of `data-`."""


def rules_of(element: Any) -> Iterator[str]:
    """Name an element by its id, its classes, and what else its markup says of it; by no name that a machine made."""
    tag = element.tag
    if not TAG.fullmatch(tag):
        return
    if _is_stable(identifier := element.get("id") or ""):
        yield f"{tag}#{identifier}"
    for name in dict.fromkeys((element.get("class") or "").split()):
        if _is_stable(name):
            yield f"{tag}.{name}"
    for key, value in element.items():
        if (key in SAYING or key.startswith("data-")) and _says(key, value):
            yield f"{tag}[{key}='{value}']"
    if tag in TELLING:
        yield tag


def places_of(element: Any) -> Iterator[str]:
    """Name an element by its position in the page; not at all where a tag on the way is none of HTML, as `fb:like`."""
    if ":" not in (path := element.getroottree().getpath(element)):
        yield str(path)


def _is_stable(name: str) -> bool:
    return len(name) <= MAX_NAME and bool(NAME.fullmatch(name)) and stable_name(name) == name


def _says(key: str, value: str) -> bool:
    return bool(NAME.fullmatch(key)) and all(_is_stable(part) for part in re.split(r"[:.]", value))
