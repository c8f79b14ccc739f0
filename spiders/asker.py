"""From an address of a portal to the request for it, or to why there is none."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC
from urllib.parse import urljoin

from scrapy import Request
from scrapy.statscollectors import StatsCollector

from newscorpus.crawl.ledger import LastVisit, Ledger, State
from newscorpus.data import Rejected
from newscorpus.discovery.addresses import Kind, judge, plain_address
from newscorpus.discovery.frontier import Frontier, Target
from newscorpus.discovery.listing import Entry, Form, Listing
from newscorpus.discovery.period import ALWAYS, Period
from newscorpus.extraction.fields.dates import parse_moment
from newscorpus.portals.schema import Portal
from newscorpus.urls import host_of

from .requests import PROBE, Callback, Calls, guess_request, list_request, page_request

MAX_SITEMAPS = 1_000
"""Most sitemaps of a portal that are read because an index or a robots.txt names them; one may name 50,000."""

USUAL_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml", "/news-sitemap.xml")
"""Where sitemaps lie that neither the portal's file nor robots.txt names."""

OUT_OF_PERIOD = "newscorpus/discovery/out_of_period"
"""Count of addresses passed over because they are not of the days asked for."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Decides for one portal what is asked for.

    Attributes:
        portal: the portal.
        frontier: judges new addresses.
        ledger: knows the others.
        period: the days that articles are to be of.
        calls: the spider's callbacks.
        stats: where the addresses are counted that are passed over.
    """

    portal: Portal
    frontier: Frontier
    ledger: Ledger
    period: Period
    calls: Calls
    stats: StatsCollector

    def page(
        self, url: str, depth: int, kind: Kind | None = None, entry: Entry | None = None
    ) -> Iterator[Request | Rejected]:
        """The request for a page, or its refusal; nothing for one that was met before or lies elsewhere.

        Args:
            url: absolute address; that of the article itself is asked for in place of another version's.
            depth: links followed to get there.
            kind: what it is fetched for, where that is known.
            entry: what a list says of it.
        """
        url = plain_address(url)
        if self._is_out_of_period(url, kind):
            return
        outcome = self.frontier.admit(url, depth, kind)
        stated = entry.modified if entry else ""
        evidence = entry.evidence if entry else ()
        if isinstance(outcome, Target):
            if stated:
                self.ledger.revisits.state(outcome.url, stated)
            yield page_request(self.portal, outcome.url, outcome.kind, self.calls, depth=depth, evidence=evidence)
        elif outcome is not None:
            yield outcome
        elif stated and self._has_changed(url, stated):
            request = page_request(self.portal, url, kind or Kind.ARTICLE, self.calls, depth=depth, evidence=evidence)
            yield request.replace(dont_filter=True)

    def listing(self, listing: Listing, url: str, depth: int) -> Iterator[Request | Rejected]:
        """All that the feed or sitemap at `url` names, as far as it may be of the period."""
        if listing.broken:
            yield Rejected("discovery", "broken_entry", f"{listing.broken} without an address", url)
        children = [child for child in listing.children if self.period.may_list(child)]
        entries = [entry for entry in listing.entries if self.period.may_hold(entry)]
        self._pass_over(len(listing.children) - len(children) + len(listing.entries) - len(entries))
        for child in children:
            yield from self.sitemap(child, url)
        for entry in entries:
            # What a feed or a news sitemap describes is an article, unless the portal knows its own by the address.
            kind = Kind.ARTICLE if entry.evidence and not self.portal.articles else None
            yield from self.page(entry.url, depth, kind, entry)

    def sitemap(self, child: Entry, named_at: str) -> Iterator[Request | Rejected]:
        """The request for a sitemap that an index or a robots.txt names; for a known one where it is said to change.

        Args:
            child: the sitemap.
            named_at: the index, on whose host it may lie; the sitemap itself where a robots.txt names it, on any host.
        """
        if self.ledger.knows(child.url):
            if child.modified and self._has_changed(child.url, child.modified):
                yield list_request(self.portal, child.url, Form.SITEMAP, self.calls).replace(dont_filter=True)
        elif not self.portal.covers(child.url) and host_of(child.url) != host_of(named_at):
            yield Rejected("discovery", "offsite", "sitemap of another site", child.url)
        elif self.ledger.counted("sitemaps", self.portal.name) >= MAX_SITEMAPS:
            yield Rejected("discovery", "too_many_sitemaps", f"more than {MAX_SITEMAPS}", child.url)
        else:
            self.ledger.count(self.portal.name, "sitemaps")
            yield list_request(self.portal, child.url, Form.SITEMAP, self.calls)

    def lists(self, url: str, feeds: Iterable[str], sitemaps: Collection[str]) -> Iterator[Request | Rejected]:
        """The requests for feeds and sitemaps that the portal's file does not name.

        Args:
            url: a start page.
            feeds: addresses on it that may be feeds.
            sitemaps: those that robots.txt names.
        """
        for named in () if self.portal.sitemaps else sitemaps:
            yield from self.sitemap(Entry(named), named)
        for path in () if self.portal.sitemaps or sitemaps else USUAL_SITEMAPS:
            yield from self.guess(urljoin(url, path))
        yield from self.feeds(feeds)

    def feeds(self, urls: Iterable[str]) -> Iterator[Request]:
        """The requests for what may be feeds, where the portal's file names none."""
        for url in () if self.portal.feeds else urls:
            yield from self.guess(url)

    def guess(self, url: str) -> Iterator[Request]:
        """The request for what may be a feed or a sitemap."""
        if self.portal.covers(url) and not self.ledger.knows(url):
            yield guess_request(self.portal, url, self.calls.guess, self.calls.guess_failed)

    def probe(self, url: str, parse: Callback) -> Iterator[Request]:
        """The request for a page that cannot be there."""
        if not self.ledger.knows(url):
            yield guess_request(self.portal, url, parse, self.calls.guess_failed, kind=PROBE)

    def _is_out_of_period(self, url: str, kind: Kind | None) -> bool:
        if self.period == ALWAYS or (kind or judge(url, self.portal)) is not Kind.ARTICLE:
            return False
        out = not self.period.may_hold_address(url)
        self._pass_over(int(out))
        return out

    def _pass_over(self, n: int) -> None:
        if n:
            self.stats.inc_value(OUT_OF_PERIOD, n)

    def _has_changed(self, url: str, stated: str) -> bool:
        """Whether a list says that a known article changed since it was fetched; from now on that is known."""
        last = self.ledger.revisits.last(url)
        if last is None or last.stated == stated:
            return False
        self.ledger.revisits.state(url, stated)
        return last.state in {State.DONE, State.FAILED} and _is_news(last, stated)


def _is_news(last: LastVisit, stated: str) -> bool:
    """Whether `stated` says more than what was known: another time than before, or one after the fetch."""
    if last.stated:
        return True
    changed, fetched = parse_moment(stated), parse_moment(last.fetched)
    return changed is not None and fetched is not None and changed > fetched.astimezone(UTC)
