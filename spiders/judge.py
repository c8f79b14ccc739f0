"""What an address promises: an article, or a page to follow for links."""

import re
from enum import StrEnum
from urllib.parse import parse_qsl, urlsplit

from newscorpus.portals.schema import Portal


class Kind(StrEnum):
    """What a page is fetched for."""

    ARTICLE = "article"
    SECTION = "section"
    UNWANTED = "unwanted"


SLUG_WORDS = 3
"""Words of a last path segment from which on it reads as a headline; names of sections have one or two."""

LISTING = re.compile(
    r"/(?:archiv\w*|authors?|autor|page|seite|strana|stranica|stranka|strona|tags?|tema|topics?)(?:/|$)", re.IGNORECASE
)
PAGE_NUMBER = frozenset({"offset", "p", "page", "paged", "start", "strana", "stranica", "stranka", "strona"})
DOCUMENT = re.compile(r"\.(?:aspx?|cfm|do|jsp|php\d?|s?html?)$", re.IGNORECASE)
NUMBER = re.compile(r"\d{5,}")
"""An article's number; four digits may be a year."""

DATED = re.compile(r"/(?:19|20)\d\d[/-]\d\d?[/-](?:\d\d?[/-])?(?=[^/]*[^\W\d_])")


def judge(url: str, portal: Portal) -> Kind:
    """What `url` promises: by the portal's patterns; where those leave it open, by its look."""
    if portal.is_article(url):
        return Kind.ARTICLE
    if portal.is_section(url):
        return Kind.SECTION
    if portal.sections:
        return Kind.UNWANTED if portal.articles else Kind.ARTICLE
    if looks_like_article(url):
        return Kind.UNWANTED if portal.articles else Kind.ARTICLE
    return Kind.SECTION


def looks_like_article(url: str) -> bool:
    """Whether an address has the look of an article's: a date, a number, or a headline for its last segment."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    if LISTING.search(parts.path) or PAGE_NUMBER & query.keys():
        return False
    last = DOCUMENT.sub("", parts.path.rstrip("/").rpartition("/")[2])
    numbered = NUMBER.search(last) or any(NUMBER.fullmatch(value) for value in query.values())
    words = [word for word in re.split(r"[-_+]|%20", last) if word]
    return bool(numbered or DATED.search(parts.path) or len(words) >= SLUG_WORDS)
