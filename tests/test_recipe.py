"""The steps of the pipelines, one by one, with the work done in this process."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from contextvars import copy_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from newscorpus.pipelines.deduplicate import DeduplicatePipeline
from newscorpus.pipelines.extract import ExtractPipeline
from newscorpus.pipelines.filter import FilterPipeline
from newscorpus.pipelines.store import StorePipeline
from newscorpus.pipelines.workers import Workers
from scrapy import Request, Spider
from scrapy.exceptions import DropItem
from scrapy.http import Response

from newscorpus.addon.pages import Candidate, FetchedPage
from newscorpus.addon.visits import Visit
from newscorpus.config import SignatureParameters
from newscorpus.corpus.intake import Row, read_intake, read_journal
from newscorpus.crawl.ledger import Ledger, LedgerError, Link, key_of
from newscorpus.crawl.ledger.status import find
from newscorpus.crawl.robots import RightsPolicy
from newscorpus.data import Article, Fields, Page, Record, Rejected, Rights
from newscorpus.dedup.signature import sign
from newscorpus.portals.portal import TemplateSection

URL = "http://example.org/story-1"
SENTENCE = "The council of the old town has decided to repair the northern bridge before the long winter comes. "
TEXT = """\
The council of the old town has decided to repair the northern bridge before the long winter comes.
Engineers found cracks in two of its pillars in spring, and lorries have taken the road around the lake since.
The work will cost four million crowns, of which the region pays half, said the mayor after the vote on Tuesday.
People who live on the far bank had asked for a ferry; they were told that the river is too low in August.
If the weather holds, the first cars should cross again in November, a month earlier than was planned."""
REJECTED = Rejected("fetch", "http_404", "", URL)


class InProcess:
    """Stands in for the worker processes."""

    extractor = "bte"

    async def run(self, stage: str, url: str, function: Callable[..., Any], *args: Any) -> Any:
        return function(*args)


class Stats:
    """The part of Scrapy's stats that is used."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def inc_value(self, name: str, by: int = 1) -> None:
        self.values[name] = self.values.get(name, 0) + by

    def set_value(self, name: str, value: Any) -> None:
        self.values[name] = value


def article(text: str = TEXT, **fields: Any) -> Article:
    return Article(URL, text, Fields(**fields), "bte")


def process(step: Any, item: Any) -> Any:
    made = step.process_item(item)
    return asyncio.run(made) if asyncio.iscoroutine(made) else made


STEPS = [
    ExtractPipeline(InProcess()),
    FilterPipeline(InProcess(), RightsPolicy.RECORD),
    DeduplicatePipeline(InProcess()),
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("item", [REJECTED, {"somebody": "else's"}])
def test_steps_hand_on_what_they_do_not_know(step: Any, item: Any) -> None:
    assert process(step, item) is item


def test_extract_makes_a_candidate() -> None:
    page = Page.from_html(f"<html><body><h1>Bridge</h1><p>{SENTENCE * 5}</p></body></html>", URL)
    candidate = process(ExtractPipeline(InProcess()), FetchedPage(page, "mock", ("en",)))
    assert isinstance(candidate, Candidate)
    assert SENTENCE.strip() in candidate.article.text
    assert (candidate.source, candidate.languages) == ("mock", ("en",))


def test_extract_lets_the_template_decide() -> None:
    page = Page.from_html(f"<p>{SENTENCE * 5}</p><div class='own'>Only this.</div>", URL)
    item = FetchedPage(page, "mock", ("en",), TemplateSection(text=("div.own",)))
    candidate = process(ExtractPipeline(InProcess()), item)
    assert candidate.article.text == "Only this."
    assert candidate.article.extractor.startswith("template:mock@")


def test_extract_rejects_a_page_without_text() -> None:
    rejected = process(ExtractPipeline(InProcess()), FetchedPage(Page(URL, b""), "mock"))
    assert isinstance(rejected, Rejected)
    assert rejected.url == URL


def test_filter_adds_the_language() -> None:
    candidate = process(FilterPipeline(InProcess(), RightsPolicy.RECORD), Candidate(article(), "mock", ("cs", "en")))
    assert candidate.language == "en"
    assert candidate.language_score > 0.9


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (Candidate(article(), "mock", ("cs",)), "language/unexpected_language"),
        (Candidate(article("Too short."), "mock", ("en",)), "quality/too_short"),
        (Candidate(article(kind="LiveBlogPosting"), "mock", ("cs",)), "quality/live_ticker"),
    ],
)
def test_filter_rejects(candidate: Candidate, reason: str) -> None:
    rejected = process(FilterPipeline(InProcess(), RightsPolicy.RECORD), candidate)
    assert f"{rejected.stage}/{rejected.reason}" == reason
    assert rejected.url == URL


