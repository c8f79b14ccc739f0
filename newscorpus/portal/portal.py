"""Describe a portal: its addresses, limits, quiet hours and rules, and which URLs belong to it.

How URLs are matched:

- `articles`, `sections` and `ignore` are regular expressions searched (by `regex`) in the URL's path and query, such as
  `/news/a-1.html?page=2`. They are case-sensitive; percent-encoding stays, the fragment is removed, and an empty path
  is `/`.
- `domains` are host names without port; a URL belongs to the portal if its host is one of them or a subdomain.
"""

import hashlib
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import regex

from newscorpus.config import Part
from newscorpus.urls import is_within

VERSION_LENGTH = 8

MATCH_SECONDS = 0.05
"""Time limit for a pattern on one address. Most take microseconds; a pattern that backtracks exponentially over a long
slug would block the crawl for years."""

NAME = re.compile(r"[a-z0-9-]+")
QUIET_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
ARCHIVE_FIELD = re.compile(r"{([^{}]*)}")
KNOWN_FIELD = re.compile(r"(year|month|day)(?::0?[1-9])?")

logger = logging.getLogger(__name__)

Texts = tuple[str, ...]
Domain = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9_-]+(\.[a-z0-9_-]+)*$")]
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://[\w.-]+(:[0-9]+)?([/?#]\S*)?$")]


@dataclass(frozen=True, slots=True)
class PortalLimits:
    """Bounds on one crawl of a portal."""

    # Maximum pages per crawl, and per revisit; by default 10,000, and 366,000 for each calendar year back to
    # `--since`.
    max_pages: Annotated[int, msgspec.Meta(ge=1)] | None = None
    # Maximum distance in links from a start page; by default 8, and 36,600 for each such year.
    max_depth: Annotated[int, msgspec.Meta(ge=0)] | None = None
    # Maximum bytes of response bodies, as sent, per run; by default 2 MB for each of `max_pages`.
    max_bytes: Annotated[int, msgspec.Meta(ge=1)] | None = None


@dataclass(frozen=True, slots=True)
class PolitenessSection:
    """The `[politeness]` of a portal file; `read_quiet_hours` reads it."""

    quiet_hours: str = ""  # daily span without requests, such as `"22:00-06:00"`
    time_zone: str = "UTC"  # time zone of `quiet_hours`, such as `"Europe/Belgrade"`


@dataclass(frozen=True, slots=True)
class TemplateSection:
    """The `[template]` of a portal file: rules for elements to remove, and for each field."""

    # Elements removed before the text is extracted, by template or extractor; fields use the whole page.
    remove: Texts = ()
    text: Texts = ()  # the main text; without a match the extractor finds it
    title: Texts = ()  # the headline
    lead: Texts = ()  # the opening paragraph
    authors: Texts = ()  # the names of the authors
    published: Texts = ()  # the date of publication
    modified: Texts = ()  # the date of the last change
    section: Texts = ()  # the name of the section
    tags: Texts = ()  # the keywords
    description: Texts = ()  # the summary
    language: Texts = ()  # the language code
    license: Texts = ()  # the licence


def version_of(section: TemplateSection) -> str:
    """Return a hash of a template's rules."""
    return hashlib.sha256(msgspec.json.encode(section)).hexdigest()[:VERSION_LENGTH]


@dataclass(frozen=True, slots=True)
class TemplateVersion(TemplateSection):
    """A template for one design of the site: for the pages fetched in a span of days."""

    since: date | None = None  # first day (UTC), such as `2026-03-01`; by default no limit
    until: date | None = None  # the day after the last one; by default no limit

    def holds_on(self, day: date) -> bool:
        """Whether the template applies to pages fetched on `day`."""
        return (self.since or date.min) <= day and (self.until is None or day < self.until)

    @property
    def rules(self) -> TemplateSection:
        """The rules without the days."""
        return TemplateSection(**{name: getattr(self, name) for name in TemplateSection.__slots__})


