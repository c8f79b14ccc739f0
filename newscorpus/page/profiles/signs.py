"""Name what the markup of a page is made of, so that pages of one design can be told from those of another."""

from lxml.html import HtmlElement

from newscorpus.data import Element
from newscorpus.page.profiles.names import MAX_NAME, step_of

UNSEEN = frozenset("head script style noscript template svg iframe object select".split())
"""Elements of which nothing is laid out on the page."""
MOST_SIGNS = 2_000
"""Of one page; news pages have some 200."""


def markup_signs(tree: HtmlElement) -> frozenset[str]:
    """Every pair of an element and one directly inside it, such as `div.story > p`, by tags and stable names."""
    signs: set[str] = set()
    pending: list[tuple[HtmlElement, str]] = [(tree, "html")]
    while pending:
        around, step = pending.pop()
        for child in around:
            if len(signs) == MOST_SIGNS:
                return frozenset(signs)
            if isinstance(child.tag, str) and child.tag not in UNSEEN:
                inner = _step(child)
                signs.add(f"{step} > {inner}")
                pending.append((child, inner))
    return frozenset(signs)


def _step(element: HtmlElement) -> str:
    classes = element.get("class") or ""
    return step_of(Element(element.tag, (element.get("id") or "")[:MAX_NAME], classes[: 10 * MAX_NAME]))
