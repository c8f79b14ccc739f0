"""Recognise locked articles by a subscription prompt beside the text, or by a password form."""

import re
from collections.abc import Sequence
from itertools import pairwise

from lxml.html import HtmlElement

from newscorpus.data import Block
from newscorpus.page.parsing.segment import elements_around
from newscorpus.tokens import count_words

MOST_WORDS = 60
"""Maximum number of words of a page's text beside a password form; the notice above the form has ten to thirty."""
LEAST_WORDS = 3
"""Minimum number of words of a prompt; scripts fill empty boxes once a visitor has used up the free articles."""

_PROMPT = re.compile(
    r"(?<![^\s_-])(?:paywall|regwall|upgrade-cta|post-upgrade|(?:members?|subscribers?)-?only|content-gate"
    r"|premium-(?:box|content|message|notice|wall)|(?:members?|subscri\w+)-(?:wall|gate))(?![^\s_-])"
)
"""Class names and ids, lower case, of boxes that ask for a subscription in place of the rest."""
_ARTICLES = frozenset({"article", "main"})
_NAMING = frozenset({"text", "email", "tel", ""})


def is_locked(tree: HtmlElement, blocks: Sequence[Block], paragraphs: Sequence[str]) -> bool:
    """Tell whether the page shows a prompt in the box of its text, or a form with only a password.

    If the text is short, and thus perhaps a teaser, the prompt may stand anywhere in the same article.
    """
    is_short = sum(map(count_words, paragraphs)) <= MOST_WORDS
    for form in tree.iter("form") if is_short else ():
        kinds = {(one.get("type") or "").lower() for one in form.iter("input")}
        if "password" in kinds and not _NAMING & kinds:  # unlike a login form
            return True
    names = {each: f"{each.classes} {each.id}".lower() for each in elements_around(blocks)}
    if not _PROMPT.search("\n".join(names.values())):  # as on most pages
        return False
    prompts = {each for each, named in names.items() if _PROMPT.search(named)}
    lines = frozenset(paragraphs)
    boxes = {block.parent for block in blocks if block.text in lines}
    if is_short:
        boxes |= {around for box in boxes for around in box.ancestry if around.tag in _ARTICLES}
    for block in blocks:
        element = block.element
        if block.text in lines or count_words(block.text) < LEAST_WORDS or element.is_unseen:
            continue
        around = next((outer for outer, here in pairwise(element.ancestry) if here in prompts), None)
        if around is not None and (around in boxes or (is_short and not boxes.isdisjoint(element.ancestry))):
            return True
    return False
