"""Visits of what was visited before: what is asked for again, whether it changed, and when it is due the next time."""

import sys
import time
from collections.abc import Collection, Iterator
from http import HTTPStatus
from typing import TypeVar

from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from newscorpus.addon.counts import REVISITED, UNCHANGED
from newscorpus.addon.visits import current_visit
from newscorpus.config import RevisitConfig
from newscorpus.crawl.ledger import Ledger
from newscorpus.crawl.revisit import next_interval

from .arguments import Revisit
from .judge import Kind
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
        """Queue again what a revisit asks for."""
        kinds = (*LISTS, Kind.ARTICLE.value) if revisit is Revisit.ARTICLES else LISTS
        now = time.time() if revisit is Revisit.DUE else sys.float_info.max
        self._stats.inc_value(REVISITED, self._ledger.revive(kinds, portals, now))

    def is_unchanged(self, response: Response, *, same_body: bool = False) -> bool:
        """Whether the site says that nothing changed, or, with `same_body`, sent the very bytes of the last visit."""
        visit = current_visit()
        if visit is None or not visit.serial:
            return False
        last = self._ledger.revisits.last(visit.url)
        same = bool(same_body and last and last.status == HTTPStatus.OK and last.signature == visit.signature)
        visit.unchanged = same or response.status == HTTPStatus.NOT_MODIFIED
        if visit.unchanged:
            self._stats.inc_value(UNCHANGED)
            self._schedule(changed=False)
        return visit.unchanged

    def noting_news(self, outputs: Iterator[T]) -> Iterator[T]:
        """Hand `outputs` on, and set the time of the next visit by whether there was a request among them."""
        changed = False
        for output in outputs:
            changed = changed or isinstance(output, Request)
            yield output
        self._schedule(changed=changed)

    def _schedule(self, *, changed: bool) -> None:
        if visit := current_visit():
            last = self._ledger.revisits.last(visit.url)
            interval = next_interval(last.interval if last else 0.0, changed=changed, config=self._config)
            self._ledger.revisits.schedule(visit.url, time.time(), interval)
