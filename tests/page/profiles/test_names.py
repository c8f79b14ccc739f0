"""Paths and texts are named alike on all pages of a portal."""

import pytest

from newscorpus.data import Element
from newscorpus.page.profiles.names import opening_key, path_of, stable_name, text_key


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
