"""Paths, texts and markup are named alike on all pages of a portal."""

from itertools import islice, product

import pytest
from lxml import html

from newscorpus.data import Element
from newscorpus.page.profiles.names import MOST_SIGNS, markup_signs, opening_key, path_of, stable_name, text_key


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


def test_a_path_holds_stable_names_alone() -> None:
    body = Element("body", classes="page-id-77", parent=Element("html"))
    box = Element("div", id="post-77", classes="wide css-1dbjc4n article", parent=body)
    assert path_of(Element("p", classes="sc-bdVaJa", parent=box)) == "html/body/div#post-0.article.wide/p"


def test_data_attributes_name_what_has_no_other_name() -> None:
    assert path_of(Element("div", data="article-text")) == "div[article-text]"
    assert path_of(Element("div", classes="text", data="article-text")) == "div.text"


def test_texts_are_alike_but_for_digits_and_case() -> None:
    assert text_key("Published 12:30") == text_key("PUBLISHED 9:05")
    assert text_key("Published today") != text_key("Published by us")
    assert opening_key("Subscribe to our newsletter, dear reader") == opening_key("Subscribe to our newsletter, Anna!")
    assert opening_key("Too short") == ""


def test_texts_of_any_characters_have_a_name() -> None:
    assert text_key("half a pair: \ud83d")


PAGE = "<html><head><style>p {{}}</style></head><body class=page-7>{}</body></html>"
BODY = "<div id=main class='story css-1q2w3e'>{}</div>"


def signs(body: str) -> frozenset[str]:
    return markup_signs(html.document_fromstring(PAGE.format(BODY.format(body))))


def test_signs_are_pairs_of_elements_by_stable_names() -> None:
    assert signs("<p>One <b>word</b>.</p><p>Two.</p><script>p()</script>") == {
        "html > body",
        "body > div#main.story",
        "div#main.story > p",
        "p > b",
    }


def test_text_numbers_and_repetition_make_no_difference() -> None:
    first = signs("<ul><li class=item-12>a</li><li class=item-13>b</li></ul>")
    assert first == signs("<ul><li class=item-7>Other text.</li></ul>")
    assert first != signs("<ol><li class=item-7>Other text.</li></ol>")


def test_a_page_of_many_names_is_bounded() -> None:
    names = map("".join, islice(product("abcdefghij", repeat=4), 2 * MOST_SIGNS))
    assert len(signs("".join(f"<p class={name}></p>" for name in names))) == MOST_SIGNS
