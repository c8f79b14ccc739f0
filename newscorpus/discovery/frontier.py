"""Decide once on every new address of a portal, and recognise contents that were seen under another address."""

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b, sha256
from urllib.parse import urljoin, urlsplit

from newscorpus.crawl.addresses import may_ask
from newscorpus.crawl.ledger import Ledger
from newscorpus.crawl.ledger.rows import OVER_BUDGET
from newscorpus.data import Rejected
from newscorpus.discovery.addresses import FetchKind, find_kind, find_trap
from newscorpus.portals.portal import Portal

BUDGET_SPENT = "rejected/discovery/page_budget"
"""Count of the ledger: an address was refused because the portal's budget of pages was spent."""

MAX_URL_LENGTH = 2_000
"""Longest address asked for; browsers and servers have long had their limit at about 2,000 characters."""

MAX_OF_A_SHAPE = 200
"""Most listing pages whose addresses differ only in digits: pages of one section, days of a calendar."""

MAX_REMEMBERED = 10_000
"""Contents remembered at a time, one or two megabytes. A site that serves one page under many names does so at once."""

MAX_ADDRESSES = 2
"""Most addresses with one content that are handed on: an article may stand in two sections; the build keeps one."""


@dataclass(slots=True)
class Frontier:
    """Decides once on every address of a portal: ask, refuse with a reason, or pass over. The ledger remembers.

    Attributes:
        portal: whose addresses they are.
        today: the day of the crawl; dates far ahead of it are a sign of a trap.
        ledger: of the crawl.
        loopback: `host:port` on this machine that may be asked.
    """

    portal: Portal
    today: date
    ledger: Ledger
    loopback: frozenset[str] = frozenset()
    _admitted: int = field(init=False)
    _full: bool = field(init=False)

    def __post_init__(self) -> None:
        self._admitted = self.ledger.taken_in(self.portal.name)
        spent = self._admitted >= self.portal.limits.max_pages
        self._full = spent and self.ledger.counted(BUDGET_SPENT, self.portal.name) > 0

    def admit(self, url: str, depth: int, kind: FetchKind | None = None) -> FetchKind | Rejected | None:
        """Decide what to do about `url`.

        Args:
            url: absolute address.
            depth: links followed to get here; 0 for what the portal file or a list of addresses names.
            kind: what it is fetched for, where that is known; otherwise the address decides.

        Returns:
            what to fetch it for; the refusal; or None where the address was met before, belongs to another site, or
            comes after the refusal that reported the page budget as spent.
        """
        allowed = may_ask(url, self.loopback)
        if allowed and not self.portal.covers(url):
            return None
        if len(url) > MAX_URL_LENGTH:  # it is neither stored nor looked at any further
            short = url[:MAX_URL_LENGTH]
            is_new = self.ledger.reserve(short, self.portal.name)
            return Rejected("discovery", "url_too_long", f"{len(url)} characters", short) if is_new else None
        kind = kind or find_kind(url, self.portal)
        shape = _shape_key(url) if kind is FetchKind.SECTION else 0
        if not self.ledger.reserve(url, self.portal.name, kind, shape):
            return None
        if not allowed:
            return Rejected("fetch", "private_address", "no address of the public web", url)
        return self._refusal(url, depth, kind, shape) or self._within_budget(url, kind)

    def _refusal(self, url: str, depth: int, kind: FetchKind, shape: int) -> Rejected | None:
        limits = self.portal.limits
        trap = "" if depth == 0 or self.portal.is_article(url) else find_trap(url, self.today)
        if not trap and shape and depth:
            n = self.ledger.listings(self.portal.name, shape, MAX_OF_A_SHAPE + 1)
            trap = f"more than {MAX_OF_A_SHAPE} listings of one shape" if n > MAX_OF_A_SHAPE else ""
        if trap:
            return Rejected("discovery", "trap", trap, url)
        if self.portal.is_ignored(url) or kind is FetchKind.UNWANTED:
            return Rejected("discovery", "ignored", "by the patterns of the portal", url)
        if depth > limits.max_depth:
            return Rejected("discovery", "too_deep", f"more than {limits.max_depth} links away", url)
        return None

    def _within_budget(self, url: str, kind: FetchKind) -> FetchKind | Rejected | None:
        limit = self.portal.limits.max_pages
        if self._admitted < limit:
            self._admitted += 1
            return kind
        self.ledger.count(self.portal.name, OVER_BUDGET)
        if self._full:
            return None
        self._full = True
        return Rejected("discovery", "page_budget", f"after {limit} pages neither this one nor any other", url)


def _shape_key(url: str) -> int:
    """An integer for the ledger that is the same for addresses that differ only in digits: pages of one listing."""
    shape = re.sub(r"\d+", "0", url).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(shape, digest_size=8).digest(), "big", signed=True)


class SeenContents:
    """The content signatures that a crawl has met, by site; the ledger remembers what sites show for missing pages."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def remember_missing(self, probe: str, signature: str) -> None:
        """Note the content of a page that cannot be there."""
        self._ledger.revisits.state(probe, signature)

    def refusal(self, url: str, signature: str) -> Rejected | None:
        """Refuse the page at `url` if its content shows that it is no article; None where nothing speaks against it."""
        if not signature:
            return None
        missing = self._ledger.revisits.last(missing_page(url))
        if missing and signature == missing.stated:
            return Rejected("discovery", "soft_404", "shows what the site shows for any missing page", url)
        site = urlsplit(url).netloc
        known = self._seen.pop((site, signature), ())
        others = tuple(other for other in known if other != url)
        self._seen[site, signature] = (*others, url)[:MAX_ADDRESSES]
        if len(self._seen) > MAX_REMEMBERED:
            self._seen.popitem(last=False)
        if len(others) < MAX_ADDRESSES:
            return None
        return Rejected("discovery", "same_content", f"as {others[0]} and others", url)


def missing_page(url: str) -> str:
    """An address on the site of `url` that no page can have; always the same one."""
    name = sha256(urlsplit(url).netloc.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return urljoin(url, f"/no-such-page-{name}")