@dataclass(frozen=True, slots=True)
class Portal:
    """A configured news site."""

    # File name without `.toml`: a-z, 0-9 and "-".
    name: Annotated[str, msgspec.Meta(pattern=f"^{NAME.pattern}$")]
    # ISO 639 codes of the languages to keep, with two letters where they exist, such as `["cs"]` (not `cz`, `ces` or
    # `cs-CZ`); the main one first. Articles in other languages are rejected.
    languages: Annotated[Texts, msgspec.Meta(min_length=1)]
    # Host names without scheme and port, in lower case, international ones as `xn--`; subdomains are included.
    domains: Annotated[tuple[Domain, ...], msgspec.Meta(min_length=1)]
    start: Annotated[tuple[Address, ...], msgspec.Meta(min_length=1)]  # addresses of the start pages
    feeds: tuple[Address, ...] = ()  # addresses of RSS or Atom feeds
    sitemaps: tuple[Address, ...] = ()  # addresses of sitemaps or sitemap indexes
    # URLs that are certainly articles; others are judged by address and page (docs/discovery.md).
    articles: Texts = ()
    sections: Texts = ()  # URLs of pages to follow for links, certainly no articles
    ignore: Texts = ()  # URLs never to be fetched
    only_articles: bool = False  # `true`: only URLs that match `articles` are articles
    # `true`, the default: of a page declared not free, only the visible text is used (docs/main-text.md).
    respect_paywall: bool = True
    # Parts of articles to leave out: `"embedded_posts"`, `"tables"`, `"boxes"`; by default none
    # (docs/main-text.md#conventions).
    leave_out: tuple[Part, ...] = ()
    # Minimum pause between two requests; by default 1, as in Scrapy's project template (docs/politeness.md).
    delay_seconds: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 1.0
    # Address of the archive's page for a day, a month or a year, such as
    # `"https://www.vesti.example/arhiva/{year}/{month:02}/{day:02}"`; used with `--since` (docs/discovery.md).
    archive: str = ""
    # Name of the extractor, or folder of your own model, such as `"models/vesti"`, relative to `scrapy.cfg` or the
    # current folder (docs/own-models.md).
    extractor: str = ""
    # Rules that revise the labels of blocks, in order, such as `["start", "neighbours"]`, or the set `["mrozek"]`,
    # `["brezovnik"]` or `["none"]`; by default those of the extractor (docs/post-analysis.md).
    post_analysis: Texts | None = None
    # Further phrases that end an article, such as `["Preberite tudi"]`, for the rules `terminating_phrases` and
    # `ignore_after_content` of `shallow-tree` or `post_analysis`.
    end_phrases: Texts = ()
    upper: float | None = None  # score above which a block is good; by default the model's
    lower: float | None = None  # score above which a block is almost good; by default the model's
    # Folder of your own model for title, date and authors of pages that do not declare them (docs/own-models.md).
    fields_model: str = ""
    # Your own cookies for every request to the portal's hosts, by name; a value such as `"$VESTI_SESSION"` names an
    # environment variable (docs/politeness.md#cookies-and-headers-of-your-own).
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    # Your own headers, in the same form.
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    # `true`: a browser runs the scripts of pages that are empty without them; requires the extra `render`
    # (docs/crawling.md#pages-that-scripts-fill).
    render: bool = False
    # Plain template file for `template.text`, relative to the portal's file
    # (docs/portals.md#a-plain-template-file).
    template_file: str = ""
    limits: PortalLimits = PortalLimits()  # bounds on one crawl
    politeness: PolitenessSection = PolitenessSection()  # quiet hours
    # The site's own rules for text and fields, or several versions of them; None where there are none.
    template: TemplateVersion | tuple[TemplateVersion, ...] | None = None

    @property
    def templates(self) -> tuple[TemplateVersion, ...]:
        """The versions of the template, in the order of the file."""
        if self.template is None:
            return ()
        return self.template if isinstance(self.template, tuple) else (self.template,)

    def template_for(self, fetched: str) -> TemplateSection | None:
        """Return the rules for a page by the time of its fetch, ISO 8601 (UTC without offset); None if none apply.

        If the time is unknown, the newest version applies.
        """
        try:
            at = datetime.fromisoformat(fetched)
        except ValueError:
            newest = max(self.templates, key=lambda one: one.since or date.min, default=None)
            return newest.rules if newest else None
        day = (at.astimezone(UTC) if at.tzinfo else at).date()
        return next((one.rules for one in self.templates if one.holds_on(day)), None)

    def covers(self, url: str) -> bool:
        """Whether the host of `url` is one of the domains or a subdomain."""
        return is_within(url, self.domains)

    def is_article(self, url: str) -> bool:
        """Whether a pattern of `articles` matches `url`."""
        return bool(self.find_pattern("articles", url))

    def is_section(self, url: str) -> bool:
        """Whether a pattern of `sections` matches `url`."""
        return bool(self.find_pattern("sections", url))

    def is_ignored(self, url: str) -> bool:
        """Whether a pattern of `ignore` matches `url`."""
        return bool(self.find_pattern("ignore", url))

    def find_pattern(self, key: str, url: str) -> str:
        """Return the first pattern of "articles", "sections" or "ignore" that matches `url`; "" if none does."""
        try:
            target = target_of(url)
        except ValueError:  # not a valid URL
            return ""
        for position, pattern in enumerate(getattr(self, key)):
            try:
                # Holds the GIL, else each search of microseconds may wait for another thread of the crawl.
                if _compiled(pattern).search(target, timeout=MATCH_SECONDS, concurrent=False):
                    return str(pattern)
            except TimeoutError:
                _warn_of(f"portal {self.name}: {key}[{position}]: {pattern!r}")
        return ""


