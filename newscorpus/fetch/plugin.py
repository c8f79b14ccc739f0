"""Add newscorpus to a Scrapy project by one setting; what its components share: hints of spiders, names of stats."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

import newscorpus.settings
from newscorpus.errors import CrawlError
from newscorpus.fetch.middlewares.pauses import PolitenessPolicy
from newscorpus.fetch.options import check_settings, user_agent
from newscorpus.portal.access import Credentials
from newscorpus.portal.portal import Portal

PAGES = "newscorpus/pages"
"""Article pages that the spider yielded. These are names of counts in the Scrapy stats."""
KEPT = "newscorpus/kept"
KEPT_IN_ALL = "newscorpus/kept_in_all"
"""Articles in the intake of the corpus, earlier runs included."""
REVISITED = "newscorpus/revisit/queued"
"""Finished addresses that are fetched again."""
UNCHANGED = "newscorpus/revisit/unchanged"
"""Answers that showed that nothing had changed."""
WRONG_GUESSES = "newscorpus/discover/wrong_guesses"
"""Usual addresses of feeds, sitemaps and missing pages that led nowhere."""
LEFT = "newscorpus/left_queued"
"""Addresses still queued, unless a limit of the user's own ended the crawl."""
FAILED = "newscorpus/failed"
"""Why the whole crawl failed, as text; missing if it did not."""

PROJECT = frozenset(
    "BOT_NAME SPIDER_MODULES NEWSPIDER_MODULE COMMANDS_MODULE LOG_LEVEL LOGSTATS_INTERVAL STATS_DUMP "
    "DEFAULT_DROPITEM_LOG_LEVEL TELNETCONSOLE_ENABLED EXTENSIONS_BASE".split()
)
"""Settings of our own Scrapy project that do not affect crawls."""

COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES")

PRIORITY = "addon"
"""Above Scrapy's defaults, and below the settings of a project, a spider or `-s`."""

logger = logging.getLogger(__name__)


class CrawlComponent:
    """Base of middlewares, pipelines and the add-on, which need nothing but the crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the component of a crawl."""
        return cls(crawler)


class NewscorpusAddon(CrawlComponent):
    """Enables ledger, archive, politeness and pipelines: `ADDONS = {"newscorpus.fetch.NewscorpusAddon": 100}`.

    The project's own settings stay, and so do components that it placed or disabled. Its spiders yield `SourcePage`s,
    `Page`s or plain responses; other items pass.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Add our values and components, and for spiders of others a user agent with the contact.

        Raises:
            CrawlError: a setting of ours is unknown, ROBOTSTXT_OBEY is off, or there is neither contact nor user agent.
        """
        add_settings(settings)
        check_settings(settings)
        if self._crawler.spidercls.__module__.startswith("newscorpus."):  # these set their user agent
            return
        if contact := settings.get("NEWSCORPUS_CONTACT"):
            settings.set("USER_AGENT", user_agent(contact), PRIORITY)
        elif settings.getpriority("USER_AGENT") == 0:
            raise CrawlError(
                "setting NEWSCORPUS_CONTACT is empty; set it to your mail address or page, or set USER_AGENT"
            )


def add_settings(settings: BaseSettings) -> None:
    """Add our values and components to those of a project, which take precedence."""
    for name, value in vars(newscorpus.settings).items():
        if name in COMPONENTS:
            for path, priority in value.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), priority)
        elif name.isupper() and name not in PROJECT:
            settings.set(name, value, PRIORITY)


@dataclass(frozen=True, slots=True)
class SpiderHints:
    """Attributes of a spider that the components read, with the values for a spider that lacks them."""

    portal_names: tuple[str, ...] | None = None  # portals to crawl, for progress and report; None: the spider's name
    portals: Collection[Portal] = ()  # portals to crawl, whose files apply when pages are judged again
    # Politeness towards sites, by download slot; for others the setting DOWNLOAD_DELAY holds.
    policies: Mapping[str, PolitenessPolicy] = field(default_factory=dict)
    # Cookies and headers of the user's own for requests, by download slot.
    access: Mapping[str, Credentials] = field(default_factory=dict)
    loopback: Collection[str] = ()  # `host:port` on localhost that may be fetched
    # Method `has_met(url, asked)`: whether the document at `url` is known, apart from a redirect from `asked`. A
    # redirect to such a document is refused.
    has_met: Callable[[str, str], bool] = lambda url, asked: False  # noqa: ARG005 -- the names say what is given


def hints_of(spider: Spider | None) -> SpiderHints:
    """Return the hints of a spider, with defaults for the missing ones."""
    return SpiderHints(**{name: getattr(spider, name) for name in SpiderHints.__slots__ if hasattr(spider, name)})


def stat(*parts: str) -> str:
    """Return the name of a count of ours in the Scrapy stats, made of its parts."""
    return "/".join(("newscorpus", *parts))


def end_unwritable(crawler: Crawler, why: str) -> "asyncio.Future[None]":
    """End a crawl that can no longer write to disk.

    Returns:
        The end of the crawl. Keep it, and do not await it: it waits for the requests in progress.
    """
    logger.error(why)
    crawler.stats.set_value(FAILED, "cannot_write")
    return asyncio.ensure_future(crawler.engine.close_spider_async(reason="cannot_write"))
