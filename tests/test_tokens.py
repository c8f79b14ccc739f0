"""The tokeniser."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.tokens import clean, count_words, glued_tokens, number_of, printable, tokenise, words


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


@pytest.mark.parametrize(
    "text", ["हिन्दी समाचार", "தமிழ் செய்திகள்", "за\u0301мок горы\u0301", "كِتَابٌ جَدِيدٌ", "❤\ufe0f ab cd"]
)
def test_a_word_keeps_its_combining_marks(text: str) -> None:
    assert words(text) == [word for word in text.split() if word != "❤\ufe0f"]
    assert count_words(text) == 2


def test_glue_says_where_no_space_was() -> None:
    glued = [("Ano", False), (",", True), ("„", False), ("ne", True), ("“", True), (".", False)]
    assert glued_tokens("Ano, „ne“ .") == glued


@given(st.text())
def test_a_token_has_no_space_and_no_visible_character_is_lost(text: str) -> None:
    assert all(token in text and token.split() == [token] for token in tokenise(text))
    seen = "".join(char for char in text if unicodedata.category(char)[0] != "C")
    assert "".join(tokenise(seen)) == "".join(seen.split())


def test_words_for_people() -> None:
    assert [number_of(n, "page") for n in (0, 1, 2000)] == ["0 pages", "1 page", "2,000 pages"]
    assert printable("a\x9b31mb\x1b[2J\u202ecba\u2066\td\ne") == "a31mb[2Jcba d e"
    assert printable("Žluťoučký کورپس‌ها 语料") == "Žluťoučký کورپس‌ها 语料"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Fuß\xadball\xadspiel", "Fußballspiel"),
        ("\ufeff\u200bPraha\u2060 \u200fx\ufffc", "Praha x"),
        ("r\u030cec\u030c", "řeč"),
        ("m\u200cn \u0915\u094d\u200d\u0937", "m\u200cn \u0915\u094d\u200d\u0937"),  # joiners make the shape
        ("\u1780\u200b\u1781", "\u1780\u200b\u1781"),  # Khmer writes words without spaces
        ("příklad".encode().decode("latin-1"), "příklad".encode().decode("latin-1")),
        ("<p>\u0338x", "<p>\u0338x"),
    ],
)
def test_clean_text_shows_all_it_holds(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
