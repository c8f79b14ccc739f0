"""Propose URL patterns for the articles and sections of a site, from its links.

Every link votes by what its page or a feed said, else by its own words: the text of a link to an article is a headline,
that of a link to a section a word or two. Each address is generalised in several ways, from one segment to all of them;
of the expressions that come out, those that take many articles and hardly any section are chosen one after the other.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

from newscorpus.portal.addresses import (
    ARTICLE_WORD,
    DOCUMENT,
    HASH,
    OTHER_KINDS,
    is_about_site,
    is_front,
    is_listing,
    looks_like_article,
)
from newscorpus.portal.portal import target_of
from newscorpus.tokens import count_words
from newscorpus.urls import document_id

HEADLINE_WORDS = 4
"""Minimum words of a headline in a link; menu entries have three at most."""

NO_ARTICLES = re.compile(r"/(?:categor|kategor|rubri|archiv|search|login)[^/]*/", re.IGNORECASE)
"""Directories of lists and services."""

LEAST_ARTICLES = 3
"""Minimum articles that an expression must match: two addresses may be alike by chance."""

MOST_SECTIONS = 0.04
"""Maximum sections that an expression may match, as a share of its articles: less than one in twenty."""

WEIGHT = 5
"""Weight of a wrongly matched section, in articles."""

ENOUGH = 0.98
"""Share of the articles matched at which the search ends."""

MOST_PATTERNS = 8
MOST_LINKS = 5_000
"""Maximum links considered; a front page has some hundreds, a sitemap 50,000."""
EXAMPLES = 2

SURE_SIGN = re.compile(r"\d{5,}|/(?:19|20)\d\d[/-]\d\d?[/-]|(?:[^/?_+-]*[^\W\d_][^/?_+-]*[_+-]){3}")
"""Matches addresses not found in menus: a number, a date, or four words."""

ANY = "[^/?]+"
"""Stands for a segment that is a plain word."""

WORDS = r"(?:[^/?_+-]+[_+-]+){%d}[^/?]*"
SEGMENTS = (
    (re.compile(r"(?:19|20)\d\d"), r"(?:19|20)\d\d"),
    (re.compile(r"(?:19|20)\d\d-\d\d?-\d\d?"), r"(?:19|20)\d\d-\d\d?-\d\d?"),
    (re.compile(r"\d{1,4}"), r"\d+"),
    (re.compile(r"\d{5,}"), r"\d{5,}"),
    (re.compile(r"[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), r"[0-9a-f-]{12,}"),
    (re.compile(r".*\d{5,}.*"), r"[^/?]*\d{5,}[^/?]*"),
    (re.compile(r"(?:[^-_+]+[-_+]+){3,}.*"), WORDS % 3),
    (re.compile(r"(?:[^-_+]+[-_+]+){2}.*"), WORDS % 2),
    (HASH, r"\w{12,}"),
)
"""Kinds of segments that articles have, and the expression for each."""


@dataclass(frozen=True, slots=True)
class SeenLink:
    """A link of a site, and the evidence about it."""

    url: str  # absolute address
    text: str = ""  # the longest text of the links to it
    is_article: bool | None = None  # by its page or a feed; None if unknown


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression for addresses, as in portal files, and the links that it matches."""

    expression: str
    articles: int  # matched links that seem to be articles
    sections: int  # matched links that seem to be sections
    examples: tuple[str, ...]  # paths of matched links


@dataclass(frozen=True, slots=True)
class Proposed:
    """Proposed patterns for a portal file."""

    articles: tuple[Pattern, ...]
    sections: tuple[Pattern, ...]
    n_articles: int  # links that seem to be articles
    n_sections: int
    n_open: int  # links that are undecided


def propose(links: Iterable[SeenLink]) -> Proposed:
    """Propose patterns for the articles and the sections among the links of one site."""
    targets: dict[bool | None, dict[str, None]] = defaultdict(dict)
    for link in _each_once(links):
        targets[seems_article(link)][target_of(link.url)] = None
    articles, sections = list(targets[True]), list(targets[False])
    chosen = tuple(_choose(articles, sections, list(targets[None])))
    menu = [one for one in sections if not any(re.search(pattern.expression, one) for pattern in chosen)]
    tops = sorted({match[1] for one in menu if (match := re.fullmatch(r"/([\w-]+)/?", one))})
    lists: tuple[Pattern, ...] = ()
    if tops:  # one expression for the top-level sections and their further pages
        expression = rf"^/(?:{'|'.join(map(re.escape, tops))})/?(?:\?page=\d+)?$"
        lists = (Pattern(expression, 0, len(tops), tuple(f"/{one}" for one in tops[:EXAMPLES])),)
    return Proposed(chosen, lists, len(articles), len(sections), len(targets[None]))


