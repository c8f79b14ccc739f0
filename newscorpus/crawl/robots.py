"""What robots.txt says (RFC 9309), with the Crawl-delay that the RFC leaves out and many sites state."""

from dataclasses import dataclass
from http import HTTPStatus

from protego import Protego

ROBOT = "newscorpus"
"""The name by which robots.txt may address us."""

MAX_BYTES = 512_000
"""Of a robots.txt that are read: RFC 9309, section 2.5, asks for 500 KiB at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Robots:
    """The rules of one host.

    Attributes:
        crawl_delay: seconds between two requests, as the rules for us ask; 0 where they do not.
        sitemaps: addresses of sitemaps that it names.
    """

    rules: Protego
    crawl_delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allow(self, url: str) -> bool:
        """Whether we may ask for `url`."""
        allowed: bool = self.rules.can_fetch(url, ROBOT)
        return allowed


def read_robots(body: bytes) -> Robots:
    """The rules in the body of a robots.txt; what cannot be understood is passed over."""
    rules = Protego.parse(body[:MAX_BYTES].decode("utf-8-sig", "replace"))
    return Robots(rules, float(rules.crawl_delay(ROBOT) or 0.0), tuple(dict.fromkeys(rules.sitemaps)))


def is_reachable(status: int) -> bool:
    """Whether an answer of this status settles what the rules are; False for those that mean "not now".

    A server error forbids all until it is over (RFC 9309, 2.3.1.4), and 429 says "not now" as well; every other failure
    to bring the file means that there are no rules (2.3.1.3).
    """
    return 0 < status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS
