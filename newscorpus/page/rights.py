"""Read what a site allows: its robots.txt (RFC 9309, and the Crawl-delay), and what it reserves of text mining."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus

from protego import Protego

from newscorpus.data import Rejected, Rights

ROBOT = "newscorpus"
"""The name by which robots.txt may address us."""

MAX_BYTES = 512_000
"""Of a robots.txt that are read: RFC 9309, section 2.5, asks for 500 KiB at least."""

AGENT = re.compile(r"\s*user[- ]?agent\s*:?\s*([^#]*)", re.IGNORECASE)
"""A line that says to whom rules speak."""


@dataclass(frozen=True, slots=True, eq=False)
class Robots:
    """The rules of one host."""

    rules: Protego
    crawl_delay: float = 0.0  # seconds between two requests, as the rules for us ask; 0 where they do not
    sitemaps: tuple[str, ...] = ()  # addresses of sitemaps that it names

    def allow(self, url: str) -> bool:
        """Whether we may ask for `url`."""
        allowed: bool = self.rules.can_fetch(url, ROBOT)
        return allowed


def read_robots(body: bytes) -> Robots:
    """The rules in the first `MAX_BYTES` of a robots.txt; what cannot be understood is passed over."""
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES].rpartition(b"\n")[0]  # half a rule may forbid more than the whole one
    lines = body.decode("utf-8-sig", "replace").splitlines()
    rules = Protego.parse("\n".join(map(_addressed, lines)))
    return Robots(rules, float(rules.crawl_delay(ROBOT) or 0.0), tuple(dict.fromkeys(rules.sitemaps)))


def _addressed(line: str) -> str:
    """A line of a robots.txt, the others to whom rules speak being all one: Protego copies rules for each of them."""
    if not (found := AGENT.match(line)):
        return line
    agent = found[1].strip().lower()
    name = agent.replace("*", "") or agent[:1]
    return f"User-agent: {name if name == '*' or ROBOT.startswith(name) else 'another'}"


def is_reachable(status: int) -> bool:
    """Whether an answer of this status settles what the rules are; False for those that mean "not now".

    A server error forbids all until it is over (RFC 9309, 2.3.1.4), and 429 says "not now" as well; every other failure
    to bring the file means that there are no rules (2.3.1.3).
    """
    return 0 < status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS


class RightsPolicy(StrEnum):
    """What a crawl does about a document whose site reserves its use."""

    RECORD = "record"
    SKIP = "skip"


REFUSALS = frozenset({"n", "?0"})
"""How Content-Usage says no: the token of the IETF's AI Preferences drafts, and the boolean of structured fields."""

TRAINING = frozenset({"ai", "bots", "genai", "tdm", "train-ai", "train-genai"})
"""The uses in those drafts that a corpus for language models falls under."""


def judge_rights(rights: Rights, policy: RightsPolicy, url: str) -> Rejected | None:
    """A rejection where the policy is to skip and the site reserves the use; None where the document may stay."""
    reserved = ", ".join(reservations(rights)) if policy is RightsPolicy.SKIP else ""
    return Rejected("rights", "reserved", reserved, url) if reserved else None


def reservations(rights: Rights) -> Iterator[str]:
    """The signals that reserve text and data mining or training, as `name=value`.

    TDM Reservation Protocol (W3C community group, 2024, section 5): `tdm-reservation` is 1. Meta robots `noai`, by
    convention; `noimageai` speaks of images, of which a corpus holds addresses only. Content-Usage: see `REFUSALS`.
    """
    if rights.tdm.strip() == "1":
        yield "tdm-reservation=1"
    if "noai" in rights.noai.split(", "):
        yield "robots=noai"
    for part in rights.content_usage.lower().split(","):
        name, _, value = part.strip().partition("=")
        if name in TRAINING and value.partition(";")[0].strip() in REFUSALS:
            yield f"content-usage: {part.strip()}"
