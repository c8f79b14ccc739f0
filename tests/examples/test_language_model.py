"""The language model of the example: a distribution, the formulas of its source, and the script from pages to table."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import msgspec
import pytest

from examples.language_model import kneser_ney
from newscorpus.config import BuildConfig
from newscorpus.corpus.published import publish
from newscorpus.data import Article, Fields
from newscorpus.page.records import make_record

ROOT = Path(__file__).parents[2]
PARAGRAPHS = ["a b c".split(), "a b d".split(), "b a".split(), ["c"], []]
WORDS = ["".join(letters) for length in range(1, 8) for letters in product("abcd", repeat=length)]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "examples.language_model", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("context", [("<s>",), ("<s>", "a"), ("a", "b"), ("b", "a"), ("z", "y"), ("z", "b")])
def test_probabilities_sum_to_one(context: tuple[str, ...]) -> None:
    model = kneser_ney.train(PARAGRAPHS, 3, lambda word: 1 / 8)
    words = ["a", "b", "c", "d", "\n", "x", "y", "z"]
    assert sum(model.probability(word, context) for word in words) == pytest.approx(1)


def test_words_that_were_never_seen_share_what_is_left() -> None:
    model = kneser_ney.train_words(PARAGRAPHS, alphabet=4)
    total = sum(model.probability(word, ("a", "b")) for word in [*WORDS, "\n"])
    assert 0.97 < total < 1.01, "longer words and a word of no characters have the rest"
    assert model.probability("dcba", ("a",)) > 0
    assert model.probability("ab", ()) > model.probability("abababab", ())


def test_lower_orders_count_the_words_before() -> None:
    model = kneser_ney.train(PARAGRAPHS, 2, lambda word: 1 / 8)
    assert model.orders[0].counts[("b",)] == 2, "after <s> and after a"
    assert model.orders[1].counts[("a", "b")] == 2


def test_a_model_by_hand() -> None:
    model = kneser_ney.train([["a"], ["a"], ["b"]], 2, lambda word: 1 / 4)
    _, one, two, _ = kneser_ney.FALLBACK
    # Distinct words before: a 1, b 1, end 2; of the bigrams <s> has a twice and b once.
    unigram = (1 - one) / 4 + (one + one + two) / 4 * (1 / 4)
    assert model.probability("a", ("<s>",)) == pytest.approx((2 - two) / 3 + (one + two) / 3 * unigram)
    assert model.bits([["a"]]) == pytest.approx(
        -math.log2(model.probability("a", ("<s>",))) - math.log2(model.probability("\n", ("<s>", "a")))
    )


def test_discounts_are_those_of_chen_and_goodman() -> None:
    y = 100 / (100 + 2 * 40)
    expected = (0.0, 1 - 2 * y * 40 / 100, 2 - 3 * y * 20 / 40, 3 - 4 * y * 10 / 20)
    assert kneser_ney._discounts({1: 100, 2: 40, 3: 20, 4: 10}) == pytest.approx(expected)
    assert kneser_ney._discounts({1: 3, 2: 1}) == kneser_ney.FALLBACK


def test_what_a_model_was_trained_on_it_predicts_best() -> None:
    clean = [["the", "council", "met", "on", at] for at in ("monday", "tuesday", "friday")] * 4
    menu = [["home", "news", "sport", at] for at in ("login", "search", "contact")] * 4
    held_out = [["the", "council", "met", "on", "sunday"]]
    assert kneser_ney.train_words(clean, 30).bits(held_out) < kneser_ney.train_words(menu, 30).bits(held_out)


def test_pages_with_gold_text(tmp_path: Path) -> None:
    lines = []
    for at in range(12):
        text = "\n".join(
            f"Sentence {at} {line} tells of a council that met in town number {at * line}." for line in range(6)
        )
        body = "".join(f"<p>{line}</p>" for line in text.split("\n"))
        html = f"<html><body><ul><li><a href=/>Home</a></li></ul><article>{body}</article></body></html>"
        lines.append(
            {"id": str(at), "html": html, "text": text, "language": "en", "split": "dev" if at % 2 else "train"}
        )
    path = tmp_path / "town.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    done = run("--dataset", str(path))
    assert done.returncode == 0, done.stderr
    rows = [cells(line) for line in done.stdout.splitlines()[2:]]
    assert rows[0][:2] == ["town en, 6 : 6", "main-text"]
    assert {"the whole page", "gold"} <= {row[1] for row in rows}
    assert all(float(row[5]) > 0 for row in rows)


def test_a_corpus_alone(tmp_path: Path) -> None:
    article = Article("https://a.cz/", "Rada města jednala o rozpočtu na příští rok.", Fields(), "bte")
    record = make_record(article, "a", "cs", 1.0)
    publish(tmp_path / "c" / "corpus", (replace(record, id=f"{at:016x}") for at in range(40)), BuildConfig())
    done = run("--corpus", str(tmp_path / "c"))
    assert done.returncode == 0, done.stderr
    (row,) = [cells(line) for line in done.stdout.splitlines()[2:]]
    assert row[0].startswith("c cs, ")
    assert row[1] == "corpus"


@pytest.mark.parametrize("arguments", [("--corpus", "absent"), ("--dataset", "absent.jsonl")])
def test_what_is_missing_is_said_in_one_line(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 1
    assert "absent" in done.stderr
    assert done.stderr.count("\n") == 1
