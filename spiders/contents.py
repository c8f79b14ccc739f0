"""Sites that answer every address: what they show for a page that is not there, and one page under many names."""

from collections import OrderedDict
from hashlib import sha256
from urllib.parse import urljoin, urlsplit

from newscorpus.crawl.ledger import Ledger
from newscorpus.data import Rejected

MAX_REMEMBERED = 10_000
"""Contents remembered at a time: a megabyte or two. What serves one page under many names does so at once."""

MAX_ADDRESSES = 2
"""Most addresses with one content that are handed on: an article may stand in two sections, of which the build keeps
one."""


def missing_page(url: str) -> str:
    """An address on the site of `url` that nobody can have given to a page; always the same one."""
    name = sha256(urlsplit(url).netloc.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return urljoin(url, f"/no-such-page-{name}")


class Contents:
    """The content signatures that a crawl has met.

    Args:
        ledger: of the crawl; it remembers what sites show for missing pages.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def remember_missing(self, probe: str, signature: str) -> None:
        """Note the content of a page that cannot be there."""
        self._ledger.revisits.state(probe, signature)

    def refusal(self, url: str, signature: str) -> Rejected | None:
        """Why a page of this content is no article; None where that is not known."""
        if not signature:
            return None
        if signature == self._of_missing(url):
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

    def _of_missing(self, url: str) -> str:
        last = self._ledger.revisits.last(missing_page(url))
        return last.stated if last else ""
