"""Archives of a portal that was never crawled, for tests of what is read from there."""

from collections.abc import Sequence
from pathlib import Path

from newscorpus.data import Page
from newscorpus.store.archive.values import Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode


def archive(corpus: Path, pages: Sequence[str], path: str = "story") -> Path:
    """A corpus whose archive holds pages of the portal, one a day."""
    with ArchiveWriter(corpus, 10**9, "newscorpus/0") as writer:
        for number, html in enumerate(pages):
            fetched = f"2026-11-{number + 1:02}T08:00:00+00:00"
            page = Page(
                f"https://news.example/{path}-{number}",
                html.encode(),
                {"content-type": "text/html; charset=utf-8"},
                fetched,
            )
            exchange = Exchange(page.url, fetched, 200, tuple(page.headers.items()), page.body)
            writer.append(encode(exchange, Capture(page, origin=Origin("news", ("en",))), 10**6))
    return corpus
