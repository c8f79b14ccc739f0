"""What one crawl of one portal has met, and what it does about each address it meets."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date

from newscorpus.crawl.addresses import may_ask
from newscorpus.data import Rejected
from newscorpus.portals.schema import Portal
from newscorpus.urls import document_id

from .judge import Kind, judge
from .traps import MAX_OF_A_SHAPE, MAX_URL_LENGTH, find_trap, shape


@dataclass(frozen=True, slots=True)
class Target:
    """An address worth asking for."""

    url: str
    kind: Kind


@dataclass(slots=True)
class Frontier:
    """Decides once on every address of a portal: ask, refuse with a reason, or pass over.

    Attributes:
        portal: the portal.
        today: the day of the crawl.
        loopback: `host:port` on this machine that may be asked.
    """

    portal: Portal
    today: date
    loopback: frozenset[str] = frozenset()
    _met: set[str] = field(default_factory=set)
    _shapes: Counter[str] = field(default_factory=Counter)
    _admitted: int = 0
    _full: bool = False

    def admit(self, url: str, depth: int, kind: Kind | None = None) -> Target | Rejected | None:
        """What to do about `url`.

        Args:
            url: absolute address.
            depth: links followed to get here; 0 for what the portal file or a list of addresses names.
            kind: what it is fetched for, where that is known; its look decides otherwise.

        Returns:
            the target to ask for; the refusal; or None where the address was met before, belongs to another site, or
            comes after the refusal that said that the page budget is spent.
        """
        allowed = may_ask(url, self.loopback)
        if allowed and not self.portal.covers(url):
            return None
        if not self._is_first(url):
            return None
        if not allowed:
            return Rejected("fetch", "private_address", "no address of the public web", url)
        kind = kind or judge(url, self.portal)
        if refusal := self._refusal(url, depth, kind):
            return refusal
        return self._within_budget(Target(url, kind))

    def has_met(self, url: str) -> bool:
        """Whether `admit` has seen the document at `url`."""
        return document_id(url) in self._met

    def _is_first(self, url: str) -> bool:
        """Whether the document at `url` was never met before; from now on it was."""
        name = document_id(url)
        if name in self._met:
            return False
        self._met.add(name)
        return True

    def _refusal(self, url: str, depth: int, kind: Kind) -> Rejected | None:
        limits = self.portal.limits
        if len(url) > MAX_URL_LENGTH:
            return Rejected("discovery", "url_too_long", f"{len(url)} characters", url[:MAX_URL_LENGTH])
        trap = "" if self.portal.is_article(url) else find_trap(url, self.today)
        if trap or self._is_endless(url, kind):
            return Rejected("discovery", "trap", trap or f"more than {MAX_OF_A_SHAPE} listings of one shape", url)
        if self.portal.is_ignored(url) or kind is Kind.UNWANTED:
            return Rejected("discovery", "ignored", "by the patterns of the portal", url)
        if depth > limits.max_depth:
            return Rejected("discovery", "too_deep", f"more than {limits.max_depth} links away", url)
        return None

    def _is_endless(self, url: str, kind: Kind) -> bool:
        if kind is not Kind.SECTION:
            return False
        self._shapes[shape(url)] += 1
        return self._shapes[shape(url)] > MAX_OF_A_SHAPE

    def _within_budget(self, target: Target) -> Target | Rejected | None:
        limit = self.portal.limits.max_pages
        if self._admitted < limit:
            self._admitted += 1
            return target
        if self._full:
            return None
        self._full = True
        return Rejected("discovery", "page_budget", f"after {limit} pages neither this one nor any other", target.url)
