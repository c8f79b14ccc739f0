"""How a crawl opens its corpus, and how it ends: build, report and exit."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crawled import take, take_in
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from newscorpus.config import BuildConfig
from newscorpus.data import LOW_CONFIDENCE, Article, Fields
from newscorpus.errors import CorpusError, CrawlError
from newscorpus.fetch.closing import (
    LOCKS,
    NOTHING_LEFT,
    CorpusExtension,
    begin_anew,
    show_portals,
    why_nothing,
)
from newscorpus.files import exclusive
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.store.intake import write_segment
from newscorpus.store.ledger import Fetched, Ledger, Link, Series
from newscorpus.store.ledger.portals import UsedProfile
from newscorpus.store.ledger.status import PortalStatus, status
from newscorpus.store.ledger.values import key_of

INTAKE = Series("intake/{:06}.jsonl", b"header\n")


def close(corpus: Path, stats: dict[str, Any], *, builds: bool = True, opened: bool = True) -> None:
    collector = SimpleNamespace(get_stats=lambda: stats, set_value=stats.__setitem__)
    crawler: Any = SimpleNamespace(stats=collector)
    spider: Any = SimpleNamespace(portal_names=("žurnál",))
    extension = CorpusExtension(crawler, corpus, builds=builds, profiles=False)
    if opened:
        extension.spider_opened()
    asyncio.run(extension.spider_closed(spider, "finished"))


def report(corpus: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((corpus / "crawl-report.json").read_text())
    return found


def test_a_crawl_that_kept_nothing_says_why(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told = {
        "newscorpus/rejected/fetch/http_404": 2,
        "newscorpus/rejected/fetch/dns": 5,
        "downloader/response_count": 3,
    }
    for _ in range(2):
        close(tmp_path / "corpus", told | {"memusage/max": 3, "start_time": 4})
    assert "Kept no article: 3 responses; rejected: fetch/dns 5, fetch/http_404 2" in caplog.text
    found = report(tmp_path / "corpus")
    assert found["started"] <= found["finished"]
    assert found | {"started": "", "finished": ""} == {
        "portals": ["žurnál"], "started": "", "finished": "", "reason": "finished",
        "stats": dict(sorted((told | {"newscorpus/left_queued": 0}).items())), "build": {}, "by_portal": {},
    }  # fmt: skip
    assert [path.name for path in (tmp_path / "corpus").iterdir()] == ["crawl-report.json"]


def test_a_corpus_that_another_crawl_holds_or_that_is_to_stay_is_refused_before_anything_begins(tmp_path: Path) -> None:
    settings = Settings({"NEWSCORPUS_CORPUS": str(tmp_path), "NEWSCORPUS_FRESH": ""})
    crawler: Any = SimpleNamespace(settings=settings)
    with Ledger.open(tmp_path), pytest.raises(CorpusError, match="another crawl is at work here"):
        CorpusExtension.from_crawler(crawler)
    settings.set("NEWSCORPUS_FRESH", "1")
    with pytest.raises(CrawlError, match="say -a fresh=yes to do so unasked"):
        CorpusExtension.from_crawler(crawler)


def test_a_crawl_without_profiles_notes_that_its_pages_are_judged_without(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.profiles.note("mock", UsedProfile("sample", "hash"))
    for value, left in (("on", UsedProfile("sample", "hash")), ("off", None)):
        settings = {"NEWSCORPUS_CORPUS": str(tmp_path), "NEWSCORPUS_PROFILE": value}
        with CorpusExtension.from_crawler(get_crawler(settings_dict=settings)).ledger as ledger:
            assert ledger.profiles.of("mock") == left


def test_how_an_earlier_crawl_ended_is_forgotten_when_another_begins(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(key_of("https://a.example/"), "https://a.example/", "a"))
    (tmp_path / "crawl-report.json").write_text('{"by_portal": {"a": {"end": "limit"}}}')
    (before,) = status(tmp_path)
    assert before.cut_short == ("the limit of articles is reached, addresses still queued: 1",)
    CorpusExtension(get_crawler(), tmp_path, builds=False, profiles=False).spider_opened()
    (during,) = status(tmp_path)
    assert during.cut_short == ()


def test_a_crawl_that_never_began_leaves_the_corpus_alone(tmp_path: Path) -> None:
    close(tmp_path, {}, opened=False)
    assert list(tmp_path.iterdir()) == []


def test_the_end_says_how_many_are_published(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    with write_segment(tmp_path / "intake" / "000001.jsonl", BuildConfig().signature) as append:
        for name, text, flags in (("a", "one two", ()), ("b", "one two", ()), ("c", "three", (LOW_CONFIDENCE,))):
            article = Article(f"https://a.cz/{name}", text, Fields(), "model:main-text@3", flags=flags)
            append(Row(make_record(article, "a", "en", 1.0), sign(text)))
    close(tmp_path, {"newscorpus/kept": 3, "downloader/request_count": 3})
    counts = "1 published, 1 left out as doubtful, 1 as duplicates or earlier texts"
    assert f"Kept 3 articles of 0 pages fetched; 3 are in the intake of {tmp_path}; {counts}\n" in caplog.text
    assert "Worth doing: the build lost 1 of 3 pages (33.3%) by quality/low_confidence: Look at some in" in caplog.text


def test_a_crawl_that_could_fetch_nothing_fails_though_articles_are_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(1, "https://mock.example/", "žurnál"))
        lease = take(ledger, "žurnál")
        ledger.finish(lease.serial, (), Fetched(lease.url, 200, "2026-11-21T12:00:00+00:00"))
    stats: dict[str, Any] = {"newscorpus/kept_in_all": 7, "newscorpus/rejected/fetch/dns": 3}
    caplog.set_level("INFO")
    close(tmp_path, stats)
    assert stats["newscorpus/failed"] == "start"
    assert f"Kept 0 articles of 0 pages fetched; 7 are in the intake of {tmp_path}" in caplog.text
    assert "Nothing could be fetched: fetch/dns" in caplog.text


def test_a_build_that_fails_is_said_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    take_in(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "corpus").symlink_to(tmp_path / "elsewhere")
    stats: dict[str, Any] = {"newscorpus/kept": 1}
    close(tmp_path, stats)
    assert stats["newscorpus/failed"] == "build"
    assert "corpus" in report(tmp_path)["build"]["error"]
    assert "Build failed" in caplog.text


def test_no_build_where_none_is_wanted(tmp_path: Path) -> None:
    take_in(tmp_path)
    close(tmp_path, {"newscorpus/kept": 1}, builds=False)
    assert report(tmp_path)["build"] == {}
    assert not (tmp_path / "corpus").exists()


def test_a_report_that_cannot_be_written_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    stats: dict[str, Any] = {"newscorpus/kept": 1}
    close(tmp_path / "file", stats)
    assert stats["newscorpus/failed"] == "report"
    assert "Cannot write the report" in caplog.text


def test_beginning_anew_removes_what_is_ours_and_nothing_else(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    with Ledger.open(corpus) as ledger:
        ledger.append(INTAKE, b"row\n")
    for name in ("notes.txt", "archive/CC-NEWS-1.warc.gz", "intake/.hidden"):
        (corpus / name).parent.mkdir(exist_ok=True)
        (corpus / name).write_text("mine")
    there = sorted(path for path in corpus.rglob("*") if "sqlite-" not in path.name)
    with pytest.raises(CorpusError, match=r"CC-NEWS-1\.warc\.gz: no file of this corpus"):
        begin_anew(corpus, "yes")
    assert sorted(path for path in corpus.rglob("*") if "sqlite-" not in path.name) == there
    Ledger.open(corpus, adopts=True).close()
    begin_anew(corpus, "yes")
    left = {path.relative_to(corpus).as_posix() for path in corpus.rglob("*") if path.is_file()}
    assert left == {"notes.txt", "archive/CC-NEWS-1.warc.gz", "intake/.hidden", ".adopted", *LOCKS}


@pytest.mark.parametrize("name", LOCKS)
def test_nothing_is_removed_under_the_hands_of_another_process(tmp_path: Path, name: str) -> None:
    Ledger.open(tmp_path).close()
    with exclusive(tmp_path / name), pytest.raises(CorpusError, match="is at work here"):
        begin_anew(tmp_path, "yes")
    assert (tmp_path / "ledger.sqlite").exists()


def test_beginning_anew_follows_no_link(tmp_path: Path) -> None:
    corpus, elsewhere = tmp_path / "corpus", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "000001.warc.gz").write_text("mine")
    Ledger.open(corpus).close()
    (corpus / "archive").symlink_to(elsewhere)
    with pytest.raises(CorpusError, match="/archive: a link"):
        begin_anew(corpus, "yes")
    assert (corpus / "ledger.sqlite").exists()
    assert (elsewhere / "000001.warc.gz").exists()


@pytest.mark.parametrize(("given_up", "left"), [("refused", 1), ("byte_budget", 0)])
def test_what_stays_queued_is_counted_unless_a_bound_of_the_users_left_it(
    tmp_path: Path, given_up: str, left: int
) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(1, "https://mock.example/", "žurnál"))
    stats: dict[str, Any] = {"newscorpus/kept_in_all": 7, "newscorpus/politeness/žurnál/given_up": given_up}
    close(tmp_path, stats)
    assert stats["newscorpus/left_queued"] == left


def portal(name: str, kept: int, **rejected: int) -> PortalStatus:
    return PortalStatus(name, 7, 0, 9, 1, kept, rejected, 1_234 * kept, 2.5, 493.6 * kept, 0.0, 0)


PORTALS = [portal("", 0, offsite=3), portal("novine", 2, soft_404=4, http_404=1), portal("vesti", 0, http_403=5)]


def test_the_end_shows_each_portal_and_names_who_brought_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    show_portals([*PORTALS[1:], replace(portal("zpravy", 0), end="refused"), portal("delo", 0)])
    *table, more = [one.message for one in caplog.records if one.levelname == "INFO"][:6]
    assert [line.split()[:7] for line in table[1:3]] == [
        ["novine", "7", "0", "9", "1", "2", "2468"],
        ["vesti", "7", "0", "9", "1", "0", "0"],
    ]
    assert more == "novine, rejected: soft_404 4, http_404 1"
    assert [line.removeprefix("Kept nothing of ") for line in caplog.messages[-3:]] == [
        "vesti: rejected: http_403 5",
        "zpravy: the site refused again and again",
        "delo: nothing was found",
    ]


def test_nothing_at_all_has_a_reason() -> None:
    stats = {
        "downloader/response_count": 6,
        "newscorpus/rejected/fetch/http_403": 1,
        "newscorpus/rejected/fetch/http_404": 2,
        "newscorpus/politeness/vesti/given_up": "refused",
    }
    assert why_nothing(stats, PORTALS[1:]) == (
        "6 responses; rejected: fetch/http_404 2, fetch/http_403 1; vesti was given up: refused; "
        "14 addresses are still queued"
    )
    assert why_nothing({}, []) == "0 responses; no page was taken for an article"


def test_a_crawl_with_nothing_left_to_do_tells_what_was_rejected_before() -> None:
    (vesti,) = PORTALS[2:]
    said = why_nothing({}, [replace(vesti, queued=0)])
    assert said == f"0 responses; rejected earlier: http_403 5; {NOTHING_LEFT}"
    assert why_nothing({}, [vesti]).endswith("http_403 5; 7 addresses are still queued")
