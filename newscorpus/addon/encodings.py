"""Keeps answers out that are packed over and over: every layer may unpack to the longest body that is let in."""

from scrapy import Request
from scrapy.http import Response

from newscorpus.addon.refused import Refused
from newscorpus.crawl.archive.content import MAX_ENCODINGS


class EncodingsMiddleware:
    """Refuses answers with more content encodings, one over another, than any site has use for."""

    def process_response(self, request: Request, response: Response) -> Response:  # noqa: ARG002 -- Scrapy's names
        """Let `response` pass, or throw it away.

        Raises:
            Refused: reason "broken_encoding".
        """
        layers = b",".join(response.headers.getlist("Content-Encoding")).count(b",") + 1
        if layers > MAX_ENCODINGS:
            raise Refused("broken_encoding", f"{layers} encodings, one over another")
        return response
