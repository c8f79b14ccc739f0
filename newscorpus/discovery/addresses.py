"""What an address promises: an article, or a page to follow for links.

Other versions of an article: for phones (AMP) and for print, folded into the one that readers see.

Addresses that lead into endless space: calendars, growing paths, piled-up parameters.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lxml.html import HtmlElement

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


PATH_END = re.compile(
    r"(?:/(?:amp|print|tisk|tlac|stampaj|stampa|ispis|drukuj|druck)/?$|\.amp(?=(?:\.html|/)?$))", re.IGNORECASE
)
"""How a path says that it leads to another version, in the languages at hand; `/story.amp.html` keeps its ending."""
PATH_BEGIN = re.compile(r"^/amp(?=/.)", re.IGNORECASE)
SWITCHES = frozenset({"amp", "print", "tisk"})
CHOICES = frozenset({"outputtype", "output", "view", "format", "version"})
VERSIONS = frozenset({"amp", "print"})


def plain_address(url: str) -> str:
    """The address of the article of which `url` is another version, by its writing; `url` itself for all others."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = PATH_BEGIN.sub("", PATH_END.sub(_slash, parts.path))
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not _asks_for_version(name, value)]
    if path == parts.path and len(kept) == len(pairs):
        return url
    query = parts.query if len(kept) == len(pairs) else urlencode(kept)
    return urlunsplit(parts._replace(path=path or "/", query=query))


def is_version(root: HtmlElement) -> bool:
    """Whether a page says of itself that it is AMP: `<html amp>` or `<html ⚡>`."""
    page = next(root.iter("html"), None)
    return page is not None and bool({"amp", "⚡"} & {str(name).lower() for name in page.attrib})


def _slash(found: re.Match[str]) -> str:
    """A path that ended with a slash keeps it."""
    return "/" if found[0].endswith("/") else ""


def _asks_for_version(name: str, value: str) -> bool:
    name, value = name.lower(), value.lower()
    return (name in SWITCHES and value in {"", "1", "true", "yes"}) or (name in CHOICES and value in VERSIONS)


MAX_URL_LENGTH = 2_000
"""Longest address asked for; browsers and servers have long drawn the line at about 2,000 characters."""

MAX_PARAMETERS = 8
MAX_REPEATS = 2
"""Most times a path names the same directory; relative links gone wrong repeat it without end."""

MAX_OF_A_SHAPE = 200
"""Most listing pages whose addresses differ in their digits only: the pages of one section, the days of a calendar."""

FORESIGHT = timedelta(days=7)
"""How far ahead of today a date in an address may lie: what is planned for the week is announced with its date."""

WRITTEN_DATE = re.compile(
    r"(?<!\d)(19\d\d|20\d\d|21\d\d)[-/._]?(0[1-9]|1[0-2]|[1-9](?!\d))(?:[-/._]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)
YEAR_NAMES = frozenset({"year", "y", "rok", "god", "godina", "leto", "jahr"})
MONTH_NAMES = frozenset({"month", "m", "mesic", "mesiac", "mjesec", "mesec", "miesiac", "monat"})


def find_trap(url: str, today: date) -> str:
    """What makes `url` look like a trap, in one line for a person; "" where nothing does."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "no valid address"
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if (latest := max(_months(parts.path, parameters), default=date.min)) > today + FORESIGHT:
        return f"a date to come: {latest:%Y-%m}"
    directories = Counter(part for part in parts.path.split("/")[:-1] if part and not part.isdigit())
    if directories and max(directories.values()) > MAX_REPEATS:
        return f"a path that repeats itself: {directories.most_common(1)[0][0]}"
    if len(parameters) > MAX_PARAMETERS:
        return f"{len(parameters)} parameters"
    return ""


def shape(url: str) -> str:
    """`url` with every run of digits made one 0: the same for all pages of one listing."""
    return re.sub(r"\d+", "0", url)


def _months(path: str, parameters: list[tuple[str, str]]) -> Iterator[date]:
    """The first day of every month, or the day, that a path or a query names."""
    for text in (path, *(value for _, value in parameters)):
        for year, month, day in WRITTEN_DATE.findall(text):
            yield from _valid(year, month, day or "1")
    named = {name.lower(): value for name, value in parameters}
    years = [value for name, value in named.items() if name in YEAR_NAMES]
    months = [value for name, value in named.items() if name in MONTH_NAMES]
    for year in years:
        yield from _valid(year, months[0] if months else "1", "1")


def _valid(year: str, month: str, day: str) -> Iterator[date]:
    try:
        yield date(int(year), int(month), int(day))
    except ValueError:
        return
