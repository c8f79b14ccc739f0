"""The systems of Bakić (2012) with machines made by hand."""

import sys
from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.arrays import Integers, Matrix
from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.systems.peers import MissingPeerError
from newscorpus.lab.systems.segment_systems import (
    COUNTED,
    EXPERTS,
    FEATURES,
    SECTION_FEATURES,
    Expert,
    Svm,
    cut,
    find_document,
    find_segments,
    load_experts,
    make_segment,
    measure_kept,
    measure_segment,
    share_found,
)
from newscorpus.page.extractor import SystemExtractor
from newscorpus.page.loading import load
from newscorpus.page.parsing.parse import parse

LONG = "A long sentence about the bridge that is longer than all of the rest of this page together, menus and all."
LONGER = f"{LONG} {LONG}"


def texts(html: str) -> list[str]:
    tree = parse(html)
    assert not isinstance(tree, Rejected)
    return ["|".join(segment.paragraphs) for segment in cut(tree)]


HALF = f"<p>{LONG}</p>"
CASES = {
    "no_div": ("one <b>two</b><!-- no --> three", ["one two three"]),
    "div": ("one<div>two</div>three <i>four</i>", ["one", "two", "three four"]),
    "table": ("one<table><tr><td>two</table>three", ["one", "two", "three"]),
    "looked_into": (f"<div>a<div>b</div>c{HALF}<div>d</div>e</div>f", ["a", "b", "c", LONG, "d", "e", "f"]),
    "text_alone": (f"a<p>{LONG}</p>b <i>c</i>", ["a", LONG, "b c"]),
    "text_and_more": (f"a<p>{LONG} <b>b</b></p>c", ["a", f"{LONG} b", "c"]),
    "any_element": (f"a<section><div>b</div>{HALF}</section>c", ["a", "b", LONG, "c"]),
    "scripts": (f"<script>var menu = '{LONGER}'</script><style>p {{}}</style><p>text", ["text"]),
    "white_space": (" <p>one</p>\n<div> </div>", ["one", ""]),
    "cells": (f"<div>a</div><table><caption>b</caption><tr><td>c</td><td><div>d</div>{HALF}</table>", [*"abcd", LONG]),
    "tables": (f"<table><tr><td>a</td><td><table><tr><td>b</td><td>{HALF}</table></table>", ["a", "b", LONG]),
    "deeper_than_python": (f"{'<section>' * 1500}{HALF}", [LONG]),
    "empty": ("", []),
}


@pytest.mark.parametrize(("html", "segments"), CASES.values(), ids=CASES)
def test_where_a_page_is_cut(html: str, segments: list[str]) -> None:
    assert texts(f"<body>{html}") == segments


def test_text_and_markup_are_told_apart_and_the_tree_is_left_as_it_was() -> None:
    tree = parse("<body><script>x</script>1 &lt; 2 &amp; <b>3</b>")
    assert not isinstance(tree, Rejected)
    (segment,) = cut(tree)
    assert segment.html == "1 &lt; 2 &amp; <b>3</b>"
    assert segment.paragraphs == ("1 < 2 & 3",)
    assert tree.find(".//script") is not None


def measured(html: str) -> dict[str, float]:
    return dict(zip(FEATURES, measure_segment(html), strict=True))


def test_worked_example() -> None:
    # 40 characters, 25 of them markup, 15 of that around the link; runs of 5, 4 and 1 outside links.
    html = '<p>abcde<br>fghi</p><a href="u">jk</a> l'
    found = measured(html)
    assert (len(html), len(FEATURES), len(COUNTED)) == (40, 37, 26)
    nonzero = {name: value for name, value in found.items() if value}
    assert nonzero == pytest.approx(
        {
            "under_100_bytes": 1,
            "markup_share": (3 + 4 + 4 + 12 + 4) / 40,
            "link_markup_share": (12 + 4) / 40,
            "mean_run_to_longest": (5 + 4 + 1) / 3 / 5,
            "median_run_to_longest": 4 / 5,
            "longest_run_to_all": 5 / 10,
            "p": 1,
            "br": 1,
        }
    )


