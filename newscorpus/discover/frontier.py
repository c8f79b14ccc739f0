"""Decide once on every new address of a portal, and recognise content seen under another address."""

import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b, sha256
from urllib.parse import urljoin, urlsplit

from newscorpus.data import Evidence, Rejected
from newscorpus.discover.period import ALWAYS, CrawlBounds, Period, days_of
from newscorpus.page.judgement import PageLinks
from newscorpus.portal.addresses import (
    FUTURE,
    AddressTrust,
    FetchKind,
    find_archive,
    find_kind,
    find_trap,
    find_trust,
    is_further,
    is_listing,
    pattern_of,
    section_of,
    shape_of,
)
from newscorpus.portal.portal import Portal, target_of
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.values import OVER_BUDGET, UrlOutcome
from newscorpus.urls import may_ask

BUDGET_SPENT = "rejected/discovery/page_budget"
"""Count in the ledger of addresses refused because the portal's page budget was spent."""

MAX_URL_LENGTH = 2_000
"""Longest address fetched; browsers and servers have long had their limit at about 2,000 characters."""

MAX_IN_A_ROW = 200
"""Maximum listings of one shape in a row without a new article (half a year of a daily archive), and maximum articles
in a row on such listings that predate the period and lead further away from it."""

BARREN = f"{MAX_IN_A_ROW} listings of its shape in a row named no article that others of them had not named"
EARLIER = f"{MAX_IN_A_ROW} articles in a row that listings of its section named are of days before those asked for"

BARREN_ARCHIVES = "barren_archives"
"""Prefix of the counts in the ledger of archives in a row without a new article: per shape, and of all shapes."""
MAX_BARREN_ARCHIVES, LEAST_BARREN_ARCHIVES = 30, 8
"""Maximum archives of tags, categories, authors and days in a row, of all shapes, without a new article; and the
minimum of these of one shape: a blog has four shapes, which are read in turn."""
MAX_SUPERFLUOUS_ARCHIVES, LEAST_SUPERFLUOUS_ARCHIVES = 8, 2
"""The same if feeds and sitemaps have listed every article so far (a choice)."""
NOTHING_NEW = "{} archives of tags, categories, authors or days in a row brought no new article"

NAMED_BY_LISTS, NAMED_BY_PAGES = "named_by_lists", "named_by_pages"
"""Counts in the ledger of kept articles found in a feed or sitemap, and of those found on pages only."""

LISTS_OF, ARTICLES_OF = "lists_of", "articles_of"
"""Prefixes of the counts in the ledger of pages per address pattern and section: lists, and articles."""
FOUND_LISTS = frozenset({("discovery", "section"), ("extract", "no_article")})
"""Stages and reasons of pages that were judged not to be articles."""
ALIKE = 10
"""After this many pages of a pattern that were all lists, or all articles, the next is assumed to be one (a choice)."""

MOST_COUNTED = 200
"""The first addresses of a shape that are counted."""

LEAST_SECTIONS = 20
"""Minimum pages of one shape judged not to be articles before the shape counts as a listing."""

MAX_REMEMBERED = 10_000
"""Contents remembered, one or two megabytes; a site that serves one page under many addresses does so in a row."""

MAX_ADDRESSES = 2
"""Maximum addresses with the same content whose links are followed: an article may be in two sections."""

OWN_LETTERS = 200
"""Letters that a page must have beyond the site's page for missing addresses, which may show the address."""


