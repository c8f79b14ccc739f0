"""The tokeniser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.tokens import glued_tokens, number_of, tokenise


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Praha, 3. března: „To je 1,5 mil. Kč...“", "Praha , 3 . března : „ To je 1,5 mil . Kč ... “"),
        ("O'Neill-Nová covid-19 A4 1920er", "O'Neill-Nová covid-19 A4 1920er"),
        ("-- ?! 12:30 €5 100% 2026-03-01 10-letý v1.2, 3.", "-- ? ! 12:30 € 5 100 % 2026-03-01 10-letý v1.2 , 3 ."),
        ("e\u0301ta हिन्दी में", "e\u0301ta हिन्दी में"),
        ("日本語。", "日 本 語 。"),
        ("so\u00adft \ufeffc \u200e", "so\u00adft c"),
        ("<b>&amp;</b>", "< b > & amp ; < / b >"),
        ("", ""),
        (" \t\n", ""),
    ],
)
def test_tokens(text: str, tokens: str) -> None:
    assert tokenise(text) == tokens.split()


def test_glue_says_where_no_space_was() -> None:
    assert glued_tokens("Ano, „ne“ .") == [
        ("Ano", False),
        (",", True),
        ("„", False),
        ("ne", True),
        ("“", True),
        (".", False),
    ]


@given(st.text(st.characters(exclude_categories=["C"])))
def test_no_character_that_shows_is_lost(text: str) -> None:
    assert "".join(tokenise(text)) == "".join(text.split())


@given(st.text())
def test_a_token_has_no_space_and_stands_in_the_text(text: str) -> None:
    assert all(token in text and token.split() == [token] for token in tokenise(text))


def test_a_number_of_things_is_written_with_its_noun() -> None:
    assert [number_of(n, "page") for n in (0, 1, 2000)] == ["0 pages", "1 page", "2,000 pages"]
