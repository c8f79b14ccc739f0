"""Fetch one page outside a crawl, by the rules of a crawl: robots, public addresses only, bounds, an honest name."""

from collections.abc import Collection
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import urljoin

from w3lib.url import safe_url_string

from newscorpus.config import FetchConfig
from newscorpus.crawl.request import Answer, FetchError, ask
from newscorpus.crawl.robots import Robots, is_reachable, read_robots
from newscorpus.data import Page, Rejected

REDIRECTS = frozenset({301, 302, 303, 307, 308})
HTML = ("text/html", "application/xhtml+xml", "")
PERSONAL = frozenset({"set-cookie"})
"""Response headers that are about the visitor, not about the page."""


def fetch(
    url: str, user_agent: str, config: FetchConfig = FetchConfig(), loopback: Collection[str] = ()
) -> Page | Rejected:
    """The page at `url`, redirects followed, or why it was not fetched (stage "fetch").

    Args:
        url: an http or https address.
        user_agent: who asks, and where to reach them.
        config: bounds on each request.
        loopback: `host:port` on this machine that may be asked nevertheless.
    """
    visit = _Visit(user_agent, config, loopback)
    try:
        answer = visit.follow(_resolved(url), obey_robots=True)
        _check(answer)
    except FetchError as error:
        return Rejected("fetch", error.reason, error.detail, url)
    headers = {name: value for name, value in answer.headers.items() if name not in PERSONAL}
    return Page(answer.url, answer.body, headers, datetime.now(UTC).isoformat(timespec="seconds"))


class _Visit:
    """The requests that fetching one page takes."""

    def __init__(self, user_agent: str, config: FetchConfig, loopback: Collection[str]) -> None:
        self._user_agent = user_agent
        self._config = config
        self._loopback = loopback
        self._robots: dict[str, Robots] = {}

    def follow(self, url: str, *, obey_robots: bool) -> Answer:
        """The answer at the end of the redirects that begin at `url`; each step is checked as the first one is."""
        for _ in range(self._config.max_redirects + 1):
            if obey_robots and not self._rules(url).allow(url):
                raise FetchError("robots_disallowed", f"robots.txt forbids {url}")
            answer = ask(url, self._user_agent, self._config, self._loopback)
            location = answer.headers.get("location", "")
            if answer.status not in REDIRECTS or not location:
                return answer
            url = _resolved(url, location)
        raise FetchError("redirect_loop", f"more than {self._config.max_redirects} redirects")

    def _rules(self, url: str) -> Robots:
        """The rules of a site; all is allowed without robots.txt, nothing while it is out of reach."""
        root = urljoin(url, "/robots.txt")
        if root not in self._robots:
            answer = self.follow(root, obey_robots=False)
            if not is_reachable(answer.status):
                raise FetchError("robots_unavailable", f"status {answer.status} of {root}")
            self._robots[root] = read_robots(answer.body if answer.status == HTTPStatus.OK else b"")
        return self._robots[root]


def _resolved(url: str, location: str = "") -> str:
    """The address that `location` means on the page at `url`, escaped so that it can be asked for."""
    try:
        return safe_url_string(urljoin(url, location))
    except ValueError as error:
        raise FetchError("bad_address", f"{location or url}: {error}"[:300]) from error


def _check(answer: Answer) -> None:
    if answer.status != HTTPStatus.OK:
        raise FetchError(f"http_{answer.status}", answer.url)
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in HTML:
        raise FetchError("not_html", f"content type {kind!r}")
