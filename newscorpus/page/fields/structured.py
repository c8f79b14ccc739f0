"""Read JSON-LD, microdata and RDFa of a page as plain dictionaries; broken JSON is repaired where it can be."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import cast

import msgspec
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.page.fields.pieces import opening
from newscorpus.tokens import collapse

Node = Mapping[str, object]
"""One entity: its keys as written; values are scalars, lists and further nodes."""

MAX_CHARACTERS = 2_000_000
"""Longest script that is parsed; the longest of 1,594 in our sets has 840,919 characters."""
MAX_NODES = 1_000
"""Most entities that are looked at."""
MAX_DEPTH = 8
"""Levels of lists, `@graph` and `mainEntity` that are opened (a choice; a list that holds a graph takes three)."""

WRAPPINGS = (("<!--", "-->"), ("//<![CDATA[", "//]]>"), ("/*<![CDATA[*/", "/*]]>*/"), ("<![CDATA[", "]]>"), ("", ";"))
"""What pages put around a script's text for old browsers."""
TRAILING_COMMA = re.compile(r",(\s*[}\]])")
LEADING_COMMA = re.compile(r"([{\[])\s*,")
MISSING_COMMA = re.compile(r'(["}\]\d])[ \t]*\n(\s*")')
LINE_COMMENT = re.compile(r"^[ \t]*+//[^\n]*", re.MULTILINE)
BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')
PAIR = re.compile(
    r'"(headline|datePublished|dateModified|articleSection|inLanguage)"\s*:\s*"((?:[^"\\\n]|\\.){1,500})"(?=\s*[,}\n])'
)
TYPE = re.compile(r'"@type"\s*:\s*"(\w*(?:Article|Posting))"')

MAX_PROPERTIES = 1_000
"""Most annotated elements that are looked at."""
MAX_NAMES = 10
"""Most properties that one element gives (a choice; more than two are rare)."""
MAX_NESTED = 20
"""Most annotated elements around one that is looked at (a choice): each reads the text inside it again."""
MAX_TEXT = 2_000
"""Longest text of a property, in characters: article bodies are not wanted."""
MICRODATA = etree.XPath("//*[@itemprop or @itemscope]")
RDFA = etree.XPath("//*[@itemprop or @itemscope or @typeof or (@property and not(self::meta))]")
"""The annotated elements. To ask for the attributes and unite the answers would take quadratic time over them."""
NAMED_BY_TEXT = frozenset({"author", "creator", "name", "publisher"})
"""Properties whose text is wanted, not the link."""
LISTED = "keywords"
"""The property whose element may be a list with one value an item."""
SKIPPED = frozenset({"articleBody", "text", "comment", "itemListElement", "review"})

Item = dict[str, object]


def read_json_ld(scripts: Iterable[str]) -> tuple[Node, ...]:
    """The entities at the top of the scripts, in document order; lists, `@graph` and `mainEntity` are opened."""
    nodes: list[Node] = []
    for script in scripts:
        if len(script) <= MAX_CHARACTERS:
            nodes.extend(_entities(parse(script), MAX_NODES - len(nodes)))
    return tuple(nodes)


