"""Microdata and RDFa of a page as the same plain dictionaries that JSON-LD gives."""

from collections.abc import Iterator
from typing import cast

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.extraction.fields.json_ld import Node
from newscorpus.text import collapse

MAX_PROPERTIES = 1_000
"""Most annotated elements that are looked at."""
MAX_TEXT = 2_000
"""Longest text of a property, in characters: article bodies are none of ours."""
MICRODATA = etree.XPath("//@itemprop/.. | //@itemscope/..")
RDFA = etree.XPath("//*[@itemprop or @itemscope or @typeof or (@property and not(self::meta))]")
"""The annotated elements. To ask for the attributes takes half the time of asking every element for them."""
NAMED_BY_TEXT = frozenset({"author", "creator", "name", "publisher"})
"""Properties of which we want not the link, but its text."""
SKIPPED = frozenset({"articleBody", "text", "comment", "itemListElement", "review"})

Item = dict[str, object]


def read_microdata(tree: HtmlElement, body: bytes) -> tuple[Node, ...]:
    """The items of `tree`, parsed from `body`, that stand in no other, in document order.

    Properties outside any item, a common slip, make an article of their own at the end.
    """
    marked = RDFA if b" typeof=" in body else MICRODATA if b"itemprop" in body else None
    if marked is None:  # most pages; the bytes tell for next to nothing
        return ()
    items: dict[HtmlElement, Item] = {}
    nested: set[HtmlElement] = set()
    stray: Item = {"@type": "Article"}
    for element in cast("list[HtmlElement]", marked(tree))[:MAX_PROPERTIES]:
        holder = next((ancestor for ancestor in element.iterancestors() if ancestor in items), None)
        item = _item(element)
        for name in _names(element):
            _add(stray if holder is None else items[holder], name, item or _text(element, name))
        if item is not None:
            items[element] = item
            if holder is not None and element.get("itemprop", element.get("property")):
                nested.add(element)
    found = [item for element, item in items.items() if element not in nested]
    return tuple(found if len(stray) == 1 else [*found, stray])


def _item(element: HtmlElement) -> Item | None:
    """A new item where `element` opens one."""
    if element.get("itemscope") is None and element.get("typeof") is None:
        return None
    return {"@type": (element.get("itemtype") or element.get("typeof") or "").split()}


def _names(element: HtmlElement) -> list[str]:
    """Names of the properties, prefixes and vocabulary addresses off."""
    names = (element.get("itemprop") or element.get("property") or "").split()
    return [name for name in (name.rpartition(":")[2].rpartition("/")[2] for name in names) if name not in SKIPPED]


def _add(item: Item, name: str, value: object) -> None:
    present = item.get(name)
    if isinstance(present, list):
        present.append(value)
    else:
        item[name] = value if present is None else [present, value]


def _text(element: HtmlElement, name: str) -> str:
    value = element.get("content") or element.get("datetime")
    if not value and name not in NAMED_BY_TEXT:
        value = element.get("href") or element.get("src")
    return value or collapse("".join(_pieces(element)))


def _pieces(element: HtmlElement) -> Iterator[str]:
    """Text pieces of an element until there are enough of them."""
    length = 0
    for piece in element.itertext():
        yield piece
        length += len(piece)
        if length > MAX_TEXT:
            return
