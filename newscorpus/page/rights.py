"""Read robots.txt (RFC 9309, Crawl-delay and rights) and reservations of text and data mining."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus

from protego import Protego

from newscorpus.data import ROBOTS_TXT, Evidence, Rejected, Rights

ROBOT = "newscorpus"
"""Our product token in robots.txt."""

MAX_BYTES = 512_000
"""Bytes read of a robots.txt: RFC 9309, section 2.5, requires at least 500 KiB."""

AGENT = re.compile(r"\s*user[- ]?agent\s*:?\s*([^#]*)", re.IGNORECASE)
"""A `User-agent` line."""

DIRECTIVE = re.compile(r"\s*([a-z-]+)\s*:\s*([^#]*)", re.IGNORECASE)
"""Any other line."""

MAX_STATEMENT = 1_000
"""Characters kept of the statements of a kind, which are stored with each page; examples have below 100."""


@dataclass(frozen=True, slots=True, eq=False)
class Robots:
    """The rules of one host."""

    rules: Protego
    crawl_delay: float = 0.0  # seconds between requests that our group demands; 0: none
    sitemaps: tuple[str, ...] = ()  # addresses
    rights: tuple[Evidence, ...] = ()  # statements on the rights in the pages, by field of `Rights`

    def allow(self, url: str) -> bool:
        """Tell whether we may fetch `url`."""
        allowed: bool = self.rules.can_fetch(url, ROBOT)
        return allowed


def read_robots(body: bytes) -> Robots:
    """Parse the first `MAX_BYTES` of a robots.txt; invalid lines are skipped.

    On rights, `Content-Signal` (Cloudflare, 2025) addresses the robots of its group, `License` (RSL 1.0, 2025) all.
    """
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES].rpartition(b"\n")[0]  # half a rule may forbid more than the whole one
    lines = body.decode("utf-8-sig", "replace").splitlines()
    group, is_begun = {"*"}, True  # the robots addressed, and whether one of their rules was read
    signals: dict[str, list[str]] = {"*": []}  # by robot
    licenses: list[str] = []
    for at, line in enumerate(lines):
        if found := AGENT.match(line):  # other robots get one name, since Protego copies the rules for each
            agent = found[1].strip().lower()
            name = agent.replace("*", "") or agent[:1]
            name = name if name == "*" or ROBOT.startswith(name) else "another"
            lines[at] = f"User-agent: {name}"
            group, is_begun = {name} if is_begun else {*group, name}, False
            signals.setdefault(name, [])
        elif found := DIRECTIVE.match(line):
            directive, value = found[1].lower(), found[2].strip()
            is_begun = is_begun or directive not in {"host", "license", "sitemap"}
            if directive == "license" and value:
                licenses.append(value)
            for name in group if directive == "content-signal" and value else ():
                signals[name].append(value)
    rules = Protego.parse("\n".join(lines))
    ours = max(signals.keys() - {"", "another"}, key=lambda name: (name != "*", len(name)))
    said = {"content_signal": ", ".join(signals[ours]), "rsl": " ".join(dict.fromkeys(licenses))}
    rights = tuple(Evidence(field, value[:MAX_STATEMENT], ROBOTS_TXT) for field, value in said.items() if value)
    return Robots(rules, float(rules.crawl_delay(ROBOT) or 0.0), tuple(dict.fromkeys(rules.sitemaps)), rights)


def is_reachable(status: int) -> bool:
    """Tell whether a response with this status settles the rules; False for temporary failures.

    While a server error lasts, everything is disallowed (RFC 9309, 2.3.1.4); 429 is temporary as well. Any other
    failure means that there are no rules (2.3.1.3).
    """
    return 0 < status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS


class RightsPolicy(StrEnum):
    """How a crawl handles documents whose use is reserved."""

    RECORD = "record"
    SKIP = "skip"


REFUSALS = frozenset({"n", "?0", "no"})
"""Refusals: the token of the IETF's AI Preferences drafts, the structured-field boolean, and that of Content-Signal."""

TRAINING = frozenset({"ai", "ai-train", "bots", "genai", "tdm", "train-ai", "train-genai"})
"""Uses in those drafts and in Content-Signal that cover a corpus for language models."""


def judge_rights(rights: Rights, policy: RightsPolicy, url: str) -> Rejected | None:
    """Reject a document whose use is reserved if the policy is to skip it; else None."""
    reserved = ", ".join(reservations(rights)) if policy is RightsPolicy.SKIP else ""
    return Rejected("rights", "reserved", reserved, url) if reserved else None


def reservations(rights: Rights) -> Iterator[str]:
    """Yield the signals that reserve text and data mining or training, as `name=value`.

    TDM Reservation Protocol (W3C community group, 2024, section 5): `tdm-reservation` is 1. Meta robots `noai`, by
    convention; `noimageai` concerns images, of which a corpus holds only addresses. Content-Usage and Content-Signal:
    see `REFUSALS`. RSL: any licence, since its terms bind before use, and they are not fetched.
    """
    if rights.tdm.strip() == "1":
        yield "tdm-reservation=1"
    if "noai" in rights.noai.split(", "):
        yield "robots=noai"
    for source, said in (("content-usage", rights.content_usage), ("content-signal", rights.content_signal)):
        for part in said.lower().split(","):
            name, _, value = part.strip().partition("=")
            if name.strip() in TRAINING and value.partition(";")[0].strip() in REFUSALS:
                yield f"{source}: {part.strip()}"
    if rights.rsl:
        yield f"rsl={rights.rsl}"
