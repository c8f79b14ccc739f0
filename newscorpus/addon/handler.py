"""Send each request once: what is sent again, and when, is decided where the site's pauses are known."""

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler


class OnceDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's handler, except that Twisted does not repeat at once what a site broke off on a connection kept open."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.retryAutomatically = False
