"""Each filter from the literature drops what it is for, and keeps an article that comes near it."""

import random
from dataclasses import replace

import pytest

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Rejected
from newscorpus.page.quality import FILTERS, judge_quality
from newscorpus.page.quality.judge import DOUBTS, read_quality

LETTERS = "aábcčdeéěfghiíjklmnoprřsštuúvyzž"
LAX = QualityConfig(off=("too_short", "unreadable", "listing"))


def sentence(number: int, words: int = 17) -> str:
    """Words of no language, others for every number."""
    source = random.Random(number)
    made = ["".join(source.choices(LETTERS, k=source.randint(3, 9))) for _ in range(words)]
    return " ".join(made).capitalize() + "."


def lines(number: int, first: int = 0) -> list[str]:
    return [sentence(at) for at in range(first, first + number)]


def reason(*paragraphs: str, config: QualityConfig = LAX) -> str:
    verdict = judge_quality(Article("https://a.example/1", "\n".join(paragraphs), Fields(), "test"), config)
    if not isinstance(verdict, Rejected):
        return ""
    assert verdict.detail
    return verdict.reason


def test_text_in_lines_that_stood_there_before() -> None:
    off = QualityConfig(off=("unreadable", "repeated_words"))
    assert reason(*lines(4), *lines(4), *lines(4), config=off) == "repeated_lines"
    assert reason(*lines(4), *lines(4), config=off) == ""
    assert reason(*lines(8), lines(1)[0]) == ""


def test_runs_of_words_that_stood_there_before() -> None:
    run = sentence(1, 12)[:-1]
    assert reason(*(f"{run} {sentence(100 + at, 4)}" for at in range(10))) == "repeated_words"
    assert reason(*(f"{run} {sentence(100 + at, 40)}" for at in range(10))) == ""


def test_one_phrase_over_and_over() -> None:
    assert reason(*(f"{sentence(at, 4)[:-1]} nejlepší zprávy." for at in range(30))) == "repeated_words"
    assert reason(*(f"{sentence(at)[:-1]} nejlepší zprávy." for at in range(30))) == ""


def test_repetition_in_scripts_without_spaces_is_of_words_not_of_characters() -> None:
    text = "行政院昨日通過明年度預算,總額較今年增加百分之三,其中以國防與科技支出增幅最大,預計下週送交立法院審議。" * 2
    assert reason(text, config=QualityConfig(off=("too_short",))) == ""


def test_words_longer_or_shorter_than_those_of_a_language() -> None:
    assert reason(" ".join(["ab"] * 30 + ["xyz"])) == "word_lengths"
    assert reason(" ".join(f"{'dlouhéslovo' * 2}{at}" for at in range(30))) == "word_lengths"
    assert reason("대통령은 어제 국회에서 내년 예산안을 설명하고 여야의 협조를 당부했다고 밝혔다 " * 2) == ""


def test_tables_of_numbers() -> None:
    assert reason(*(f"{sentence(at, 2)} {at} 12 15 20" for at in range(10))) == "few_letters"
    assert reason(*(f"{sentence(at, 9)} {at} 12 15 20" for at in range(10))) == ""


def test_hash_signs_and_ellipses() -> None:
    assert reason(*(f"#{word} …" for word in sentence(1, 40).split())) == "symbols"
    assert reason(*lines(3), "#brno … #praha") == ""


@pytest.mark.parametrize("bullet", ["•", "*", "-", "▪"])
def test_items_of_a_list(bullet: str) -> None:
    items = [f"{bullet} {line}" for line in lines(10)]
    assert reason(*items) == "bullets"
    assert reason(*items, *lines(2, first=20)) == ""


def test_teasers_that_are_cut_off() -> None:
    teasers = [f"{line[:-1]} …" for line in lines(8)]
    assert reason(*teasers) == "cut_off_lines"
    assert reason(*teasers, *lines(4, first=20)) == ""


def test_short_lines() -> None:
    short = [sentence(at, 2) for at in range(20)]
    assert reason(*short) == "short_lines"
    assert reason(*short, *lines(4)) == ""
    assert reason(*short[:4]) == ""


def test_lines_of_code() -> None:
    script = ["var x = document.getElementById('a');", "if (x) { x.hide(); }", "window.onload = () => start();"]
    assert reason(*script, *script, sentence(1)) == "code"
    assert reason(*script, *lines(8)) == ""
    assert reason(*(f"{line[:-1]} (more of it); {line}" for line in lines(8))) == ""
    assert reason(*(f"{line} {{{at}}} {sentence(100 + at, 40)}" for at, line in enumerate(lines(8), 1))) == ""


def test_filler_of_a_template() -> None:
    assert reason(*lines(3), "Lorem ipsum dolor sit amet.") == "placeholder"


def test_a_filter_that_is_off_is_not_asked() -> None:
    assert reason("Lorem ipsum dolor sit amet.", config=QualityConfig(off=tuple(FILTERS))) == ""


DOUBTED = {
    "listing": [sentence(at)[:60] for at in range(12)],
    "few_letters": [f"{sentence(at, 9)} {at} 12 15 20 30 40 50 60" for at in range(9)],
    "symbols": [f"#{word} …" for word in sentence(1, 40).split()],
    "bullets": [f"• {line}" for line in lines(10)],
    "short_lines": [sentence(at, 2) for at in range(20)],
    "repeated_words": [f"{sentence(1, 12)[:-1]} {sentence(100 + at, 4)}" for at in range(10)],
    "repeated_lines": lines(4) * 3,
}


@pytest.mark.parametrize("flag", DOUBTED)
def test_a_page_that_surely_holds_an_article_is_flagged_for_its_form_and_kept(flag: str) -> None:
    assert DOUBTED.keys() | {"photo_page"} == DOUBTS
    config = QualityConfig(off=tuple(FILTERS.keys() - {flag}))
    page = Article("https://a.example/1", "\n".join(DOUBTED[flag]), Fields(), "test", 0.8, ("other",), is_article=0.96)
    kept = judge_quality(replace(page, is_article=0.97), config)
    assert isinstance(refused := judge_quality(page, config), Rejected)
    assert isinstance(kept, Article)
    assert refused.reason == flag
    assert (kept.confidence, kept.flags[:2], kept.text) == (0.4, ("other", flag), page.text)


def test_what_no_article_looks_like_is_refused_on_any_page() -> None:
    page = Article("https://a.example/1", "Lorem ipsum dolor sit amet.", Fields(), "test", is_article=1.0)
    assert isinstance(judge_quality(page, LAX), Rejected)


def test_the_papers_are_stricter(request: pytest.FixtureRequest) -> None:
    papers, ours = read_quality(request.config.rootpath / "benchmarks" / "papers.toml"), QualityConfig()
    assert papers.min_words > ours.min_words
    assert papers.min_lettered_words > ours.min_lettered_words
    for name in ("max_repeated_lines", "max_ellipsis_lines", "max_short_lines"):
        assert getattr(papers, name) < getattr(ours, name)
    for name in ("max_top_ngrams", "max_duplicate_ngrams"):
        assert max(getattr(papers, name)) < min(getattr(ours, name))