def test_elements_are_counted_over_the_most_frequent() -> None:
    found = measured("<ul><li><span>a</span><li><span>b</span></ul><h2>c</h2>")
    assert (found["span"], found["ul"], found["h2"], found["h1"]) == (1, 0.5, 0.5, 0)


@pytest.mark.parametrize(
    ("size", "name"),
    [
        (99, "under_100_bytes"),
        (100, "under_1000_bytes"),
        (9_999, "under_10000_bytes"),
        (99_999, "under_100000_bytes"),
        (999_999, "under_1000000_bytes"),
        (1_000_000, "from_1000000_bytes"),
    ],
)
def test_sizes_are_of_bytes(size: int, name: str) -> None:
    found = measured("x" * size)
    assert [key for key in FEATURES if key.endswith("_bytes") and found[key]] == [name]
    assert measured("ž" * 50)["under_1000_bytes"] == 1


@given(st.lists(st.sampled_from(["<p>", "</p>", "<a href='>'>", "</a>", "<", ">", " ", "word", "<br/>", "<!--", '"'])))
def test_each_is_a_share(pieces: list[str]) -> None:
    assert all(0 <= value <= 1 for value in measure_segment("".join(pieces)))


PAGE = Page.from_html("<div><a href=/>Home</a> <a href=/sport>Sport</a></div><div><p>One two three.<p>Four.</div>")
EXPERT_TEXTS: Mapping[str, Expert] = {"first": lambda _: "One two three.", "second": lambda _: ""}


def few_links(rows: Matrix) -> Integers:
    return np.where(rows[:, FEATURES.index("link_markup_share")] == 0, 1, 0)


def kept_by_the_first(rows: Matrix) -> Integers:
    return np.where(rows[:, len(FEATURES)] > 0.5, 1, 0)


def test_the_good_segments_are_the_text() -> None:
    article = SystemExtractor(partial(find_segments, Svm("model:own@1", few_links), {}))(PAGE)
    assert isinstance(article, Article)
    assert (article.text, article.extractor) == ("One two three.\nFour.", "model:own@1")
    hybrid = SystemExtractor(partial(find_segments, Svm("own", kept_by_the_first), EXPERT_TEXTS))(PAGE)
    assert isinstance(hybrid, Article)
    assert hybrid.text == article.text  # it sees what the experts kept


@pytest.mark.parametrize(
    ("html", "stage", "reason"),
    [("<body>", "segment", "no_segments"), ("<div><a href=/>Home</a></div>", "extract", "no_main_text")],
)
def test_pages_without_a_good_segment(html: str, stage: str, reason: str) -> None:
    found = SystemExtractor(partial(find_segments, Svm("own", few_links), {}))(Page.from_html(html))
    assert isinstance(found, Rejected)
    assert (found.stage, found.reason) == (stage, reason)


def test_words_of_a_segment_that_an_expert_kept_in_their_order() -> None:
    segments = [make_segment("<p>One two three four</p>"), make_segment("<img src=x>")]
    shares = measure_kept(segments, {"first": "zero One three two five", "second": "One two three four", "third": ""})
    assert shares.tolist() == [[0.5, 1, 0], [0, 0, 0]]  # "One three" or "One two" of four words
    assert share_found([], ["one"]) == 0


def test_hybrid_document_gives_the_text_of_the_chosen_expert_or_names_it() -> None:
    machines = [Svm("own", lambda rows, at=at: np.full(len(rows), at)) for at in range(2)]  # type: ignore[misc]
    first, second = (SystemExtractor(partial(find_document, svm, EXPERT_TEXTS))(PAGE) for svm in machines)
    assert isinstance(first, Article)
    assert first.text == "One two three."
    assert "by_first" in first.flags
    assert isinstance(second, Rejected)
    assert (second.reason, second.detail) == ("no_main_text", "second found none")


def test_a_hybrid_without_its_experts_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuple(load_experts()) == EXPERTS
    assert len(SECTION_FEATURES) == 41
    monkeypatch.setitem(sys.modules, "readability", None)
    with pytest.raises(MissingPeerError, match="readability-lxml cannot be imported") as caught:
        load("hybrid-document")
    assert "\n" not in str(caught.value)
