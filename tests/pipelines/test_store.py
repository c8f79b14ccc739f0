"""The pipeline that stores what became of a page."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from newscorpus.pipelines.store import StorePipeline
from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from newscorpus.config import SignatureParameters
from newscorpus.data import Article, Fields, Record, Rejected
from newscorpus.fetch.scheduler import LedgerScheduler
from newscorpus.fetch.visits import Delivery, Visit
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.store.intake import read_intake, read_journal
from newscorpus.store.ledger import Ledger, LedgerError, Link, key_of
from newscorpus.store.ledger.addresses import find

URL = "http://example.org/story-1"
TEXT = "The council of the old town has decided to repair the northern bridge before the long winter comes."
REJECTED = Rejected("fetch", "http_404", "", URL)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    """The last step of a crawl into `tmp_path`: its `step`, `values` of the stats, `ledger`, and why it `ended`."""

    async def end(reason: str) -> None:
        made.ended.append(reason)

    stats = MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]
    crawler: Any = SimpleNamespace(stats=stats)
    scheduler = LedgerScheduler(crawler, tmp_path)
    crawler.engine = SimpleNamespace(scheduler=scheduler, close_spider_async=end)
    with Ledger.open(tmp_path) as scheduler.ledger:
        made = SimpleNamespace(values=stats.get_stats(), ledger=scheduler.ledger, ended=[], step=StorePipeline(crawler))
        yield made


def visited(store: Any, item: Any) -> tuple[Any, Visit]:
    """What the step makes of an item that an answer from URL brought, and the visit when it ended."""
    store.ledger.add(Link(key_of(URL), URL, "mock"))
    lease = store.ledger.queue.lease("mock")
    visit = Visit("mock", serial=lease.serial)
    visit.begin(Request(URL))
    visit.enter(Response(URL, request=visit.request))
    try:
        made = store.step.process_item(Delivery(visit, item))
    except DropItem as dropped:
        made = dropped
    return made, visit


def test_rows_go_to_the_intake(store: Any, tmp_path: Path) -> None:
    article = Article(URL, TEXT, Fields(title="Bridge"), "bte")
    record, visit = visited(store, Row(make_record(article, "mock", "en", 0.99), sign(TEXT)))
    assert not (tmp_path / "intake").exists()
    visit.end(store.ledger)
    store.ledger.commit()
    ((_, row),) = read_intake(tmp_path / "intake", SignatureParameters())
    assert isinstance(record, Record)
    assert isinstance(row, Row)
    assert row.record == record
    assert (record.title, record.source, record.language, record.language_score) == ("Bridge", "mock", "en", 0.99)
    assert row.signature == sign(TEXT)
    assert store.values == {"newscorpus/kept": 1, "newscorpus/words": record.n_words}
    entry = find(tmp_path, URL)
    assert entry
    assert (entry.reason, entry.revision, entry.line[0]) == ("kept", record.revision, "intake/000001.jsonl")


def test_writes_rejections_to_the_journal_and_drops_them(store: Any, tmp_path: Path) -> None:
    dropped, visit = visited(store, REJECTED)
    visit.end(store.ledger)
    store.ledger.commit()
    assert str(dropped) == "fetch/http_404 http://example.org/story-1"
    assert list(read_journal(tmp_path / "rejected.jsonl")) == [REJECTED]
    assert store.values == {"newscorpus/rejected/fetch/http_404": 1}


def test_notes_once_what_is_said_of_other_addresses(store: Any, tmp_path: Path) -> None:
    other = Rejected("discovery", "trap", "a date to come", URL + "/2199/01")
    for _ in range(2):
        with pytest.raises(DropItem):
            store.step.process_item(Delivery(None, other))
    store.ledger.commit()
    assert list(read_journal(tmp_path / "rejected.jsonl")) == [other]
    assert store.values == {"newscorpus/rejected/discovery/trap": 1}


def test_hands_on_what_it_does_not_know(store: Any) -> None:
    assert store.step.process_item({"a": 1}) == {"a": 1}
    assert store.values == {}


def test_a_ledger_that_cannot_write_ends_the_crawl(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise LedgerError("No space left on device")

    async def reject() -> None:
        with pytest.raises(DropItem):
            store.step.process_item(Delivery(None, REJECTED))
        await asyncio.sleep(0)

    monkeypatch.setattr(store.ledger, "refuse", full)
    asyncio.run(reject())
    assert store.ended == ["cannot_write"]
