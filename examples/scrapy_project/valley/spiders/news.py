"""Crawl a site as in Scrapy's tutorial; all that newscorpus asks for is that responses with articles are yielded."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import Response


class NewsSpider(Spider):
    """Follows every link that looks like an article: `scrapy crawl news -a start=http://127.0.0.1:8000/`."""

    name = "news"

    def __init__(self, start: str) -> None:
        super().__init__()
        self.start_urls = [start]
        self.loopback = frozenset({urlsplit(start).netloc})  # only for a site on this very machine

    def parse(self, response: Response) -> Iterator[Request]:
        """Request the articles that a page links to."""
        for link in response.css("a::attr(href)").re(r".*story-of-the-day.*"):
            yield response.follow(link, self.parse_article)

    def parse_article(self, response: Response) -> Iterator[Response]:
        """Yield the response: the add-on extracts and stores the article."""
        yield response
