"""Read the arguments of the portal spider (`-a NAME=VALUE`) and derive its settings."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import permutations
from pathlib import Path
from typing import Any, TypeVar

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from newscorpus.data import Page
from newscorpus.discover.period import ALWAYS, CrawlBounds, Period
from newscorpus.discover.revisits import Revisit
from newscorpus.errors import CrawlError, PortalError
from newscorpus.fetch.middlewares.guards import PrivateAddressMiddleware
from newscorpus.fetch.middlewares.pauses import PolitenessPolicy
from newscorpus.fetch.middlewares.politeness import PolitenessMiddleware
from newscorpus.fetch.middlewares.robots import RobotsMiddleware
from newscorpus.fetch.options import default_corpus, user_agent
from newscorpus.page.judgement import extractor_of
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import page_of_portal
from newscorpus.portal.portal import Portal, read_quiet_hours
from newscorpus.portal.schema import list_portals, load_portal, own_portals, with_base
from newscorpus.resources import read_text
from newscorpus.urls import host_and_port, is_loopback

USAGE = (
    "usage: scrapy crawl portal -a portal=NAME[,NAME]|all [-a limit=N] [-a base=URL] [-a urls=FILE] [-a fresh=1]"
    " [-a since=YYYY-MM-DD] [-a until=YYYY-MM-DD] [-a revisit=due|all|articles]"
)

T = TypeVar("T")

PROMISES = (PolitenessMiddleware, PrivateAddressMiddleware, RobotsMiddleware)
"""Middlewares that a crawl of portals requires."""


@dataclass(frozen=True, slots=True)
class PortalArguments:
    """The arguments of a crawl of portals."""

    name: str  # the argument `portal` as given; names the default corpus folder
    portals: tuple[Portal, ...]  # the portals, in the order asked for
    limit: int = 0  # rows in the intake, over all crawls of the corpus, at which the crawl ends; 0: no limit
    urls: tuple[str, ...] = ()  # fetch only these pages; empty: discover pages
    fresh: str = ""  # "": continue the corpus; "yes": start it over; anything else: start over after asking
    period: Period = ALWAYS  # days of publication to collect
    revisit: Revisit = Revisit.NOTHING  # what to fetch again


def read_arguments(given: Mapping[str, str]) -> PortalArguments:
    """Check the arguments and load the portals they name.

    Raises:
        CrawlError: an argument is unknown, missing or wrong.
        PortalError: a portal is unknown, or its file is wrong.
    """
    refuse_unknown(given, USAGE)
    name = given.get("portal", "").strip()
    portals = named_portals(name)
    if base := given.get("base", ""):
        if len(portals) != 1:
            raise CrawlError(f"argument 'base' goes with one portal, not with {len(portals)}")
        portals = (with_base(portals[0], base),)
    for one, other in permutations(portals, 2):  # each would crawl a shared site at its own rate
        for domain in one.domains:
            if other.covers(f"http://{domain}/") and not is_loopback(f"http://{domain}/"):
                names = f"{one.name!r} and {other.name!r}"
                raise CrawlError(f"portals {names} share {domain}; crawl one after the other")
    if given.get("urls") and given.get("revisit"):
        raise CrawlError(
            "arguments 'urls' and 'revisit' exclude each other: the one names pages, the other looks for them"
        )
    return PortalArguments(
        name,
        portals,
        _parse(given, "limit", _positive, 0, "expected a number of articles, 1 or more"),
        _addresses(given.get("urls", "")),
        given.get("fresh", ""),
        read_period(given),
        _parse(given, "revisit", Revisit, Revisit.NOTHING, f"known: {', '.join(filter(None, Revisit))}"),
    )


def portal_settings(arguments: PortalArguments, settings: BaseSettings) -> dict[str, Any]:
    """Return the settings that depend on the portals: corpus folder, user agent, delays.

    Raises:
        CrawlError: a portal is not on localhost, and no contact is set.
    """
    sites = (f"http://{domain}/" for portal in arguments.portals for domain in portal.domains)
    return {
        **corpus_settings(arguments.name, arguments.fresh, settings),
        "USER_AGENT": named_agent((*sites, *_named_addresses(arguments.portals)), settings),
        "DOWNLOAD_SLOTS": {portal.name: {"delay": portal.delay_seconds, "jitter": 0} for portal in arguments.portals},
        # Each portal gets one request at a time; more in progress would only disturb the order.
        "CONCURRENT_REQUESTS": 2 * len(arguments.portals),
    }


def named_agent(addresses: Iterable[str], settings: BaseSettings) -> str:
    """Return the user agent for a crawl of `addresses`, with the contact in it.

    Raises:
        CrawlError: the contact is invalid, or it is missing and an address is not on localhost.
    """
    contact = settings.get("NEWSCORPUS_CONTACT") or ""
    if not contact and not all(map(is_loopback, addresses)):
        raise CrawlError("setting NEWSCORPUS_CONTACT is empty; set it, or --contact, to your mail address or page")
    return user_agent(contact)


def corpus_settings(name: str, fresh: str, settings: BaseSettings) -> dict[str, str]:
    """Return the settings of the corpus: its folder (by default named `name`), and whether to start it over."""
    return {
        "NEWSCORPUS_CORPUS": settings.get("NEWSCORPUS_CORPUS") or str(default_corpus(name)),
        "NEWSCORPUS_FRESH": fresh or settings.get("NEWSCORPUS_FRESH") or "",
    }


def check_promises(settings: BaseSettings) -> None:
    """Check that no setting breaks the politeness promised to sites.

    Raises:
        CrawlError: the user agent was changed, or a required middleware is switched off.
    """
    if settings.get("USER_AGENT") != user_agent(settings.get("NEWSCORPUS_CONTACT") or ""):
        raise CrawlError("setting USER_AGENT: newscorpus says who asks, always; set NEWSCORPUS_CONTACT")
    placed = {load_object(name): place for name, place in settings.getdict("DOWNLOADER_MIDDLEWARES").items()}
    if missing := [kind.__name__ for kind in PROMISES if placed.get(kind) is None]:
        raise CrawlError(f"setting DOWNLOADER_MIDDLEWARES: portals are crawled with {missing[0]}, always")


def portal_policies(portals: Iterable[Portal], period: Period, today: date) -> dict[str, PolitenessPolicy]:
    """Return the politeness policy of each portal, by its name, for a crawl of these days."""
    return {
        portal.name: PolitenessPolicy(
            portal.delay_seconds,
            CrawlBounds.fit(portal.limits, period, today).max_bytes,
            read_quiet_hours(portal.politeness),
        )
        for portal in portals
    }


def loopback_hosts(portals: Iterable[Portal]) -> frozenset[str]:
    """Return `host:port` of the portals on localhost, as in their files."""
    return frozenset(host_and_port(url) for url in _named_addresses(portals) if is_loopback(url))


def refuse_unknown(given: Mapping[str, str], usage: str) -> None:
    """Raise `CrawlError` for an argument of a spider that its usage does not name."""
    known = re.findall(r"-a (\w+)=", usage)
    if unknown := sorted(given.keys() - set(known)):
        raise CrawlError(f"unknown argument {unknown[0]!r}; known: {', '.join(known)}; {usage}")


def parse_names(text: str) -> list[str]:
    """Split a comma-separated list of names; drop duplicates."""
    return list(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))


def _named_addresses(portals: Iterable[Portal]) -> Iterable[str]:
    return (url for portal in portals for url in (*portal.start, *portal.feeds, *portal.sitemaps))


def named_portals(name: str) -> tuple[Portal, ...]:
    """Load the portals named, and check that models of their own can be loaded.

    "all" names those of the project, without portals on localhost, which must be served first.
    """
    if name == "all":
        every = map(load_portal, own_portals())
        return tuple(portal for portal in every if not is_loopback(portal.start[0]))
    if not (names := parse_names(name)):
        raise CrawlError(f"argument 'portal' is missing; known: all, {', '.join(list_portals())}; {USAGE}")
    portals = tuple(map(load_portal, names))
    for portal in portals:
        try:
            if portal.extractor or portal.fields_model:
                extractor_of(Recipe(), page_of_portal(Page("", b""), portal))
        except (ValueError, ImportError) as error:
            raise PortalError(f"portal {portal.name}: {error}") from error
    return portals


def read_period(given: Mapping[str, str]) -> Period:
    """Read the days that the arguments `since` and `until` ask for.

    Raises:
        CrawlError: a value is no date, `since` lies in the future, or is later than `until`.
    """
    since = _parse(given, "since", date.fromisoformat, date.min, "expected a day, YYYY-MM-DD")
    until = _parse(given, "until", date.fromisoformat, date.max, "expected a day, YYYY-MM-DD")
    if since > (today := datetime.now().astimezone().date()):
        raise CrawlError(f"argument 'since' is {since}, a day to come; today is {today}")
    if since > until:
        raise CrawlError(f"argument 'since' is {since}, later than 'until', {until}")
    return Period(since, until)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ValueError
    return int(text)


def _parse(given: Mapping[str, str], name: str, parse: Callable[[str], T], default: T, expected: str) -> T:
    text = given.get(name, "")
    try:
        return parse(text) if text else default
    except ValueError as error:
        raise CrawlError(f"argument {name!r} is {text!r}; {expected}") from error


def _addresses(file: str) -> tuple[str, ...]:
    """Read the addresses in a file, one per line; empty lines and lines that begin with # are skipped."""
    if not file:
        return ()
    lines = map(str.strip, read_text(Path(file), CrawlError).split("\n"))
    if not (addresses := tuple(line for line in lines if line and not line.startswith("#"))):
        raise CrawlError(f"{file}: holds no address")
    return addresses
