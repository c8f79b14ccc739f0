"""Judge addresses by their writing: what each is fetched for, other versions of an article, and traps for crawlers."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from newscorpus.data import Evidence
from newscorpus.portal.portal import Portal
from newscorpus.urls import SLUG_WORDS, canonical_url, names_document

PORTAL_EVIDENCE = "portal"
"""Source of the evidence that a portal file gives."""

NAMED = Evidence("kind", "article", "user")
"""Travels with a page that the user named as one to take for an article."""


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


PAGE_KINDS = (FetchKind.ARTICLE, FetchKind.SECTION)
LIST_KINDS = (FetchKind.FEED, FetchKind.SITEMAP, FetchKind.MAYBE_LIST, FetchKind.SECTION)
"""Kinds whose answers name articles."""


class AddressTrust(StrEnum):
    """How likely an address is an article; in doubt the page decides."""

    CERTAIN = "certain"
    """The portal's patterns, a feed, or whoever asked for the page says so."""
    LIKELY = "likely"
    """It looks like an article's; a page that declares itself something else is none."""
    DOUBTFUL = "doubtful"
    """It looks like a section's; the page has to prove that it is an article."""
    UNLIKELY = "unlikely"
    """It looks like a list, a forum, a shop or a manual; the page needs the strongest proof."""
    LISTED = "listed"
    """It numbers a page of a list, or others like it were lists; only a page that declares an article is one."""
    SECTION = "section"
    """It is no article's: by the portal's file, or because it is a front page."""


PROMISING = (AddressTrust.CERTAIN, AddressTrust.LIKELY)
"""Addresses of which a page is an article unless it says otherwise."""

LISTING = re.compile(
    r"/(?:authors?|autor|tags?|tema|topics?)(?:/|$)|/(?:page|seite|strana|stranica|stranka|strona)(?:/?$|/\d+(?:/|$))",
    re.IGNORECASE,
)
OTHER_KINDS = re.compile(
    r"[/.](?:bbs|boards?|collections?|community|discuss(?:ion)?|docs?|documentation|e?shop|forums?|products?|questions?"
    r"|threads?|wiki)(?=[/.]|$)",
    re.IGNORECASE,
)
"""In `.host/path`: what lies beside the articles of many portals."""
PAGE_NUMBER = frozenset({"offset", "page", "paged", "start", "strana", "stranica", "stranka", "strona"})
DOCUMENT = re.compile(r"\.(?:aspx?|cfm|do|jhtml|jsp|php\d?|s?html?)$", re.IGNORECASE)
NUMBER = re.compile(r"\d{5,}")
"""An article's number; four digits may be a year."""
DAY_NUMBER = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
HASH = re.compile(
    r"(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])(?:[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"|(?=.*\d.*\d)(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z])[A-Za-z0-9_-]{16,}"
)
"""A segment that is a hash, a UUID, or the like in letters of both cases."""
ARTICLE_WORD = re.compile(
    r"article|(?<![a-z])(?:story|stories|artyk|artik|art[ií]cul|beitrag|clan(?:ek|ky|ok|ak)|vij?est|novost|noticia|statya"
    r"|zpr[aá]v|spr[aá]v|hir(?:ek)?(?![a-z])|haber|nouvelle)",
    re.IGNORECASE,
)
"""Begins words for an article or a piece of news, in directories, names of scripts and of parameters."""
ID = re.compile(r"[A-Za-z_.-]{0,6}\d{3,}[\w.-]*")
"""Beside such a word, what may be shorter than an article's number alone."""

FOLDER_PAGE = re.compile(r"/index\.\w{2,5}$")
DATED = re.compile(r"/(?:19|20)\d\d[/-]\d\d?[/-](?:\d\d?[/-])?(?=[^/]*[^\W\d_])")


def find_kind(url: str, portal: Portal) -> FetchKind:
    """Decide what `url` is fetched for: by the portal's patterns; where those leave it open, by its look."""
    if portal.is_article(url):
        return FetchKind.ARTICLE
    if portal.is_section(url):
        return FetchKind.SECTION
    if portal.only_articles and (portal.sections or looks_like_article(url)):
        return FetchKind.UNWANTED
    return FetchKind.ARTICLE if looks_like_article(url) else FetchKind.SECTION


def find_trust(url: str, portal: Portal, evidence: Collection[Evidence] = ()) -> AddressTrust:
    """Say how far `url` promises an article, by the portal's file, its look, or the evidence that came with it.

    What the user named is an article; so is what a feed describes, unless the portal knows its own by the address.
    """
    is_described = any(one.source != PORTAL_EVIDENCE for one in evidence) and not portal.articles and not is_front(url)
    if NAMED in evidence or is_described or portal.is_article(url):
        return AddressTrust.CERTAIN
    if portal.only_articles or portal.is_section(url) or url in portal.start or is_front(url):
        return AddressTrust.SECTION
    if looks_like_article(url):
        return AddressTrust.LIKELY
    if is_listing(url) and is_further(url):
        return AddressTrust.LISTED
    parts = urlsplit(url)
    is_other = is_listing(url) or find_archive(url) or OTHER_KINDS.search(f".{parts.hostname or ''}{parts.path}")
    return AddressTrust.UNLIKELY if is_other else AddressTrust.DOUBTFUL


