"""Describe a portal: its addresses, limits, quiet hours and rules, and which URLs belong to it.

How URLs are matched:

- `articles`, `sections` and `ignore` are regular expressions searched (by `regex`) in the URL's path with its query,
  such as `/news/a-1.html?page=2`. Anchor with `^` and `$` where the whole must match. Letter case counts,
  percent-encoding stays as it is, the fragment is left out, and a URL without a path has the path `/`.
- `domains` are host names without port; a URL belongs to the portal if its host is one of them or lies below one.
"""

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

MATCH_SECONDS = 0.05
"""Longest time for a pattern and an address. Most take microseconds; those that try every way to cut a long slug into
pieces would take years, and hold the whole crawl up."""

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

    # Most pages fetched in one crawl, and anew in each revisit; by default 10,000, and 366,000 more for each calendar
    # year back to `-a since=`.
    max_pages: Annotated[int, msgspec.Meta(ge=1)] | None = None
    # Most links followed one after the other from a start page; by default 8, and 36,600 more for each such year.
    max_depth: Annotated[int, msgspec.Meta(ge=0)] | None = None
    # Most bytes of bodies, as they are sent, asked of the portal in one run; by default 2 MB for each of `max_pages`.
    max_bytes: Annotated[int, msgspec.Meta(ge=1)] | None = None


@dataclass(frozen=True, slots=True)
class PolitenessSection:
    """The `[politeness]` of a portal file; `read_quiet_hours` reads it."""

    quiet_hours: str = ""  # span of every day in which the portal is not asked, such as `"22:00-06:00"`
    time_zone: str = "UTC"  # whose clock `quiet_hours` means, such as `"Europe/Belgrade"`


@dataclass(frozen=True, slots=True)
class TemplateSection:
    """The `[template]` of a portal file: rules to remove elements, and rules for each field; see `rules`."""

    # Elements to take out before the text is read, by the template or the extractor; fields are read from the whole
    # page.
    remove: Texts = ()
    text: Texts = ()  # where the main text is; if it finds something, that is the text
    title: Texts = ()  # where the headline is
    lead: Texts = ()  # where the opening paragraph is
    authors: Texts = ()  # where the names of the authors are
    published: Texts = ()  # where the date of publication is
    modified: Texts = ()  # where the date of the last change is
    section: Texts = ()  # where the name of the section is
    tags: Texts = ()  # where the keywords are
    description: Texts = ()  # where the summary is
    language: Texts = ()  # where the code of the language is
    license: Texts = ()  # where the licence is


@dataclass(frozen=True, slots=True)
class TemplateVersion(TemplateSection):
    """A template for the pages that were fetched on some days: those of one design of the site."""

    since: date | None = None  # the first of the days, in UTC, such as `2026-03-01`; by default from the beginning
    until: date | None = None  # the day after the last one; by default it holds still

    def holds_on(self, day: date) -> bool:
        """Whether pages that were fetched on `day` go by it."""
        return (self.since or date.min) <= day and (self.until is None or day < self.until)

    @property
    def rules(self) -> TemplateSection:
        """The rules without the days: what decides on a page."""
        return TemplateSection(**{name: getattr(self, name) for name in TemplateSection.__slots__})


