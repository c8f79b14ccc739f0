"""One crawl of a site with every misbehaviour we know, and what must come of each."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prose import article
from scrapies import portal_file
from serving import PageSite

from newscorpus.corpus.reextract import reextract
from newscorpus.data import Rejected
from newscorpus.page.recipe import Recipe
from newscorpus.page.rights import RightsPolicy
from newscorpus.page.rows import Row
from newscorpus.portal.schema import load_portal
from newscorpus.store.pages import archive_files

KEPT = [
    *(f"story-of-the-day-{number}" for number in range(10001, 10006)),
    "moved-here-10062",
    "moved-within-10061",
    "gzip-story-10083",
    "brotli-story-10084",
    "wrong-charset-story-10086",
    "flaky-story-10090",
    "story-with-session-10096",
    "only-in-the-feed-10200",
    "broken-markup-in-the-feed-10201",
    "only-in-the-archive-10300",
    "only-in-the-news-10301",
    "only-in-the-section-10400",
]

PRINTED = "story-of-the-day-10002"
"""It has a print version of the same canonical address, between which the build chooses."""

REJECTED = {
    "/private/": "fetch/robots_disallowed",
    "turning-round-10070": "fetch/redirect_loop",
    "ever-further-10071": "fetch/redirect_loop",
    "to-the-cloud-10072": "fetch/private_address",
    "to-the-disk-10073": "fetch/private_address",
    "to-another-port-10074": "fetch/private_address",
    "to-another-site-10075": "fetch/offsite",
    "back-home-10076": "fetch/redirect_to_known",
    "/other-section/": "discovery/section",
    "big-story-10080": "fetch/too_large",
    "big-chunked-story-10081": "fetch/too_large",
    "bomb-story-10082": "fetch/too_large",
    "cut-short-story-10085": "fetch/truncated",
    "broken-story-10091": "fetch/http_503",
    "gone-story-10092": "fetch/http_404",
    "slow-story-10093": "fetch/timeout",
    "plain-text-story-10094": "fetch/not_html",
    "/calendar/": "discovery/trap",
    "/loop/": "discovery/trap",
    "169.254.169.254": "fetch/private_address",
    "other-port-10098": "fetch/private_address",
    "file:///etc/passwd": "fetch/private_address",
    "/feed.xml": "discovery/broken_entry",
    "not-a-feed.xml": "discovery/broken_feed",
    "sitemap-bomb.xml.gz": "discovery/broken_sitemap",
}


@pytest.fixture(scope="module")
def done(crawl: Callable[..., Any], shared_mock_site: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    named = ("-a", "portal=mock", "-a", f"base={shared_mock_site.base}")
    return crawl(tmp_path_factory.mktemp("crawl"), *named, "-s", "DOWNLOAD_TIMEOUT=2")


def test_keeps_every_article_and_says_so(done: Any) -> None:
    assert done.exit_code == 0, done.output
    assert "Traceback" not in done.output
    assert (done.report["reason"], done.report["portals"]) == ("finished", ["mock"])
    kept = {part: len([one for one in done.records if part in one["url"]]) for part in KEPT}
    assert kept == {part: 1 + (part == PRINTED) for part in KEPT}
    assert len(done.records) == len(KEPT) + 1 == done.stats["newscorpus/kept"]
    assert {record["rights"]["content_signal"] for record in done.records} == {"search=yes, ai-train=no"}
    assert done.report["build"]["kept"] == len(KEPT)
    assert done.stats["newscorpus/words"] == sum(record["n_words"] for record in done.records) > 1000


def test_what_robots_txt_reserves_is_known_to_the_archive(done: Any) -> None:
    mock = load_portal(done.corpus.parent / "portals" / "mock.toml")
    recipe = Recipe(rights=RightsPolicy.SKIP)
    outcomes = [outcome for _, outcome in reextract(archive_files(done.corpus), recipe, [mock])]
    reserved = [one for one in outcomes if isinstance(one, Rejected) and one.reason == "reserved"]
    assert len(reserved) == len(done.records)
    assert {one.detail for one in reserved} == {"content-signal: ai-train=no"}
    assert not any(isinstance(one, Row) for one in outcomes)


@pytest.mark.parametrize(("part", "reason"), REJECTED.items())
def test_rejects(done: Any, part: str, reason: str) -> None:
    assert reason in done.reasons(part)
    assert set(done.reasons(part)) <= {reason, "discovery/section"}
    assert done.stats[f"newscorpus/rejected/{reason}"] >= 1


def test_every_rejection_is_counted_once(done: Any) -> None:
    counted = sum(count for name, count in done.stats.items() if name.startswith("newscorpus/rejected/"))
    assert counted == len(done.rejected)


def test_asks_for_each_document_once_for_nothing_refused_and_again_for_what_may_pass(
    done: Any, shared_mock_site: Any
) -> None:
    asked = shared_mock_site.asked()

    def times(part: str) -> int:
        return sum(n for path, n in asked.items() if part in path)

    assert (times("/private/"), asked["/robots.txt"]) == (0, 1)
    assert [times(name) for name in ("/session/", "story-of-the-day-10001", "moved-here-10062")] == [1, 1, 1]
    assert times("/calendar/") <= 2
    assert times("/news/ever-further") <= 9
    assert done.stats["retry/count"] >= 3
    assert [times(name) for name in ("flaky-story-10090", "broken-story-10091", "gone-story-10092")] == [2, 3, 1]


@pytest.mark.usefixtures("done")
def test_one_request_at_a_time_by_an_honest_agent(shared_mock_site: Any) -> None:
    log = shared_mock_site.log()
    slow = next(index for index, entry in enumerate(log) if "slow-story" in entry["path"])
    assert {entry["agent"] for entry in log} == {"newscorpus/0.1.0"}
    # A request that the crawl gave up on is still under way at the server, and so is a broken connection.
    assert {entry["busy"] for entry in log[:slow]} <= {0, 1}
    assert sum(entry["busy"] for entry in log[:slow]) <= 3


def test_evidence_reaches_the_record_and_a_wrong_charset_is_put_right(done: Any) -> None:
    (fed,), (mapped,), (charset,) = (
        [record for record in done.records if part in record["url"]]
        for part in ("only-in-the-feed", "only-in-the-news", "wrong-charset")
    )
    assert (fed["authors"], fed["provenance"]["authors"]) == (["Ada Writer"], "feed")
    assert fed["published"].startswith("2026-11-20")
    assert mapped["published"].startswith("2026-11-20")
    assert mapped["provenance"]["published"] == "sitemap"
    assert "Žluťoučký kůň" in charset["text"]


def test_limit_ends_the_crawl(crawl: Callable[..., Any], mock_site: Any, tmp_path: Path) -> None:
    done = crawl(tmp_path, "-a", "portal=mock", "-a", f"base={mock_site.base}", "-a", "limit=3")
    assert done.exit_code == 0, done.output
    assert done.report["reason"] == "limit"
    assert done.stats["newscorpus/pages"] == 3
    assert len(done.records) == 3
    assert sum(mock_site.asked().values()) < 25


def test_addresses_from_a_file_and_delay(crawl: Callable[..., Any], mock_site: Any, tmp_path: Path) -> None:
    urls = [f"{mock_site.base}/news/listed-story-{number}" for number in range(20001, 20005)]
    private = "http://localhost:1/news/by-name-20009"  # only its name server tells
    (tmp_path / "urls.txt").write_text("\n".join(["# listed", *urls, private, "http://elsewhere.example.org/x"]))
    portal = portal_file(delay=0.4).format(base=mock_site.base).replace("127.0.0.1", 'localhost", "127.0.0.1', 1)
    done = crawl(tmp_path, "-a", "portal=mock", "-a", "urls=urls.txt", "-s", "DOWNLOAD_DELAY_JITTER=0", portal=portal)
    assert sorted(record["url"] for record in done.records) == sorted(urls)
    assert done.reasons("by-name") == ["fetch/private_address"]
    assert done.reasons("elsewhere") == ["discovery/offsite"]
    assert done.stats["newscorpus/politeness/mock/least_gap_seconds"] >= 0.4
    assert set(mock_site.asked()) == {"/robots.txt", *(url.removeprefix(mock_site.base) for url in urls)}


def test_a_crawl_that_keeps_nothing_fails(crawl: Callable[..., Any], mock_site: Any, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text(f"{mock_site.base}/news/gone-story-10092.html\n")
    done = crawl(tmp_path, "-a", "portal=mock", "-a", f"base={mock_site.base}", "-a", "urls=urls.txt")
    assert done.exit_code == 1
    assert "Kept no article: 2 responses; rejected: fetch/http_404 1" in done.output
    assert "Traceback" not in done.output


FATAL = """
import os
import newscorpus.page.judge as judging
extracted = judging.extract_article
judging.extract_article = lambda by, page: os._exit(1) if "fatal" in page.page.url else extracted(by, page)
"""
"""Run by each process at its start: one that judges such a page dies."""


def test_the_links_of_a_page_that_kills_its_process_are_followed(
    crawl: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fatal, found = "/fatal-story-10001.html", "/found-there-10002.html"
    pages = {
        "/": f"<html><body><a href={fatal}>more</a></body></html>",
        fatal: article("1").replace("</body>", f"<a href={found}>more</a></body>"),
        found: article("2"),
    }
    (tmp_path / "sitecustomize.py").write_text(FATAL)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with PageSite(pages).served() as base:
        named = ("-a", "portal=mock", "-a", f"base={base}")
        done = crawl(tmp_path, *named, "-s", "NEWSCORPUS_WORKERS=1")
    assert done.reasons("fatal") == ["extract/worker_failed"], done.output
    assert [record["url"] for record in done.records] == [f"{base}{found}"]