def is_listing(url: str) -> bool:
    """Whether an address looks like a page of a list: of a tag, of an author, or one with a number in its query."""
    parts = urlsplit(url)
    # Beside a path a short `p` counts pages; alone it is the number of an article (WordPress).
    numbers = PAGE_NUMBER | {"p"} if parts.path.strip("/") else PAGE_NUMBER
    paged = (value for name, value in parse_qsl(parts.query) if name in numbers and (name != "p" or len(value) < 3))
    return bool(LISTING.search(parts.path)) or any(map(str.isdigit, paged))


def is_front(url: str) -> bool:
    """Whether an address is that of a front page, whatever its query asks for, as long as that names no number.

    The number of a page of its list is none.
    """
    parts = urlsplit(url)
    asked = (value or name for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in PAGE_NUMBER)
    return parts.path in {"", "/"} and not any(re.search(r"\d{3}|^\d+$", text) for text in asked)


def looks_like_article(url: str) -> bool:
    """Whether an address looks like an article's: a date, a number or hash of an article, or a headline at its end."""
    if is_listing(url):
        return False
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True)
    *folders, name = parts.path.strip("/").split("/")
    last = DOCUMENT.sub("", name)
    if DATED.search(FOLDER_PAGE.sub("/", parts.path)) or any(map(_is_id, folders)):
        return True
    texts = [last, *(text for pair in query for text in pair)]
    if any(_is_id(text) or (NUMBER.search(text) and not DAY_NUMBER.fullmatch(text)) for text in texts):
        return True
    named = any(map(ARTICLE_WORD.search, (*folders, name, *(key for key, _ in query))))
    if named and any(map(ID.fullmatch, (*folders, last, *(value for _, value in query)))):
        return True
    return sum(1 for word in re.split(r"[-_+]|%20", last) if word) >= SLUG_WORDS


def _is_id(text: str) -> bool:
    return bool(NUMBER.fullmatch(text) and not DAY_NUMBER.fullmatch(text)) or bool(HASH.fullmatch(text))


PATH_END = re.compile(
    r"(?:/(?:amp|print|tisk|tlac|stampaj|stampa|ispis|drukuj|druck)/?$|\.amp(?=(?:\.html|/)?$))", re.IGNORECASE
)
"""Ends of paths to another version, in several languages; `/story.amp.html` keeps its ending."""
PATH_BEGIN = re.compile(r"^/amp(?=/.)", re.IGNORECASE)
SWITCHES = frozenset({"amp", "nb", "print", "tisk"})
CHOICES = frozenset({"outputtype", "output", "view", "format", "version"})
VERSIONS = frozenset({"amp", "print"})
ACTIONS = frozenset({"_wpnonce", "like_comment", "replytocom", "reply_to", "unapproved", "moderation-hash"})
"""Parameters by which a page takes a reply or a vote."""
ARRANGEMENTS = frozenset({"dir", "order", "order_by", "orderby", "share", "shared", "sort", "sort_by", "sortby"})
"""Parameters that share a page or sort a list, unless their value is a number: that may be an article's."""


def plain_address(url: str) -> str:
    """Fold the address of another version of a page into the page's own; other addresses stay as they are.

    Such versions are for phones (AMP) or print, show a form for a reply, share the page, or sort a list.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    plain = PATH_END.sub(lambda found: "/" if found[0].endswith("/") else "", parts.path)
    path = PATH_BEGIN.sub("", plain if names_document(plain) else parts.path)  # "/media/print" may be a section
    pairs = parts.query.split("&")
    kept = [pair for pair in pairs if not _asks_for_version(*pair.partition("=")[::2])]
    if path == parts.path and kept == pairs:
        return url
    return urlunsplit(parts._replace(path=path, query="&".join(kept)))


def _asks_for_version(name: str, value: str) -> bool:
    name, value = name.lower(), value.lower()
    if name in ACTIONS or (name in ARRANGEMENTS and not re.search(r"\d{3}", value)):
        return True
    return (name in SWITCHES and value in {"", "1", "true", "yes"}) or (name in CHOICES and value in VERSIONS)


MAX_PARAMETERS = 8
MAX_REPEATS = 2
"""Most times a path names the same directory; broken relative links repeat it without end."""

FORESIGHT = timedelta(days=7)
"""How far ahead of today a date in an address may lie: events of the coming week are announced with their date."""

FUTURE = "a date to come"
"""How the trap of an endless calendar begins; one such address alone is none."""

WRITTEN_DATE = re.compile(
    r"(?<!\d)(19\d\d|20\d\d|21\d\d)(?:[-/._](0[1-9]|1[0-2]|[1-9](?!\d))(?:[-/._](0[1-9]|[12]\d|3[01]))?"
    r"|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))(?!\d)"
)
"""Year, month and day, or year and month with something between them; six digits alone are a number."""
YEAR_NAMES = frozenset({"year", "y", "rok", "god", "godina", "leto", "jahr"})
MONTH_NAMES = frozenset({"month", "m", "mesic", "mesiac", "mjesec", "mesec", "miesiac", "monat"})


def find_trap(url: str, today: date) -> str:
    """Return why `url` looks like a trap (endless calendar, growing path, piled-up parameters), or ""."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "no valid address"
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if (latest := max(_dates(parts.path, parameters), default=date.min)) > today + FORESIGHT:
        return f"{FUTURE}: {latest:%Y-%m}"
    directories = Counter(part for part in parts.path.split("/")[:-1] if part and not part.isdigit())
    if directories and max(directories.values()) > MAX_REPEATS:
        return f"a path that repeats itself: {directories.most_common(1)[0][0]}"
    if len(parameters) > MAX_PARAMETERS and (n := urlsplit(canonical_url(url)).query.count("&") + 1) > MAX_PARAMETERS:
        return f"{n} parameters"
    return ""


