"""Recognise pages that replace an article: consent walls, bot checks, and shells that scripts fill.

A page with an extracted article passes, unless it is undeclared, undated and consists almost only of a wall's phrases:
an article about cookies, or one below a banner, is an article.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Article, Block, Page, Rejected
from newscorpus.page.extractor import ParsedPage
from newscorpus.page.fields.structured import ARTICLES
from newscorpus.page.parsing.segment import segment
from newscorpus.resources import read_toml
from newscorpus.tokens import collapse, count_words

CONSENT_WALL, BOT_CHECK, NEEDS_SCRIPT = "consent_wall", "bot_check", "needs_script"
WALLS = frozenset({CONSENT_WALL, BOT_CHECK, NEEDS_SCRIPT})
"""Rejection reasons of the stage "fetch"."""

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
HEAD_BYTES = 50_000
"""Bytes of a response searched for marks of a bot check, which stand at its beginning."""
MOST_LINKS = 500
"""Maximum number of links examined: front pages have some hundreds."""
MOST_LOOKED_AT = 5
"""Maximum number of elements of a kind examined: a wall has one, an attack may nest any number."""

BUTTONS = ("button", "a", "input", "span", "div")


@dataclass(frozen=True, slots=True)
class _Signs:
    """The signs of walls; walls.toml explains each."""

    terms: re.Pattern[str]
    agree: tuple[str, ...]
    consent_steps: frozenset[str]
    hosts: tuple[str, ...]
    headers: Mapping[str, str]
    marks: re.Pattern[str]
    widgets: re.Pattern[str]
    titles: tuple[str, ...]
    bot_steps: frozenset[str]
    mounts: frozenset[str]
    asks: tuple[str, ...]
    beside: re.Pattern[str]


@cache
def _signs() -> _Signs:
    table = read_toml(__package__, "walls.toml")
    consent, bot, script = table["consent"], table["bot"], table["script"]
    return _Signs(
        re.compile(rf"\b(?:{_any_of(consent['terms'])})", re.IGNORECASE),
        tuple(consent["agree"]),
        frozenset(consent["steps"]),
        tuple(consent["hosts"]),
        bot["headers"],
        re.compile(_any_of(bot["marks"]), re.IGNORECASE),
        re.compile(_any_of(bot["widgets"]), re.IGNORECASE),
        tuple(bot["titles"]),
        frozenset(bot["steps"]),
        frozenset(script["mounts"]),
        tuple(script["asks"]),
        re.compile(_any_of(script["beside"]), re.IGNORECASE),
    )


def _any_of(texts: Sequence[str]) -> str:
    return "|".join(map(re.escape, texts))


def find_wall(page: ParsedPage | Rejected, found: Article | None) -> Rejected | None:
    """Reject a page that is a wall, stage "fetch"; None for other pages.

    Args:
        page: as fetched; a rejection if it cannot be parsed, which is no wall.
        found: the accepted article; None where none was found or looked for.
    """
    if isinstance(page, Rejected) or (found and not _may_be_wall(found, page)):
        return None
    shown = _Shown.of(page.tree)
    if sign := _bot_check(shown, page):
        return Rejected("fetch", BOT_CHECK, sign, page.url)
    if detail := _consent_wall(shown):
        return Rejected("fetch", CONSENT_WALL, detail, page.url)
    if not found and (sign := _needs_script(shown)):
        return Rejected("fetch", NEEDS_SCRIPT, sign, page.url)
    return None


def _may_be_wall(found: Article, page: Page) -> bool:
    """Tell whether an extracted article may be a wall's text: only an undeclared and undated one."""
    if found.fields.kind in ARTICLES or found.fields.declares_date:
        return False
    n_words = count_words(found.text)
    if n_words <= CHECK_WORDS and find_refusal(page.headers, page.body):
        return True
    return n_words <= WALL_WORDS and _about_consent(found.text.split("\n")) >= CONSENT_SHARE * n_words


def find_refusal(headers: Mapping[str, str], body: bytes) -> str:
    """Return the sign by which a response, an error or a short page, is a bot check; "" if it is none.

    Args:
        headers: of the response, names in lower case.
        body: of the response, decompressed.
    """
    signs = _signs()
    for name, value in signs.headers.items():
        if name in headers and headers[name].lower().startswith(value):
            return f"header {name}"
    mark = signs.marks.search(_head(body))
    return f"mark {mark[0]!r}" if mark else ""


def _head(body: bytes) -> str:
    return body[:HEAD_BYTES].decode("latin-1")


