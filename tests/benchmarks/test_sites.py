"""The bench of publishing systems: its articles, and how a corpus is compared with them."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from benchmarks.sites.__main__ import HEAD, STATED, SYSTEMS, put_in
from benchmarks.sites.posts import SPECIAL, Post, come_back, make_posts
from benchmarks.sites.score import score
from newscorpus.config import BuildConfig
from newscorpus.corpus.published import publish
from newscorpus.data import Article, Fields, Record
from newscorpus.layout import PUBLISHED
from newscorpus.page.records import make_record
from newscorpus.page.signature import jaccard, shingles, word_hashes

BASE = "http://127.0.0.1:1"
STATES = {"published": "time", "authors": "all", "section": "all", "tags": "all"}


@pytest.fixture(scope="module")
def posts() -> list[Post]:
    return make_posts(60)


def test_articles_are_the_same_each_time_and_unlike_each_other(posts: list[Post]) -> None:
    assert make_posts(60) == posts
    assert len({post.slug for post in posts}) == len({post.title for post in posts}) == len(posts)
    assert {post.kind for post in posts} == {"plain", "short", *SPECIAL}
    plain = [shingles(word_hashes(post.text)) for post in posts if post.kind == "plain"]
    assert max(jaccard(*pair) for pair in combinations(plain, 2)) < 0.1


def test_later_some_have_changed_and_others_come(posts: list[Post]) -> None:
    later = come_back(posts, new=5, changed=3)
    assert [post.key for post in later[: len(posts)]] == [post.key for post in posts]
    assert sum(post != before for post, before in zip(later, posts, strict=False)) == 3
    assert min(post.published for post in later[len(posts) :]) > max(p.published for p in posts if p.is_public)


def test_a_corpus_is_compared_with_the_articles(tmp_path: Path, posts: list[Post]) -> None:
    chosen = [post for post in posts if post.kind == "plain"][:3]
    paths = {post.key: f"/{post.slug}/" for post in chosen}
    rows = [_row(post, paths[post.key]) for post in chosen]
    rows[1] = replace(rows[1], title="Another", tags=(*chosen[1].tags, "more"), published="2020-01-01")
    listing = replace(rows[2], url=f"{BASE}/page/2/", id="page")
    publish(tmp_path / PUBLISHED, [*rows, listing], BuildConfig())
    done = score(tmp_path, BASE, chosen, paths, STATES)
    assert (done.published, done.expected, done.lost) == (3, 3, [])
    assert [line.partition(" ")[0] for line in done.strangers] == [listing.url]
    assert (done.mean("f1"), done.mean("authors"), done.mean("section")) == (1, 1, 1)
    assert done.mean("title") == done.mean("date") == pytest.approx(2 / 3)
    assert 2 / 3 < done.mean("tags") < 1


def test_a_section_that_is_stated_as_a_tag_is_no_wrong_tag(tmp_path: Path, posts: list[Post]) -> None:
    post = next(post for post in posts if post.kind == "plain")
    row = replace(_row(post, "/a/"), tags=(post.section, *post.tags))
    publish(tmp_path / PUBLISHED, [row], BuildConfig())
    tags = [
        score(tmp_path, BASE, [post], {post.key: "/a/"}, STATES | {"tags": how}).mean("tags")
        for how in ("all", "with section")
    ]
    assert tags[0] < tags[1] == 1


def _row(post: Post, path: str) -> Record:
    values = {name: getattr(post, name) for name in ("title", "published", "authors", "section", "tags")}
    return make_record(Article(BASE + path, post.text, Fields(**values), "test"), "site", post.language, 1.0)


def test_rows_replace_those_of_the_same_system_and_file_and_leave_the_text_alone() -> None:
    first, second = (f"| {system.label} | four-key | " for system in SYSTEMS[:2])
    before = f"# Results\n\nWritten.\n\n{HEAD}\n{second}old |\n\nWritten too.\n\n{STATED}- old: `gone`\n"
    after = put_in(put_in(before, [f"{second}new |"]), [f"{first}1 |"])
    assert after.startswith(f"# Results\n\nWritten.\n\n{HEAD}\n{first}1 |\n{second}new |\n\nWritten too.\n\n{STATED}")
    assert "gone" not in after
    assert f"`{SYSTEMS[0].name}`" in after
