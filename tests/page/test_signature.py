"""Signatures: what they depend on, what they estimate, what is refused."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH
from hypothesis import example, given
from hypothesis import strategies as st

from newscorpus.config import SignatureParameters
from newscorpus.page.signature import (
    MOST_CHARACTERS,
    containment,
    content_hash,
    estimate,
    hash_parts,
    hash_runs,
    jaccard,
    minhash_of,
    read_words,
    shingle_hash,
    shingles,
    sign,
    stack,
    word_hashes,
)
from newscorpus.tokens import UNSPACED

PARAMETERS = SignatureParameters()
WORDS = st.text(st.sampled_from("aáčžЖΣ1\u0301"), min_size=1, max_size=6).filter(lambda word: not word.isspace())


def set_of(text: str) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return shingles(word_hashes(text))


def datasketchs(words: list[str]) -> "np.ndarray[tuple[int], np.dtype[np.uint32]]":
    """The signature as datasketch makes it of shingles that are texts."""
    minhash = MinHash(num_perm=128, seed=1, scheme="affine32", hashfunc=shingle_hash)
    size = min(5, len(words))
    minhash.update_batch(
        [" ".join(words[start : start + size]).encode() for start in range(len(words) - size + 1) if size]
    )
    return minhash.hashvalues  # type: ignore[no-any-return]


def test_shingles_are_a_set_of_runs_of_words_without_case() -> None:
    assert len(set_of("Vláda dnes schválila – nový rozpočet, státu.")) == 2
    assert set_of("a b c d e f").tolist() == set_of("A b, c d E: F!").tolist()
    texts = ("", "  . ", "Jen tři slova", "a b c d e a b c d e", "新华社北京电")
    assert [len(set_of(text)) for text in texts] == [0, 0, 1, 5, 2]


@given(st.lists(WORDS, max_size=12))
def test_the_signature_is_datasketchs_own(words: list[str]) -> None:
    assert (stack([sign(" ".join(words))], 128)[0] == datasketchs(words)).all()


def test_the_signature_of_a_long_text_is_that_of_all_its_shingles() -> None:
    words = [f"w{number}" for number in range(10_000)]
    first, second, whole = stack([sign(" ".join(part)) for part in (words[:5_004], words[5_000:], words)], 128)
    assert (np.minimum(first, second) == whole).all()


@pytest.mark.parametrize("gap", [" ", "\n", "\n\u0301", "中"])
def test_a_long_text_is_read_in_pieces_as_if_whole(gap: str) -> None:
    part = "".join(f"{gap}{word}" for word in ("Vláda", "z\u0301", "ž" * 50))
    n_parts = 2 * MOST_CHARACTERS // len(part) + 1
    words, ends = read_words(part)
    many, all_ends = read_words(part * n_parts)
    assert (many == np.tile(words, n_parts)).all()
    offsets = np.repeat(np.arange(n_parts) * len(words), len(ends) - 1)
    assert (all_ends == np.append(np.tile(ends[:-1], n_parts) + offsets, len(many))).all()


def test_hashes_and_signatures_never_change() -> None:
    assert sign("Vláda dnes schválila nový rozpočet státu")[:12].hex() == "9b77442f8c46ae1aae086092"
    assert sign("") == b"\xff" * 4 * PARAMETERS.permutations
    assert word_hashes("Vláda").tolist() == [2026677055511483052]
    assert hash_runs(word_hashes("vláda dnes jedná"), 2).tolist() == [4173888774900759980, 5227590013994016190]
    assert len({content_hash(word_hashes(text)) for text in ("", "a", "b", "a b", "b a")}) == 5
    assert len(content_hash(word_hashes("\ud800"))) == 16


@given(st.text("aábčdžжщ中 .,"), st.sampled_from([str.upper, str.lower, "  {}.".format]))
def test_case_space_and_punctuation_do_not_count(text: str, change: Callable[[str], str]) -> None:
    assert content_hash(word_hashes(change(text))) == content_hash(word_hashes(text))
    assert sign(change(text)) == sign(text)


@pytest.mark.parametrize("share", [0.95, 0.8, 0.5])
def test_estimate_is_near_the_jaccard_similarity(share: float) -> None:
    numbers = np.random.default_rng(0).integers(0, 10_000, 3000)
    text = [f"w{number}" for number in numbers]
    other = text[: int(3000 * share)] + [f"v{number}" for number in numbers[int(3000 * share) :]]
    exact = jaccard(set_of(" ".join(text)), set_of(" ".join(other)))
    matrix = stack([sign(" ".join(text)), sign(" ".join(other))], 128)
    assert estimate(matrix[0], matrix)[0] == 1.0
    assert estimate(matrix[0], matrix)[1] == pytest.approx(exact, abs=0.13)


def test_similarities_of_sets() -> None:
    none, one, other = (np.array(values, np.uint64) for values in ([], [1, 2, 3], [2, 3, 4, 5]))
    assert (jaccard(one, other), jaccard(none, none), jaccard(none, one)) == (0.4, 1.0, 0.0)
    assert (containment(one, other), containment(other, one), containment(none, one)) == (2 / 3, 0.5, 0.0)


def test_datasketchs_index_takes_the_signature() -> None:
    index, minhash = MinHashLSH(num_perm=128, params=(16, 8)), minhash_of(stack([sign("a b c d e f")], 128)[0])
    index.insert("x", minhash)
    assert index.query(minhash) == ["x"]


@pytest.mark.parametrize("name", ["normaliser", "hashing", "scheme"])
def test_unknown_parameters_are_refused(name: str) -> None:
    odd = SignatureParameters(**{**asdict(PARAMETERS), name: "odd"})
    with pytest.raises(ValueError, match=rf"signature parameter {name} = 'odd' is unknown; known: '\w"):
        sign("a", odd)


def test_seed_and_length_are_parameters() -> None:
    assert sign("a", replace(PARAMETERS, seed=2)) != sign("a")
    assert len(sign("a", replace(PARAMETERS, permutations=64))) == 256


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


@given(texts)
@example("新华社 हिन्दी dva slova .,\ud800 ")
def test_hashes_stand_for_words(text: str) -> None:
    words = folded_words(text)
    hashes = word_hashes(text).tolist()
    assert len(hashes) == len(words)
    assert len(set(hashes)) == len(set(words))
    alone = [(word, value) for word, value in zip(words, hashes, strict=True) if folded_words(word) == [word]]
    assert [word_hashes(word).tolist() for word, _ in alone] == [[value] for _, value in alone]


def test_spellings_of_one_word() -> None:
    pairs = "ΟΔΟΣ οδος ΟΔΟΣ οδοσ İSTANBUL istanbul Čas c\u030cas Bundes\u00adtag Bundestag НОВОСТИ новости".split()
    pairs += ["İSTANBUL", "İSTANBUL".lower()]
    assert [word_hashes(one).tolist() for one in pairs[::2]] == [word_hashes(other).tolist() for other in pairs[1::2]]
    assert word_hashes("a_b").tolist() == word_hashes("a b").tolist()


def test_runs_of_words() -> None:
    words = word_hashes("a b c d")
    runs = hash_runs(words, 3)
    assert runs.tolist() == [*hash_runs(words[:3], 3).tolist(), *hash_runs(words[1:], 3).tolist()]
    assert hash_runs(words, 9).tolist() == hash_runs(words, 4).tolist()
    assert hash_runs(words[:0], 3).tolist() == []
    assert hash_runs(words, 2)[0] != hash_runs(words[1::-1], 2)[0]


@given(texts)
def test_lines_are_parts(text: str) -> None:
    words, ends = read_words(text)
    parts = [part for line in text.split("\n") if len(part := word_hashes(line))]
    assert words.tolist() == [value for part in parts for value in part.tolist()]
    assert np.unique(ends[ends > 0]).tolist() == np.cumsum([len(part) for part in parts], dtype=int).tolist()
    alone = [hash_runs(part, len(part)).item() for part in parts]
    assert hash_parts(words, np.unique(ends[ends > 0])).tolist() == alone