@dataclass(slots=True)
class Frontier:
    """Decides once on every address of a portal: fetch, refuse with a reason, or skip. The ledger remembers."""

    portal: Portal  # owner of the addresses
    today: date  # the day of the crawl; dates far ahead of it are a sign of a trap
    ledger: Ledger  # of the crawl
    loopback: frozenset[str] = frozenset()  # `host:port` on localhost that may be fetched
    period: Period = ALWAYS  # days of publication to collect
    bounds: CrawlBounds = field(init=False)
    _admitted: int = field(init=False)
    _full: bool = field(init=False)

    def __post_init__(self) -> None:
        self.bounds = CrawlBounds.fit(self.portal.limits, self.period, self.today)
        self._admitted = self.ledger.counts.taken_in(self.portal.name)
        spent = self._admitted >= self.bounds.max_pages
        self._full = spent and self.ledger.counts.of(BUDGET_SPENT, self.portal.name) > 0

    def admit(self, url: str, depth: int, kind: FetchKind | None = None) -> FetchKind | Rejected | None:
        """Decide whether to fetch `url`, by default for the purpose that its address tells.

        `depth` is the number of links followed to get there; 0 for addresses from the portal file or the user's list.

        Returns:
            the purpose of the fetch; the refusal; or None if the address is known, belongs to another site, or comes
            after the refusal that reported the page budget as spent.
        """
        allowed = may_ask(url, self.loopback)
        if allowed and not self.portal.covers(url):
            return None
        if len(url) > MAX_URL_LENGTH:  # it is neither stored nor looked at any further
            short = url[:MAX_URL_LENGTH]
            is_new = self.ledger.reserve(short, self.portal.name)
            return Rejected("discovery", "url_too_long", f"{len(url)} characters", short) if is_new else None
        kind = kind or find_kind(url, self.portal)
        trap = "" if depth == 0 or self.portal.is_article(url) else find_trap(url, self.today)
        is_list = kind in {FetchKind.SECTION, FetchKind.SITEMAP}
        shape = self._shape(url) if is_list or trap.startswith(FUTURE) else 0
        if not self.ledger.reserve(url, self.portal.name, kind, shape, is_near=depth <= self.bounds.max_depth):
            return None
        if not allowed:
            return Rejected("fetch", "private_address", "no address of the public web", url)
        refused = self._refuse_listing(url, trap, shape) if depth else None
        return refused or find_refusal(self.portal, url, depth, kind, self.bounds) or self._within_budget(url, kind)

    def _within_budget(self, url: str, kind: FetchKind) -> FetchKind | Rejected | None:
        limit = self.bounds.max_pages
        if self._admitted < limit:
            self._admitted += 1
            return kind
        self.ledger.counts.add(self.portal.name, OVER_BUDGET)
        is_reported, self._full = self._full, True
        detail = f"after {limit} pages neither this one nor any other"
        return None if is_reported else Rejected("discovery", "page_budget", detail, url)

    def end_listing(self, url: str, links: Iterable[str]) -> Iterator[Rejected]:
        """Record the links of the listing at `url`; after too many barren ones of its shape, refuse the queued ones.

        A listing is not barren if it links to a possible article of the period that no listing of its shape linked to
        before, or if its days come nearer to the period.
        """
        if not re.search(r"\d", target_of(url)):  # the only one of its shape
            return
        shape, listings = self._shape(url), self.ledger.listings
        others = (link for link in links if self._shape(link) != shape and not self.ledger.removals.covers(link))
        articles = [*filter(self._may_be_article, listings.add_named(shape, others))]
        leads_on = any(map(self.period.may_lead_to, articles))
        if not leads_on:
            certain = (url for url in articles if find_kind(url, self.portal) is FetchKind.ARTICLE)
            latest = max((days[1] for days in map(days_of, certain) if days), default=None)
            leads_on = latest is not None and listings.note_latest_day(shape, latest, self.period.since)
        n_barren = listings.count(shape, leads_on=leads_on)
        if n_barren >= MAX_IN_A_ROW and self._lists(url, shape):
            for withdrawn in listings.withdraw(self.portal.name, shape):
                yield Rejected("discovery", "trap", BARREN, withdrawn)

    def count_article(self, url: str, day: date) -> None:
        """Count, for the listing that named an article first, whether the article leads away from the period."""
        listings = self.ledger.listings
        if listing := listings.found_on(url):
            section = _section_key(listing)
            is_earlier = day < self.period.since and not listings.note_latest_day(section, day, self.period.since)
            listings.count_article(section, is_earlier=is_earlier)

    def end_archive(self, url: str, *, leads_on: bool, goes_on: bool = False) -> Iterator[Rejected]:
        """Count the archive at `url` as read; after too many in a row without a new article, refuse the queued ones.

        An archive with a next page may have older articles there, unless feeds and sitemaps list all.
        """
        is_open = goes_on and not leads_on and not has_complete_lists(self.ledger, self.portal.name)
        if is_open or not (shape := self.archive(url)):
            return
        counts, name = self.ledger.counts, self.portal.name
        for counted in (f"{BARREN_ARCHIVES} {shape}", BARREN_ARCHIVES):
            counts.add(name, counted, -counts.of(counted, name) if leads_on else 1)
        if self.is_barren_archive(url):
            for withdrawn in self.ledger.listings.withdraw(name, self._shape(url)):
                yield self._superfluous(withdrawn)

    def find_trust(self, url: str, evidence: Collection[Evidence] = ()) -> AddressTrust:
        """Estimate whether an address is an article, by the address and the outcomes of others of its pattern."""
        trust = find_trust(url, self.portal, evidence)
        if trust in {AddressTrust.CERTAIN, AddressTrust.SECTION}:
            return trust
        alike = self._alike(url)
        if alike == LISTS_OF:
            return AddressTrust.LISTED
        return AddressTrust.LIKELY if alike == ARTICLES_OF and trust is AddressTrust.DOUBTFUL else trust

    def is_barren_archive(self, url: str) -> bool:
        """Whether too many archives in a row, of its shape and of all shapes, brought no new article."""
        counts, name = self.ledger.counts, self.portal.name
        most, least = limits_of_archives(self.ledger, name)
        if counts.of(BARREN_ARCHIVES, name) < most or not (shape := self.archive(url)):
            return False
        return counts.of(f"{BARREN_ARCHIVES} {shape}", name) >= least

    def _superfluous(self, url: str) -> Rejected:
        n_barren = self.ledger.counts.of(BARREN_ARCHIVES, self.portal.name)
        return Rejected("discovery", "nothing_new", NOTHING_NEW.format(n_barren), url)

    def _alike(self, url: str) -> str:
        """Return what all judged pages of the pattern of `url` were: `LISTS_OF`, `ARTICLES_OF`, or "" if too few."""
        counts, name, pattern = self.ledger.counts, self.portal.name, _section_pattern(url)
        lists, articles = (counts.of(f"{kind} {pattern}", name) for kind in (LISTS_OF, ARTICLES_OF))
        if lists >= ALIKE and not articles:
            return LISTS_OF
        return ARTICLES_OF if articles >= ALIKE and not lists else ""

    def archive(self, url: str) -> str:
        """Return the form of an archive of tags, authors or days, which is fetched last; "" for any other address.

        If feeds and sitemaps list every article, so are new addresses of a pattern whose pages were all lists so far.
        """
        if (found := self._named_archive(url)) or self.portal.is_section(url) or is_further(url):
            return found
        is_learned = has_complete_lists(self.ledger, self.portal.name) and self._alike(url) == LISTS_OF
        is_new = is_learned and not ((last := self.ledger.revisits.last(url)) and last.fetched)
        return f"{_section_pattern(url)} *" if is_new else ""

    def _named_archive(self, url: str) -> str:
        """Return the form of an archive that its address names as one.

        Addresses in the portal's file keep their priority, and so do archives of days if a period is given.
        """
        shape = "" if self.portal.is_section(url) or self.portal.is_article(url) else find_archive(url)
        return shape if self.period == ALWAYS or shape.endswith("*") else ""

    def _shape(self, url: str) -> int:
        """Hash the shape of an address, or the kind of an archive, for the ledger."""
        return _integer(self._named_archive(url) or shape_of(url))

    def _may_be_article(self, url: str) -> bool:
        if not self.portal.covers(url):
            return False
        kind = find_kind(url, self.portal)
        return kind is FetchKind.ARTICLE or (kind is FetchKind.SECTION and not self._lists(url, self._shape(url)))

    def _lists(self, url: str, shape: int) -> bool:
        """Whether an address is a listing, by itself or by the outcomes of others of its shape."""
        _, sections, kept = self.ledger.listings.count_outcomes(self.portal.name, shape, MOST_COUNTED)
        return is_listing(url) or (sections >= LEAST_SECTIONS and kept * 10 < sections)

    def _refuse_listing(self, url: str, trap: str, shape: int) -> Rejected | None:
        """Refuse traps (except the first future date of a shape), barren listings, and listings before the period."""
        listings, name = self.ledger.listings, self.portal.name
        if trap and not (trap.startswith(FUTURE) and listings.count_outcomes(name, shape, 2)[0] <= 1):
            return Rejected("discovery", "trap", trap, url)
        if self.is_barren_archive(url):
            return self._superfluous(url)
        if listings.n_barren(shape) >= MAX_IN_A_ROW and self._lists(url, shape):
            return Rejected("discovery", "trap", BARREN, url)
        if listings.n_earlier(_section_key(url)) >= MAX_IN_A_ROW and self._lists(url, shape):
            return Rejected("discovery", "out_of_period", EARLIER, url)
        return None


