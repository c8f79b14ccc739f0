"""A crawl of two sites that mind how they are asked."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file
from serving import ask
from typer.testing import CliRunner

from benchmarks.newspapers import started
from newscorpus.cli import app
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.portals import DAY_SECONDS, site_paces

SERVER = Path(__file__).parents[1] / "mockserver" / "moody.py"

PORTAL = portal_file(r"articles = ['-\d{{5}}\.html$']", "only_articles = true", name="{name}", delay=0.05)

PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Done:
    """What the crawl left behind, there and here."""

    crawl: Any
    logs: dict[str, list[tuple[str, float]]]

    def stat(self, name: str) -> Any:
        return self.crawl.stats.get(f"newscorpus/politeness/{name}")


@pytest.fixture(scope="module")
def sites() -> Iterator[dict[str, str]]:
    with started(SERVER) as line:
        yield dict(zip(("strict", "forbidding"), json.loads(line), strict=True))


@pytest.fixture(scope="module")
def done(crawl: Callable[..., Any], sites: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("moody")
    (folder / "portals").mkdir()
    for name, base in sites.items():
        (folder / "portals" / f"{name}.toml").write_text(PORTAL.format(name=name, base=base))
    settings = {"NEWSCORPUS_PAUSE_SECONDS": PAUSE_SECONDS, "DOWNLOAD_TIMEOUT": 1, "RETRY_TIMES": 0}
    ended = crawl(folder, "-a", "portal=strict,forbidding", *(f"-s{name}={value}" for name, value in settings.items()))
    return Done(ended, {name: ask(base) for name, base in sites.items()})


def test_robots_out_of_reach_are_waited_for_before_anything_else_is_asked(done: Done) -> None:
    log = done.logs["strict"]
    assert [path for path, _ in log[:3]] == ["/robots.txt", "/robots.txt", "/"]
    assert log[1][1] - log[0][1] >= PAUSE_SECONDS


def test_the_crawl_delay_lies_between_all_requests(done: Done) -> None:
    times = [time for _, time in done.logs["strict"][1:]]
    assert times[-1] - times[0] >= 0.28 * (len(times) - 1)  # the server takes notes a little early or late
    assert done.stat("strict/crawl_delay_seconds") == 0.3


def test_retry_after_is_kept_and_the_page_comes_all_the_same(done: Done) -> None:
    paths = [path for path, _ in done.logs["strict"]]
    first = paths.index("/news/story-of-the-day-10002.html")
    times = [time for _, time in done.logs["strict"]]
    assert times[first + 1] - times[first] >= 1
    assert paths.count("/news/story-of-the-day-10002.html") == 2
    assert len([record for record in done.crawl.records if record["source"] == "strict"]) == 10


def test_a_body_that_drips_in_without_end_is_cut_off(done: Done) -> None:
    (line,) = [line for line in done.crawl.rejected if "dripping" in line["url"] and line["reason"] == "timeout"]
    assert line["stage"] == "fetch"


def test_a_site_that_forbids_all_is_given_up_and_what_is_queued_is_not_rejected(done: Done) -> None:
    asked = {path for path, _ in done.logs["forbidding"]} - {"/robots.txt", "/"}
    assert done.stat("forbidding/given_up") == "refused"
    assert done.stat("forbidding/pauses") == 6
    left = done.crawl.report["by_portal"]["forbidding"]["queued"]
    assert left > 0
    assert (done.crawl.exit_code, done.crawl.stats["newscorpus/left_queued"]) == (1, left)
    said = "forbidding was cut short: the site refused again and again, addresses still queued:"
    assert f"{said} {left}" in done.crawl.output
    assert "forbidding is given up for this run, refused" in done.crawl.output
    assert 5 <= len(asked) < 13
    assert not [line for line in done.crawl.rejected if line["reason"] == "given_up"]


def test_the_ledger_says_how_each_site_was_treated(done: Done) -> None:
    forbidding, strict = site_paces(done.crawl.corpus)
    assert (forbidding.name, forbidding.given_up, strict.name, strict.given_up) == (
        "forbidding",
        "refused",
        "strict",
        "",
    )
    assert forbidding.why.startswith("status 403, http://")
    assert strict.delay_seconds >= 0.3
    said = CliRunner().invoke(app, ["status", str(done.crawl.corpus)]).output
    assert f"forbidding: given up for this run, refused: {forbidding.why}" in said
    assert "strict:" not in said


def test_a_site_that_has_refused_for_days_is_left_alone_by_revisits_and_status_says_so(
    crawl: Callable[..., Any], mock_site: Any, tmp_path: Path
) -> None:
    named = ("-a", "portal=mock", "-a", f"base={mock_site.base}", "-s", "NEWSCORPUS_BUILD=0")
    with Ledger.open(tmp_path / "corpus") as ledger:
        for back in (2 * DAY_SECONDS, 0):
            ledger.sites.end_run([("mock", True)], time.time() - back)
    done = crawl(tmp_path, *named, "-a", "revisit=due")
    assert mock_site.asked() == {}
    said = CliRunner().invoke(app, ["status", str(done.corpus)]).output
    assert "mock: given up for this run, left_alone: it has refused since " in said
    assert "mock was cut short: the site has refused for days and is left alone" in done.output
    crawl(tmp_path, *named, "-a", "limit=1")
    assert mock_site.asked() != {}, "by hand it is asked"
    with Ledger.open(tmp_path / "corpus") as ledger:
        assert ledger.sites.refusing(time.time()) == {}


def test_a_host_out_of_reach_does_not_end_the_crawl_of_its_portal(
    crawl: Callable[..., Any], shared_mock_site: Any, tmp_path: Path
) -> None:
    """The site has no `https:`, and its articles are named by it."""
    base, urls = shared_mock_site.base, tmp_path / "urls.txt"
    paths = ("/no-https-10001.html", "/no-https-10002.html", "/no-https-10003.html", "/no-https-10004.html")
    urls.write_text(f"{base}/\n" + "".join(f"{base.replace('http', 'https')}{path}\n" for path in paths))
    done = crawl(tmp_path, "-a", "portal=mock", "-a", f"base={base}", "-a", f"urls={urls}", "-s", "RETRY_TIMES=0")
    assert done.reasons("/no-https-") == ["fetch/robots_unavailable"] * len(paths), done.output
