"""A crawl of a site some of whose pages are dead keeps all others, in one start."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file
from serving import ask

from benchmarks.newspapers import started

pytestmark = pytest.mark.slow

SERVER = Path(__file__).parents[1] / "mockserver" / "dead_pages.py"
ARTICLES = 300
DEAD = 60

PORTAL = portal_file("articles = ['^/story/']")


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with started(SERVER, ARTICLES, DEAD / ARTICLES) as base:
        yield base


def test_every_living_article_is_kept_and_no_dead_one_asked_for_more_than_four_times(
    crawl: Callable[..., Any], base: str, tmp_path: Path
) -> None:
    done = crawl(tmp_path, "-a", "portal=mock", "-s", "DOWNLOAD_TIMEOUT=1", portal=PORTAL.format(base=base))
    assert done.exit_code == 0, done.output
    assert len(done.records) == ARTICLES - DEAD
    dead, asked = ask(base, "/_dead"), ask(base)
    assert len(dead) == DEAD
    assert 1 <= min(asked[path] for path in dead) <= max(asked[path] for path in dead) <= 4
    assert done.report["by_portal"]["mock"]["queued"] == 0
    assert "given up" not in done.output