def find_refusal(portal: Portal, url: str, depth: int, kind: FetchKind, bounds: CrawlBounds) -> Rejected | None:
    """Refuse an address by the patterns of a portal or by its depth; None if neither applies."""
    if portal.is_ignored(url) or kind is FetchKind.UNWANTED:
        return Rejected("discovery", "ignored", "by the patterns of the portal", url)
    if depth > bounds.max_depth:
        return Rejected("discovery", "too_deep", f"more than {bounds.max_depth} links away", url)
    return None


def has_complete_lists(ledger: Ledger, portal: str) -> bool:
    """Whether feeds and sitemaps have listed every article kept so far, and at least `ALIKE`."""
    counts = ledger.counts
    return counts.of(NAMED_BY_LISTS, portal) >= ALIKE and not counts.of(NAMED_BY_PAGES, portal)


def limits_of_archives(ledger: Ledger, portal: str) -> tuple[int, int]:
    """Return the maximum archives in a row without a new article, of all shapes; and the minimum of one shape."""
    if has_complete_lists(ledger, portal):
        return MAX_SUPERFLUOUS_ARCHIVES, LEAST_SUPERFLUOUS_ARCHIVES
    return MAX_BARREN_ARCHIVES, LEAST_BARREN_ARCHIVES


def note_page(ledger: Ledger, portal: str, url: str, outcome: UrlOutcome, asked: str = "") -> None:
    """Count a judged page as an article or a list, for other pages of its pattern.

    For an article, also count whether a feed or a sitemap listed it or the address `asked` before redirects.
    """
    is_article = outcome.reason == "kept"
    if is_article:
        is_named = ledger.listings.has_named(LISTS, filter(None, (url, asked)))
        ledger.counts.add(portal, NAMED_BY_LISTS if is_named else NAMED_BY_PAGES)
    is_judged = is_article or (outcome.stage, outcome.reason) in FOUND_LISTS
    if is_judged and (pattern := _section_pattern(url)):
        ledger.counts.add(portal, f"{ARTICLES_OF if is_article else LISTS_OF} {pattern}")


