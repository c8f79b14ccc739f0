"""Name the path and text of a block, stable across the pages of a portal."""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from lxml.html import HtmlElement

from newscorpus.data import Block, Element

OPENING = 24
"""Characters of a text's opening: three to five words."""
KEY_BYTES = 8
"""Bytes of a hash: a million texts collide with a probability of 3 in a hundred million (birthday bound)."""
CACHED = 20_000
MAX_NAME = 80
"""Longest meaningful id or class."""
SHORT_HUMP = 3
"""Minimum mean length of the parts of a name such as `articleBody`; generated ones have less: `bdVaJa`."""
MIN_HASH = 5
"""Minimum length of a hash in a name."""

_NUMBER = re.compile(r"\d+")
_PART = re.compile(r"([-_:]+)")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_MIXED = re.compile(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d")
_MAKERS = frozenset({"css", "sc", "jsx", "jss", "svelte", "emotion"})
"""Prefixes of generated hashes."""
_PAGE_TAGS = frozenset({"html", "body"})

UNSEEN = frozenset("head script style noscript template svg iframe object select".split())
"""Elements that are not rendered."""
MOST_SIGNS = 2_000
"""Maximum number of signs of a page; news pages have some 200."""


def path_of(element: Element) -> str:
    """Name the path from the root: `html/body/div#main.content/p`, without parts that differ between pages."""
    return "/".join(map(step_of, element.ancestry))


def paths_of(blocks: Sequence[Block]) -> list[str]:
    """Name the path to the element of each block, as `path_of`."""
    known: dict[Element, str] = {}

    def path(element: Element) -> str:
        if element not in known:
            step = step_of(element)
            known[element] = f"{path(element.parent)}/{step}" if element.parent else step
        return known[element]

    return [path(block.element) for block in blocks]


def step_of(element: Element) -> str:
    """Name an element by tag, stable id and classes, or, where it has neither, by its `data-` attributes."""
    if element.tag in _PAGE_TAGS:
        return element.tag  # their names describe the page
    return _step(element.tag, element.id[:MAX_NAME], element.classes, element.data)


@lru_cache(CACHED)
def _step(tag: str, identifier: str, classes: str, data: str) -> str:
    stable = sorted({name for word in classes.split() if (name := stable_name(word[:MAX_NAME]))})
    name = stable_name(identifier)
    names = (f"#{name}" if name else "") + "".join(f".{each}" for each in stable)
    if not names and (name := stable_name("-".join(data.split())[:MAX_NAME])):
        names = f"[{name}]"
    return tag + names


@lru_cache(CACHED)
def stable_name(name: str) -> str:
    """Strip generated parts from a name and write numbers as `0`; "" where no letter is left."""
    first, *rest = _PART.split(name)
    parts = [first, *map("".join, zip(rest[::2], rest[1::2], strict=True))]
    kept = [part for part in parts if not is_hash(part.lstrip("-_:"))]
    if len(kept) < len(parts) and kept[:1] and kept[0] in _MAKERS:
        return ""
    stable = _NUMBER.sub("0", "".join(kept))
    return stable if any(map(str.isalpha, stable)) else ""


def is_hash(part: str) -> bool:
    """Tell whether a part of a name is generated, such as `bdVaJa` or `1q2w3e`."""
    if len(part) < MIN_HASH or not part.isascii():
        return False
    if _MIXED.search(part):
        return True
    humps = _HUMP.findall(part)
    return len(humps) > 1 and sum(map(len, humps)) / len(humps) < SHORT_HUMP


def text_key(text: str) -> str:
    """Return a key of a text that ignores digits and case."""
    return _key(_NUMBER.sub("0", text.casefold()))


def opening_key(text: str) -> str:
    """Return a key of a text's opening, as `text_key`; "" for a text hardly longer than an opening."""
    return _key(_NUMBER.sub("0", text.casefold())[:OPENING]) if len(text) > OPENING else ""


def _key(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).hexdigest()


def markup_signs(tree: HtmlElement) -> frozenset[str]:
    """Return all pairs of parent and child, such as `div.story > p`, by tags and stable names."""
    signs: set[str] = set()
    pending: list[tuple[HtmlElement, str]] = [(tree, "html")]
    while pending:
        around, step = pending.pop()
        for child in around:
            if len(signs) == MOST_SIGNS:
                return frozenset(signs)
            if isinstance(child.tag, str) and child.tag not in UNSEEN:
                identifier, classes = child.get("id") or "", child.get("class") or ""
                inner = step_of(Element(child.tag, identifier[:MAX_NAME], classes[: 10 * MAX_NAME]))
                signs.add(f"{step} > {inner}")
                pending.append((child, inner))
    return frozenset(signs)
