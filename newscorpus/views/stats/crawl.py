"""Gather how the crawl of a corpus stands, or stood at its end: what its page shows."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.files import is_held
from newscorpus.layout import CRAWL_LOCK
from newscorpus.store.ledger.sites import SitePace, site_paces
from newscorpus.store.ledger.views.activity import (
    LastPage,
    QueuedAddress,
    SpanOfTime,
    last_pages,
    next_addresses,
    over_time,
)
from newscorpus.store.ledger.views.shortfalls import shortfalls
from newscorpus.store.ledger.views.status import PortalStatus, status


@dataclass(frozen=True, slots=True)
class PortalCrawl:
    """How the crawl of one portal stands."""

    status: PortalStatus
    spans: tuple[SpanOfTime, ...]  # what it gave over time
    shortfalls: tuple[str, ...]  # what is missing and why: lines for a person
    next: tuple[QueuedAddress, ...]  # the addresses that are asked for next


@dataclass(frozen=True, slots=True)
class CrawlState:
    """How the crawl of a corpus stands."""

    time: datetime  # when this was so
    is_running: bool
    portals: tuple[PortalCrawl, ...]  # by name
    sites: tuple[SitePace, ...]  # by name
    last: tuple[LastPage, ...]  # the latest first


def crawl_state(corpus: Path) -> CrawlState:
    """How the crawl of a corpus stands.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    now = datetime.now(UTC)
    return CrawlState(
        now,
        is_held(corpus / CRAWL_LOCK),
        tuple(_portal(corpus, one) for one in status(corpus, now)),
        tuple(site_paces(corpus)),
        tuple(last_pages(corpus)),
    )


def _portal(corpus: Path, one: PortalStatus) -> PortalCrawl:
    spans, following = over_time(corpus, one.portal), next_addresses(corpus, one.portal)
    return PortalCrawl(one, tuple(spans), tuple(shortfalls(asdict(one))), tuple(following))
