"""The systems of Bakić (2012) with machines made by hand."""

import sys
from collections.abc import Mapping

import numpy as np
import pytest

from newscorpus.arrays import Integers, Matrix
from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.systems.peers import MissingPeerError
from newscorpus.lab.systems.segment_systems import (
    EXPERTS,
    FEATURES,
    SECTION_FEATURES,
    DocumentSystem,
    Expert,
    SegmentSystem,
    Svm,
    load_experts,
    make_segment,
    measure_kept,
    share_found,
)
from newscorpus.page.extractor import SystemExtractor
from newscorpus.page.registry import load

PAGE = Page.from_html("<div><a href=/>Home</a> <a href=/sport>Sport</a></div><div><p>One two three.<p>Four.</div>")
EXPERT_TEXTS: Mapping[str, Expert] = {"first": lambda _: "One two three.", "second": lambda _: ""}


def few_links(rows: Matrix) -> Integers:
    return np.where(rows[:, FEATURES.index("link_markup_share")] == 0, 1, 0)


def kept_by_the_first(rows: Matrix) -> Integers:
    return np.where(rows[:, len(FEATURES)] > 0.5, 1, 0)


def text_of(found: Article | Rejected) -> str:
    assert isinstance(found, Article)
    return found.text


def test_the_good_segments_are_the_text() -> None:
    system = SegmentSystem(Svm("model:own@1", few_links), {})
    article = SystemExtractor(system.find)(PAGE)
    assert text_of(article) == "One two three.\nFour."
    assert isinstance(article, Article)
    assert article.extractor == "model:own@1"


@pytest.mark.parametrize(
    ("html", "stage", "reason"),
    [("<body>", "segment", "no_segments"), ("<div><a href=/>Home</a></div>", "extract", "no_main_text")],
)
def test_pages_without_a_good_segment(html: str, stage: str, reason: str) -> None:
    found = SystemExtractor(SegmentSystem(Svm("own", few_links), {}).find)(Page.from_html(html))
    assert isinstance(found, Rejected)
    assert (found.stage, found.reason) == (stage, reason)


def test_words_of_a_segment_that_an_expert_kept_in_their_order() -> None:
    segments = [make_segment("<p>One two three four</p>"), make_segment("<img src=x>")]
    shares = measure_kept(segments, {"first": "zero One three two five", "second": "One two three four", "third": ""})
    assert shares.tolist() == [[0.5, 1, 0], [0, 0, 0]]  # "One three" or "One two" of four words


def test_nothing_is_found_of_no_words() -> None:
    assert share_found([], ["one"]) == 0


def test_hybrid_section_sees_what_the_experts_kept() -> None:
    system = SegmentSystem(Svm("own", kept_by_the_first), EXPERT_TEXTS)
    assert text_of(SystemExtractor(system.find)(PAGE)) == "One two three.\nFour."


def test_hybrid_document_gives_the_text_of_the_chosen_expert() -> None:
    chooses = DocumentSystem(Svm("own", lambda rows: np.zeros(len(rows), np.int64)), EXPERT_TEXTS)
    article = SystemExtractor(chooses.find)(PAGE)
    assert text_of(article) == "One two three."
    assert isinstance(article, Article)
    assert "by_first" in article.flags


def test_where_the_chosen_expert_finds_nothing_it_is_named() -> None:
    chooses = DocumentSystem(Svm("own", lambda rows: np.ones(len(rows), np.int64)), EXPERT_TEXTS)
    found = SystemExtractor(chooses.find)(PAGE)
    assert isinstance(found, Rejected)
    assert (found.reason, found.detail) == ("no_main_text", "second found none")


def test_the_experts_are_those_of_the_thesis() -> None:
    assert tuple(load_experts()) == EXPERTS
    assert len(SECTION_FEATURES) == 41


def test_a_hybrid_without_its_experts_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "readability", None)
    with pytest.raises(MissingPeerError, match="readability-lxml cannot be imported") as caught:
        load("hybrid-document")
    assert "\n" not in str(caught.value)
