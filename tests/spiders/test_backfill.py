"""A portal with a past, by the four keys of its file: all of it is reached, by whichever way, and a calendar ends."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file

from benchmarks.newspapers import Site, started
from newscorpus.discover.frontier import MAX_IN_A_ROW

SERVER = Path(__file__).parents[1] / "mockserver" / "past.py"
KEYS = portal_file()
WAYS = ("sections", *(pytest.param(way, marks=pytest.mark.slow) for way in ("days", "sitemaps")))
ARTICLES, DAYS = 200, 30
TINY = ("-s", "NEWSCORPUS_BUILD=0", "-s", "NEWSCORPUS_ARCHIVE=0", "-s", "DOWNLOAD_DELAY_JITTER=0")


@contextmanager
def serving(way: str, articles: int = ARTICLES, *options: str) -> Iterator[Site]:
    with started(SERVER, articles, DAYS, way, *options) as line:
        yield Site(json.loads(line))


def since(days: int) -> tuple[str, str]:
    return "-a", f"since={datetime.now(UTC).date() - timedelta(days=days - 1)}"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", WAYS)
def test_every_article_of_the_period_is_reached(crawl: Callable[..., Any], tmp_path: Path, way: str) -> None:
    with serving(way) as site:
        done = crawl(tmp_path, "-a", "portal=mock", *since(DAYS), *TINY, portal=KEYS.format(base=site.bases[0]))
    assert done.exit_code == 0, done.output
    assert len(done.records) == ARTICLES
    days = [record["published"] for record in done.records]
    assert sum(one >= other for one, other in pairwise(days)) > 0.9 * len(days), "the newest first"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["sections-forward", "days-forward"])
def test_a_period_is_reached_from_the_oldest_day_too(crawl: Callable[..., Any], tmp_path: Path, way: str) -> None:
    articles, days = 2 * MAX_IN_A_ROW, 5
    with serving(way, articles) as site:
        done = crawl(tmp_path, "-a", "portal=mock", *since(days), *TINY, portal=KEYS.format(base=site.bases[0]))
        asked = site.asked()
    assert done.exit_code == 0, done.output
    assert len({record["url"] for record in done.records}) == len(done.records) == -(-articles * days // DAYS)
    if way == "days-forward":
        assert sum(n for path, n in asked.items() if "/story" in path) == len(done.records), "no article of other days"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_calendar_ends_and_so_does_a_section_with_the_period(crawl: Callable[..., Any], tmp_path: Path) -> None:
    with serving("sections", 900, "--calendar") as site:
        done = crawl(tmp_path, "-a", "portal=mock", *since(5), *TINY, portal=KEYS.format(base=site.bases[0]))
        asked = site.asked()
    assert done.exit_code == 0, done.output
    assert len(done.records) == 150
    assert sum(n for path, n in asked.items() if "/story" in path) <= 150 + MAX_IN_A_ROW + 100
    assert "discovery/out_of_period" in done.reasons("/news/?page=")
    assert sum(n for path, n in asked.items() if "/calendar/" in path) <= 3 * MAX_IN_A_ROW
    assert "discovery/trap" in done.reasons("/calendar/")
