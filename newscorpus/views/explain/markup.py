"""Show a page by its own markup, harmless: known elements without attributes, every piece of a block marked.

Nothing of the page is copied but names of known elements and escaped text: no script, style, address or form passes.
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from html import escape
from itertools import count

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import LabelledBlock
from newscorpus.page.extractor import Reading
from newscorpus.page.parsing.segment import BLOCK_TAGS, INVISIBLE_TAGS, VOID_TAGS, segment

INLINE_TAGS = frozenset(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u"
    " var".split()
)
SHOWN_TAGS = (BLOCK_TAGS | INLINE_TAGS | {"br"}) - frozenset(
    "body dialog fieldset form frameset html optgroup option select textarea".split()
)
"""Elements that are written; others, custom ones among them, are passed over, and what they hold is shown."""

STANDS_FOR: Mapping[str, str] = {"a": "span", "font": "span", "details": "div", "summary": "div"}
"""What is written in place of links, which lead out, and of what would fold text away."""

SCORE_CLASSES = 10
"""Tints of the scores from 0 to 1."""

_NUMBER = re.compile("\ue000(\\d+)\ue001")


def marked_page(reading: Reading, labelled: tuple[LabelledBlock, ...]) -> str:
    """Write the body of a page that was read; a piece of a block is `<span data-block=POSITION class=LABEL tint>`."""
    texts, blocks = _numbered(reading)
    classes = {item.block.position: f"{item.label} {tint(item.score)}" for item in labelled}
    return "".join(_written(texts, blocks, classes, reading.tree))


def tint(score: float) -> str:
    """The class of a score: "t0" to "t9"."""
    return f"t{min(max(int(score * SCORE_CLASSES), 0), SCORE_CLASSES - 1)}"


def _numbered(reading: Reading) -> tuple[dict[HtmlElement, tuple[int, int]], dict[int, int]]:
    """Number the texts of the elements (inside, behind), and say which block each number belongs to.

    The texts of a copy are replaced by their numbers, of which the blocks of the copy then consist.
    """
    copy, numbers = deepcopy(reading.tree), count(1)
    of_element: dict[HtmlElement, tuple[int, int]] = {}
    for element, twin in zip(reading.tree.iter(), copy.iter(), strict=True):
        inside, behind = next(numbers), next(numbers)
        of_element[element] = inside, behind
        if twin.text and not twin.text.isspace():
            twin.text = f"\ue000{inside}\ue001"
        if twin.tail and not twin.tail.isspace():
            twin.tail = f"\ue000{behind}\ue001"
    shown = {block.position for block in reading.blocks}
    blocks = [block for block in segment(copy, reading.limits) if block.position in shown]
    return of_element, {int(number): block.position for block in blocks for number in _NUMBER.findall(block.text)}


def _written(
    texts: dict[HtmlElement, tuple[int, int]], blocks: dict[int, int], classes: dict[int, str], root: HtmlElement
) -> Iterator[str]:
    """Write what is shown, in order; without recursion, since pages nest deep."""
    left_out = 0  # open elements whose content is not shown
    for event, element in etree.iterwalk(root, ("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        is_unseen = tag in INVISIBLE_TAGS or not tag
        inside, behind = texts[element]
        if event == "start":
            left_out += is_unseen
            if not left_out:
                yield _tag(tag, "<")
                yield _piece(element.text, blocks.get(inside), classes)
            continue
        if not left_out and tag not in VOID_TAGS:
            yield _tag(tag, "</")
        left_out -= is_unseen
        if not left_out:
            yield _piece(element.tail, blocks.get(behind), classes)


def _tag(tag: str, opening: str) -> str:
    return f"{opening}{STANDS_FOR.get(tag, tag)}>" if tag in SHOWN_TAGS else ""


def _piece(text: str | None, block: int | None, classes: dict[int, str]) -> str:
    if not text:
        return ""
    if block is None:
        return escape(text)
    return f'<span data-block="{block}" class="{classes.get(block, "unjudged")}">{escape(text)}</span>'
