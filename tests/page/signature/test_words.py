"""Words as hashes: what counts as a word in which script, and the compiled code and NumPy at one."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newscorpus.page.signature import kernel
from newscorpus.page.signature.signature import code_points, hash_parts, hash_runs, hash_words, read_words, word_hashes
from newscorpus.tokens import UNSPACED

SCRIPTS = (
    "aAčČ\u030cß žЖж Σσς İıi\u0307I 中文 カー ไทย กี हिन्दी עָב \ud800\udfff \U0001f600\U00020000\u00ad\u200d.,_'1\n\t"
)
texts = st.one_of(st.text(), st.text(SCRIPTS), st.text(st.characters(exclude_categories=())))


def folded_words(text: str) -> list[str]:
    """The words of a text as strings, told the slow way: what the hashes stand for."""
    folded = "".join(map(fold, unicodedata.normalize("NFC", text)))
    return re.findall(rf"[{UNSPACED}]|[^ {UNSPACED}]+", folded)


def fold(character: str) -> str:
    kind = unicodedata.category(character)
    if kind == "Cf" or character == "\u0307" or 0xE0000 <= ord(character) < 0xE1000:
        return ""
    if not (character.isalnum() or kind[0] == "M" or 0x20000 <= ord(character) < 0x40000):
        return " "
    return {"Σ": "σ", "ς": "σ"}.get(character, character.lower()[0])


@settings(deadline=None)  # the first call compiles
@given(texts)
def test_compiled_code_and_numpy_give_the_same(text: str) -> None:
    pytest.importorskip("numba")
    words, ends = read_words(text)
    by_numpy, ends_by_numpy = hash_words(code_points(text))
    assert words.tolist() == by_numpy.tolist()
    assert ends.tolist() == ends_by_numpy.tolist()


@settings(deadline=None)  # the first call compiles
@given(texts)
def test_hashes_stand_for_words(text: str) -> None:
    words = folded_words(text)
    hashes = word_hashes(text).tolist()
    assert len(hashes) == len(words)
    assert len(set(hashes)) == len(set(words))
    alone = [(word, value) for word, value in zip(words, hashes, strict=True) if folded_words(word) == [word]]
    assert [word_hashes(word).tolist() for word, _ in alone] == [[value] for _, value in alone]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ΟΔΟΣ", "οδος"),
        ("ΟΔΟΣ", "οδοσ"),
        ("İSTANBUL", "istanbul"),
        ("İSTANBUL", "İSTANBUL".lower()),
        ("Čas", "c\u030cas"),
        ("Bundes\u00adtag", "Bundestag"),
        ("НОВОСТИ", "новости"),
        ("a_b", "a b"),
    ],
)
def test_what_is_one(one: str, other: str) -> None:
    assert word_hashes(one).tolist() == word_hashes(other).tolist()


@pytest.mark.parametrize(("text", "count"), [("新华社", 3), ("हिन्दी", 1), ("dva slova", 2), ("", 0), (" .,\ud800 ", 0)])
def test_how_many_words(text: str, count: int) -> None:
    assert len(word_hashes(text)) == count


def test_a_hash_never_changes() -> None:
    assert word_hashes("Vláda").tolist() == [2026677055511483052]
    assert hash_runs(word_hashes("vláda dnes jedná"), 2).tolist() == [4173888774900759980, 5227590013994016190]


def test_runs_of_words() -> None:
    words = word_hashes("a b c d")
    runs = hash_runs(words, 3)
    assert runs.tolist() == [*hash_runs(words[:3], 3).tolist(), *hash_runs(words[1:], 3).tolist()]
    assert hash_runs(words, 9).tolist() == hash_runs(words, 4).tolist()
    assert hash_runs(words[:0], 3).tolist() == []
    assert hash_runs(words, 2)[0] != hash_runs(words[1::-1], 2)[0]


def test_without_numba_there_is_no_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "numba", None)
    kernel.compiled.cache_clear()
    assert kernel.compiled(kernel.minima) is None
    assert word_hashes("dvě slova").dtype == np.uint64
    kernel.compiled.cache_clear()


@settings(deadline=None)  # the first call compiles
@given(texts)
def test_lines_are_parts(text: str) -> None:
    words, ends = read_words(text)
    parts = [part for line in text.split("\n") if len(part := word_hashes(line))]
    assert words.tolist() == [value for part in parts for value in part.tolist()]
    assert np.unique(ends[ends > 0]).tolist() == np.cumsum([len(part) for part in parts], dtype=int).tolist()
    alone = [hash_runs(part, len(part)).item() for part in parts]
    assert hash_parts(words, np.unique(ends[ends > 0])).tolist() == alone