def test_what_a_site_reserves_is_rejected_where_that_is_wanted() -> None:
    candidate = Candidate(article(rights=Rights(tdm="1")), "mock", ())
    rejected = process(FilterPipeline(InProcess(), RightsPolicy.SKIP), candidate)
    assert rejected == Rejected("rights", "reserved", "tdm-reservation=1", URL)
    assert isinstance(process(FilterPipeline(InProcess(), RightsPolicy.RECORD), candidate), Candidate)


def test_deduplicate_signs() -> None:
    assert process(DeduplicatePipeline(InProcess()), Candidate(article(), "mock")).signature == sign(TEXT)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The last step of a crawl into `tmp_path`: its `step`, `stats` and `ledger`, and what it `gave_up` for."""
    with Ledger.open(tmp_path) as ledger:
        made = SimpleNamespace(stats=Stats(), ledger=ledger, gave_up=[])
        scheduler = SimpleNamespace(ledger=ledger, guarded=nullcontext, give_up=made.gave_up.append)
        monkeypatch.setattr("newscorpus.pipelines.store.scheduler_of", lambda _crawler: scheduler)
        made.step = StorePipeline(SimpleNamespace(stats=made.stats))
        yield made


def visited(store: Any, item: Any) -> tuple[Any, Visit]:
    """What the step makes of an item that an answer from URL brought, and the visit when it ended."""
    store.ledger.add(Link(key_of(URL), URL, "mock"))
    lease = store.ledger.lease("mock")

    def parse(_response: Response) -> Any:
        return store.step.process_item(item)

    visit = Visit("mock", Request(URL, callback=parse), lease.serial)
    visit.watch(Spider("mock"))
    try:
        made = copy_context().run(cast("Callable[..., Any]", visit.request.callback), Response(URL))
    except DropItem as dropped:
        made = dropped
    return made, visit


def test_store_writes_candidates_to_the_intake(store: Any, tmp_path: Path) -> None:
    record, visit = visited(store, Candidate(article(title="Bridge"), "mock", ("en",), "en", 0.99, sign(TEXT)))
    assert not (tmp_path / "intake").exists()
    visit.end(store.ledger)
    store.ledger.commit()
    ((_, row),) = read_intake(tmp_path / "intake", SignatureParameters())
    assert isinstance(row, Row)
    assert isinstance(record, Record)
    assert row.record == record
    assert (record.title, record.source, record.language, record.language_score) == ("Bridge", "mock", "en", 0.99)
    assert row.signature == sign(TEXT)
    assert store.stats.values == {"newscorpus/kept": 1, "newscorpus/words": record.n_words}
    entry = find(tmp_path, URL)
    assert entry
    assert (entry.reason, entry.revision, entry.line[0]) == ("kept", record.revision, "intake/000001.jsonl")


def test_store_writes_rejections_to_the_journal_and_drops_them(store: Any, tmp_path: Path) -> None:
    dropped, visit = visited(store, REJECTED)
    visit.end(store.ledger)
    store.ledger.commit()
    assert str(dropped) == "fetch/http_404 http://example.org/story-1"
    assert list(read_journal(tmp_path / "rejected.jsonl")) == [REJECTED]
    assert store.stats.values == {"newscorpus/rejected/fetch/http_404": 1}


def test_store_notes_once_what_is_said_of_other_addresses(store: Any, tmp_path: Path) -> None:
    other = Rejected("discovery", "trap", "a date to come", URL + "/2199/01")
    for _ in range(2):
        with pytest.raises(DropItem):
            process(store.step, other)
    store.ledger.commit()
    assert list(read_journal(tmp_path / "rejected.jsonl")) == [other]
    assert store.stats.values == {"newscorpus/rejected/discovery/trap": 1}


def test_store_hands_on_what_it_does_not_know(store: Any) -> None:
    assert process(store.step, {"a": 1}) == {"a": 1}
    assert store.stats.values == {}


def test_a_ledger_that_cannot_write_ends_the_crawl(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise LedgerError("No space left on device")

    monkeypatch.setattr(store.ledger, "refuse", full)
    with pytest.raises(DropItem):
        process(store.step, REJECTED)
    assert [str(error) for error in store.gave_up] == ["No space left on device"]


def test_workers_turn_every_failure_into_a_rejection(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> list[Any]:
        workers = Workers(SimpleNamespace(), 1, 1.0, "bte")
        try:
            return [
                await workers.run("extract", URL, os._exit, 3),
                await workers.run("extract", URL, time.sleep, 60),
                await workers.run("filter", URL, int, "no number"),
                await workers.run("filter", URL, int, "7"),
            ]
        finally:
            workers.close()

    died, hung, failed, fine = asyncio.run(main())
    assert (died.stage, died.reason, died.url) == ("extract", "worker_failed", URL)
    assert (hung.stage, hung.reason) == ("extract", "timeout")
    assert (failed.stage, failed.reason) == ("filter", "worker_failed")
    assert "no number" in failed.detail
    assert "no number" in caplog.text
    assert fine == 7