def _section_pattern(url: str) -> str:
    """Return the pattern of an address and its section; "" for an address of a single name, which tells nothing."""
    parts = urlsplit(url)
    return f"{pattern_of(url)} {section_of(url)}" if "/" in parts.path.strip("/") or parts.query else ""


def _section_key(url: str) -> int:
    """Hash the section of an address for the ledger; its pages differ only in the last number.

    If that number is no page number, every page is a section of its own, which costs requests and loses nothing.
    """
    return _integer(re.sub(r"\d+(?=\D*$)", "0", url))


def _integer(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


LISTS = _integer("feeds and sitemaps")
START_PAGES = _integer("contents of start pages")
"""Used in place of a shape for addresses listed in feeds and sitemaps, and for contents of start pages."""


def _start_content(url: str, links: PageLinks) -> str:
    """Name the title and the content of a page of a site; without paragraphs its links belong to the content.

    An article whose text lies outside paragraphs may have the signature of a start page, but not its title.
    """
    parts = (urlsplit(url).netloc, *links.names, links.signature or links.shown)
    return f"https://{_integer(' '.join(parts)):x}.invalid/" if links.names and parts[-1] else ""


class SeenContents:
    """Content signatures seen in a crawl, by site; the ledger holds those of the sites' pages for missing addresses."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def remember_missing(self, probe: str, links: PageLinks) -> None:
        """Record the content of the site's page for missing addresses."""
        self._ledger.revisits.note_change(probe, f"{links.signature} {links.letters}")

    def is_missing(self, url: str, links: PageLinks) -> bool:
        """Whether the page at `url` shows its site's page for missing addresses, and hardly more text."""
        missing = self._ledger.revisits.last(missing_page(url)) if links.signature else None
        signature, _, letters = missing.stated.partition(" ") if missing else ("", "", "")
        return bool(signature) and signature == links.signature and links.letters < int(letters or 0) + OWN_LETTERS

    def remember_start(self, url: str, links: PageLinks) -> None:
        """Record the content of a start page."""
        if content := _start_content(url, links):
            self._ledger.listings.add_named(START_PAGES, [content])

    def is_start(self, url: str, links: PageLinks) -> bool:
        """Whether the page at `url` shows what a start page of its site showed, apart from numbers and links."""
        content = _start_content(url, links)
        return bool(content) and self._ledger.listings.has_named(START_PAGES, [content])

    def is_repeated(self, url: str, links: PageLinks) -> bool:
        """Whether two other addresses of the site showed the same content and links, a sign of a trap."""
        if not links.signature:
            return False
        key = urlsplit(url).netloc, links.shown
        others = tuple(other for other in self._seen.pop(key, ()) if other != url)
        self._seen[key] = (*others, url)[:MAX_ADDRESSES]
        if len(self._seen) > MAX_REMEMBERED:
            self._seen.popitem(last=False)
        return len(others) >= MAX_ADDRESSES


def missing_page(url: str) -> str:
    """Return a fixed address on the site of `url` that no page has."""
    name = sha256(urlsplit(url).netloc.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return urljoin(url, f"/no-such-page-{name}")
