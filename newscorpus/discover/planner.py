"""Plan the fetches of a portal: pages, lists, and guessed addresses of lists."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date
from urllib.parse import urljoin

from newscorpus.data import Evidence, Page, Rejected
from newscorpus.discover.entries import Listing, ListingEntry
from newscorpus.discover.frontier import LISTS, Frontier, SeenContents, missing_page
from newscorpus.discover.period import ALWAYS, Period, days_of
from newscorpus.page.fields.dates import parse_moment
from newscorpus.page.judgement import PageLinks
from newscorpus.portal.addresses import (
    LAST_CHANGE,
    NAMED,
    AddressTrust,
    FetchKind,
    find_kind,
    is_front,
    is_further,
    is_further_of,
    is_listing,
    latest_date,
    may_be_page,
    plain_address,
)
from newscorpus.portal.portal import Portal, archive_pages
from newscorpus.store.ledger import Ledger, UrlState
from newscorpus.urls import document_address, host_and_port, host_of

USUAL_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml", "/news-sitemap.xml")
"""Paths tried if neither the portal's file nor robots.txt names sitemaps."""

FORBIDDING_STARTS = "forbidding_starts"
"""Count in the ledger of start pages that ask robots not to follow their links, as all pages of some sites do."""

OUT_OF_PERIOD = "newscorpus/discover/out_of_period"
"""Count of addresses skipped because they are not of the period."""


@dataclass(frozen=True, slots=True)
class PlannedFetch:
    """One address to fetch."""

    url: str  # absolute address
    kind: FetchKind  # purpose of the fetch
    depth: int = 0  # links followed to get there
    evidence: tuple[Evidence, ...] = ()  # metadata from a list
    is_repeat: bool = False  # fetch even if fetched before
    is_last: bool = False  # fetch after everything else


Plan = Iterator[PlannedFetch | Rejected]
"""Fetches and refusals; addresses that are known or on other sites are left out."""
Told = Generator[PlannedFetch | Rejected, None, bool]
"""A plan that returns whether its list had news of articles."""


