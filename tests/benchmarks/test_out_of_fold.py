"""The tables of the benchmark out of fold, from outcomes made by hand."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.out_of_fold import (
    PEERS,
    SETS,
    WRONG_GOLD,
    Outcome,
    Score,
    compare_pair,
    length_table,
    outcome,
    peers_scores,
    text_table,
    verdict_lines,
)
from newscorpus.data import Article, Fields, Rejected
from newscorpus.lab.gold.pages import GoldPage


def scored(dataset: str, number: int, extractor: str, common: int) -> Score:
    return Score(dataset, str(number), f"site{number}.example", extractor, common, 10, 10)


def outcome_of(
    number: int, common: int = 9, refusal: str = "", detail: str = "", doubt: str = "", *, is_article: bool = True
) -> Outcome:
    made = scored("fundus", number, "main-text", common)
    url, decided_by = f"https://{made.site}/", "" if refusal else "model:x@1"
    return Outcome("fundus", str(number), url, is_article, 13, refusal, detail, doubt, decided_by, made)


def test_a_difference_is_paired_and_drawn_by_site() -> None:
    ours = [scored("fundus", number, "main-text", 9) for number in range(20)]
    theirs = [scored("fundus", number, "peer", 8) for number in range(20)]
    found = compare_pair(ours, theirs)
    assert found.value == pytest.approx(0.1)
    assert found.low == pytest.approx(found.high) == pytest.approx(0.1)


def test_the_table_names_trafilatura_and_the_best_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.out_of_fold.SETS", ("fundus",))
    peers = [scored("fundus", number, name, 5 + at) for at, name in enumerate(PEERS) for number in range(3)]
    head, line = text_table([outcome_of(number) for number in range(3)], peers)
    assert head.count("|") == 2 * line.count("|")
    assert line.startswith("| fundus | 3 | 3 | 0.900 (0.900 to 0.900) | 0.900 | 0.900 | 0.900 | 0.500 | +0.400 ")
    assert f"| {PEERS[-1]} 0.700 | +0.200 (+0.200 to +0.200) |" in line


def test_short_articles_have_a_line_of_their_own_and_one_without_wrong_gold() -> None:
    long, wrong = replace(outcome_of(2, 6), gold_words=120), outcome_of(3, 3)
    wrong = replace(wrong, dataset="dragnet", id=WRONG_GOLD["dragnet"][0])
    lines = "\n".join(length_table([outcome_of(1), long, wrong])).split("\n")
    assert lines[2].startswith("| fewer than 120 words | 2 | 2 | 0.600 ")
    assert lines[3].startswith("| the same, where the gold is the article | 1 | 1 | 0.900 ")
    assert lines[4].startswith("| 120 words or more | 1 | 1 | 0.600 ")


def test_every_article_that_is_lost_is_listed() -> None:
    found = [
        outcome_of(1),
        outcome_of(2, 0, "extract/no_article", "probability 0.1"),
        outcome_of(3, 4, doubt="low_confidence"),
        outcome_of(4, 0, "extract/no_article", is_article=False),
        outcome_of(5, 0, "quality/listing", is_article=False),
    ]
    text = "\n".join(verdict_lines(found))
    assert "Of 2 pages without an article 1 are refused (0.50)" in text
    assert "1 quality/listing" in text
    assert "(F1 0): 1." in text
    assert "Of 3 articles 2 are refused" in text
    assert "| fundus | https://site2.example/ | extract/no_article | probability 0.1 | 13 | 0.00 |" in text
    assert "| fundus | https://site3.example/ | low_confidence |  | 13 | 0.40 |" in text
    assert "site4" not in text


def test_scores_of_peers_are_read_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "peers.jsonl"
    file.write_text(
        '{"dataset":"wcxb","id":"1","site":"a.example","extractor":"x","common":1,"predicted":2,"gold":4}\n'
    )
    assert peers_scores(tmp_path, file) == [Score("wcxb", "1", "a.example", "x", 1, 2, 4)]
    assert set(SETS) > {"fundus", "misinformation", "article_extraction"}


def test_what_becomes_of_a_page(make_page: Callable[..., GoldPage]) -> None:
    page = make_page(1)
    whole = Article(page.url, page.text, Fields(), "model:x@1", confidence=0.3)

    found = (whole, replace(whole, flags=("low_confidence",)), Rejected("extract", "no_article", "why", page.url))
    kept, doubted, refused = (outcome(page, lambda _, one=one: one) for one in found)
    assert (kept.refusal, kept.doubt, kept.decided_by) == ("", "", "model:x@1")
    assert list(kept.score.sums) == [1.0] * 5
    assert doubted.doubt == "low_confidence"
    assert (refused.refusal, refused.detail) == ("extract/no_article", "why")
    assert list(refused.score.sums) == [1.0, 0, 0, 0, 0]
