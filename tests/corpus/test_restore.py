"""Rows that an intake has lost: restored from the archive, or asked for again; nothing twice, wherever it is killed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crawled import Crawl
from prose import article

from newscorpus.config import BuildConfig
from newscorpus.corpus import restore
from newscorpus.corpus.build import build
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.restore import Restoration, count_rows, held_pages
from newscorpus.data import Page
from newscorpus.layout import INTAKE_SEGMENT
from newscorpus.page.judge import process_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.store.intake import encode_header, read_intake
from newscorpus.store.ledger import Ledger, Series
from newscorpus.store.ledger.addresses import find
from newscorpus.store.ledger.status import status

URL = "https://news.example/story-{}"
PAGES = 12
SEGMENTS = Series(INTAKE_SEGMENT, encode_header(BuildConfig().signature))
RECIPE = Recipe("bte")


def story(number: int) -> Page:
    html = article(f"story {number}")
    return Page(URL.format(number), html.encode(), {"content-type": "text/html"}, f"2026-11-20T08:00:{number:02}+00:00")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    found = [process_page(RECIPE, SourcePage(story(number), "news", ("en",))) for number in range(PAGES)]
    assert all(isinstance(row, Row) for row in found), found
    return [row for row in found if isinstance(row, Row)]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge pages in this process."""
    monkeypatch.setattr(restore, "in_order", lambda judge, pages, *_: ((page, judge(page)) for page in pages))


@pytest.fixture
def corpus(tmp_path: Path, rows: list[Row]) -> Path:
    """A crawl of which the archive holds all pages but the last."""
    crawl = Crawl(tmp_path)
    for number, row in enumerate(rows):
        not_archived = {"archived": ("", 0)} if number == PAGES - 1 else {}
        crawl.visit(story(number), row, etag="etag", signature="signature", **not_archived)
    crawl.close()
    return tmp_path


def lines(corpus: Path) -> list[Row]:
    found = read_intake(corpus / "intake", BuildConfig().signature)
    return sorted((row for _, row in found if isinstance(row, Row)), key=lambda row: row.record.fetched)


def crawl_begins(corpus: Path) -> list[str]:
    """What a crawl does before it asks for anything; gives the addresses that it would ask for then."""
    with Ledger.open(corpus) as ledger:
        if ledger.losses:
            restoration = Restoration(corpus, ledger, (), held_pages(corpus))
            for source in restoration.pages():
                restoration.store(source, process_page(RECIPE, source.page))
            ledger.settle_losses(count_rows(corpus, ledger.portal_names()))
        asked = []
        while lease := ledger.queue.lease("news"):
            assert (lease.etag, lease.last_modified) == ("", "")
            asked.append(lease.url)
        assert not ledger.losses
    return asked


@pytest.mark.parametrize("left", [None, 0.0, 0.3, 0.71, 0.999])
def test_rows_that_are_cut_off_come_back_as_they_were(corpus: Path, rows: list[Row], left: float | None) -> None:
    segment = corpus / "intake" / "000001.jsonl"
    if left is None:
        segment.unlink()
    else:
        segment.write_bytes(segment.read_bytes()[: int(left * segment.stat().st_size)])
    assert crawl_begins(corpus) == [URL.format(PAGES - 1)], "what the archive does not hold is asked for"
    assert lines(corpus) == rows[:-1]
    (now,) = status(corpus)
    assert (now.kept, now.words) == (PAGES - 1, sum(row.record.n_words for row in rows[:-1]))
    entry = find(corpus, URL.format(3))
    assert entry
    assert (entry.reason, entry.line[0] != "", entry.archived[0]) == ("kept", True, "archive/000001.warc.gz")


def test_a_restoration_may_be_killed_at_every_row(
    corpus: Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    (corpus / "intake" / "000001.jsonl").unlink()
    commit = Ledger.commit
    for step in (0, 1, 2, 0, 3):
        steps = iter(range(step))

        def killed(self: Ledger, steps: Iterator[int] = steps) -> None:
            if next(steps, None) is None:
                raise KeyboardInterrupt  # as at a death, nothing counts that was not committed
            commit(self)

        monkeypatch.setattr(Ledger, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            crawl_begins(corpus)
    monkeypatch.undo()
    assert crawl_begins(corpus) == [URL.format(PAGES - 1)]
    assert lines(corpus) == rows[:-1]
    assert status(corpus)[0].kept == PAGES - 1


def overwrite(line: bytes) -> bytes:
    return line[:40] + b"XXXXX" + line[45:]


def garble(line: bytes) -> bytes:
    return bytes(byte ^ 0x55 if byte != ord("\n") and byte ^ 0x55 != ord("\n") else byte for byte in line)


def split(line: bytes) -> bytes:
    return line[:200] + b"\n" + line[201:]


@pytest.mark.parametrize("damage", [overwrite, garble, split])
@pytest.mark.parametrize("built_before", [True, False])
def test_a_damaged_row_is_restored_by_the_build(
    corpus: Path, rows: list[Row], damage: Callable[[bytes], bytes], built_before: bool
) -> None:
    if built_before:
        build(corpus)
    segment = corpus / "intake" / "000001.jsonl"
    whole = segment.read_bytes().split(b"\n")
    segment.write_bytes(b"\n".join([*whole[:4], damage(whole[4]), *whole[5:]]))
    report = build(corpus)
    assert report.damaged[0].startswith(f"{segment}, line 5: ")
    assert (report.restored, report.kept, report.not_restored) == (1, PAGES, "")
    assert lines(corpus) == rows
    texts = {record.text for record in open_corpus(corpus).records()}
    assert texts == {row.record.text for row in rows}
    again = build(corpus)
    assert (again.damaged, again.restored, again.kept) == ((), 0, PAGES)
    assert status(corpus)[0].kept == PAGES


def test_a_build_beside_a_crawl_restores_nothing_and_a_row_without_its_page_is_fetched_again(corpus: Path) -> None:
    segment = corpus / "intake" / "000001.jsonl"
    *whole, last, _ = segment.read_bytes().split(b"\n")
    segment.write_bytes(b"\n".join([*whole, overwrite(last), b""]))
    with Ledger.open(corpus):
        report = build(corpus)
    assert "another crawl is at work" in report.not_restored
    assert (len(report.damaged), report.restored, report.kept) == (1, 0, PAGES - 1)
    report = build(corpus)
    assert (report.restored, report.kept) == (0, PAGES - 1)
    assert crawl_begins(corpus) == [URL.format(PAGES - 1)]
