"""Add newscorpus to a Scrapy project with one setting, and say what it reads of the project's spiders."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

import newscorpus.settings
from newscorpus.errors import CrawlError
from newscorpus.fetch.counts import FAILED
from newscorpus.fetch.middlewares.pauses import PolitenessPolicy
from newscorpus.fetch.options import check_settings, user_agent
from newscorpus.portal.access import OwnAccess
from newscorpus.portal.portal import Portal

logger = logging.getLogger(__name__)

PROJECT = frozenset(
    "BOT_NAME SPIDER_MODULES NEWSPIDER_MODULE COMMANDS_MODULE LOG_LEVEL LOGSTATS_INTERVAL STATS_DUMP "
    "DEFAULT_DROPITEM_LOG_LEVEL TELNETCONSOLE_ENABLED REMOTE_CONTROL_ENABLED".split()
)
"""Settings that say what our own project is, and nothing on how a crawl goes."""

COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES")

PRIORITY = "addon"
"""Above Scrapy's defaults and below all that a project, a spider or `-s` sets."""


class CrawlComponent:
    """Base of what Scrapy makes with the crawl and nothing else: middlewares, pipelines, the add-on."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the component of a crawl."""
        return cls(crawler)


class NewscorpusAddon(CrawlComponent):
    """Switches ledger, archive, politeness and pipelines on: `ADDONS = {"newscorpus.fetch.NewscorpusAddon": 100}`.

    What the project sets itself stays as it is: values, and components that it placed or disabled. A spider yields
    `SourcePage`s, `Page`s or plain responses; all else passes.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Add our values and components.

        Raises:
            CrawlError: a setting of ours is unknown, robots.txt is to be disobeyed, or nobody says who asks.
        """
        add_settings(settings)
        check_settings(settings)
        if not self._crawler.spidercls.__module__.startswith("newscorpus."):  # ours see to it themselves
            _introduce(settings)


def add_settings(settings: BaseSettings) -> None:
    """Add our values and components to those of a project, which go before."""
    for name, value in vars(newscorpus.settings).items():
        if name in COMPONENTS:
            for path, priority in value.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), priority)
        elif name.isupper() and name not in PROJECT:
            settings.set(name, value, PRIORITY)


def _introduce(settings: BaseSettings) -> None:
    """Set a user agent that says who asks, unless the project has its own."""
    contact = settings.get("NEWSCORPUS_CONTACT") or ""
    is_own = settings.getpriority("USER_AGENT") != 0
    if not contact and not is_own:
        raise CrawlError("setting NEWSCORPUS_CONTACT is empty; set it to an address at which sites can reach you")
    if contact:
        settings.set("USER_AGENT", user_agent(contact), PRIORITY)


class SpiderHints(Protocol):
    """What the add-on reads of a spider. A spider may leave out any of these members; each says what holds then."""

    @property
    def portal_names(self) -> tuple[str, ...] | None:
        """Names of the portals that it crawls, for progress and report. Left out: the spider's own name."""

    @property
    def portals(self) -> Collection[Portal]:
        """The portals that it crawls, by whose files pages are judged again. Left out: none has a file."""

    @property
    def policies(self) -> Mapping[str, PolitenessPolicy]:
        """How politely sites are treated, by download slot. Left out: the setting DOWNLOAD_DELAY holds for all."""

    @property
    def access(self) -> Mapping[str, OwnAccess]:
        """What of the user's own goes with requests, by download slot. Left out: nothing."""

    @property
    def loopback(self) -> Collection[str]:
        """`host:port` on this machine that may be asked. Left out: none."""

    @property
    def has_met(self) -> Callable[[str, str], bool]:
        """Method `has_met(url, asked)`: whether the document at `url` was met otherwise than by a redirect of `asked`.

        A redirect to such a document is refused. Left out: none was met.
        """


@dataclass(frozen=True, slots=True)
class _Hints:
    portal_names: tuple[str, ...] | None = None
    portals: Collection[Portal] = ()
    policies: Mapping[str, PolitenessPolicy] = field(default_factory=dict)
    access: Mapping[str, OwnAccess] = field(default_factory=dict)
    loopback: Collection[str] = ()
    has_met: Callable[[str, str], bool] = lambda url, asked: False  # noqa: ARG005 -- names of the protocol


def end_unwritable(crawler: Crawler, why: str) -> "asyncio.Future[None]":
    """End a crawl whose disk takes no more: what cannot be written down should not be fetched.

    Gives the end, which the caller keeps and does not await: it waits for the very requests that are under way.
    """
    logger.error(why)
    crawler.stats.set_value(FAILED, "cannot_write")
    return asyncio.ensure_future(crawler.engine.close_spider_async(reason="cannot_write"))


def hints_of(spider: Spider | None) -> SpiderHints:
    """What a spider says of itself, with the defaults for what it leaves out."""
    return _Hints(**{name: getattr(spider, name) for name in _Hints.__slots__ if hasattr(spider, name)})
