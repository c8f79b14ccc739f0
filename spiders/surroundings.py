"""What a crawl must know of its portals before it begins."""

import re
from collections.abc import Iterable
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from newscorpus.addon.guards import PrivateAddressMiddleware
from newscorpus.addon.options import user_agent
from newscorpus.addon.politeness import PolitenessMiddleware
from newscorpus.addon.robots import RobotsMiddleware
from newscorpus.crawl.addresses import host_and_port, is_loopback
from newscorpus.crawl.politeness import Manners
from newscorpus.errors import CrawlError
from newscorpus.portals.portal import read_quiet_hours
from newscorpus.portals.schema import Portal

from .arguments import Arguments

PROMISES = (PolitenessMiddleware, PrivateAddressMiddleware, RobotsMiddleware)
"""Middlewares without which no portal is crawled."""

REACHABLE = re.compile(r"[^@\s]+@[^@\s]+|https?://\S+")


def portal_settings(arguments: Arguments, settings: BaseSettings) -> dict[str, Any]:
    """The settings that depend on the portals: corpus folder, user agent, delays.

    Raises:
        CrawlError: a portal lies beyond this machine, and the crawl does not say who asks.
    """
    contact = settings.get("NEWSCORPUS_CONTACT") or ""
    if contact and not REACHABLE.search(contact):
        raise CrawlError(f"setting NEWSCORPUS_CONTACT is {contact!r}; expected a mail address or the URL of a page")
    sites = (f"http://{domain}/" for portal in arguments.portals for domain in portal.domains)
    if not contact and not all(is_loopback(url) for url in (*sites, *_addresses(arguments.portals))):
        raise CrawlError("setting NEWSCORPUS_CONTACT is empty; set it to an address at which sites can reach you")
    return {
        "NEWSCORPUS_CORPUS": settings.get("NEWSCORPUS_CORPUS") or f"corpora/{arguments.name}",
        "NEWSCORPUS_FRESH": arguments.fresh or settings.get("NEWSCORPUS_FRESH") or "",
        "USER_AGENT": user_agent(contact),
        "DOWNLOAD_SLOTS": {portal.name: {"delay": portal.delay_seconds, "jitter": 0} for portal in arguments.portals},
        # One request of a portal goes out at a time; more of them under way would only spoil the order.
        "CONCURRENT_REQUESTS": 2 * len(arguments.portals),
    }


def check_promises(settings: BaseSettings) -> None:
    """See that nothing takes away what sites are promised.

    Args:
        settings: with those of `portal_settings`.

    Raises:
        CrawlError: the user agent is another one, or what keeps the promises is switched off.
    """
    if settings.get("USER_AGENT") != user_agent(settings.get("NEWSCORPUS_CONTACT") or ""):
        raise CrawlError("setting USER_AGENT: newscorpus says who asks, always; set NEWSCORPUS_CONTACT")
    placed = {load_object(name): place for name, place in settings.getdict("DOWNLOADER_MIDDLEWARES").items()}
    if missing := [kind.__name__ for kind in PROMISES if placed.get(kind) is None]:
        raise CrawlError(f"setting DOWNLOADER_MIDDLEWARES: portals are crawled with {missing[0]}, always")


def portal_manners(portals: Iterable[Portal]) -> dict[str, Manners]:
    """What each portal may expect of the crawl, by its name."""
    return {portal.name: _manners(portal) for portal in portals}


def _manners(portal: Portal) -> Manners:
    hours, zone = portal.politeness.quiet_hours, portal.politeness.time_zone
    quiet = read_quiet_hours(hours, zone) if hours else None
    return Manners(portal.delay_seconds, portal.limits.max_bytes, quiet)


def loopback_hosts(portals: Iterable[Portal]) -> frozenset[str]:
    """`host:port` of the portals that are served on this machine, as their files name them."""
    return frozenset(host_and_port(url) for url in _addresses(portals) if is_loopback(url))


def _addresses(portals: Iterable[Portal]) -> Iterable[str]:
    return (url for portal in portals for url in (*portal.start, *portal.feeds, *portal.sitemaps))