@dataclass(frozen=True, slots=True)
class Portal:
    """A configured news site."""

    # The name of the file without `.toml`; of a-z, 0-9 and "-".
    name: Annotated[str, msgspec.Meta(pattern=f"^{NAME.pattern}$")]
    # Codes of ISO 639 of the texts that are wanted, of two letters where there are two, such as `["cs"]` (not `cz`,
    # `ces` or `cs-CZ`); the first is the main one. Articles in other languages are rejected.
    languages: Annotated[Texts, msgspec.Meta(min_length=1)]
    # Host names without scheme and port, in lower case, international ones as `xn--`; hosts below them belong to the
    # portal too.
    domains: Annotated[tuple[Domain, ...], msgspec.Meta(min_length=1)]
    start: Annotated[tuple[Address, ...], msgspec.Meta(min_length=1)]  # addresses of the pages to begin with
    feeds: tuple[Address, ...] = ()  # addresses of RSS or Atom feeds
    sitemaps: tuple[Address, ...] = ()  # addresses of sitemaps or sitemap indexes
    # Which URLs are articles, for certain; the others are judged by address and page (docs/discovery.md).
    articles: Texts = ()
    sections: Texts = ()  # which URLs are pages to follow for links, for certain no articles
    ignore: Texts = ()  # which URLs are never fetched
    only_articles: bool = False  # `true`: nothing is an article but what `articles` names
    # `true`, the default: of a page declared not free, only what it shows is read (docs/main-text.md).
    respect_paywall: bool = True
    # Parts of articles that are left out of the texts, of `"embedded_posts"`, `"tables"`, `"boxes"`; none by default
    # (docs/main-text.md#conventions).
    leave_out: tuple[Part, ...] = ()
    # Least pause between two requests; 1 by default, as in Scrapy's own project template (docs/politeness.md).
    delay_seconds: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 1.0
    # Address of the archive's page of a day, a month or a year, such as
    # `"https://www.vesti.example/arhiva/{year}/{month:02}/{day:02}"`; read when a crawl is given `-a since=`
    # (docs/discovery.md).
    archive: str = ""
    # Name of the extractor, or folder of a model of your own, such as `"models/vesti"`, from `scrapy.cfg` or the
    # current folder on; the default one if it is missing (docs/own-models.md).
    extractor: str = ""
    # The rules that revise the labels of its blocks, in order, such as `["start", "neighbours"]`; its own if they are
    # missing (docs/post-analysis.md).
    post_analysis: Texts | None = None
    # Phrases that end an article, such as `["Preberite tudi"]`, beside those that the rules `terminating_phrases` and
    # `ignore_after_content` know; `shallow-tree` uses these rules, other extractors where `post_analysis` names them.
    end_phrases: Texts = ()
    upper: float | None = None  # score above which a block is good; by default that of the model
    lower: float | None = None  # score above which a block is almost good; by default that of the model
    # Folder of a model of your own that reads title, date and authors where pages do not declare them
    # (docs/own-models.md).
    fields_model: str = ""
    # Cookies of your own that go with every request to the portal's hosts, by name; a value such as `"$VESTI_SESSION"`
    # stands in the environment (docs/politeness.md#cookies-and-headers-of-your-own).
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    # Headers of your own, likewise (docs/politeness.md#cookies-and-headers-of-your-own).
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    # `true`: its pages are empty until scripts fill them, which a browser does before they are read; takes the extra
    # `render` (docs/crawling.md#pages-that-scripts-fill).
    render: bool = False
    limits: PortalLimits = PortalLimits()  # bounds on one crawl
    politeness: PolitenessSection = PolitenessSection()  # when the portal is not asked
    # The site's own rules for text and fields, or several versions of them; None where there are none.
    template: TemplateVersion | tuple[TemplateVersion, ...] | None = None

    @property
    def templates(self) -> tuple[TemplateVersion, ...]:
        """The versions of the template, in the order of the file."""
        if self.template is None:
            return ()
        return self.template if isinstance(self.template, tuple) else (self.template,)

    def template_for(self, fetched: str) -> TemplateSection | None:
        """The rules for a page that was fetched at some time, ISO 8601; None where no version holds on that day.

        The newest version counts where the time is unknown.
        """
        day = _day_of(fetched)
        if day is None:
            newest = max(self.templates, key=lambda one: one.since or date.min, default=None)
            return newest.rules if newest else None
        return next((one.rules for one in self.templates if one.holds_on(day)), None)

    def covers(self, url: str) -> bool:
        """Whether the host of `url` is one of the domains or lies below one."""
        return is_within(url, self.domains)

    def is_article(self, url: str) -> bool:
        """Whether a pattern of `articles` is found in path and query of `url`; False where there is none."""
        return bool(self.find_pattern("articles", url))

    def is_section(self, url: str) -> bool:
        """Whether a pattern of `sections` is found in path and query of `url`; False where there is none."""
        return bool(self.find_pattern("sections", url))

    def is_ignored(self, url: str) -> bool:
        """Whether a pattern of `ignore` is found in path and query of `url`."""
        return bool(self.find_pattern("ignore", url))

    def find_pattern(self, key: str, url: str) -> str:
        """The first pattern of "articles", "sections" or "ignore" that is found in `url`; "" where none is."""
        try:
            target = target_of(url)
        except ValueError:  # what cannot be split matches nothing
            return ""
        patterns = enumerate(getattr(self, key))
        return next((one for n, one in patterns if self._matches(f"{key}[{n}]", one, target)), "")

    def _matches(self, where: str, pattern: str, target: str) -> bool:
        try:
            return _compiled(pattern).search(target, timeout=MATCH_SECONDS) is not None
        except TimeoutError:
            _warn_of(f"portal {self.name}: {where}: {pattern!r}")
            return False


