"""Requeue addresses: temporary failures, lists that are due, and all that a changed portal file or period affects.

If the file or the period has changed since the last crawl, addresses are judged again.
Fetched pages are read from the archive; addresses refused without a fetch are forgotten, and the pages that link to
them are read again. All changes are committed together with the new rules, for the next crawl to compare.
"""

import json
import math
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from newscorpus.data import Rejected
from newscorpus.discover.frontier import BARREN, BARREN_ARCHIVES, BUDGET_SPENT, find_refusal, limits_of_archives
from newscorpus.discover.period import CrawlBounds, Period
from newscorpus.portal.addresses import (
    LIST_KINDS,
    PAGE_KINDS,
    FetchKind,
    find_kind,
    find_trap,
    find_trust,
)
from newscorpus.portal.portal import Portal
from newscorpus.store.intake import journal_line
from newscorpus.store.ledger import REJECTIONS, CrawlRules, Ledger, OpenAddress, UrlOutcome, UrlState
from newscorpus.store.ledger.values import OVER_BUDGET, evidence_of

REJECTED_AS = {"unexpected_language": "rejected/language/unexpected_language", "read": "read"}
"""Reason -> count in the ledger; other reasons are of the stage "discovery"."""


DECIDING = ("articles", "sections", "ignore", "only_articles", "languages")
BOUNDING = ("max_pages", "max_depth")
"""Keys of a portal's file, and of its limits, that decide on addresses and pages."""


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


def find_clock_set_back(ledger: Ledger, now: datetime) -> str:
    """Return a warning if pages were fetched later than `now`; "" otherwise."""
    latest = ledger.revisits.latest_fetch()
    if latest <= now.isoformat():
        return ""
    return (
        f"It is {now:%Y-%m-%d %H:%M} by the clock of this machine, but pages were fetched until {latest}: texts"
        " that are fetched now are published as the earlier ones; set the clock right"
    )


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


def rules_of(portal: Portal) -> dict[str, Any]:
    """Return the keys of a portal's file that decide on addresses and pages."""
    keys = {name: getattr(portal, name) for name in DECIDING}
    return keys | {f"limits.{name}": getattr(portal.limits, name) for name in BOUNDING}


def with_rules(portal: Portal, rules: Mapping[str, Any]) -> Portal:
    """Return `portal` with other rules."""
    limits = {name: rules[f"limits.{name}"] for name in BOUNDING}
    keys: dict[str, Any] = {
        name: tuple(value) if isinstance(value := rules[name], list) else value for name in DECIDING
    }
    return replace(portal, limits=replace(portal.limits, **limits), **keys)


@dataclass(frozen=True, slots=True)
class _Change:
    """The rules of the last crawl of a portal, and those of this one."""

    former: Portal
    portal: Portal
    bounds: CrawlBounds  # of this crawl
    is_wider: bool  # the period has days that the former one had not
    has_room: bool  # the page budget was spent, and is larger now
    today: date

    def concerns(self, one: OpenAddress) -> bool:
        """Whether the new rules may decide differently on an address that was refused or not extracted."""
        by_change = {
            "page_budget": self.has_room,
            "out_of_period": self.is_wider,
            "unexpected_language": set(self.portal.languages) != set(self.former.languages),
        }
        if one.reason in by_change:
            return by_change[one.reason]
        if one.reason in {"ignored", "too_deep"}:
            return self.refusal(one) is None
        if one.reason == "trap":
            is_none = one.detail != BARREN and not find_trap(one.url, self.today)
            return is_none or self.portal.is_article(one.url)
        if one.reason not in {"section", "no_article", "read"}:
            return False
        before, now = (find_trust(one.url, each, evidence_of(one.request)) for each in (self.former, self.portal))
        return before is not now

    def refusal(self, one: OpenAddress) -> Rejected | None:
        """Refuse an address by the new rules; None if they allow it."""
        return find_refusal(self.portal, one.url, one.depth, find_kind(one.url, self.portal), self.bounds)


def judge_again(ledger: Ledger, portal: Portal, period: Period, today: date) -> tuple[str, int] | None:
    """Requeue addresses to judge again, and store the rules of this crawl.

    Returns: a message for the log, and the number of addresses; None if the rules are unchanged.
    """
    name, last = portal.name, ledger.revisits.rules(portal.name)
    text = json.dumps(rules_of(portal))
    ledger.revisits.set_rules(name, CrawlRules(period.since.isoformat(), period.until.isoformat(), text))
    if last is None:
        return None
    now = json.loads(text)
    before = now | (json.loads(last.portal_file) if last.portal_file else {})
    days = Period(date.fromisoformat(last.since), date.fromisoformat(last.until))
    why = [name for name in now if before[name] != now[name]] + ["period"] * (days != period)
    if not why:
        return None
    former, bounds = with_rules(portal, before), CrawlBounds.fit(portal.limits, period, today)
    more = bounds.max_pages > CrawlBounds.fit(former.limits, days, today).max_pages
    has_room = more and ledger.counts.of(BUDGET_SPENT, name) > 0
    change = _Change(former, portal, bounds, not days.covers(period), has_room, today)
    judged, read = _requeue(ledger, change)
    says = "no address is judged differently now"
    if judged + read:
        says = f"addresses judged again: {judged:,}, pages read again for their links: {read:,}, from the archive"
        says += " where it holds them"
    return f"{name}: {', '.join(why)} changed since the last crawl; {says}", judged + read


def _requeue(ledger: Ledger, change: _Change) -> tuple[int, int]:
    """Requeue the affected addresses; return the numbers of addresses and of pages read again for their links."""
    name, revisits = change.portal.name, ledger.revisits
    rows = revisits.open_to_rules(name)
    concerned = [one for one in rows if one.state == UrlState.DONE and change.concerns(one)]
    unasked = [one for one in concerned if not one.request]
    for reason, n in Counter(one.reason for one in concerned).items():
        ledger.counts.add(name, REJECTED_AS.get(reason, f"rejected/discovery/{reason}"), -n)
    revisits.judge_again(name, (one.serial for one in concerned if one.request))
    revisits.forget(one.serial for one in unasked)
    if change.is_wider or change.has_room:  # skipped addresses are not recorded
        read = revisits.read_all_again(name, LIST_KINDS)
    else:
        read = revisits.read_again(name, (one.found_on for one in unasked))
    if change.has_room:
        ledger.counts.add(name, OVER_BUDGET, -ledger.counts.of(OVER_BUDGET, name))
    n_refused = 0
    for one in rows:
        is_page = one.state == UrlState.QUEUED and one.kind in PAGE_KINDS and one.depth
        if is_page and (refused := change.refusal(one)):
            revisits.withdraw(name, one.serial)
            line = journal_line(refused)
            n_refused += ledger.refuse(one.url, UrlOutcome.of(refused), REJECTIONS, line, name, one.found_on)
    return len(concerned) + n_refused, read
