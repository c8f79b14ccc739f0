"""The one page that `extract` is asked for: from the web, from a file, or from standard input."""

import sys
from pathlib import Path

from newscorpus.crawl.fetch import fetch
from newscorpus.data import Page, Rejected

STDIN = "-"


class SourceError(ValueError):
    """The page cannot be had; the message is one line."""


def is_web(source: str) -> bool:
    """Whether `source` is an address of the web rather than a file."""
    return source.lower().startswith(("http://", "https://"))


def read_source(source: str, url: str, user_agent: str) -> Page:
    """The page that `source` names: an address, which is fetched; a file of HTML; or "-" for standard input.

    Args:
        source: as above.
        url: address of the page, for files.
        user_agent: who fetches.

    Raises:
        OSError: the file cannot be read.
        SourceError: the page was not fetched.
    """
    if is_web(source):
        page = fetch(source, user_agent)
        if isinstance(page, Rejected):
            raise SourceError(f"{source} was not fetched: {page.reason}, {page.detail}")
        return page
    return Page(url, sys.stdin.buffer.read() if source == STDIN else Path(source).read_bytes())
