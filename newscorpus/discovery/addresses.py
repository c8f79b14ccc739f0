"""Judge addresses by their writing: what each is fetched for, other versions of an article, and traps for crawlers."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from newscorpus.portals.portal import Portal


class FetchKind(StrEnum):
    """What an address is fetched for: a page, a list of addresses, or a guess; what is unwanted is not fetched."""

    ARTICLE = "article"
    SECTION = "section"
    UNWANTED = "unwanted"
    FEED = "feed"
    SITEMAP = "sitemap"
    MAYBE_LIST = "list"
    """What may be a feed or a sitemap, and may not be there at all."""
    PROBE = "probe"
    """A page that cannot be there; what comes instead is what the site shows for missing pages."""


LIST_KINDS = (FetchKind.FEED, FetchKind.SITEMAP, FetchKind.MAYBE_LIST, FetchKind.SECTION)
"""Kinds whose answers name articles."""

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


def find_kind(url: str, portal: Portal) -> FetchKind:
    """Decide what `url` leads to: by the portal's patterns; where those leave it open, by its look."""
    if portal.is_article(url):
        return FetchKind.ARTICLE
    if portal.is_section(url):
        return FetchKind.SECTION
    if portal.sections:
        return FetchKind.UNWANTED if portal.articles else FetchKind.ARTICLE
    if looks_like_article(url):
        return FetchKind.UNWANTED if portal.articles else FetchKind.ARTICLE
    return FetchKind.SECTION


def looks_like_article(url: str) -> bool:
    """Whether an address looks like an article's: a date, a long number, or a headline as its last segment."""
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
"""Ends of paths to another version, in several languages; `/story.amp.html` keeps its ending."""
PATH_BEGIN = re.compile(r"^/amp(?=/.)", re.IGNORECASE)
SWITCHES = frozenset({"amp", "print", "tisk"})
CHOICES = frozenset({"outputtype", "output", "view", "format", "version"})
VERSIONS = frozenset({"amp", "print"})


def plain_address(url: str) -> str:
    """Fold the address of a version for phones (AMP) or for print into that of the article; others stay as they are."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = PATH_END.sub(lambda found: "/" if found[0].endswith("/") else "", parts.path)
    path = PATH_BEGIN.sub("", path)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not _asks_for_version(name, value)]
    if path == parts.path and len(kept) == len(pairs):
        return url
    query = parts.query if len(kept) == len(pairs) else urlencode(kept)
    return urlunsplit(parts._replace(path=path or "/", query=query))


def _asks_for_version(name: str, value: str) -> bool:
    name, value = name.lower(), value.lower()
    return (name in SWITCHES and value in {"", "1", "true", "yes"}) or (name in CHOICES and value in VERSIONS)


MAX_PARAMETERS = 8
MAX_REPEATS = 2
"""Most times a path names the same directory; broken relative links repeat it without end."""

FORESIGHT = timedelta(days=7)
"""How far ahead of today a date in an address may lie: events of the coming week are announced with their date."""

WRITTEN_DATE = re.compile(
    r"(?<!\d)(19\d\d|20\d\d|21\d\d)[-/._]?(0[1-9]|1[0-2]|[1-9](?!\d))(?:[-/._]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)
YEAR_NAMES = frozenset({"year", "y", "rok", "god", "godina", "leto", "jahr"})
MONTH_NAMES = frozenset({"month", "m", "mesic", "mesiac", "mjesec", "mesec", "miesiac", "monat"})


def find_trap(url: str, today: date) -> str:
    """Say what makes `url` look like a trap: endless calendar, growing path, piled-up parameters; "" if nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "no valid address"
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if (latest := max(_dates(parts.path, parameters), default=date.min)) > today + FORESIGHT:
        return f"a date to come: {latest:%Y-%m}"
    directories = Counter(part for part in parts.path.split("/")[:-1] if part and not part.isdigit())
    if directories and max(directories.values()) > MAX_REPEATS:
        return f"a path that repeats itself: {directories.most_common(1)[0][0]}"
    if len(parameters) > MAX_PARAMETERS:
        return f"{len(parameters)} parameters"
    return ""


def _dates(path: str, parameters: list[tuple[str, str]]) -> Iterator[date]:
    """The dates that a path or a query names; where a day or month is missing, the first."""
    for text in (path, *(value for _, value in parameters)):
        for year, month, day in WRITTEN_DATE.findall(text):
            yield from _valid(year, month, day or "1")
    named = {name.lower(): value for name, value in parameters}
    month = next((value for name, value in named.items() if name in MONTH_NAMES), "1")
    for name, value in named.items():
        if name in YEAR_NAMES:
            yield from _valid(value, month, "1")


def _valid(year: str, month: str, day: str) -> Iterator[date]:
    try:
        yield date(int(year), int(month), int(day))
    except ValueError:
        return