def target_of(url: str) -> str:
    """What patterns are searched in: the path of an address with its query."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


@cache
def _compiled(pattern: str) -> regex.Pattern:
    return regex.compile(pattern)


@cache
def _warn_of(pattern: str) -> None:
    """Say once that a pattern takes too long."""
    logger.warning("%s takes more than %g s on some addresses, which count as not found by it", pattern, MATCH_SECONDS)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A span of every day in which a portal is not asked; it may reach over midnight."""

    begin: time  # wall clock time at which it begins
    end: time  # at which it ends
    zone: ZoneInfo  # whose wall clock

    def until(self, now: float) -> float:
        """When the quiet hours that hold at `now` end; `now` itself outside them. Seconds since the epoch."""
        here = datetime.fromtimestamp(now, self.zone)
        for day in (here.date() - timedelta(days=1), here.date()):
            begin = datetime.combine(day, self.begin, self.zone)
            last = day if self.begin < self.end else day + timedelta(days=1)
            end = datetime.combine(last, self.end, self.zone)
            if begin.timestamp() <= now < end.timestamp():
                return end.timestamp()
        return now


def _day_of(fetched: str) -> date | None:
    """The day, in UTC, of a time in ISO 8601, which is in UTC itself where it has no offset; None for anything else."""
    try:
        at = datetime.fromisoformat(fetched)
    except ValueError:
        return None
    return (at.astimezone(UTC) if at.tzinfo else at).date()


def read_quiet_hours(section: PolitenessSection) -> QuietHours | None:
    """Read when a portal is not asked; None where it may be asked at any time.

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
    """The address of the archive's page that lists `day`.

    Args:
        pattern: as in `Portal.archive`.
        day: a day of the archive.

    Raises:
        ValueError: the pattern holds something else in braces, or no year.
    """
    fields = ARCHIVE_FIELD.findall(pattern)
    if unknown := [field for field in fields if not KNOWN_FIELD.fullmatch(field)]:
        raise ValueError(f"{{{unknown[0]}}} is not known; known: {{year}}, {{month}}, {{day}}, {{month:02}} ...")
    if not any(field.startswith("year") for field in fields) or re.search(r"[{}]", ARCHIVE_FIELD.sub("", pattern)):
        raise ValueError(f"{pattern!r} names no {{year}}, or has a brace too many")
    return pattern.format(year=day.year, month=day.month, day=day.day)


def archive_pages(pattern: str, first: date, last: date) -> Iterator[str]:
    """The addresses of the archive's pages for the days from `last` back to `first`, each once.

    Raises:
        ValueError: as `archive_page`.
    """
    days = (last - timedelta(days=back) for back in range((last - first).days + 1))
    return iter(dict.fromkeys(archive_page(pattern, day) for day in days))