def target_of(url: str) -> str:
    """Return the part of a URL in which patterns are searched: path and query."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


@cache
def _compiled(pattern: str) -> regex.Pattern:
    return regex.compile(pattern)


@cache
def _warn_of(pattern: str) -> None:
    """Warn once of a slow pattern."""
    logger.warning("%s takes more than %g s on some addresses, which count as not found by it", pattern, MATCH_SECONDS)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A daily span without requests; it may include midnight."""

    begin: time  # wall clock time
    end: time  # wall clock time
    zone: ZoneInfo  # of both

    def until(self, now: float) -> float:
        """Return the end of the quiet hours around `now`, or `now` outside them, in seconds since the epoch."""
        here = datetime.fromtimestamp(now, self.zone)
        for day in (here.date() - timedelta(days=1), here.date()):
            begin = datetime.combine(day, self.begin, self.zone)
            last = day if self.begin < self.end else day + timedelta(days=1)
            end = datetime.combine(last, self.end, self.zone)
            if begin.timestamp() <= now < end.timestamp():
                return end.timestamp()
        return now


def read_quiet_hours(section: PolitenessSection) -> QuietHours | None:
    """Read the quiet hours; None if there are none.

    Raises:
        ValueError: the span or the time zone is wrong; the message names the key.
    """
    name, text = section.time_zone, section.quiet_hours
    try:
        zone = ZoneInfo(name)
    except (ValueError, ZoneInfoNotFoundError) as error:
        raise ValueError(f"time_zone: {name!r} is no zone of the IANA database, such as 'Europe/Prague'") from error
    if not text:
        return None
    found = QUIET_HOURS.fullmatch(text)
    if not found or found[1] + found[2] == found[3] + found[4]:
        raise ValueError(f"quiet_hours: {text!r}; expected a span such as '22:00-06:00'")
    first_hour, first_minute, last_hour, last_minute = map(int, found.groups())
    return QuietHours(time(first_hour, first_minute), time(last_hour, last_minute), zone)


def archive_page(pattern: str, day: date) -> str:
    """Return the address of the archive's page that lists `day`, by a pattern as in `Portal.archive`.

    Raises:
        ValueError: the pattern has an unknown field, or no year.
    """
    fields = ARCHIVE_FIELD.findall(pattern)
    if unknown := [field for field in fields if not KNOWN_FIELD.fullmatch(field)]:
        raise ValueError(f"{{{unknown[0]}}} is not known; known: {{year}}, {{month}}, {{day}}, {{month:02}} ...")
    if not any(field.startswith("year") for field in fields) or re.search(r"[{}]", ARCHIVE_FIELD.sub("", pattern)):
        raise ValueError(f"{pattern!r} names no {{year}}, or has a brace too many")
    return pattern.format(year=day.year, month=day.month, day=day.day)


def archive_pages(pattern: str, first: date, last: date) -> Iterator[str]:
    """Return the addresses of the archive's pages for the days from `last` back to `first`, each once.

    Raises:
        ValueError: as `archive_page`.
    """
    days = (last - timedelta(days=back) for back in range((last - first).days + 1))
    return iter(dict.fromkeys(archive_page(pattern, day) for day in days))
