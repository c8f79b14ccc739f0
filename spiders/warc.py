"""Read pages from WARC files instead of the network, for the same pipelines."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from newscorpus.data import Rejected
from newscorpus.errors import CrawlError
from newscorpus.fetch.options import check_settings
from newscorpus.fetch.plugin import PAGES
from newscorpus.portal.portal import Portal
from newscorpus.portal.schema import list_portals, load_portal
from newscorpus.store.archive.read import read_onwards
from newscorpus.store.archive.values import ArchiveError, Capture
from newscorpus.store.pages import named_files, page_of_capture

from .arguments import corpus_settings, parse_names, refuse_unknown

USAGE = "usage: scrapy crawl warc -a files=FILE|PATTERN[,...] [-a portal=NAME[,NAME]] [-a fresh=1]"

PART_RECORDS = 200
"""Pages and rejected records between two entries in the ledger: at most these are read again after a crash."""


class WarcSpider(Spider):
    """Reads pages from WARC files: `scrapy crawl warc -a files=FILE|PATTERN[,...] [-a portal=NAME[,NAME]]`.

    Yields a `SourcePage` for every page and a `Rejected` for every other record. Each request stands for a part of a
    file, so that the ledger records the progress; Scrapy answers it locally, and nothing is downloaded. Rules and
    languages of the portals, by default all, apply to the addresses they cover.
    """

    name = "warc"
    custom_settings = {  # noqa: RUF012 -- Scrapy's own name and type
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https", "ftp", "s3", "file")),
        "DOWNLOADER_MIDDLEWARES": {
            "newscorpus.fetch.middlewares.guards.PrivateAddressMiddleware": None,
            "newscorpus.fetch.middlewares.robots.RobotsMiddleware": None,
            "newscorpus.fetch.middlewares.politeness.PolitenessMiddleware": None,
        },
        "DOWNLOAD_DELAY": 0,
        "NEWSCORPUS_ARCHIVE": False,
    }

    def __init__(self, files: Sequence[Path], portals: Sequence[Portal]) -> None:
        super().__init__()
        self.portal_names = tuple(portal.name for portal in portals)
        self._files = files
        self._portals = portals

    @classmethod
    def from_crawler(cls, crawler: Crawler, *_args: Any, **kwargs: Any) -> Self:
        """Make the spider of a crawl, and derive settings from its arguments.

        Raises:
            CrawlError: an argument or setting is wrong.
            PortalError: a portal file is wrong.
        """
        check_settings(crawler.settings)
        files, portals = read_warc_arguments(kwargs)
        fresh = kwargs.get("fresh", "")
        crawler.settings.update(corpus_settings(cls.name, fresh, crawler.settings), priority="spider")
        return super().from_crawler(crawler, files, portals)

    async def start(self) -> AsyncIterator[Request]:
        """Request the first part of every file that is not in the ledger."""
        for path in self._files:
            yield self._part(str(path.absolute()), 0)

    async def parse_part(self, _response: Response, file: str, offset: int) -> AsyncIterator[Any]:
        """Yield the pages of a part of a file, and the request for the next part."""
        try:
            part, following = await asyncio.to_thread(read_part, Path(file), offset)
        except ArchiveError as error:
            yield Rejected("archive", "unreadable", str(error), file)
            return
        for found in part:
            if isinstance(found, Rejected):
                yield found
            else:
                self.crawler.stats.inc_value(PAGES)
                yield page_of_capture(found, self._portals)
        if following:
            yield self._part(file, following)

    def _part(self, file: str, offset: int) -> Request:
        address = f"data:,{quote(file)}@{offset}"
        return Request(address, self.parse_part, cb_kwargs={"file": file, "offset": offset})


def read_warc_arguments(given: Mapping[str, str]) -> tuple[list[Path], list[Portal]]:
    """Check the arguments; find the files and load the portals that they name.

    Raises:
        CrawlError: an argument is unknown, missing or wrong, or a file is missing.
        PortalError: a portal is unknown, or its file is wrong.
    """
    refuse_unknown(given, USAGE)
    try:
        files = named_files(given.get("files", ""))
    except ArchiveError as error:
        raise CrawlError(f"argument 'files': {error}") from error
    if not files:
        raise CrawlError(f"argument 'files' is missing; {USAGE}")
    named = given.get("portal", "all").strip()
    names = list_portals() if named == "all" else parse_names(named)
    return files, [load_portal(name) for name in names]


def read_part(file: Path, offset: int) -> tuple[list[Capture | Rejected], int]:
    """Return the records of a file from `offset` on, and the offset of the next part; 0 at the end."""
    part: list[Capture | Rejected] = []
    for after, found in read_onwards(file, offset):
        part.append(found)
        if len(part) >= PART_RECORDS:
            return part, after
    return part, 0
