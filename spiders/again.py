"""Visits of what was visited before: what is asked for again, whether it changed, and when it is due the next time."""

import sys
import time
from collections.abc import Collection, Iterator
from datetime import date
from http import HTTPStatus
from typing import TypeVar

from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from newscorpus.addon.counts import REVISITED, UNCHANGED
from newscorpus.addon.visits import Visit, current_visit
from newscorpus.config import RevisitConfig
from newscorpus.crawl.ledger import Ledger
from newscorpus.crawl.politeness import next_interval
from newscorpus.discovery.addresses import Kind
from newscorpus.discovery.frontier import BUDGET_SPENT
from newscorpus.discovery.period import Period

from .arguments import Revisit
from .requests import LISTS

T = TypeVar("T")


class Again:
    """The visits of a crawl, beside those of the crawls before it.

    Args:
        ledger: of the crawl.
        stats: of the crawl.
        config: bounds of the intervals.
    """

    def __init__(self, ledger: Ledger, stats: StatsCollector, config: RevisitConfig) -> None:
        self._ledger = ledger
        self._stats = stats
        self._config = config

    def revive(self, revisit: Revisit, portals: Collection[str]) -> None:
        """Queue again what a revisit asks for; each portal has its budget of pages anew."""
        kinds = (*LISTS, Kind.ARTICLE.value) if revisit is Revisit.ARTICLES else LISTS
        now = time.time() if revisit is Revisit.DUE else sys.float_info.max
        for portal in portals:
            if self._ledger.counted(BUDGET_SPENT, portal):  # lists may have named more than could be taken
                self._requeue(portal, self._ledger.revisits.widen(LISTS, portal))
            self._requeue(portal, self._ledger.revisits.revive(kinds, portal, now))
            self._ledger.renew_budget(portal)

    def retry(self, portals: Collection[str]) -> None:
        """Queue again what failed in a way that may pass, of portals whose last crawl had come to its end."""
        for portal in portals:
            if not self._ledger.queued(portal):
                self._requeue(portal, self._ledger.revisits.revive((), portal, 0.0))

    def keep_to(self, period: Period, portals: Collection[str]) -> None:
        """Queue lists of portals whose last crawl was about other days: what it passed over may be wanted now."""
        revisits = self._ledger.revisits
        for portal in portals:
            before = revisits.period(portal)
            revisits.set_period(portal, period.since.isoformat(), period.until.isoformat())
            if before and not Period(*map(date.fromisoformat, before)).covers(period):
                self._requeue(portal, revisits.widen(LISTS, portal))

    def is_unchanged(self, response: Response, *, is_article: bool = False) -> bool:
        """Whether the site says that nothing changed, or sent the very bytes of an article that it sent last time."""
        visit = current_visit()
        if visit is None or not visit.serial:
            return False
        visit.unchanged = response.status == HTTPStatus.NOT_MODIFIED or (is_article and self._is_same(visit))
        if visit.unchanged:
            self._stats.inc_value(UNCHANGED)
            if not is_article:
                self.note(changed=False)
        return visit.unchanged

    def _is_same(self, visit: Visit) -> bool:
        last = self._ledger.revisits.last(visit.url)
        return last is not None and last.status == HTTPStatus.OK and last.signature == visit.signature

    def noting_news(self, outputs: Iterator[T], depth: int = 0) -> Iterator[T]:
        """Hand `outputs` on, and set the time of the next visit by whether there was a request among them.

        Args:
            outputs: what the answer brings.
            depth: links followed to get there.
        """
        changed = False
        for output in outputs:
            changed = changed or isinstance(output, Request)
            yield output
        self.note(changed=changed, depth=depth)

    def note(self, *, changed: bool, depth: int = 0) -> None:
        """Set the time of the next visit, by whether this one brought anything new."""
        if visit := current_visit():
            last = self._ledger.revisits.last(visit.url)
            interval = next_interval(last.interval if last else 0.0, changed=changed, depth=depth, config=self._config)
            self._ledger.revisits.schedule(visit.url, time.time(), interval)

    def _requeue(self, portal: str, n: int) -> None:
        self._ledger.requeued(portal, n)
        self._stats.inc_value(REVISITED, n)
