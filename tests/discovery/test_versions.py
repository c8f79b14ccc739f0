"""Other versions of an article, and further pages of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from newscorpus.discovery.addresses import plain_address
from newscorpus.discovery.page import PartLink, next_part, read_tree

BASE = "https://www.vesti.example"


@pytest.mark.parametrize(
    ("version", "article"),
    [
        ("/sport/story-1/amp", "/sport/story-1"),
        ("/sport/story-1/amp/", "/sport/story-1/"),
        ("/amp/sport/story-1", "/sport/story-1"),
        ("/sport/story-1.amp.html", "/sport/story-1.html"),
        ("/sport/story-1/stampaj", "/sport/story-1"),
        ("/sport/story-1?amp=1", "/sport/story-1"),
        ("/sport/story-1?outputType=amp", "/sport/story-1"),
        ("/sport/story-1?id=7&print", "/sport/story-1?id=7"),
    ],
)
def test_another_version_is_folded_into_the_article(version: str, article: str) -> None:
    assert plain_address(BASE + version) == BASE + article


@pytest.mark.parametrize(
    "path",
    [
        "/sport/story-1",
        "/amplituda/story-1",
        "/tags/champ",
        "/sport/print-is-dead-1",
        "/sport/amp-story-1.html",
        "/story?print=no&page=2",
        "/story?view=full",
        "/amp",
    ],
)
def test_what_only_looks_like_one_is_left_alone(path: str) -> None:
    assert plain_address(BASE + path) in {BASE + path, BASE + "/"}


@given(st.text())
def test_never_raises(text: str) -> None:
    assert isinstance(plain_address(text), str)


@pytest.mark.parametrize(("start", "is_one"), [("<html amp>", True), ("<html ⚡>", True), ("<html lang=sr>", False)])
def test_a_page_says_that_it_is_a_version(start: str, is_one: bool) -> None:
    assert read_tree(html.document_fromstring(f"{start}<body><p>Text</p></body></html>"), BASE).is_amp is is_one


@pytest.mark.parametrize(
    "second", ["?page=2", "?strana=2", "/2", "/2/", "/strana/2", "/page-2"]
)  # fmt: skip
def test_the_second_page_of_an_article(second: str) -> None:
    article = f"{BASE}/sport/story-1"
    links = (PartLink(f"{BASE}/sport/story-2", "2"), PartLink(article + second, "2"))
    assert next_part(article, 2, links) == article + second


def test_the_second_page_of_a_file() -> None:
    article = f"{BASE}/sport/story.html"
    assert next_part(article, 2, [PartLink(f"{BASE}/sport/story-2.html", "2")]) == f"{BASE}/sport/story-2.html"


def test_a_link_that_is_next_needs_no_number() -> None:
    article = f"{BASE}/sport/story-1"
    assert next_part(article, 3, [PartLink(f"{article}?page=3", "Dalje", is_next=True)]) == f"{article}?page=3"


@pytest.mark.parametrize(
    "link",
    [
        PartLink(f"{BASE}/sport/other-story", "", is_next=True),
        PartLink(f"{BASE}/sport/story-1?page=3", "3"),
        PartLink(f"{BASE}/sport/story-1?page=2", "Read on"),
        PartLink(f"{BASE}/sport/?page=2", "2"),
    ],
)
def test_what_is_no_second_page(link: PartLink) -> None:
    assert next_part(f"{BASE}/sport/story-1", 2, [link]) == ""
