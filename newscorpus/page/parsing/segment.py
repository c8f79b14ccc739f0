"""Segment a tree into blocks.

A block is the text of a block-level element that holds no other block-level element. Text beside block-level children
becomes blocks of its own, so that no visible text is lost and order is kept; inline elements dissolve into the text.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, takewhile

import msgspec
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Block, Element, Rejected

BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre "
    "search section select summary table tbody td textarea tfoot th thead tr ul".split()
)
"""Elements that browsers lay out as blocks, table parts and list items among them (HTML standard, Rendering)."""

INVISIBLE_TAGS = frozenset(
    "applet audio canvas datalist embed head iframe noembed noframes noscript object script style svg template title "
    "video".split()
)
"""Elements whose text is not page text; they are removed with their subtrees."""

VOID_TAGS = frozenset("area base br col hr img input link meta param source track wbr".split())

_UNSEEN = INVISIBLE_TAGS | {etree.Comment, etree.ProcessingInstruction, etree.Entity}
"""Tags of skipped nodes; those of non-elements are functions."""

HIDDEN = "hidden"
"""Value of `shown` for hidden elements."""

HIDDEN_LABEL, LABEL_ELEMENTS = 160, 10
"""Maximum number of characters and descendants of a hidden inline label; a longer one may be the rest of a text ("read
more"). A choice: on 266 pages with hidden inline elements the mean F1 rises by 0.001 (2026-11)."""

_RARE_ATTRIBUTES = frozenset({"role", "itemprop", "hidden", "aria-hidden", "style"})
"""Attributes that few block-level elements have."""


_DATA = ("data-", "aria-label")
LONGEST_DATA = 40
"""Longest value of a `data-` attribute that names a part of the page; longer ones are data of scripts."""


def segment(
    root: HtmlElement,
    limits: Limits = Limits(),
    block_tags: AbstractSet[str] = BLOCK_TAGS,
    shown: AbstractSet[str] = frozenset(),
) -> tuple[Block, ...]:
    """Return the blocks below `root` in order; never raises. White space is collapsed; `<br><br>` ends a block.

    Elements not in `block_tags` dissolve into the text, unless they contain one that is. Elements deeper than
    `limits.max_depth` block-level ancestors are moved up to that depth. `shown` has tags of `INVISIBLE_TAGS` to treat
    as visible, and `HIDDEN` to treat hidden elements so.
    """
    unseen = _UNSEEN - shown if shown else _UNSEEN
    if root.tag in unseen:
        return ()
    walk = _Walk(root, limits, block_tags, unseen, HIDDEN in shown)
    walk.run()
    walk.end_block()
    return tuple(walk.blocks)


def find_excess(blocks: Sequence[Block], url: str, limits: Limits = Limits()) -> Rejected | None:
    """Reject the page at `url` if its blocks, text or names of elements exceed the limits."""
    if len(blocks) > limits.max_blocks:
        return Rejected("segment", "too_many_blocks", f"{len(blocks)} blocks, at most {limits.max_blocks}", url)
    if (length := sum(len(block.text) for block in blocks)) > limits.max_characters:
        return Rejected("segment", "too_much_text", f"{length} characters, at most {limits.max_characters}", url)
    length = sum(len(each.classes) + len(each.id) + len(each.role) for each in elements_around(blocks))
    if length > limits.max_name_characters:
        detail = f"{length} characters of classes and ids, at most {limits.max_name_characters}"
        return Rejected("segment", "too_long_names", detail, url)
    return None


def elements_around(blocks: Sequence[Block]) -> AbstractSet[Element]:
    """Return the elements of `blocks` and all their ancestors, in document order: parents first."""
    found: dict[Element, None] = {}
    for block in blocks:
        fresh: list[Element] = []
        here: Element | None = block.element
        while here is not None and here not in found:
            fresh.append(here)
            here = here.parent
        for each in reversed(fresh):
            found[each] = None
    return found.keys()


class _Level(msgspec.Struct, gc=False):
    """An open node. A struct without garbage collection, since a page opens hundreds.

    Attributes:
        node: the node.
        children: its children not yet visited.
        around: the nearest enclosing level that holds blocks; None unless this level holds blocks, too: it is
            block-level, or inline around a block-level element.
        is_divided: whether it may hold several blocks.
        element: its Element, created with its first block.
    """

    node: HtmlElement
    children: Iterator[HtmlElement]
    around: "_Level | None" = None
    is_divided: bool = False
    element: Element | None = None


class _Walk:
    """The state of one walk over a tree: the open nodes, and the text gathered since the last block.

    Speed matters, since every node of every page passes through here: hence iterators of children instead of events.
    There is no recursion, since pages nest deeper than Python's stack.
    """

    def __init__(
        self, root: HtmlElement, limits: Limits, block_tags: AbstractSet[str], unseen: AbstractSet[object], bare: bool
    ) -> None:
        self.blocks: list[Block] = []
        self.block_tags = block_tags
        self.dissolved = BLOCK_TAGS - block_tags  # their words are separated from those around them
        self.unseen = unseen
        self.shows_hidden = bare
        self.max_depth = limits.max_depth
        self.texts: list[str] = []
        self.link_texts: list[str] = []
        self.inline: list[str] = []
        self.images = 0
        self.open_links = 0
        self.tags = 1
        self.is_after_break = False
        self.container = _Level(root, iter(root[:]))
        self.levels = [self.container]
        if root.text:
            self.add_text(root.text)

    def run(self) -> None:
        """Visit all nodes."""
        block_tags, unseen, levels = self.block_tags, self.unseen, self.levels
        while levels:
            level = levels[-1]
            for node in level.children:
                tag = node.tag
                is_block = tag in block_tags
                if tag not in unseen and (is_block or not self.is_hidden_label(node)):
                    if len(node):
                        self.open(node, tag)
                        break
                    if is_block:
                        self.add_whole(node, tag)
                    else:
                        self.add_leaf(node, tag)
                if tail := node.tail:
                    self.add_text(tail)
            else:
                self.close(level)

    def is_hidden_label(self, node: HtmlElement) -> bool:
        """Tell whether an inline node is hidden and short, or microdata: its words are not part of the text around."""
        hidden, style = node.get("hidden"), node.get("style")
        if (hidden is None and style is None) or self.shows_hidden or not _hides(hidden, style):
            return False
        if "itemscope" in node.attrib:
            return True
        inside = [each.tag for each in islice(node.iterdescendants(), LABEL_ELEMENTS + 1)]
        if len(inside) > LABEL_ELEMENTS or "br" in inside or not self.block_tags.isdisjoint(inside):
            return False
        return 0 < sum(map(len, node.itertext())) <= HIDDEN_LABEL

    def open(self, node: HtmlElement, tag: str) -> None:
        """Enter a node that may hold blocks."""
        self.tags += 1
        children = iter(node[:])  # faster than to iterate over the node
        if tag in self.block_tags:
            level = _Level(node, children, self.divide())
            self.container = level
        else:
            level = _Level(node, children)
            if tag in self.dissolved:
                self.add_text(" ")
            self.inline.append(tag)
            self.open_links += tag == "a"
        self.levels.append(level)
        if text := node.text:
            self.add_text(text)

    def add_whole(self, node: HtmlElement, tag: str) -> None:
        """Add a block-level element without children."""
        self.tags += 1
        around = self.divide()
        if text := node.text:
            self.container = _Level(node, iter(()), around)
            self.add_text(text)
        self.tags += tag not in VOID_TAGS
        self.end_block()
        self.container = around

    def add_leaf(self, node: HtmlElement, tag: str) -> None:
        """Add an inline element without children."""
        if tag == "br":
            self.tags += 1
            if self.is_after_break:  # with only white space between them, the second one ends a block
                self.container.is_divided = True
                self.end_block()
            self.add_text("\n")
            self.is_after_break = True
            return
        self.tags += 1 if tag in VOID_TAGS else 2
        self.inline.append(tag)
        if text := node.text:
            text = f" {text} " if tag in self.dissolved else text
            self.open_links += tag == "a"
            self.add_text(text)
            self.open_links -= tag == "a"

    def close(self, level: _Level) -> None:
        """Leave the innermost open node."""
        self.levels.pop()
        node = level.node
        tag = node.tag
        if tag not in VOID_TAGS:
            self.tags += 1
        if level.around:
            self.end_block()
            self.container = level.around
        elif tag in self.dissolved:
            self.add_text(" ")
        if tag == "a":
            self.open_links -= 1
        if self.levels and (tail := node.tail):
            self.add_text(tail)

    def add_text(self, text: str) -> None:
        """Gather a piece of text; white space at the start of a block is dropped."""
        if not text.isspace():
            self.is_after_break = False
        elif not self.texts:
            return
        self.texts.append(text)
        if self.open_links:
            self.link_texts.append(text)
        elif self.link_texts:
            self.link_texts.append(" ")

    def divide(self) -> _Level:
        """End the block before a block-level element; open inline elements around that element now hold blocks."""
        container = self.container
        container.is_divided = True
        self.end_block()
        if self.levels[-1] is not container:
            inner = list(takewhile(lambda level: level is not self.container, reversed(self.levels)))
            for level in reversed(inner):
                level.around, level.is_divided = container, True
                container = level
        return container

    def end_block(self) -> None:
        """End the block that is being gathered, if there is one."""
        self.is_after_break = False
        if not self.texts:
            if self.inline:  # an image alone is counted for the next block, often its caption
                self.images += self.inline.count("img")
                self.inline = []
            return
        text = " ".join("".join(self.texts).split())
        link_text = " ".join("".join(self.link_texts).split()) if self.link_texts else ""
        container = self.container
        element = container.element or self.make_element(container)
        inline = ("img",) * self.images + tuple(self.inline)
        is_whole = not container.is_divided
        self.blocks.append(Block(len(self.blocks), text, link_text, element, is_whole, inline, self.tags))
        self.texts, self.link_texts, self.inline, self.images, self.tags = [], [], [], 0, 0

    def make_element(self, level: _Level) -> Element:
        """Return the Element of a level with text, creating those of its enclosing levels."""
        missing = []
        while level.element is None and level.around:
            missing.append(level)
            level = level.around
        element = level.element = level.element or _describe(level.node, None, self.shows_hidden)
        for level in reversed(missing):
            if element.depth < self.max_depth:
                element = _describe(level.node, element, self.shows_hidden)
            level.element = element
        return element


def _hides(hidden: str | None, style: str | None) -> bool:
    """Tell whether these attributes hide an element."""
    return hidden is not None or (style is not None and "display:none" in style.replace(" ", "").lower())


def _describe(node: HtmlElement, parent: Element | None, shows_hidden: bool) -> Element:
    identifier = classes = role = ""
    data = node.tag if "-" in node.tag else ""
    is_hidden = False
    for name, value in node.items():
        if name == "class":
            classes = value
        elif name == "id":
            identifier = value
        elif name.startswith(_DATA) and len(value) <= LONGEST_DATA:
            data = f"{data} {value}"
        elif name in _RARE_ATTRIBUTES:
            values = dict(node.items())
            role = " ".join(filter(None, (values.get("role"), values.get("itemprop"))))
            is_hidden = _hides(values.get("hidden"), values.get("style")) or values.get("aria-hidden") == "true"
            is_hidden = is_hidden and not shows_hidden
    return Element(node.tag, identifier, classes, role, is_hidden, parent, parent.depth + 1 if parent else 0, data)
