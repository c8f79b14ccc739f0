from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from newscorpus.errors import LabError
from newscorpus.lab.evaluation.fields import (
    evaluate_fields,
    hide_structured,
    overlap_f1,
    print_field_summaries,
    shows_date,
    summarise_fields,
)

HTML = (
    "<html><head><title>Vláda jedná</title><meta property='article:published_time' content='2024-02-03'>"
    '<script type=\'application/ld+json\'>{"@type": "NewsArticle", "author": "Jana Nováková"}</script></head>'
    "<body itemscope itemtype='Article'><h1 itemprop='headline'>Vláda jedná</h1>"
    "<time datetime='2024-02-03'>3. února 2024</time></body></html>"
)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    rows = [
        {"id": "1", "html": HTML, "domain": "a.cz", "language": "cs", "title": "Vláda jedná",
         "date": "2024-02-03T10:00:00", "authors": ["Jana Nováková"], "split": "dev"},
        {"id": "2", "html": HTML, "domain": "b.cz", "language": "cs", "title": "Jiný titulek", "date": "2024-02-09",
         "authors": None, "split": "dev"},
        {"id": "3", "html": HTML, "domain": "c.cz", "language": "cs", "split": "dev"},
    ]  # fmt: skip
    path = tmp_path / "set.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    return path


def test_scores_are_taken_over_the_pages_whose_gold_has_the_field(dataset: Path) -> None:
    results = list(evaluate_fields([dataset], ["newscorpus"]))
    assert [(result.title_exact, result.date_exact, result.authors_f1) for result in results] == [
        (True, True, 1.0),
        (False, False, None),
    ]
    summary = next(summary for summary in summarise_fields(results) if summary.scope == "all")
    assert (summary.titles, summary.dates, summary.bylines) == (2, 2, 1)
    assert summary.title_exact is not None
    assert summary.title_exact.value == 0.5


def test_with_the_structure_hidden_only_dates_that_still_stand_are_asked_for(dataset: Path) -> None:
    results = list(evaluate_fields([dataset], ["newscorpus"], hidden=True))
    assert [(result.title_exact, result.date_exact, result.authors_f1) for result in results] == [
        (True, True, 0.0),
        (False, None, None),
    ]


def test_hiding_takes_all_structure_and_dates_are_sought_in_what_is_left() -> None:
    hidden = hide_structured(HTML)
    assert not any(sign in hidden for sign in ("ld+json", "<meta", "itemprop", "itemscope", "datetime="))
    assert all(text in hidden for text in ("<title>Vláda jedná</title>", "3. února 2024"))
    assert shows_date(HTML, "", "2024-02-03")
    assert shows_date("<p>A</p>", "https://a.cz/2024/02/03/a", "2024-02-03")
    assert not shows_date("<script>'2024-02-03'</script><p>A</p>", "", "2024-02-03")


def test_unknown_readers_and_empty_sets_are_errors_of_one_line(dataset: Path) -> None:
    with pytest.raises(LabError, match="unknown field reader: unknown model of fields 'nobody'"):
        next(evaluate_fields([dataset], ["nobody"]))
    with pytest.raises(LabError, match="no page with title, date or authors in the split 'train'"):
        list(evaluate_fields([dataset], ["newscorpus"], split="train"))


@pytest.mark.parametrize(
    ("claimed", "gold", "f1"), [(["a"], ["a"], 1.0), (["a"], ["a", "b"], 2 / 3), ([], ["a"], 0.0), ([], [], 1.0)]
)
def test_overlap(claimed: list[str], gold: list[str], f1: float) -> None:
    assert overlap_f1(claimed, gold) == pytest.approx(f1)


def test_the_table_names_group_and_reader(dataset: Path) -> None:
    console = Console(record=True, width=200)
    print_field_summaries(summarise_fields(evaluate_fields([dataset], ["newscorpus", "htmldate"])), console)
    text = console.export_text()
    assert "newscorpus" in text
    assert "htmldate" in text
    assert "0.500" in text


@pytest.mark.parametrize(
    ("name", "gold", "score"),
    [
        ("set", ["Jana Nováková, MD, PhD"], 1.0),
        ("set", ["Jana Nováková and Jan Malý"], 2 / 3),
        ("wcxb", ["The Investopedia Team"], None),
        ("set", ["The Investopedia Team"], 0.0),
    ],
)
def test_names_in_one_text_are_parted_and_pages_of_the_newspaper_itself_left_out(
    tmp_path: Path, name: str, gold: list[str], score: float | None
) -> None:
    row = {"id": "dev/0044", "html": HTML, "domain": "a.cz", "language": "en", "authors": gold, "split": "dev"}
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(msgspec.json.encode(row))
    assert next(evaluate_fields([path], ["newscorpus"])).authors_f1 == score