def find_detour(url: str, target: str) -> str:
    """Return the wall to which a redirect from `url` leads: "consent_wall", "bot_check" or "".

    The address of a wall carries that of the page to return to, or is on a known host; that of a moved article does
    neither.
    """
    asked, led = urlsplit(url), urlsplit(target)
    signs, host = _signs(), led.hostname or ""
    if host != asked.hostname and host.startswith(signs.hosts):
        return CONSENT_WALL
    told = unquote(unquote(led.query))
    if (asked.path if len(asked.path) > 1 else asked.netloc) not in told:
        return ""
    steps = set(led.path.lower().strip("/").split("/"))
    return CONSENT_WALL if steps & signs.consent_steps else BOT_CHECK if steps & signs.bot_steps else ""


@dataclass(frozen=True, slots=True)
class _Shown:
    """The visible text of a page."""

    tree: HtmlElement
    blocks: tuple[Block, ...]
    n_words: int  # all visible words
    n_own: int  # those outside links

    @classmethod
    def of(cls, tree: HtmlElement) -> "_Shown":
        blocks = segment(tree)
        n_words = sum(count_words(block.text) for block in blocks)
        return cls(tree, blocks, n_words, n_words - sum(count_words(block.link_text) for block in blocks))


def _bot_check(shown: _Shown, page: Page) -> str:
    """Return the sign by which a page is a bot check; else ""."""
    if shown.n_words > CHECK_WORDS:
        return ""
    if sign := find_refusal(page.headers, page.body):
        return sign
    signs = _signs()
    titles = (collapse(each.text_content()) for each in islice(shown.tree.iter("title", "h1", "h2"), MOST_LOOKED_AT))
    if title := next((each for each in titles if each.lower().startswith(signs.titles)), ""):
        return f"title {title[:80]!r}"
    widget = signs.widgets.search(_head(page.body)) if shown.n_words <= BARE_WORDS else None
    return f"widget {widget[0]!r}" if widget else ""


def _consent_wall(shown: _Shown) -> str:
    """Say how much of a page is about consent, if it is a consent wall; else ""."""
    about = _about_consent(block.text for block in shown.blocks) if shown.n_words <= WALL_WORDS else 0
    if not about or about < CONSENT_SHARE * shown.n_words or not _has_button(shown.tree):
        return ""
    return f"{about} of {shown.n_words} words are about consent"


def _about_consent(paragraphs: Iterable[str]) -> int:
    """Count the words of paragraphs about consent, short ones left out."""
    told = ((count_words(text), text) for text in paragraphs)
    return sum(n_words for n_words, text in told if n_words >= SENTENCE_WORDS and _signs().terms.search(text))


def _has_button(tree: HtmlElement) -> bool:
    """Tell whether the page has a consent button."""
    for element in tree.iter(*BUTTONS):
        inner = element[0].text if len(element) == 1 else None
        text = collapse((element.text or "").strip() or inner or element.get("value") or "")
        if 0 < len(text) <= BUTTON_CHARACTERS and text.lower().startswith(_signs().agree):
            return True
    return False


def _needs_script(shown: _Shown) -> str:
    """Return the sign by which a page is empty until its scripts run; else ""."""
    scripts = any(script.get("src") or script.text for script in shown.tree.iter("script"))
    if not scripts or shown.n_own > SHELL_WORDS:
        return ""
    signs = _signs()
    notes = [collapse(each.text_content()) for each in islice(shown.tree.iter("noscript"), MOST_LOOKED_AT)]
    if count_words(" ".join(notes)) > SHELL_WORDS:  # a full version for browsers without scripts
        return ""
    mounts = (each for each in shown.tree.iter("*") if {each.get("id"), each.tag} & signs.mounts)
    for mount in islice(mounts, MOST_LOOKED_AT):
        if not _is_filled(mount):
            return f"nothing in <{mount.tag}> {mount.get('id') or ''}".rstrip()
    links = (each for each in shown.tree.iter("a") if (each.get("href") or "#")[0] != "#")
    if any(count_words(each.text_content()) >= HEADLINE_WORDS for each in islice(links, MOST_LINKS)):
        return ""
    asking = (each for each in notes if any(ask in each.lower() for ask in signs.asks))
    if note := next((each for each in asking if not signs.beside.search(each)), ""):
        return f"noscript: {note[:80]}"
    is_bare = shown.n_words <= BARE_WORDS and not any(map(_is_filled, shown.tree.iter("main", "article")))
    return f"{shown.n_words} words beside scripts" if is_bare else ""


def _is_filled(element: HtmlElement) -> bool:
    """Tell whether an element holds more words than one that scripts have yet to fill."""
    return sum(count_words(block.text) for block in segment(element)) > LOADING_WORDS