@dataclass(frozen=True, slots=True)
class FetchPlanner:
    """Decides for one portal what to fetch. Plans are lazy."""

    portal: Portal  # the portal
    frontier: Frontier  # judges new addresses
    ledger: Ledger  # knows the earlier addresses
    contents: SeenContents  # seen by the crawl so far
    period: Period  # days of publication to collect
    count: Callable[[str, int], None]  # adds to a statistic of the crawl: name, number
    began: str = ""  # start of a revisit, ISO 8601: articles fetched before may have changed; "": no revisit

    def beginnings(self) -> Plan:
        """Plan the addresses in the portal's file: feeds, sitemaps, start pages; the archive if `since` is given."""
        yield from (PlannedFetch(url, FetchKind.FEED) for url in self.portal.feeds)
        yield from (PlannedFetch(url, FetchKind.SITEMAP) for url in self.portal.sitemaps)
        pages = [*self.portal.start]
        if self.portal.archive and self.period.since > date.min:
            last = min(self.period.until, self.frontier.today)
            pages += archive_pages(self.portal.archive, self.period.since, last)
        for url in pages:
            yield from self.page(url, 0, FetchKind.SECTION)

    def named(self, url: str) -> Plan:
        """Plan a page named by the user, as an article."""
        return self.page(url, 0, FetchKind.ARTICLE, ListingEntry(url, (NAMED,)))

    def page(
        self,
        url: str,
        depth: int,
        kind: FetchKind | None = None,
        entry: ListingEntry | None = None,
        *,
        compares: bool = False,
        any_day: bool = False,
    ) -> Told:
        """Plan the fetch of one page.

        Args:
            url: absolute address; of another version of an article, the original is fetched.
            depth: links followed to get there.
            kind: purpose of the fetch, if known.
            entry: its entry in a list.
            compares: the list was read before, so a changed headline means a changed article.
            any_day: fetch it even if its address names a day outside the period.
        """
        url = plain_address(url)
        is_article = (kind or find_kind(url, self.portal)) is FetchKind.ARTICLE
        may_hold = self.period.may_hold_address if is_article else self.period.may_lead_to
        if not any_day and self.period != ALWAYS and not may_hold(url):
            self._pass_over(1)
            return False
        outcome = self.frontier.admit(url, depth, kind)
        stated, evidence = (entry.modified, entry.evidence) if entry else ("", ())
        n_shown = self.ledger.revisits.note_headline(url, entry.headline) if entry and entry.headline else None
        if isinstance(outcome, FetchKind):
            if stated:
                self.ledger.revisits.note_change(url, stated)
            is_last = depth > 0 and outcome is not FetchKind.ARTICLE and bool(self.frontier.archive(url))
            if entry and entry.has_own_change:
                evidence += (Evidence(LAST_CHANGE, stated, LAST_CHANGE),)
            yield PlannedFetch(url, outcome, depth, evidence, is_last=is_last)
        elif outcome is not None:
            yield outcome
        elif (stated and self._has_changed(url, stated) and not self.frontier.is_barren_archive(url)) or (
            compares and n_shown and self._was_kept_before(url)
        ):
            fields = {"title", "modified", *(one.field for one in evidence)}
            evidence += tuple(one for one in self.ledger.revisits.evidence(url) if one.field not in fields)
            yield PlannedFetch(url, kind or FetchKind.ARTICLE, depth, evidence, is_repeat=True)
        elif evidence:
            self.ledger.revisits.add_evidence(url, evidence)
        is_new = isinstance(outcome, FetchKind) or n_shown is not None
        return is_new and is_article

    def listing(self, listing: Listing, url: str, depth: int, *, is_old: bool = False) -> Iterator[Plan]:
        """Plan the entries of the feed or sitemap at `url` that may be of the period, in parts.

        If it `is_old` (read before), skip known URLs.
        """
        children = self.period.sitemaps(listing.children)
        self._pass_over(len(listing.children) - len(children))
        for part in replace(listing, children=children).parts():
            yield self._part(part, url, depth, is_old=is_old)

    def _part(self, listing: Listing, url: str, depth: int, *, is_old: bool) -> Plan:
        if listing.broken:
            yield Rejected("discovery", "broken_entry", f"{listing.broken} without an address", url)
        if listing.beyond:
            yield Rejected("discovery", "too_many_entries", f"{listing.beyond} more than are taken of one list", url)
        for child in listing.children:
            if not (is_old and self.ledger.knows(child.url)):
                yield from self.sitemap(child, url)
        compares = bool(self.began) and self._was_fetched(url)
        # Feeds of changes list old versions, those of galleries pictures
        pages = [entry for entry in listing.entries if may_be_page(entry.url)]
        entries = [entry for entry in pages if self.period.may_hold(entry)]
        self._pass_over(len(pages) - len(entries))
        self.ledger.listings.add_named(LISTS, (plain_address(entry.url) for entry in entries))
        brought = any(entry.modified for entry in entries)  # it may report changes at least
        for entry in entries:
            if is_old and self.ledger.knows(plain_address(entry.url)):
                continue
            # Entries with metadata are articles, unless the portal's file has patterns for articles.
            is_article = entry.evidence and not self.portal.articles and not is_front(entry.url)
            kind = FetchKind.ARTICLE if is_article else None
            brought = (yield from self.page(entry.url, depth, kind, entry, compares=compares)) or brought
        self.ledger.revisits.note_news(url, brought=brought)

    def sitemap(self, child: ListingEntry, named_at: str) -> Plan:
        """Plan a sitemap from an index or a robots.txt; fetch a known one only if the index says it changed.

        A changed one that had no news last time, such as the feed of a tag, is left to its scheduled revisit. It may be
        on the host of the index, `named_at`, too, or on any if robots.txt names it; `named_at` is then its own address.
        """
        if self.ledger.knows(child.url):
            is_changed = child.modified and self._has_changed(child.url, child.modified)
            if is_changed and not self.ledger.revisits.is_barren(child.url):
                yield PlannedFetch(child.url, FetchKind.SITEMAP, is_repeat=True)
        elif not self.portal.covers(child.url) and host_of(child.url) != host_of(named_at):
            yield Rejected("discovery", "offsite", "sitemap of another site", child.url)
        elif self.ledger.counts.of("sitemaps", self.portal.name) >= (most := self.frontier.bounds.max_sitemaps):
            yield Rejected("discovery", "too_many_sitemaps", f"more than {most}", child.url)
        else:
            self.ledger.counts.add(self.portal.name, "sitemaps")
            if self.frontier.archive(child.url):  # an index may list the feeds of all tags and authors
                yield from self.page(child.url, 1, FetchKind.SITEMAP, any_day=True)
            else:
                yield PlannedFetch(child.url, FetchKind.SITEMAP)

    def start_page(self, url: str, links: PageLinks, sitemaps: Collection[str]) -> Plan:
        """Plan, in addition to the links of a start page, a probe for soft 404s, and possible feeds and sitemaps.

        Its content is remembered, since a site may show it at other addresses. `sitemaps` are those of robots.txt.
        """
        self.contents.remember_start(url, links)
        if links.forbids_following:
            self.ledger.counts.add(self.portal.name, FORBIDDING_STARTS)
        if not self.ledger.knows(probe := missing_page(url)):
            yield PlannedFetch(probe, FetchKind.PROBE)
        for named in () if self.portal.sitemaps else sitemaps:
            yield from self.sitemap(ListingEntry(named), named)
        yield from self._guesses(
            () if self.portal.sitemaps or sitemaps else (urljoin(url, path) for path in USUAL_SITEMAPS)
        )
        yield from self.feeds(links.lists)

    def may_be_page(self, url: str) -> bool:
        """Whether the guessed address of a feed may be a wanted page instead."""
        is_wanted = find_kind(url, self.portal) is not FetchKind.UNWANTED and not self.portal.is_ignored(url)
        return is_wanted and may_be_page(url)

    def feeds(self, urls: Iterable[str]) -> Plan:
        """Plan possible feeds, unless the portal's file names feeds."""
        yield from self._guesses(() if self.portal.feeds else urls)

    def links(self, links: PageLinks, depth: int, but: Collection[str] = (), listing: str = "") -> Plan:
        """Plan the links of a page, the newest first.

        A listing of a day before the period is fetched if it may lead to the period. Articles on it are taken to be of
        its day, unless their addresses have a date. `depth` is that of the linked pages, `but` are left out, and
        `listing` is the page's own address if it is a listing page.
        """
        headlines = dict(zip(links.links, links.headlines, strict=False)) if listing else {}
        # Pages of a listing shift as it grows.
        is_new = bool(listing) and not self._was_fetched(listing)
        compares = bool(self.began and listing)
        if compares and is_new and self.frontier.archive(listing):  # archives may show headlines in another form
            compares = False
            headlines = {url: shown for url, shown in headlines.items() if not self.ledger.knows(plain_address(url))}
        followed = self._followed(links, depth, listing)
        urls = sorted(followed, key=lambda url: latest_date(url) or date.max, reverse=True)
        if is_new:  # a listing read again has few new links
            yield from self.frontier.end_listing(listing, map(plain_address, urls))
        ways = self.period.newest_earlier_listings(listing, urls) if listing else frozenset()
        is_earlier, brought = not self.period.may_lead_to(listing), False
        for url in urls:
            if url in ways and not self._is_article(url):
                yield from self.page(url, depth, any_day=True)
            elif url not in but and not (is_earlier and days_of(url) is None and self._is_article(url)):
                entry = ListingEntry(url, headline=headlines.get(url, 0))
                brought = (yield from self.page(url, depth, entry=entry, compares=compares)) or brought
        if listing:
            self.ledger.revisits.note_news(listing, brought=brought)

    def _followed(self, links: PageLinks, depth: int, listing: str) -> Iterable[str]:
        """Return the links of a page; if it forbids following them, only those to articles and to its further pages.

        All are followed from start pages and sections in the portal's file, and on sites whose start page forbids it.
        """
        is_named = depth <= 1 or bool(listing and self.portal.is_section(listing))
        if not links.forbids_following or is_named or self.ledger.counts.of(FORBIDDING_STARTS, self.portal.name):
            return links.links
        return (url for url in links.links if is_further_of(url, listing) or (self._is_article(url) and "?" not in url))

    def may_bring_article(self, planned: PlannedFetch | Rejected) -> bool:
        """Whether a planned fetch may be a new article, by its address."""
        if isinstance(planned, Rejected) or planned.is_repeat or planned.is_last:
            return False
        return planned.kind is FetchKind.ARTICLE or (planned.kind is FetchKind.SECTION and not is_listing(planned.url))

    def may_go_on(self, planned: PlannedFetch | Rejected) -> bool:
        """Whether a planned fetch is a further page of an archive, which may have older articles."""
        return isinstance(planned, PlannedFetch) and planned.is_last and is_further(planned.url)

    def refuse_day(self, url: str, links: PageLinks) -> Rejected | None:
        """Refuse an article published outside the period; articles without a date pass."""
        if self.period != ALWAYS and links.published:
            self.frontier.count_article(url, links.published)
        if self.period.takes(links.published):
            return None
        return Rejected("discovery", "out_of_period", f"published {links.published}", url)

    def refuse_article(
        self, page: Page, links: PageLinks, trust: AddressTrust, depth: int, redirected: str = ""
    ) -> Plan:
        """Refuse a page that is no article, an AMP version, or one in another script; the original is planned first.

        Other pages with the same canonical address all pass; `build` chooses among them. `redirected` is the address
        requested, if it redirected to that of `page`.
        """
        if redirected and trust is AddressTrust.SECTION:
            yield Rejected("discovery", "no_article", f"redirected to {page.url}", redirected)
        elif self.contents.is_missing(page.url, links):
            yield Rejected("discovery", "soft_404", "shows what the site shows for any missing page", page.url)
        elif depth and self.contents.is_start(page.url, links):
            yield Rejected("discovery", "front_page", "shows what a start page shows", page.url)
        elif links.is_amp and document_address(page.url, links.canonical) != document_address(page.url, ""):
            yield from self.page(links.canonical, depth, FetchKind.ARTICLE)
            yield Rejected("discovery", "other_version", f"of {links.canonical}", page.url)
        elif (first := links.first_script) and self.portal.covers(first) and not self.portal.is_ignored(first):
            yield from self.page(first, depth)
            yield Rejected("discovery", "other_version", f"in another script than {first}", page.url)

    def _guesses(self, urls: Iterable[str]) -> Plan:
        for url in urls:
            if host_and_port(url) and self.portal.covers(url) and not self.ledger.knows(url):
                yield PlannedFetch(url, FetchKind.MAYBE_LIST)

    def _pass_over(self, n: int) -> None:
        """Count addresses outside the period."""
        if n:
            self.count(OUT_OF_PERIOD, n)

    def _is_article(self, url: str) -> bool:
        return find_kind(url, self.portal) is FetchKind.ARTICLE

    def _was_fetched(self, url: str) -> bool:
        last = self.ledger.revisits.last(url)
        return last is not None and last.fetched != ""

    def _was_kept_before(self, url: str) -> bool:
        """Whether an article was kept by a fetch before this crawl."""
        last = self.ledger.revisits.last(url)
        return last is not None and last.state == UrlState.DONE and last.reason == "kept" and last.fetched < self.began

    def _has_changed(self, url: str, stated: str) -> bool:
        """Whether a list says that a known document changed since its fetch; store `stated` in the ledger."""
        last = self.ledger.revisits.last(url)
        if last is None or last.stated == stated:
            return False
        self.ledger.revisits.note_change(url, stated)
        if last.state not in {UrlState.DONE, UrlState.FAILED}:
            return False
        if last.stated:  # another time
            return True
        changed, fetched = parse_moment(stated), parse_moment(last.fetched)
        return changed is not None and fetched is not None and changed > fetched.astimezone(UTC)
