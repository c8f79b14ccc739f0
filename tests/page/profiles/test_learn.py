"""What a profile says of the pages it was learned from, and that nothing but the pages decides it."""

import random
from itertools import islice, product
from pathlib import Path

import pytest
from lxml import html
from profiled import SUBSCRIBE, page_html, seen, seen_pages, town

from newscorpus.data import Block, Element
from newscorpus.errors import CorpusError
from newscorpus.page.profiles.learn import (
    MOST_PAGES,
    MOST_SIGNS,
    SeenPage,
    learn,
    markup_signs,
    paths_of,
    stable_name,
    text_key,
)
from newscorpus.portal.profile import PathFacts, Profile, read_profile, write_profile


@pytest.mark.parametrize(
    ("name", "stable"),
    [
        ("article-body", "article-body"),
        ("articleBody", "articleBody"),
        ("post-12345", "post-0"),
        ("h-entry", "h-entry"),
        ("mt-4", "mt-0"),
        ("nav_2024", "nav_0"),
        ("Article_body__3xK9f", "Article_body"),
        ("styles__Lead--2hGkQ", "styles__Lead"),
        ("css-1dbjc4n", ""),
        ("sc-bdVaJa", ""),
        ("sc-1q2w3e4r-0", ""),
        ("_1h2k3j", ""),
        ("12345", ""),
        ("článek", "článek"),
        ("", ""),
    ],
)
def test_names_are_kept_without_what_machines_make(name: str, stable: str) -> None:
    assert stable_name(name) == stable


def path_of(element: Element) -> str:
    (path,) = paths_of([Block(0, "", "", element)])
    return path


def test_a_path_holds_stable_names_alone() -> None:
    body = Element("body", classes="page-id-77", parent=Element("html"))
    box = Element("div", id="post-77", classes="wide css-1dbjc4n article", parent=body)
    assert path_of(Element("p", classes="sc-bdVaJa", parent=box)) == "html/body/div#post-0.article.wide/p"
    assert path_of(Element("div", data="article-text")) == "div[article-text]"
    assert path_of(Element("div", classes="text", data="article-text")) == "div.text"
    assert path_of(Element("li", classes="post-7 hentry status-publish category-town tag-rain")) == "li.hentry.post-0"


def test_texts_are_alike_but_for_digits_and_case() -> None:
    assert text_key("Published 12:30") == text_key("PUBLISHED 9:05")
    assert text_key("Published today") != text_key("Published by us") != text_key("half a pair: \ud83d")


PAGE = "<html><head><style>p {{}}</style></head><body class=page-7>{}</body></html>"
BODY = "<div id=main class='story css-1q2w3e'>{}</div>"


def signs(body: str) -> frozenset[str]:
    return markup_signs(html.document_fromstring(PAGE.format(BODY.format(body))))


def test_signs_are_pairs_of_elements_by_stable_names_whatever_text_numbers_and_repetition() -> None:
    assert signs("<p>One <b>word</b>.</p><p>Two.</p><script>p()</script>") == {
        "html > body",
        "body > div#main.story",
        "div#main.story > p",
        "p > b",
    }
    first = signs("<ul><li class=item-12>a</li><li class=item-13>b</li></ul>")
    assert first == signs("<ul><li class=item-7>Other text.</li></ul>")
    assert first != signs("<ol><li class=item-7>Other text.</li></ol>")
    updated = "<p class=last-updated-on>Changed <time>today</time></p>"
    assert signs(f"<p>One.</p>{updated}") == signs("<p>One.</p>"), "changed articles alone have such a line"


def test_a_page_of_many_names_is_bounded() -> None:
    names = map("".join, islice(product("abcdefghij", repeat=4), 2 * MOST_SIGNS))
    assert len(signs("".join(f"<p class={name}></p>" for name in names))) == MOST_SIGNS


BOX = "html/body/div#post-0.story"


def learned(pages: list[SeenPage]) -> Profile:
    return learn(pages, "vesti", "model:main-text@3")


def test_paths_say_how_often_main_text_stands_there() -> None:
    profile = learned(seen_pages(6))
    menu = profile.paths["html/body/ul.menu/li"]
    assert menu == PathFacts(pages=6, good_pages=0, blocks=12, texts=2, words=12, good_words=1.2)
    paragraphs = profile.paths[f"{BOX}/p"]
    assert (paragraphs.pages, paragraphs.good_pages, paragraphs.blocks) == (6, 6, 18)
    assert paragraphs.good_words == pytest.approx(0.9 * paragraphs.words)


def test_texts_that_stand_on_several_pages_are_kept() -> None:
    profile = learned(seen_pages(6))
    found = profile.texts[text_key(SUBSCRIBE)]
    assert (found.pages, found.text) == (6, SUBSCRIBE)
    assert {repeated.text for repeated in profile.texts.values()} >= {"News", "Sport"}
    alone = learned([*seen_pages(5), seen("f" * 16, page_html(99, "<p>Said once</p>"), ("It",))])
    assert text_key("Said once") not in alone.texts


def test_the_order_of_the_pages_decides_nothing() -> None:
    pages = seen_pages(MOST_PAGES + 20)
    shuffled = random.Random(7).sample(pages, len(pages))
    assert learned(pages) == learned(shuffled)
    assert len(learned(pages).pages) == MOST_PAGES
    assert learned(pages).hash == learned(shuffled).hash != learned(pages[:50]).hash


def test_copies_of_an_article_count_once_and_articles_of_one_title_each() -> None:
    pages = seen_pages(5)
    copy = seen("c" * 16, page_html(1), ("It rained", "The river"), f"Rain in {town(1)}")
    assert len(learned([*pages, copy]).pages) == 5
    pages = [seen(f"{n:016x}", page_html(n), ("It rained", "The river"), "Rain") for n in range(5)]
    assert len(learned(pages).pages) == 5


def test_nothing_is_learned_from_no_pages() -> None:
    assert (learned([]).pages, learned([]).paths) == ((), {})


def test_a_profile_is_written_and_read_back(tmp_path: Path) -> None:
    path, profile = tmp_path / "profiles" / "vesti.json", learned(seen_pages(6))
    write_profile(path, profile)
    first = path.read_bytes()
    assert read_profile(path) == profile
    write_profile(path, learned(seen_pages(6)[::-1]))
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"{", "no profile of a portal: Input data was truncated"),
        (b'{"source": 1}', "no profile of a portal: "),
    ],
)
def test_what_is_no_profile_is_refused_in_one_line(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "vesti.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CorpusError) as refused:
        read_profile(path)
    assert str(refused.value).startswith(f"{path}: {message}")
    assert "\n" not in str(refused.value)


def test_a_profile_of_another_version_is_to_be_learned_anew(tmp_path: Path) -> None:
    path = tmp_path / "vesti.json"
    write_profile(path, learned(seen_pages(6)))
    path.write_bytes(path.read_bytes().replace(b'"version": 2', b'"version": 99'))
    with pytest.raises(CorpusError, match=r"a profile of version 99, not 2; learn it anew"):
        read_profile(path)