def parse(text: str) -> object:
    """The value that `text` holds, a list where it holds several; None where it holds nothing. Never raises."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        return None
    except msgspec.DecodeError:
        return _parse_leniently(text)


def _parse_leniently(text: str) -> object:
    """Values one after another, control characters allowed; then with the usual slips repaired; then by pairs alone."""
    for start, end in WRAPPINGS:
        text = text.strip().removeprefix(start).removesuffix(end)
    for candidate in (text, _repair(text)):
        try:
            return list(islice(_decode_each(candidate), MAX_NODES))
        except (ValueError, RecursionError):
            continue
    return _pairs(text)


def _decode_each(text: str) -> Iterator[object]:
    """The values of a text; closing brackets too many, commas and semicolons between them are passed over."""
    decoder = json.JSONDecoder(strict=False)
    position = 0
    while True:
        while position < len(text) and (text[position].isspace() or text[position] in "}],;\ufeff"):
            position += 1
        if position >= len(text):
            return
        value, position = decoder.raw_decode(text, position)
        yield value


def _repair(text: str) -> str:
    text = BAD_ESCAPE.sub(r"\\\\", LINE_COMMENT.sub("", text))
    text = LEADING_COMMA.sub(r"\1", TRAILING_COMMA.sub(r"\1", text))
    return MISSING_COMMA.sub(r"\1,\n\2", text)


def _pairs(text: str) -> object:
    """What can be saved of a script that is no JSON: the first value of each plain key, if it speaks of an article."""
    kind = TYPE.search(text)
    if not kind:
        return None
    node: dict[str, object] = {}
    for key, value in PAIR.findall(text):
        node.setdefault(key, value.replace('\\"', '"').replace("\\/", "/"))
    return {"@type": kind[1], **node}


def _entities(value: object, limit: int) -> Iterator[Node]:
    """Entities of a parsed script, breadth bounded by `limit`, depth by MAX_DEPTH."""
    stack: list[tuple[object, int]] = [(value, 0)]
    seen = 0
    while stack and seen < limit:
        here, depth = stack.pop()
        if isinstance(here, dict):
            seen += 1
            yield here
        if depth < MAX_DEPTH:
            stack.extend((inner, depth + 1) for inner in reversed(_inner(here)[:MAX_NODES]))


def _inner(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        graph = value.get("@graph")
        return [*(graph if isinstance(graph, list) else [graph]), value.get("mainEntity")]
    return []


def read_microdata(tree: HtmlElement, body: bytes) -> tuple[Node, ...]:
    """The items of `tree`, parsed from `body`, that stand in no other, in document order.

    Properties outside any item, a common slip, make an article of their own at the end.
    """
    marked = RDFA if b" typeof=" in body else MICRODATA if b"itemprop" in body else None
    if marked is None:  # most pages; to search the bytes costs next to nothing
        return ()
    items: dict[HtmlElement, Item | None] = {}  # None for a property that is no item
    nested: set[HtmlElement] = set()
    stray: Item = {"@type": "Article"}
    for element in cast("list[HtmlElement]", marked(tree))[:MAX_PROPERTIES]:
        above = [ancestor for ancestor in element.iterancestors() if ancestor in items]
        if len(above) == MAX_NESTED:
            continue
        holder = next((around for ancestor in above if (around := items[ancestor])), stray)
        item = items[element] = _opened_item(element)
        for name, value in _properties(element, item):
            _add(holder, name, value)
        if item and holder is not stray and element.get("itemprop", element.get("property")):
            nested.add(element)
    found = [item for element, item in items.items() if item and element not in nested]
    return tuple(found if len(stray) == 1 else [*found, stray])


def _opened_item(element: HtmlElement) -> Item | None:
    if element.get("itemscope") is None and element.get("typeof") is None:
        return None
    return {"@type": (element.get("itemtype") or element.get("typeof") or "").split()}


def _properties(element: HtmlElement, item: Item | None) -> Iterator[tuple[str, object]]:
    """Names, without prefix and vocabulary, and values of the properties that an element gives."""
    given = (element.get("itemprop") or element.get("property") or "").split(maxsplit=MAX_NAMES)[:MAX_NAMES]
    names = [name for each in given if (name := each.rpartition(":")[2].rpartition("/")[2]) not in SKIPPED]
    declared = item or element.get("content") or element.get("datetime")
    if not declared and LISTED in names and (parts := element.findall(".//a") or element.findall(".//li")):
        return ((LISTED, collapse(opening(part, MAX_TEXT))) for part in parts[:MAX_PROPERTIES])
    shown = declared or (collapse(opening(element, MAX_TEXT)) if names else "")
    linked = declared or element.get("href") or element.get("src") or shown
    return ((name, shown if name in NAMED_BY_TEXT else linked) for name in names)


def _add(item: Item, name: str, value: object) -> None:
    present = item.get(name)
    if isinstance(present, list):
        present.append(value)
    else:
        item[name] = value if present is None else [present, value]
