"""Tell pages that close an article to visitors by what stands beside its text: a prompt, or a form for a password."""

import re
from collections.abc import Sequence
from itertools import pairwise

from lxml.html import HtmlElement

from newscorpus.data import Block, Element
from newscorpus.page.parsing.segment import elements_around
from newscorpus.tokens import count_words

MOST_WORDS = 60
"""Most words of a text in whose place a form asks for a password; the notice above it has ten to thirty."""
LEAST_WORDS = 3
"""Fewest words of a prompt; an empty box is one that scripts fill where a visitor has read enough."""

_PROMPT = re.compile(
    r"(?:^|[\s_-])(?:paywall|regwall|upgrade-cta|post-upgrade|(?:members?|subscribers?)-?only|content-gate"
    r"|premium-(?:box|content|message|notice|wall)|(?:members?|subscri\w+)-(?:wall|gate))(?:$|[\s_-])",
    re.IGNORECASE,
)
"""In the names of a box that asks for a subscription in place of the rest."""
_ARTICLES = frozenset({"article", "main"})
_NAMING = frozenset({"text", "email", "tel", ""})


def is_locked(tree: HtmlElement, blocks: Sequence[Block], paragraphs: Sequence[str]) -> bool:
    """Whether a page shows a prompt beside a text, in the box that holds it, or asks for a password alone.

    Beside a short text, which may be but a teaser above the box, the prompt may stand anywhere in the same article.
    """
    is_short = sum(map(count_words, paragraphs)) <= MOST_WORDS
    if is_short and any(map(_asks_for_password, tree.iter("form"))):
        return True
    prompts = {each for each in elements_around(blocks) if _PROMPT.search(f"{each.classes} {each.id}")}
    if not prompts:  # as on most pages
        return False
    lines = frozenset(paragraphs)
    boxes = {block.parent for block in blocks if block.text in lines}
    if is_short:
        boxes |= {around for box in boxes for around in box.ancestry if around.tag in _ARTICLES}
    others = (block for block in blocks if block.text not in lines and count_words(block.text) >= LEAST_WORDS)
    return any(_is_in_prompt(block.element, prompts, boxes, is_short=is_short) for block in others)


def _asks_for_password(form: HtmlElement) -> bool:
    """Whether a form asks for a password and nothing else, as no form to log in does."""
    kinds = [(one.get("type") or "").lower() for one in form.iter("input")]
    return "password" in kinds and not _NAMING.intersection(kinds)


def _is_in_prompt(element: Element, prompts: set[Element], boxes: set[Element], *, is_short: bool) -> bool:
    """Whether an element is shown and stands in a prompt that lies in one of the boxes."""
    if element.is_unseen:
        return False
    ancestry = element.ancestry
    for around, here in pairwise(ancestry):
        if here in prompts:
            return around in boxes or (is_short and not boxes.isdisjoint(ancestry))
    return False
