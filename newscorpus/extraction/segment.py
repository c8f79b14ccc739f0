"""Segment: a tree to blocks.

A block is the text of a block-level element that holds no other block-level element. Text beside block-level children
becomes blocks of its own, so that no visible text is lost and order is kept; inline elements dissolve into the text.
"""

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Block, Element

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
"""Elements whose text is not page text; they go, subtree and all."""

VOID_TAGS = frozenset("area base br col hr img input link meta param source track wbr".split())


def segment(root: HtmlElement, limits: Limits = Limits()) -> tuple[Block, ...]:
    """The blocks below `root` in document order; never raises. White space is collapsed; `<br><br>` ends a block.

    Elements below `limits.max_depth` block-level ancestors are taken as if they stood at that depth; after
    `limits.max_elements` elements the rest is left out.
    """
    walk = _Walk(limits.max_depth)
    events = etree.iterwalk(root, events=("start", "end"))
    for count, (event, node) in enumerate(events):
        if count > 2 * limits.max_elements:
            break
        tag = node.tag
        if event == "start":
            if tag in INVISIBLE_TAGS:
                events.skip_subtree()
            else:
                walk.open(node, tag)
        else:
            if tag not in INVISIBLE_TAGS:
                walk.close(tag)
            if node.tail and node is not root:
                walk.add_text(node.tail)
    walk.flush()
    return tuple(walk.blocks)


class _Level:
    """An open node of the tree; one that holds blocks has an Element, and is divided once it may hold several."""

    __slots__ = ("element", "is_divided", "node")

    def __init__(self, node: HtmlElement) -> None:
        self.node = node
        self.element: Element | None = None
        self.is_divided = False


class _Walk:
    """The state of one walk over a tree: the open nodes, and what was gathered since the last block."""

    def __init__(self, max_depth: int) -> None:
        self.blocks: list[Block] = []
        self.max_depth = max_depth
        self.levels: list[_Level] = []
        self.texts: list[str] = []
        self.link_texts: list[str] = []
        self.inline: list[str] = []
        self.open_links = 0
        self.tags = 0
        self.after_break = -1  # how many pieces of text stood before the last <br>; -1: there was none

    def open(self, node: HtmlElement, tag: str) -> None:
        self.tags += 1
        level = _Level(node)
        if tag in BLOCK_TAGS or not self.levels:
            self.flush(divides=True)
            level.element = self._make_element(node)
        elif tag == "br":
            self._break_line()
        else:
            self.inline.append(tag)
            self.open_links += tag == "a"
        self.levels.append(level)
        if node.text:
            self.add_text(node.text)

    def close(self, tag: str) -> None:
        if tag not in VOID_TAGS:
            self.tags += 1
        if self.levels[-1].element:
            self.flush()
        self.levels.pop()
        self.open_links -= tag == "a"

    def add_text(self, text: str) -> None:
        self.texts.append(text)
        if self.open_links:
            self.link_texts.append(text)

    def flush(self, *, divides: bool = False) -> None:
        """End the block that is being gathered; `divides` says that the element around it may hold more to come."""
        if self.levels:
            container = self._container()
            container.is_divided |= divides
            text = " ".join("".join(self.texts).split())
            if text:
                self._add_block(text, container)
            else:
                # An image that stands alone counts for the block that follows it: often its caption.
                self.inline = [tag for tag in self.inline if tag == "img"]
        self.texts = []
        self.link_texts = []
        self.after_break = -1

    def _add_block(self, text: str, container: _Level) -> None:
        assert container.element  # noqa: S101 - what makes it a container
        link_text = " ".join("".join(self.link_texts).split())
        whole = not container.is_divided
        self.blocks.append(
            Block(len(self.blocks), text, link_text, container.element, whole, tuple(self.inline), self.tags)
        )
        self.inline = []
        self.tags = 0

    def _break_line(self) -> None:
        if self.after_break >= 0 and all(map(str.isspace, self.texts[self.after_break :])):
            self.flush(divides=True)
        self.add_text("\n")
        self.after_break = len(self.texts)

    def _container(self) -> _Level:
        return next(level for level in reversed(self.levels) if level.element)

    def _make_element(self, node: HtmlElement) -> Element:
        """The Element of a block-level node; inline nodes open around it become containers on the way."""
        if not self.levels:
            return _describe(node, None)
        first = len(self.levels) - 1
        while not self.levels[first].element:
            first -= 1
        parent = self.levels[first].element
        for level in self.levels[first + 1 :]:
            parent = level.element = self._below(parent, level.node)
            level.is_divided = True
        return self._below(parent, node)

    def _below(self, parent: Element | None, node: HtmlElement) -> Element:
        return parent if parent and parent.depth >= self.max_depth else _describe(node, parent)


def _describe(node: HtmlElement, parent: Element | None) -> Element:
    depth = parent.depth + 1 if parent else 0
    items = node.items()
    if not items:
        return Element(node.tag, parent=parent, depth=depth)
    values = dict(items)
    return Element(
        tag=node.tag,
        id=values.get("id", ""),
        classes=values.get("class", ""),
        role=" ".join(filter(None, (values.get("role"), values.get("itemprop")))),
        hidden=_is_hidden(values),
        parent=parent,
        depth=depth,
    )


def _is_hidden(attributes: dict[str, str]) -> bool:
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    return "display:none" in attributes.get("style", "").replace(" ", "").lower()
