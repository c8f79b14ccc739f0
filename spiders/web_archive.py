"""Locate a third-party web archive by the arguments of the spider."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Self
from urllib.parse import quote, urlsplit

from newscorpus.discover.period import Period
from newscorpus.errors import CrawlError
from newscorpus.portal.portal import archive_page, archive_pages
from newscorpus.store.archive.cdx import IndexedCapture
from newscorpus.urls import host_and_port, is_loopback

USAGE = (
    "usage: scrapy crawl cdx -a portal=NAME[,NAME] -a index=ADDRESS|-a list=ADDRESS|FILE -a captures=ADDRESS"
    " [-a since=YYYY-MM-DD] [-a until=YYYY-MM-DD] [-a fresh=1]"
)
FILE, STAMP, URL = "{file}", "{time}", "{url}"


@dataclass(frozen=True, slots=True)
class WebArchive:
    """The addresses of a third-party web archive."""

    captures: str  # address of a capture: a WARC file, with {file}, or an original page, with {time} and {url}
    index: str = ""  # address of its CDX server; "" if `files` is given
    files: str = ""  # address or path of a list of its WARC files, perhaps with {year} and {month}; "" with an index

    @classmethod
    def read(cls, given: Mapping[str, str], period: Period) -> Self:
        """Read the arguments `index`, `list` and `captures`.

        Raises:
            CrawlError: one is missing or wrong.
        """
        archive = cls(*(given.get(name, "") for name in ("captures", "index", "list")))
        if bool(archive.index) == bool(archive.files):
            raise CrawlError(f"one of the arguments 'index' and 'list' is needed; {USAGE}")
        if not archive.captures:
            raise CrawlError(f"argument 'captures' is missing; {USAGE}")
        plays_back = archive.index and STAMP in archive.captures and URL in archive.captures
        if FILE not in archive.captures and not plays_back:
            choice = "" if archive.files else f", or {STAMP} and {URL},"
            raise CrawlError(f"argument 'captures' is {archive.captures!r}; expected {FILE}{choice} in it")
        archive._check_list(period)
        return archive

    def _check_list(self, period: Period) -> None:
        try:
            is_pattern = "{" in self.files and bool(archive_page(self.files, date.max))
        except ValueError as error:
            raise CrawlError(f"argument 'list': {error}") from error
        if is_pattern and period.since == date.min:
            raise CrawlError("argument 'list' has {year} in it; name the first day by -a since=YYYY-MM-DD")
        if missing := [name for name in self.lists(period) if "://" not in name and not Path(name).is_file()]:
            raise CrawlError(f"argument 'list': {missing[0]}: no such file")

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses in the arguments."""
        return tuple(url for url in (self.index, self.files, self.captures) if "://" in url)

    @property
    def loopback(self) -> frozenset[str]:
        """`host:port` of the addresses on localhost."""
        return frozenset(host_and_port(url) for url in self.addresses if is_loopback(url))

    def lists(self, period: Period) -> Iterator[str]:
        """Return the lists of files captured in a period: one, or one for each month or year, latest first."""
        if "{" not in self.files:
            return iter([self.files] if self.files else [])
        last = min(period.until, datetime.now(UTC).date())
        return archive_pages(self.files, period.since - timedelta(days=1), last)

    def request(self, capture: IndexedCapture) -> tuple[str, dict[str, str]]:
        """Return the address and the headers of the request for a capture."""
        if FILE not in self.captures:
            return self.captures.replace(STAMP, capture.stamp).replace(URL, capture.url), {}
        last = capture.offset + capture.length - 1
        # File servers ignore the query; the ledger distinguishes the captures of one file by it.
        place = f"{self.captures.replace(FILE, quote(capture.file))}?bytes={capture.offset}-{last}"
        return place, {"Range": f"bytes={capture.offset}-{last}", "Accept-Encoding": "identity"}

    def name(self, capture: IndexedCapture) -> str:
        """Return the name of the archive: the Common Crawl collection, or else the host of the captures."""
        return capture.collection or urlsplit(self.captures).hostname or ""