def shape_of(url: str) -> str:
    """What addresses have in common that differ only in digits: pages of a section, days of an archive."""
    return re.sub(r"\d+", "0", url)


FURTHER = re.compile(
    r"[/_-](?:index|p|page|pg|seite|str|strana|stranica|stranka|strona)[/_-]?\d{1,4}(?:\.\w{2,5})?/?$", re.IGNORECASE
)
"""The end of the path of a list's further page."""
NAMED_ARCHIVE = re.compile(
    r"/(?:authors?|autori?|[ck]ategor[a-z]{1,4}|keywords?|labels?|tags?|tema|topics?)/[^/]+/?$", re.IGNORECASE
)
DAY_ARCHIVE = re.compile(r"/(?:19|20)\d\d(?:[/-](?:0?[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?)?(?:/|\.html?)?$")
ARCHIVE_NAMES = frozenset({"author", "author_name", "cat", "category_name", "m", "tag"})
"""Parameters of a front page that ask for such an archive (WordPress without permalinks)."""


def find_archive(url: str) -> str:
    """The shape of the archive of a tag, category, author, year, month or day at `url`; "" where there is none.

    It ends in `*`, unless it is that of an archive of years, months or days.

    Such archives repeat what start pages, feeds and sitemaps name, and there may be more of them than articles.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    path = FURTHER.sub("", FOLDER_PAGE.sub("/", parts.path))
    if found := NAMED_ARCHIVE.search(path):
        begin, word = path[: found.start()], found[0].split("/")[1]
        return f"{parts.netloc}{re.sub(r'[0-9]+', '0', begin)}/{word}/*"
    if DAY_ARCHIVE.search(path):
        return f"{parts.netloc}{re.sub(r'[0-9]+', '0', path.rstrip('/'))}"
    asked = {name for name, _ in parse_qsl(parts.query)} & ARCHIVE_NAMES if path in {"", "/"} else ()
    name = min(asked, default="")
    return f"{parts.netloc}/?{name}" + "=*" * (name != "m") if name else ""


def is_further(url: str) -> bool:
    """Whether `url` is a further page of a list, by a number at the end of its path or in its query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(FURTHER.search(parts.path)) or any(
        name in PAGE_NUMBER and value.isdigit() for name, value in parse_qsl(parts.query)
    )


NAME = re.compile(r"[^/.]*[^\W\d_][^/.]*")
"""In a path: a directory or the name of a page, unless it is a number."""
KEPT_PATTERNS = 2_000
"""Size of the cache of patterns: each is needed several times."""


@lru_cache(KEPT_PATTERNS)
def pattern_of(url: str) -> str:
    """What addresses have in common that differ in words and numbers; names of articles and of lists stay apart."""
    parts = urlsplit(url)
    path = re.sub(r"\d+", "0", NAME.sub(_kind_of_name, parts.path))
    names = "&".join(sorted(name for name, _ in parse_qsl(parts.query)))
    is_list = is_listing(url) or is_further(url) or find_archive(url)
    return f"{parts.netloc}{path}?{names}" + " list" * bool(is_list)


def _kind_of_name(name: re.Match[str]) -> str:
    """`**` for a name of many words or with a number, as articles have, `*` for another one."""
    words = [word for word in re.split(r"[-_+]|%20", name[0]) if word]
    return "**" if len(words) >= SLUG_WORDS or any(map(str.isdigit, name[0])) else "*"


@lru_cache(KEPT_PATTERNS)
def section_of(url: str) -> str:
    """The section that an address names: its host and the first step of its path, if that is not the page's own."""
    parts = urlsplit(url)
    first, _, rest = parts.path.strip("/").partition("/")
    return f"{parts.netloc}/{first}" if rest and not any(map(str.isdigit, first)) else parts.netloc


def latest_date(url: str) -> date | None:
    """Return the latest day or month in an address; None without a date."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return max(_dates(parts.path, parse_qsl(parts.query)), default=None)


def _dates(path: str, parameters: list[tuple[str, str]]) -> Iterator[date]:
    """Return the dates in a path or a query; a missing day or month counts as the first."""
    for text in (path, *(value for _, value in parameters)):
        for year, month, day, joined_month, joined_day in WRITTEN_DATE.findall(text):
            yield from _valid(year, month or joined_month, day or joined_day or "1")
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
