"""Two texts of one page: what is read of them, which is taken, and when nobody is asked."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from prose import article, paragraphs

from newscorpus.data import Article, Page
from newscorpus.page.extractor import FoundText, Reading, assemble, read
from newscorpus.page.text import second_opinion
from newscorpus.page.text.main_text import MainTextSystem
from newscorpus.page.text.second_opinion import PAIR_SIGNS, Arbiter, other_text, read_pair
from newscorpus.page.text.verdict import SIGNS, Logistic

N_SIGNS = len(SIGNS) + len(PAIR_SIGNS)
NEVER, ALWAYS = (Logistic((0.0,) * N_SIGNS, bias) for bias in (-2.0, 2.0))
OWN, OTHER = Arbiter(ALWAYS, NEVER), Arbiter(NEVER, ALWAYS)
"""Arbiters that always prefer the one text, and the other."""
OTHER_TEXT = ["This is said by another one, and at some length."]

Opinion = Callable[..., Sequence[str]]


def reading(html: str = "") -> Reading:
    found = read(Page.from_html(html or article("bridge"), "https://news.example/2026/bridge"))
    assert isinstance(found, Reading)
    return found


def system(arbiter: Arbiter, confidence: float = 0.3) -> MainTextSystem:
    """The default system, sure of every page to the same degree."""
    made = MainTextSystem()
    made.arbiter = arbiter
    sure = Logistic((0.0,) * len(SIGNS), math.log(confidence / (1 - confidence)))
    made.judge = replace(made.judge, confidence=sure)
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that the other extractor is asked about; it always says the same."""
    addresses: list[str] = []

    def answer(reading: Reading) -> list[str]:
        addresses.append(reading.page.url)
        return OTHER_TEXT

    monkeypatch.setattr(second_opinion, "other_text", answer)
    return addresses


def found_by(made: MainTextSystem, page: Reading) -> FoundText:
    found = made.find(page)
    assert isinstance(found, FoundText)
    return found


def test_the_text_more_probably_right_is_taken_and_who_decided_is_named(asked: list[str]) -> None:
    own, other = found_by(system(OWN), reading()), found_by(system(OTHER), reading())

    assert len(asked) == 2
    assert list(own.paragraphs) == paragraphs("bridge")
    assert own.extractor.startswith("model:main-text@")
    assert list(other.paragraphs) == OTHER_TEXT
    assert other.extractor.startswith("second-opinion:trafilatura@")
    assert own.confidence == other.confidence == round(ALWAYS(np.zeros(N_SIGNS)), 3)


def test_what_the_other_pages_of_the_portal_show_to_be_no_text_is_not_brought_back(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = paragraphs("bridge")
    monkeypatch.setattr(second_opinion, "other_text", lambda _: [f"{text[0].upper()} ", *text[1:], *OTHER_TEXT])
    page = reading()
    first = np.array([block.text == text[0] for block in page.blocks])
    reviewed = replace(page, review=lambda _, probability, __: np.where(first, 0.0, probability))
    assert list(found_by(system(OTHER), reviewed).paragraphs) == [*text[1:], *OTHER_TEXT]


def test_the_record_says_that_the_text_is_a_second_opinion(asked: list[str]) -> None:
    made = assemble(reading(), found_by(system(OTHER), reading()))
    assert isinstance(made, Article)
    assert made.text == OTHER_TEXT[0]


def test_texts_that_share_little_are_flagged(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert found_by(system(OWN), reading()).flags == ("extractors_disagree",)

    monkeypatch.setattr(second_opinion, "other_text", lambda _: paragraphs("bridge"))
    assert found_by(system(OWN), reading()).flags == ()


def test_where_the_model_is_sure_nobody_is_asked(asked: list[str]) -> None:
    assert found_by(system(OTHER, confidence=0.75), reading()).confidence == 0.75
    assert asked == []


def test_without_a_second_opinion_nobody_is_asked(asked: list[str]) -> None:
    made = MainTextSystem(asks=False)
    made.judge = system(OTHER).judge

    assert found_by(made, reading()).confidence == 0.3
    assert asked == []


def test_long_pages_are_not_given_away(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_opinion, "MOST_BLOCKS", 3)

    assert list(found_by(system(OTHER), reading()).paragraphs) == paragraphs("bridge")
    assert asked == []


@pytest.mark.parametrize(("depth", "times"), [(10, 1), (1_000, 0)])
def test_pages_nested_deep_are_not_given_away(asked: list[str], depth: int, times: int) -> None:
    html = article("bridge").replace("</body>", "<table>" * depth + "</body>")

    assert found_by(system(OWN), reading(html)).extractor.startswith("model:")
    assert len(asked) == times


def test_of_a_page_declared_not_free_nobody_is_asked(asked: list[str]) -> None:
    closed = replace(reading(), is_closed=True)

    assert list(found_by(system(OTHER), closed).paragraphs) == paragraphs("bridge")
    assert asked == []


def test_another_extractor_that_finds_nothing_changes_nothing(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(second_opinion, "other_text", lambda _: [])
    found = found_by(system(OTHER), reading())

    assert list(found.paragraphs) == paragraphs("bridge")
    assert found.confidence == round(NEVER(np.zeros(N_SIGNS)), 3)
    assert found.flags == ()


def test_trafilatura_finds_the_text_without_the_headline() -> None:
    page = reading()
    before = len(page.tree.xpath("//*"))

    assert other_text(page) == paragraphs("bridge")
    assert len(page.tree.xpath("//*")) == before


def test_a_failure_of_the_other_extractor_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise RecursionError("too deep")

    monkeypatch.setattr("trafilatura.extract", fail)
    assert other_text(reading()) == []


def pair_of(own: Sequence[str], other: Sequence[str]) -> dict[str, float]:
    page = reading()
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
    page = reading(
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
