"""Crawls of a blog as publishing systems make one, and what they ask for."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file
from serving import ask

from benchmarks.newspapers import started

SERVER = Path(__file__).parents[1] / "mockserver" / "blog.py"
N_POSTS = 60
N_CHANGED = 9
PORTAL = portal_file()


class BlogCrawl:
    """Crawls of one blog into one corpus."""

    def __init__(self, crawl: Callable[..., Any], folder: Path, base: str) -> None:
        self._crawl, self._folder, self._base = crawl, folder, base

    def next_day(self) -> None:
        ask(self._base, "/_day")

    def run(self, *arguments: str) -> tuple[Any, list[str]]:
        """One crawl, and the paths that it asked for."""
        done = self._crawl(self._folder, "-a", "portal=mock", *arguments, portal=PORTAL.format(base=self._base))
        assert done.exit_code == 0, done.output
        return done, ask(self._base)


@pytest.fixture(params=["--full", pytest.param("--bare", marks=pytest.mark.slow)])
def blog(request: pytest.FixtureRequest, crawl: Callable[..., Any], tmp_path: Path) -> Iterator[BlogCrawl]:
    with started(SERVER, N_POSTS, request.param) as base:
        yield BlogCrawl(crawl, tmp_path, base)


def posts(asked: list[str]) -> list[str]:
    return [path for path in asked if re.fullmatch(r"/[a-z-]+-\d+/", path)]


def test_a_blog_is_reached_by_few_requests(blog: BlogCrawl) -> None:
    done, asked = blog.run()
    assert len(posts(asked)) == len({*posts(asked)}) == N_POSTS
    assert not [path for path in asked if re.search(r"\?|login|source|/[^/]+/feed/", path)]
    lists = [asked.index(path) for path in ("/feed/", "/sitemap-posts-1.xml") if path in asked]
    assert max(lists, default=0) < asked.index(posts(asked)[0]), "what they say of a post goes with its request"
    archives = [path for path in asked if re.match(r"/(?:author|category|tag|topic|\d+)/", path)]
    assert len(asked) - len(archives) < 1.4 * N_POSTS
    assert len(archives) < 70, "of 230: thirty in a row bring nothing new, the least of each kind, and some under way"
    assert done.stats["newscorpus/rejected/discovery/nothing_new"] > 0


def test_a_second_crawl_finds_what_is_new_and_what_lists_show_to_have_changed(blog: BlogCrawl) -> None:
    blog.run()
    blog.next_day()
    _, asked = blog.run("-a", "revisit=all")
    new = {path for path in posts(asked) if int(path.strip("/").rpartition("-")[2]) >= N_POSTS}
    assert len(new) == 30
    assert len({*posts(asked)} - new) == N_CHANGED
    assert len(asked) <= 120
