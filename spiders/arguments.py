"""The arguments of the portal spider (`-a NAME=VALUE`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import permutations
from pathlib import Path

from newscorpus.crawl.addresses import is_loopback
from newscorpus.discovery.period import ALWAYS, Period
from newscorpus.discovery.revisits import Revisit
from newscorpus.errors import CrawlError
from newscorpus.portals.schema import Portal, list_portals, load_portal, with_base

KNOWN = ("portal", "limit", "base", "urls", "fresh", "since", "until", "revisit")
USAGE = (
    "usage: scrapy crawl portal -a portal=NAME[,NAME]|all [-a limit=N] [-a base=URL] [-a urls=FILE] [-a fresh=1]"
    " [-a since=YYYY-MM-DD] [-a until=YYYY-MM-DD] [-a revisit=due|all|articles]"
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a crawl of portals was asked to do.

    Attributes:
        name: the argument `portal` as given; names the default corpus folder.
        portals: the portals, in the order asked for.
        limit: articles, over the life of the corpus, after which the crawl ends; 0: none.
        urls: addresses of the only pages to fetch; empty: discover them.
        fresh: "" to continue the corpus; "yes" to begin it anew, and anything else to do so after asking.
        period: the days that the articles are to be of.
        revisit: what is asked for again.
    """

    name: str
    portals: tuple[Portal, ...]
    limit: int = 0
    urls: tuple[str, ...] = ()
    fresh: str = ""
    period: Period = ALWAYS
    revisit: Revisit = Revisit.NOTHING


def read_arguments(given: Mapping[str, str]) -> Arguments:
    """Check the arguments and load the portals they name.

    Raises:
        CrawlError: an argument is unknown, missing or wrong.
        PortalError: a portal is unknown, or its file is wrong.
    """
    if unknown := sorted(given.keys() - set(KNOWN)):
        raise CrawlError(f"unknown argument {unknown[0]!r}; known: {', '.join(KNOWN)}; {USAGE}")
    name = given.get("portal", "").strip()
    portals = read_portals(name)
    if base := given.get("base", ""):
        if len(portals) != 1:
            raise CrawlError(f"argument 'base' goes with one portal, not with {len(portals)}")
        portals = (with_base(portals[0], base),)
    _check_apart(portals)
    if given.get("urls") and given.get("revisit"):
        raise CrawlError(
            "arguments 'urls' and 'revisit' exclude each other: the one names pages, the other looks for them"
        )
    return Arguments(
        name,
        portals,
        read_limit(given.get("limit", "")),
        _addresses(given.get("urls", "")),
        given.get("fresh", ""),
        _period(given),
        _revisit(given.get("revisit", "")),
    )


def read_portals(name: str) -> tuple[Portal, ...]:
    """The portals named; "all" leaves out those on this machine, which run only where they are served."""
    if name == "all":
        every = map(load_portal, list_portals())
        return tuple(portal for portal in every if not is_loopback(portal.start[0]))
    names = list(dict.fromkeys(filter(None, (part.strip() for part in name.split(",")))))
    if not names:
        raise CrawlError(f"argument 'portal' is missing; known: all, {', '.join(list_portals())}; {USAGE}")
    return tuple(map(load_portal, names))


def _check_apart(portals: tuple[Portal, ...]) -> None:
    """See that no two portals are one site, which each would then ask at its own pace."""
    for one, other in permutations(portals, 2):
        for domain in one.domains:
            if other.covers(f"http://{domain}/") and not is_loopback(f"http://{domain}/"):
                raise CrawlError(f"portals {one.name!r} and {other.name!r} share {domain}; crawl one after the other")


def read_limit(text: str) -> int:
    """The number of articles that the argument `limit` names; 0 for none.

    Raises:
        CrawlError: it is no such number.
    """
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise CrawlError(f"argument 'limit' is {text!r}; expected a number of articles, 1 or more")
    return int(text)


def _period(given: Mapping[str, str]) -> Period:
    named = {name: _day(name, given[name]) for name in ("since", "until") if given.get(name)}
    period = Period(**named)
    if period.since > period.until:
        raise CrawlError(f"argument 'since' is {period.since}, later than 'until', {period.until}")
    return period


def _day(name: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise CrawlError(f"argument {name!r} is {text!r}; expected a day, YYYY-MM-DD") from error


def _revisit(text: str) -> Revisit:
    try:
        return Revisit(text)
    except ValueError as error:
        known = ", ".join(filter(None, Revisit))
        raise CrawlError(f"argument 'revisit' is {text!r}; known: {known}") from error


def _addresses(file: str) -> tuple[str, ...]:
    """The addresses in a file, one a line; empty lines and those that begin with # are passed over."""
    if not file:
        return ()
    try:
        lines = [line.strip() for line in Path(file).read_text(encoding="utf-8").split("\n")]
    except OSError as error:
        raise CrawlError(f"argument 'urls': {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CrawlError(f"argument 'urls': {file}: not UTF-8") from error
    if not (addresses := tuple(line for line in lines if line and not line.startswith("#"))):
        raise CrawlError(f"argument 'urls': {file}: holds no address")
    return addresses