def seems_article(link: SeenLink) -> bool | None:
    """Whether a link seems to lead to an article; None if undecided."""
    if link.is_article is not None:
        return link.is_article
    parts = urlsplit(link.url)
    is_other = OTHER_KINDS.search(f".{parts.hostname or ''}{parts.path}") or NO_ARTICLES.search(link.url)
    if is_other or is_about_site(link.url) or is_front(link.url) or is_listing(link.url):
        return False
    n_words = count_words(link.text)
    if looks_like_article(link.url) and n_words >= HEADLINE_WORDS:
        return True
    is_open = n_words == 0 or n_words >= HEADLINE_WORDS or re.search(SURE_SIGN, target_of(link.url))
    return None if is_open else False


def _each_once(links: Iterable[SeenLink]) -> Iterator[SeenLink]:
    """Merge the links to the same document: the longest text, and the first known `is_article`."""
    joined: dict[str, SeenLink] = {}
    for link in links:
        known = joined.get(key := document_id(link.url))
        if known is None and len(joined) < MOST_LINKS:
            joined[key] = link
        elif known:
            is_article = link.is_article if known.is_article is None else known.is_article
            joined[key] = replace(known, text=max(known.text, link.text, key=len), is_article=is_article)
    return iter(joined.values())


def _choose(articles: Sequence[str], sections: Sequence[str], others: Sequence[str]) -> Iterator[Pattern]:
    """Choose expressions greedily by the number of unmatched articles, until hardly any is left.

    Ties go to the expression that matches the fewest undecided links.
    """
    candidates = dict.fromkeys(expression for target in articles for expression in _generalised(target))
    found = {one: _taken(one, articles) for one in candidates}
    wrong = {one: _taken(one, sections) for one, taken in found.items() if len(taken) >= LEAST_ARTICLES}
    fit = {one: found[one] for one, bad in wrong.items() if len(bad) <= MOST_SECTIONS * len(found[one])}
    n_others = {one: len(_taken(one, others)) for one in fit}
    left = set(articles)
    for _ in range(MOST_PATTERNS):
        gains = {one: len(taken & left) - WEIGHT * len(wrong[one]) for one, taken in fit.items()}
        best = max(fit, key=lambda one: (gains[one], -n_others[one], -len(one), one), default="")
        if not best or len(fit[best] & left) < LEAST_ARTICLES or len(left) <= (1 - ENOUGH) * len(articles):
            return
        left -= fit[best]
        yield Pattern(best, len(fit[best]), len(wrong[best]), tuple(sorted(fit[best])[:EXAMPLES]))


def _taken(expression: str, targets: Iterable[str]) -> set[str]:
    compiled = re.compile(expression)
    return {target for target in targets if compiled.search(target)}


def _generalised(target: str) -> Iterator[str]:
    """Generalise an address: by its query, its last segment, its last segments, or all of them."""
    path, _, query = target.partition("?")
    *folders, last = path.strip("/").split("/")
    slash = "/?" if path.endswith("/") else ""
    kinds = [_kind(folder) for folder in folders]
    for name, value in parse_qsl(query):
        if re.search(r"\d{3}", value) or _kind(value) != ANY:
            names = rf"\?(?:.*&)?{re.escape(name)}=[\w.-]*\d"
            yield names
            yield f"^{re.escape(path)}{names}"
            yield f"/{re.escape(last)}{names}"
    end = _kind(last)
    rest = f"{end}{slash}($|\\?)"
    if end != ANY and not end.startswith(ANY):
        yield f"/{rest}"
    for at, folder in enumerate(folders):
        inner = "".join(f"{kind}/" for kind in kinds[at + 1 :])
        if kinds[at] == ANY and (at == 0 or ARTICLE_WORD.search(folder)):
            yield f"{'^' if at == 0 else ''}/{re.escape(folder)}/{inner}{rest}"
        elif kinds[at] != ANY and (at == 0 or kinds[at - 1] == ANY):
            yield f"/{kinds[at]}/{inner}{rest}"
    if folders:
        yield f"^/{''.join(f'{kind}/' for kind in kinds)}{rest}"


def _kind(segment: str) -> str:
    """Generalise a segment; the file extension stays."""
    ending = DOCUMENT.search(segment)
    stem, tail = (segment[: ending.start()], re.escape(ending[0])) if ending else (segment, "")
    kind = next((expression for pattern, expression in SEGMENTS if pattern.fullmatch(stem)), ANY)
    return kind + tail
