import pytest

from newscorpus.extraction.features.structure import KINDS, NAMES, kinds_of


def kinds(name: str) -> set[str]:
    return {kind for bit, kind in enumerate(NAMES) if kinds_of(name) >> bit & 1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("article-body", {"article", "content"}),
        ("articleBody", {"article", "content"}),
        ("ARTICLE", {"article"}),
        ("clanek", {"article"}),
        ("c-related__list", {"related"}),
        ("subtitle", {"lead", "headline"}),
        ("ad", {"advert"}),
        ("ads", {"advert"}),
        ("shadow", set()),
        ("reading", set()),
        ("css-1x2y3z", {"hash"}),
        ("scroll", set()),
        ("tag", {"tags"}),
        ("stage", set()),
        ("komentáře", {"comment"}),
        ("kommentar", {"comment"}),
        ("", set()),
        ("123 --", set()),
    ],
)
def test_a_name_speaks_of_its_kinds(name: str, expected: set[str]) -> None:
    assert kinds(name) == expected


def test_a_name_speaks_of_all_that_its_words_speak_of() -> None:
    assert kinds("footer nav") == kinds("footer") | kinds("nav") == {"footer", "navigation"}


def test_every_kind_has_patterns_that_some_word_contains() -> None:
    plain = {
        kind: next(word for word in words.split() if word.isalpha()) for kind, words in KINDS.items() if kind != "hash"
    }

    assert all(kind in kinds(word) for kind, word in plain.items())


def test_the_bits_fit_their_columns() -> None:
    assert all(kinds_of(words) < 1 << len(NAMES) for words in KINDS.values())
