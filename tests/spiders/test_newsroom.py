"""Crawls of a site that names its lists nowhere but on its pages, and that changes between two visits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file
from serving import ask

from benchmarks.newspapers import started
from newscorpus.corpus.published import open_corpus
from newscorpus.store.ledger.status import status
from newscorpus.store.reasons import refusals

SERVER = Path(__file__).parents[1] / "mockserver" / "newsroom.py"
N_ARTICLES = 10

PORTAL = portal_file(
    'archive = "http://127.0.0.1/archive/{year}/{month:02}/{day:02}"',
    r"articles = ['-\d{5}\.html(\?|$)']",
    start="http://127.0.0.1/",
)


@dataclass(frozen=True, slots=True)
class Visit:
    """One crawl, what it asked for (path and status), and what the intake held after it."""

    crawl: Any
    log: list[tuple[str, int]]
    records: list[dict[str, Any]]

    @property
    def asked(self) -> list[str]:
        return [path for path, _ in self.log]

    @property
    def bodies(self) -> list[str]:
        return [path for path, status in self.log if status == 200 and path.startswith("/news/")]

    def kept(self, part: str) -> list[dict[str, Any]]:
        return [record for record in self.records if part in record["url"]]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with started(SERVER, N_ARTICLES) as base:
        yield base


@pytest.fixture(scope="module")
def visits(crawl: Callable[..., Any], site: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Visit]:
    """A first crawl, visits of the same site too early and on demand, and one after it changed; in that order."""
    folder, seen = tmp_path_factory.mktemp("newsroom"), 0
    done = {}
    for name, revisit in {"first": "", "early": "due", "same": "all", "changed": "all"}.items():
        if name == "changed":
            ask(site, "/_change")
        ended = crawl(folder, "-aportal=mock", f"-abase={site}", f"-arevisit={revisit}", portal=PORTAL)
        log = ask(site)
        done[name] = Visit(ended, [(path, status) for path, status in log[seen:]], ended.records)
        seen = len(log)
    return done


def test_sitemaps_come_from_robots_and_feeds_from_the_front_page(visits: dict[str, Visit]) -> None:
    first = visits["first"]
    assert first.crawl.exit_code == 0, first.crawl.output
    assert {"/maps/index.xml", "/maps/2023-05.xml", "/feeds/latest.xml", "/rss/"} <= set(first.asked)
    assert len(first.kept("story-of-the-day")) == N_ARTICLES
    assert len(first.kept("only-in-the-feed")) == 1
    assert len(first.kept("only-in-another-feed")) == 1
    assert "/sitemap.xml" not in first.asked
    assert first.crawl.reasons("/rss/") == ["discovery/section"], "a page about feeds is judged as a page"


def test_pages_and_versions_of_an_article_are_one_document_and_missing_pages_none(visits: dict[str, Visit]) -> None:
    first = visits["first"]
    (record,) = first.kept("long-story")
    assert "several_pages" in record["flags"]
    assert len(record["text"].split("\n")) == 18
    assert first.crawl.reasons("long-story-30001.html?page=") == ["discovery/part_of_another"] * 2
    assert len(first.kept("/news/plain-story-50001.html")) == 1
    assert "/news/plain-story-50001.html/amp" not in first.asked
    assert len(first.kept("for-readers-50003")) == 1
    assert first.crawl.reasons("phone-only") == ["discovery/other_version"]
    assert first.crawl.reasons("dead-story") == ["discovery/soft_404"]
    assert first.crawl.reasons("a-story-of-the-site-60003") == ["discovery/front_page"]


def test_a_visit_asks_for_nothing_before_it_is_due_and_for_no_article_of_an_unchanged_site(
    visits: dict[str, Visit],
) -> None:
    early, same = visits["early"], visits["same"]
    assert (early.crawl.exit_code, early.asked) == (0, []), early.crawl.output
    assert (same.crawl.exit_code, same.bodies) == (0, []), same.crawl.output
    assert "/maps/current.xml" in same.asked
    assert same.crawl.stats["newscorpus/revisit/unchanged"] >= 8


def test_after_a_change_only_what_changed_is_fetched_and_becomes_a_revision(visits: dict[str, Visit]) -> None:
    changed = visits["changed"]
    paths = {f"/news/story-of-the-day-{number}.html" for number in (20003, 20005, 20007)}
    assert sorted(changed.bodies) == sorted(paths)
    published = {record.url: record for record in open_corpus(changed.crawl.corpus).records()}
    assert sum(bool(record.supersedes) for record in published.values()) == len(paths)
    for path in paths:
        before, after = changed.kept(path)
        assert before["id"] == after["id"]
        assert before["revision"] != after["revision"]
        record = next(record for url, record in published.items() if url.endswith(path))
        assert (record.revision, record.supersedes) == (after["revision"], before["revision"])


@pytest.fixture(scope="module")
def periods(crawl: Callable[..., Any], site: str, tmp_path_factory: pytest.TempPathFactory) -> list[Visit]:
    """A crawl of three days of March 2024, and then one of May 2023, in the same corpus."""
    folder, done = tmp_path_factory.mktemp("periods"), []
    for since, until in (("2024-03-04", "2024-03-06"), ("2023-05-01", "2023-05-31")):
        seen = len(ask(site))
        period = (f"-asince={since}", f"-auntil={until}")
        ended = crawl(folder, "-aportal=mock", f"-abase={site}", *period, portal=PORTAL)
        log = ask(site)[seen:]
        done.append(Visit(ended, [(path, status) for path, status in log], ended.records))
    return done


def test_a_period_prunes_lists_and_walks_the_archive(periods: list[Visit]) -> None:
    asked, kept = periods[0].asked, periods[0].records
    assert {path for path in asked if path.startswith("/archive/")} == {f"/archive/2024/03/0{day}" for day in (4, 5, 6)}
    assert "/maps/2024-03.xml" in asked
    assert "/maps/2023-05.xml" not in asked
    assert "only-in-the-archive" in " ".join(record["url"] for record in kept)
    assert set(periods[0].crawl.reasons("story-of-the-day")) == {"discovery/out_of_period"}


def test_another_period_reads_the_lists_again(periods: list[Visit]) -> None:
    """The site answers 304 to those that know its lists, and would name nothing."""
    assert "/maps/2023-05.xml" in periods[1].asked
    assert len(periods[1].kept("in-may-2023-40002")) == 1
    assert "/maps/2024-03.xml" not in [path for path, status in periods[1].log if status == 304]


def test_what_was_left_out_is_one_number_in_the_ledger_and_in_its_list(visits: dict[str, Visit]) -> None:
    corpus = visits["changed"].crawl.corpus
    listed = {f"{one.stage}/{one.reason}": one.number for one in refusals([corpus])}
    (portal,) = status(corpus)
    assert portal.rejected == listed
