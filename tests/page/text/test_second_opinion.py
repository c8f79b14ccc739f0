"""Two texts of one page: what is read of them, which is taken, and when nobody is asked."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from prose import article, paragraphs

from newscorpus.data import Article, Page
from newscorpus.page.extractor import FoundText, PreparedPage, assemble, read
from newscorpus.page.text.main_text import MainTextSystem
from newscorpus.page.text.second_opinion import MOST_BLOCKS, PAIR_SIGNS, Arbiter, other_text, read_pair
from newscorpus.page.text.verdict import SIGNS, Logistic
from tests.mockserver.kinds import expect

N_SIGNS = len(SIGNS) + len(PAIR_SIGNS)
NEVER, ALWAYS = (Logistic((0.0,) * N_SIGNS, bias) for bias in (-2.0, 2.0))
OWN, OTHER = (ALWAYS, NEVER), (NEVER, ALWAYS)
"""Models that always prefer the one text, and the other."""
OTHER_TEXT = "This is said by another one, and at some length."


def prepared(html: str = "") -> PreparedPage:
    return expect(PreparedPage, read(Page.from_html(html or article("bridge"), "https://news.example/2026/bridge")))


def system(*answer: str, prefers: tuple[Logistic, Logistic] = OWN, confidence: float = 0.3) -> MainTextSystem:
    """The default system, sure of every page to the same degree; the other extractor always gives the same answer."""
    made = MainTextSystem()
    made.arbiter = Arbiter(*prefers, lambda _: answer)
    sure = Logistic((0.0,) * len(SIGNS), math.log(confidence / (1 - confidence)))
    made.judge = replace(made.judge, confidence=sure)
    return made


def found_by(made: MainTextSystem, page: PreparedPage) -> FoundText:
    return expect(FoundText, made.find(page))


def test_the_text_more_probably_right_is_taken_and_who_decided_is_named() -> None:
    own, other = (found_by(system(OTHER_TEXT, prefers=prefers), prepared()) for prefers in (OWN, OTHER))
    assert list(own.paragraphs) == paragraphs("bridge")
    assert own.extractor.startswith("model:main-text@")
    assert list(other.paragraphs) == [OTHER_TEXT]
    assert other.extractor.startswith("second-opinion:trafilatura@")
    assert own.confidence == other.confidence == round(ALWAYS(np.zeros(N_SIGNS)), 3)
    made = expect(Article, assemble(prepared(), other))
    assert made.text == OTHER_TEXT


def test_a_text_that_is_hardly_more_probable_is_not_taken() -> None:
    own, hardly, clearly = (Logistic((0.0,) * N_SIGNS, math.log(p / (1 - p))) for p in (0.3, 0.44, 0.46))
    assert list(found_by(system(OTHER_TEXT, prefers=(own, hardly)), prepared()).paragraphs) == paragraphs("bridge")
    assert list(found_by(system(OTHER_TEXT, prefers=(own, clearly)), prepared()).paragraphs) == [OTHER_TEXT]


def test_what_the_other_pages_of_the_portal_show_to_be_no_text_is_not_brought_back() -> None:
    text, page = paragraphs("bridge"), prepared()
    first = np.array([block.text == text[0] for block in page.blocks])
    reviewed = replace(page, review=lambda _, probability, __: np.where(first, 0.0, probability))
    made = system(f"{text[0].upper()} ", *text[1:], OTHER_TEXT, prefers=OTHER)
    assert list(found_by(made, reviewed).paragraphs) == [*text[1:], OTHER_TEXT]


def test_a_paragraph_left_out_in_one_place_and_good_in_another_is_kept() -> None:
    text = paragraphs("bridge")
    page = prepared(article("bridge").replace("</body>", f"<p>{text[0]}</p></body>"))
    last = np.arange(len(page.blocks)) == len(page.blocks) - 1
    made = system(*text, OTHER_TEXT, prefers=OTHER)
    made.good = 0.0001  # the last block is main text but for the review
    reviewed = replace(page, review=lambda _, probability, __: np.where(last, 0.0, probability))
    assert list(found_by(made, reviewed).paragraphs) == [*text, OTHER_TEXT]


def test_the_conventions_hold_for_the_other_text_too() -> None:
    text, credit = paragraphs("bridge"), "Photo: Jo Brown / Aldwick Agency"
    page = prepared(article("bridge").replace(f"<p>{text[1]}", f"<p>{credit}</p><p>{text[1]}"))
    assert credit in [block.text for block in page.blocks]
    made = system(text[0], credit, OTHER_TEXT, prefers=OTHER)
    made.good = 0.0001  # all blocks are main text but for the conventions
    assert list(found_by(made, page).paragraphs) == [text[0], OTHER_TEXT]


@pytest.mark.parametrize(
    ("answer", "flags"), [([OTHER_TEXT], ("extractors_disagree",)), (paragraphs("bridge"), ()), ([], ())]
)
def test_texts_that_share_little_are_flagged(answer: Sequence[str], flags: tuple[str, ...]) -> None:
    assert found_by(system(*answer), prepared()).flags == flags


def test_another_extractor_that_finds_nothing_changes_nothing() -> None:
    found = found_by(system(prefers=OTHER), prepared())
    assert list(found.paragraphs) == paragraphs("bridge")
    assert found.confidence == round(NEVER(np.zeros(N_SIGNS)), 3)


@pytest.mark.parametrize(
    ("added", "is_closed", "confidence", "is_asked"),
    [
        ("", False, 0.3, True),
        ("", False, 0.75, False),
        ("", True, 0.3, False),
        ("<table>" * 10, False, 0.3, True),
        ("<table>" * 1_000, False, 0.3, False),
        ("<p>Menu</p>" * MOST_BLOCKS, False, 0.3, False),
    ],
    ids=["unsure", "sure", "declared not free", "nested", "nested deep", "many blocks"],
)
def test_only_where_the_model_is_unsure_the_other_extractor_is_asked_and_can_read_the_page_in_time(
    added: str, is_closed: bool, confidence: float, is_asked: bool
) -> None:
    page = replace(prepared(article("bridge").replace("</body>", f"{added}</body>")), is_closed=is_closed)
    found = found_by(system(OTHER_TEXT, prefers=OTHER, confidence=confidence), page)
    assert list(found.paragraphs) == ([OTHER_TEXT] if is_asked else paragraphs("bridge"))


def test_without_a_second_opinion_nobody_is_asked() -> None:
    made = MainTextSystem(asks=False)
    made.judge = system().judge
    assert (found_by(made, prepared()).confidence, made.arbiter) == (0.3, None)


def test_trafilatura_finds_the_text_without_the_headline() -> None:
    page = prepared()
    before = len(page.tree.xpath("//*"))
    assert other_text(page) == paragraphs("bridge")
    assert len(page.tree.xpath("//*")) == before


def test_a_failure_of_the_other_extractor_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise RecursionError("too deep")

    monkeypatch.setattr("trafilatura.extract", fail)
    assert other_text(prepared()) == []


def pair_of(own: Sequence[str], other: Sequence[str]) -> dict[str, float]:
    page = prepared()
    labelled = MainTextSystem().label(page)
    signs = read_pair(np.zeros(len(SIGNS)), 0.5, labelled, own, other)
    return dict(zip(PAIR_SIGNS, signs[len(SIGNS) :].tolist(), strict=True))


def test_signs_of_two_texts() -> None:
    text = ["one two three four five six", "seven eight"]
    pair = pair_of(text, ["One two three four five six"])
    assert pair["own_confidence"] == 0
    assert pair["log_own"] == pytest.approx(math.log1p(5))
    assert pair["log_other"] == pytest.approx(math.log1p(3))
    assert (pair["other_shared"], pair["own_shared"]) == pytest.approx((1, 3 / 5))
    assert pair["agreement"] == pytest.approx(0.75)
    assert pair["expected_precision"] == pair["expected_recall"] == 0


def test_the_blocks_of_the_other_text_say_what_to_expect_of_it() -> None:
    text = paragraphs("bridge")
    whole, half = pair_of(text, text), pair_of(text, text[:3])
    assert whole["expected_f1"] > 0.9
    assert half["expected_precision"] > 0.9
    assert half["expected_recall"] == pytest.approx(whole["expected_recall"] / 2, rel=0.1)


@pytest.mark.parametrize("text", [[], ["one"], ["…"]])
def test_texts_of_hardly_a_word_have_signs(text: list[str]) -> None:
    assert all(math.isfinite(value) for value in pair_of(text, text).values())
    assert pair_of(["one two three four"], text)["no_other"] == 1


def test_lines_that_links_end_are_joined_and_tables_have_no_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    page = prepared(
        "<body><div>Google Reader has come to the desktop, as <a>announced</a> (<a>here</a>), and works.</div>"
        "<p>announced</p><table><tr><th>Date</th><th>Yes | no</th></tr><tr><td>May 1</td><td>3 %</td></tr></table>"
    )
    said = (
        "Google Reader has come to the desktop, as\nannounced\n(\nhere\n)\n, and works.\nannounced\n"
        "- an item\n| Date | Yes \\| no |\n|---|---|\n| May 1 | 3 % |"
    )
    monkeypatch.setattr("trafilatura.extract", lambda *_, **__: said)
    assert other_text(page) == [
        "Google Reader has come to the desktop, as announced (here), and works.",
        "announced",
        "an item",
        "Date | Yes | no",
        "May 1 | 3 %",
    ]
