"""Write a corpus, an archive or a ledger as a crawl does, without one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from newscorpus.config import BuildConfig, SignatureParameters
from newscorpus.data import Page, Record, Rejected
from newscorpus.layout import INTAKE_SEGMENT
from newscorpus.page.rows import Row, encode_row
from newscorpus.page.signature import sign
from newscorpus.store.archive.values import Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode
from newscorpus.store.intake import journal_line, write_segment
from newscorpus.store.ledger import REJECTIONS, ROWS, Fetched, Lease, Ledger, Link, UrlOutcome, key_of


def take(ledger: Ledger, portal: str) -> Lease:
    """Lease the next address of a portal, of which there is one."""
    lease = ledger.queue.lease(portal)
    assert lease
    return lease


def answer(
    ledger: Ledger,
    url: str,
    *outcomes: UrlOutcome,
    portal: str = "vesti",
    kind: str = "article",
    depth: int = 0,
    request: bytes = b"{}",
    time: str = "2026-11-21T08:00:00+00:00",
    n_bytes: int = 5,
    **fetched: Any,
) -> None:
    """Queue an address, and finish it as fetched."""
    ledger.reserve(url, portal, kind)
    ledger.add(Link(key_of(url), url, portal, kind, depth, request=request))
    ledger.finish(take(ledger, portal).serial, outcomes, Fetched(url, 200, time, n_bytes, **fetched))


def take_in(corpus: Path, *records: Record, parameters: SignatureParameters = BuildConfig().signature) -> Path:
    """Add a segment to the intake of a corpus."""
    number = len(list(corpus.glob("intake/*.jsonl"))) + 1
    with write_segment(corpus / INTAKE_SEGMENT.format(number), parameters) as append:
        for record in records:
            append(Row(record, sign(record.text, parameters)))
    return corpus


class Crawl:
    """Writes a corpus as a crawl does."""

    def __init__(self, corpus: Path, max_bytes: int = 10**9) -> None:
        self.ledger = Ledger.open(corpus)
        self.archive = ArchiveWriter(corpus, max_bytes, "newscorpus/0")
        self.archive.announce = self.ledger.announce
        self.ledger.transaction.follow(self.archive.lengths)

    def visit(
        self,
        page: Page,
        row: Row | Rejected | None,
        asked: str = "",
        sent: tuple[bytes, str] = (b"", ""),
        **fetched: Any,
    ) -> tuple[str, int]:
        """Note a page, what it became, and what was sent: its body as it is, or packed, and by what."""
        asked = asked or page.url
        self.ledger.add(Link(key_of(asked), asked, "news", "article", request=b"{}"), again=True)
        lease = take(self.ledger, "news")
        headers = dict(page.headers) | ({"content-encoding": sent[1]} if sent[1] else {})
        exchange = Exchange(page.url, "2026-11-20T08:00:00.000000Z", 200, tuple(headers.items()), sent[0] or page.body)
        capture = Capture(page, origin=Origin("news", ("en",))) if row else None
        place = self.archive.append(encode(exchange, capture, 10**6))
        outcomes = []
        if isinstance(row, Row):
            outcomes = [UrlOutcome.of(row.record, self.ledger.append(ROWS, encode_row(row)))]
        elif row:
            outcomes = [UrlOutcome.of(row, self.ledger.append(REJECTIONS, journal_line(row)))]
        noted = {"archived": (place.file, place.offset)} | fetched
        self.ledger.finish(lease.serial, outcomes, Fetched(page.url, 200, page.fetched, 10, **noted))
        return place.file, place.offset

    def close(self) -> None:
        self.ledger.close()
        self.archive.close()


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
