"""Requeue addresses fetched before: temporary failures, and lists that are due."""

import math
import time
from collections.abc import Collection
from enum import StrEnum

from newscorpus.discover.frontier import BARREN_ARCHIVES, BUDGET_SPENT, limits_of_archives
from newscorpus.portal.addresses import LIST_KINDS, FetchKind
from newscorpus.store.ledger import Ledger


class Revisit(StrEnum):
    """Which addresses of a corpus to fetch again.

    NOTHING. DUE: feeds, sitemaps, sections and articles that are due. ALL: all feeds, sitemaps and sections.
    ARTICLES: also every article.
    """

    NOTHING = ""
    DUE = "due"
    ALL = "all"
    ARTICLES = "articles"


def requeue_failed(ledger: Ledger, portals: Collection[str]) -> int:
    """Requeue temporary failures of portals whose last crawl was complete; return their number."""
    ended = [portal for portal in portals if not ledger.queue.size(portal)]
    return sum(ledger.revisits.revive((), portal, 0.0) for portal in ended)


def requeue_known(ledger: Ledger, portals: Collection[str], revisit: Revisit) -> int:
    """Requeue the addresses of a revisit, and renew each portal's page budget; return their number."""
    kinds = (*LIST_KINDS, FetchKind.ARTICLE) if revisit is Revisit.ARTICLES else LIST_KINDS
    now = time.time() if revisit is Revisit.DUE else math.inf
    n = 0
    for portal in portals:
        if ledger.counts.of(BUDGET_SPENT, portal):  # lists may hold addresses beyond the budget
            n += ledger.revisits.requeue_unconditionally(LIST_KINDS, portal)
        n += ledger.revisits.revive(kinds, portal, now)
        if revisit is Revisit.DUE:
            n += ledger.revisits.revive_articles(portal, now)
        ledger.counts.renew_budget(portal)
        ledger.counts.add(portal, "rejected/discovery/nothing_new", -ledger.revisits.forget_archives(portal))
        most, least = limits_of_archives(ledger, portal)
        room = most - least - ledger.counts.of(BARREN_ARCHIVES, portal)
        ledger.counts.add(portal, BARREN_ARCHIVES, min(room, 0))  # some more archives are tried
    return n
