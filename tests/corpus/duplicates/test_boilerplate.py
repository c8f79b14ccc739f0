"""Boilerplate: paragraphs that recur in one portal are found and cut, whatever the order."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newscorpus.config import BuildConfig, DuplicateConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.find import cut_boilerplate, find_boilerplate
from newscorpus.corpus.duplicates.store import Store, layout_of, make_sketches

CONFIG = replace(DuplicateConfig(), boilerplate_documents=3)
CALL = "Sledujte nás na sociálních sítích!"


def found(folder: Path, texts: list[tuple[str, str]], config: DuplicateConfig = CONFIG) -> dict[str, frozenset[int]]:
    """Boilerplate of texts with their sources."""
    given = [(str(number), source, text, b"") for number, (source, text) in enumerate(texts)]
    sketches = list(make_sketches(given, BuildConfig(duplicates=config)))
    store = Store.create(folder, layout_of(BuildConfig(duplicates=config))).append(sketches, ())
    return dict(find_boilerplate(Collection([store]), np.arange(len(texts)), config))


def story(number: int) -> str:
    return " ".join(f"slovo{number}x{word}" for word in range(10))


def cut(text: str, boilerplate: dict[str, frozenset[int]], source: str) -> tuple[str, int]:
    return cut_boilerplate(text, boilerplate.get(source, frozenset()), CONFIG)


@pytest.mark.parametrize(("sightings", "is_cut"), [(2, False), (3, True), (5, True)])
def test_a_paragraph_is_cut_after_so_many_sightings(tmp_path: Path, sightings: int, is_cut: bool) -> None:
    texts = [("a", f"{story(number)}\n{CALL}") for number in range(sightings)] + [("a", story(9)), ("a", story(8))]
    boilerplate = found(tmp_path / "one", texts)
    assert cut(f"{story(7)}\n{CALL.upper()}", boilerplate, "a")[1] == int(is_cut)
    assert found(tmp_path / "other", random.Random(0).sample(texts, len(texts))) == boilerplate


def test_portals_are_counted_apart(tmp_path: Path) -> None:
    boilerplate = found(tmp_path, [("ab"[number % 2], f"{story(number)}\n{CALL}") for number in range(5)])
    assert list(boilerplate) == ["a"]
    assert cut(f"{CALL}\n{story(1)}", boilerplate, "b") == (f"{CALL}\n{story(1)}", 0)
    assert cut(f"{CALL}\n{story(1)}\n{CALL}", boilerplate, "a") == (story(1), 2)


def test_nothing_is_cut_where_nothing_would_be_left(tmp_path: Path) -> None:
    boilerplate = found(tmp_path, [("a", f"{story(number)}\n{CALL}") for number in range(3)])
    assert cut(f"{CALL}\n", boilerplate, "a") == (f"{CALL}\n", 0)


def test_paragraphs_that_a_mask_made_equal_are_not_cut(tmp_path: Path) -> None:
    contact = "Write to the author of this story at [email] or call [phone]."
    boilerplate = found(tmp_path, [("a", f"{story(number)}\n{contact}\n{CALL}") for number in range(3)])
    assert cut(f"{story(7)}\n{contact}\n{CALL}", boilerplate, "a") == (f"{story(7)}\n{contact}", 1)


@pytest.mark.parametrize(
    ("texts", "changed"),
    [
        ([f"{CALL}\n{story(1)}\n{CALL}\n{CALL}"], {}),  # a document counts once
        ([f"{story(number)}\nAno, to ano." for number in range(5)], {}),  # short paragraphs are answers
        ([f"{story(number)}\n{CALL if number < 4 else ''}" for number in range(10)], {"boilerplate_share": 0.5}),
        ([f"{story(number)}\n{CALL}" for number in range(9)], {"boilerplate_documents": 0}),  # switched off
    ],
)
def test_what_is_no_boilerplate(tmp_path: Path, texts: list[str], changed: dict[str, Any]) -> None:
    assert found(tmp_path, [("a", text) for text in texts], replace(CONFIG, **changed)) == {}
