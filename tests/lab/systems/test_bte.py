import re
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.systems.bte import body_text
from newscorpus.page.loading import load

TOKEN = re.compile(r"<[^>]*>|[^<>\s]+")


def by_definition(html: str) -> str:
    """The words between i and j, where tags outside and words inside are most: all i and j are tried (section 3)."""
    tokens: list[str] = TOKEN.findall(html)
    tags: list[bool] = [token[0] == "<" for token in tokens]

    def amount(start: int, end: int) -> int:
        inside = tags[start:end]
        return sum(tags[:start]) + (len(inside) - sum(inside)) + sum(tags[end:])

    intervals = [(0, 0), *combinations_with_replacement(range(len(tokens) + 1), 2)]
    best = max(amount(*interval) for interval in intervals)
    if amount(0, 0) == best:
        return ""
    start, end = min(interval for interval in intervals if amount(*interval) == best)
    return " ".join(token for token in tokens[start:end] if token[0] != "<")


def test_worked_example() -> None:
    # Tags outside and words inside: from "The" to "it" 8 + 9; from "Home" to "it" 5 + 11; from "The" to "end" 6 + 10.
    html = "<html><ul><li>Home<li>News</ul><p>The quick brown <b>fox</b> ran.<p>Nobody ever saw it<hr><i>end"
    assert body_text(html) == "The quick brown fox ran.\nNobody ever saw it"
    assert body_text(html).split() == by_definition(html).split()


@given(
    st.lists(
        st.sampled_from(["<p>", "</p>", "<b>", "<br>", "<td>", " one ", " two three ", " four five six seven ", " "]),
        max_size=14,
    ).map("".join)
)
def test_agrees_with_the_definition_over_tokens(html: str) -> None:
    assert body_text(html).split() == by_definition(html).split()


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("<p><b></b></p>", ""),
        ("<p>a</p>", "a"),
        ("one two three", "one two three"),
        ("<p>one two<script>var a = 'much code, many words';</script> three four</p>", "one two three four"),
        ("<style>p {}</style><p>one two<!-- <p>three --> four", "one two four"),
        ("<p>one two</p><p>three four five</p>", "one two\nthree four five"),
        ("<p>one two</p><p>three four</p>", "one two"),
        ("<p>one two<br>three four", "one two\nthree four"),
        ("<p>one two <b>three</b>four five six", "one two three four five six"),
        ("<p>a &lt; b &amp;&nbsp;c d", "a < b & c d"),
        ("<p>a < b and c > d", "a < b and c > d"),
        ("<p>one two three<p unclosed", "one two three"),
        ("<p>one two <script>never closed", "one two"),
    ],
)
def test_texts(html: str, text: str) -> None:
    assert body_text(html) == text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["<a ", "<", "<!--", "<script>", "</script", "&amp", "<a> ", "< a "])
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    body_text(piece * (1_500_000 // len(piece)))


def test_as_an_extractor() -> None:
    page = Page.from_html(
        "<title>The fox</title><ul><li>Home</ul><p>The quick brown fox ran.<p>It ran off.", "https://a.example"
    )
    article = load("bte")(page)
    assert isinstance(article, Article)
    assert article.text == "The quick brown fox ran.\nIt ran off."
    assert (article.extractor, article.url, article.fields.title) == ("bte", "https://a.example", "The fox")
    rejected = load("bte")(Page.from_html("<img src=x>", "https://a.example"))
    assert rejected == Rejected("extract", "no_main_text", url="https://a.example")
