"""Rows that an intake has lost: their pages are queued again, to be read from the archive."""

from collections.abc import Callable
from pathlib import Path

import pytest
from crawled import Crawl

from newscorpus.config import BuildConfig
from newscorpus.corpus.build import build
from newscorpus.data import Article, Fields, Page
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.store.intake import read_intake
from newscorpus.store.ledger import Lease, Ledger
from newscorpus.store.ledger.status import status

PAGES = 12


def row(number: int) -> Row:
    text = f"Story {number} has these {number} words of its own."
    article = Article(
        f"https://news.example/story-{number}", text, Fields(), "bte", fetched=f"2026-11-20T08:00:{number:02}Z"
    )
    return Row(make_record(article, "news", "en", 0.9), sign(text))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A crawl of which the archive holds all pages but the last."""
    crawl = Crawl(tmp_path)
    for number in range(PAGES):
        not_archived = {"archived": ("", 0)} if number == PAGES - 1 else {}
        record = row(number).record
        page = Page(record.url, record.text.encode(), {"content-type": "text/html"}, record.fetched)
        crawl.visit(page, row(number), etag="etag", last_modified="then", signature="signature", **not_archived)
    crawl.close()
    return tmp_path


def leases(corpus: Path) -> list[Lease]:
    """What the next crawl requests."""
    with Ledger.open(corpus) as ledger:
        asked = []
        while lease := ledger.queue.lease("news"):
            asked.append(lease)
            last = ledger.revisits.last(lease.url)
            assert last
            assert (lease.etag, lease.last_modified, last.signature) == ("", "", ""), "it would be taken for unchanged"
    return asked


def held(corpus: Path) -> list[Row]:
    lines = read_intake(corpus / "intake", BuildConfig().signature, damaged=lambda _: None)
    return [line for _, line in lines if isinstance(line, Row)]


@pytest.mark.parametrize("left", [None, 0.0, 0.3, 0.71, 0.999])
def test_pages_whose_rows_are_cut_off_are_read_again(corpus: Path, left: float | None) -> None:
    segment = corpus / "intake" / "000001.jsonl"
    if left is None:
        segment.unlink()
    else:
        segment.write_bytes(segment.read_bytes()[: int(left * segment.stat().st_size)])
    asked = leases(corpus)
    rows = held(corpus)
    assert sorted([*(one.url for one in asked), *(one.record.url for one in rows)]) == sorted(
        row(number).record.url for number in range(PAGES)
    )
    assert not any(one.links_only for one in asked)
    from_archive = {one.url for one in asked if one.from_archive}
    assert from_archive == {one.url for one in asked} - {row(PAGES - 1).record.url}
    assert (status(corpus)[0].kept, status(corpus)[0].words) == (len(rows), sum(one.record.n_words for one in rows))


def overwrite(line: bytes) -> bytes:
    return line[:40] + b"XXXXX" + line[45:]


def garble(line: bytes) -> bytes:
    return bytes(byte ^ 0x55 if byte != ord("\n") and byte ^ 0x55 != ord("\n") else byte for byte in line)


def split(line: bytes) -> bytes:
    return line[:100] + b"\n" + line[101:]


@pytest.mark.parametrize("damage", [overwrite, garble, split])
@pytest.mark.parametrize("built_before", [True, False])
def test_the_page_of_a_damaged_row_is_read_again(
    corpus: Path, damage: Callable[[bytes], bytes], built_before: bool
) -> None:
    if built_before:
        build(corpus)
    segment = corpus / "intake" / "000001.jsonl"
    whole = segment.read_bytes().split(b"\n")
    segment.write_bytes(b"\n".join([*whole[:4], damage(whole[4]), *whole[5:]]))
    report = build(corpus)
    *lines, restored = report.damage
    assert lines[0].startswith(f"{segment}, line 5: ")
    assert (report.kept, restored) == (PAGES - 1, f"the next crawl restores {len(lines)} of {len(lines)} damaged rows")
    again = build(corpus)
    assert (again.damage, again.kept) == ((), PAGES - 1)
    assert (status(corpus)[0].kept, status(corpus)[0].queued) == (PAGES - 1, 1)
    assert [(one.url, one.from_archive) for one in leases(corpus)] == [(row(3).record.url, True)]


def test_a_build_beside_a_crawl_queues_nothing(corpus: Path) -> None:
    segment = corpus / "intake" / "000001.jsonl"
    *whole, last, _ = segment.read_bytes().split(b"\n")
    segment.write_bytes(b"\n".join([*whole, overwrite(last), b""]))
    with Ledger.open(corpus):
        report = build(corpus)
    assert "no damaged row can be restored: " in report.damage[1]
    assert "another crawl is at work" in report.damage[1]
    assert (len(report.damage), report.kept) == (2, PAGES - 1)
    assert build(corpus).damage[1] == "the next crawl restores 1 of 1 damaged rows"
