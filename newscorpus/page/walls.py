"""Recognise pages that replace an article: consent walls, bot checks, and shells that scripts fill.

A page with an extracted article passes, unless it is undeclared, undated and consists almost only of a wall's phrases:
an article about cookies, or one below a banner, is an article.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from lxml.html import HtmlElement

from newscorpus.data import Article, Rejected
from newscorpus.page.extractor import ParsedPage
from newscorpus.page.fields.structured import ARTICLES
from newscorpus.page.parsing.segment import segment
from newscorpus.page.refusals import (
    BOT,
    BOT_CHECK,
    CONSENT,
    CONSENT_WALL,
    NEEDS_SCRIPT,
    SCRIPT,
    find_refusal,
    first_mark,
)
from newscorpus.tokens import collapse, count_words

WALL_WORDS = 1_500
"""Maximum number of words of a wall; one that lists all purposes has some 1,000 (a choice, with room)."""
CONSENT_SHARE = 0.5
"""Minimum share of a wall's words in paragraphs about consent."""
CHECK_WORDS = 150
"""Maximum number of words of a bot check: reason, contact and case number."""
SHELL_WORDS = 60
"""Maximum number of words of a page that scripts fill, menus excluded."""
BARE_WORDS = 25
"""Maximum number of words, menus included, of a shell recognised only by its scripts, or a check only by its widget."""
LOADING_WORDS = 5
"""Maximum number of words in an element that scripts have not filled yet: "Loading ..."."""
HEADLINE_WORDS = 5
"""Minimum number of words of a link that is another page's headline: lists have such links, shells and menus do not."""
SENTENCE_WORDS = 8
"""Minimum number of words of a paragraph whose topic can be recognised."""
BUTTON_CHARACTERS = 40
"""Longest text of a consent button."""
MOST_LINKS = 500
"""Maximum number of links examined: front pages have some hundreds."""
MOST_LOOKED_AT = 5
"""Maximum number of elements of a kind examined: a wall has one, an attack may nest any number."""


def _any_of(texts: Sequence[str], start: str = "") -> re.Pattern[str]:
    """Make the pattern that finds one of `texts`, lower case, in a lower-case text: a flag takes four times as long."""
    return re.compile(rf"{start}(?:{'|'.join(map(re.escape, texts))})")


CONSENT_TERMS = _any_of(CONSENT["terms"], r"\b")
BOT_WIDGETS = tuple(map(str.encode, BOT["widgets"]))
BESIDE = _any_of(SCRIPT["beside"])
MOUNTS = frozenset(SCRIPT["mounts"])
AGREE, BOT_TITLES = tuple(CONSENT["agree"]), tuple(BOT["titles"])


def find_wall(page: ParsedPage | Rejected, found: Article | None) -> Rejected | None:
    """Reject a page that is a wall, stage "fetch"; None for other pages, and for those that cannot be parsed.

    `found` is the accepted article; None where none was found or looked for.
    """
    # Only an undeclared and undated article may be a wall's text.
    is_declared = found is not None and (found.fields.kind in ARTICLES or found.fields.declares_date)
    if isinstance(page, Rejected) or is_declared:
        return None
    if found:
        n_words = count_words(found.text)
        is_check = n_words <= CHECK_WORDS and find_refusal(page.headers, page.body)
        about = _about_consent(found.text.split("\n")) if n_words <= WALL_WORDS else -1
        if not is_check and about < CONSENT_SHARE * n_words:
            return None
    blocks = segment(page.tree)
    n_words = sum(count_words(block.text) for block in blocks)
    if sign := _bot_check(page, n_words):
        return Rejected("fetch", BOT_CHECK, sign, page.url)
    about = _about_consent(block.text for block in blocks) if n_words <= WALL_WORDS else 0
    if about and about >= CONSENT_SHARE * n_words and _has_button(page.tree):
        return Rejected("fetch", CONSENT_WALL, f"{about} of {n_words} words are about consent", page.url)
    own = n_words - sum(count_words(block.link_text) for block in blocks)
    if not found and own <= SHELL_WORDS and (sign := _needs_script(page.tree, n_words)):
        return Rejected("fetch", NEEDS_SCRIPT, sign, page.url)
    return None


def _bot_check(page: ParsedPage, n_words: int) -> str:
    """Return the sign by which a page of `n_words` is a bot check; else ""."""
    if n_words > CHECK_WORDS:
        return ""
    if sign := find_refusal(page.headers, page.body):
        return sign
    for each in islice(page.tree.iter("title", "h1", "h2"), MOST_LOOKED_AT):
        if (title := collapse(each.text_content())).lower().startswith(BOT_TITLES):
            return f"title {title[:80]!r}"
    widget = first_mark(page.body, BOT_WIDGETS) if n_words <= BARE_WORDS else ""
    return f"widget {widget!r}" if widget else ""


def _about_consent(paragraphs: Iterable[str]) -> int:
    """Count the words of paragraphs about consent, short ones left out."""
    told = ((count_words(text), text) for text in paragraphs)
    return sum(n_words for n_words, text in told if n_words >= SENTENCE_WORDS and CONSENT_TERMS.search(text.lower()))


def _has_button(tree: HtmlElement) -> bool:
    """Tell whether the page has a consent button."""
    for element in tree.iter("button", "a", "input", "span", "div"):
        inner = element[0].text if len(element) == 1 else None
        text = collapse((element.text or "").strip() or inner or element.get("value") or "")
        if 0 < len(text) <= BUTTON_CHARACTERS and text.lower().startswith(AGREE):
            return True
    return False


def _needs_script(tree: HtmlElement, n_words: int) -> str:
    """Return the sign by which a page of `n_words` is empty until its scripts run; else ""."""
    if not any(script.get("src") or script.text for script in tree.iter("script")):
        return ""
    notes = [collapse(each.text_content()) for each in islice(tree.iter("noscript"), MOST_LOOKED_AT)]
    if count_words(" ".join(notes)) > SHELL_WORDS:  # a full version for browsers without scripts
        return ""
    mounts = (each for each in tree.iter("*") if {each.get("id"), each.tag} & MOUNTS)
    for mount in islice(mounts, MOST_LOOKED_AT):
        if not _is_filled(mount):
            return f"nothing in <{mount.tag}> {mount.get('id') or ''}".rstrip()
    links = list(islice((each for each in tree.iter("a") if (each.get("href") or "#")[0] != "#"), MOST_LINKS))
    if any(count_words(each.text_content()) >= HEADLINE_WORDS for each in links):
        return ""
    asking = (each for each in notes if any(ask in each.lower() for ask in SCRIPT["asks"]))
    if note := next((each for each in asking if not BESIDE.search(each.lower())), ""):
        return f"noscript: {note[:80]}"
    # A headline and links outside header, navigation and footer invite to the pages of the site
    shown = (*tree.iter("h1"), *links)
    own = (each for each in shown if next(each.iterancestors("header", "nav", "footer"), None) is None)
    is_bare = n_words <= BARE_WORDS and {each.tag for each in own} != {"h1", "a"}
    is_bare = is_bare and not any(map(_is_filled, tree.iter("main", "article")))
    return f"{n_words} words beside scripts" if is_bare else ""


def _is_filled(element: HtmlElement) -> bool:
    """Tell whether an element holds more words than one that scripts have yet to fill."""
    return sum(count_words(block.text) for block in segment(element)) > LOADING_WORDS
