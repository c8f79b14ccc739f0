"""Signatures: what they depend on, what they estimate, what is refused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.config import SignatureParameters
from newscorpus.dedup import signature
from newscorpus.dedup.signature import content_hash, estimate, jaccard, minhash_of, shingles, sign, stack

PARAMETERS = SignatureParameters()


def test_shingles_are_runs_of_lower_case_words() -> None:
    assert shingles("Vláda dnes schválila – nový rozpočet, státu.") == {
        "vláda dnes schválila nový rozpočet",
        "dnes schválila nový rozpočet státu",
    }


@pytest.mark.parametrize(("text", "expected"), [("", set()), ("  . ", set()), ("Jen tři slova", {"jen tři slova"})])
def test_short_texts_are_one_shingle_and_empty_ones_none(text: str, expected: set[str]) -> None:
    assert shingles(text) == expected


def test_scripts_without_spaces_have_shingles_of_characters() -> None:
    assert shingles("新华社北京电") == {"新 华 社 北 京", "华 社 北 京 电"}


@given(st.text())
def test_signature_is_datasketchs_own(text: str) -> None:
    expected = MinHash(num_perm=128, seed=1, scheme="affine32")
    expected.update_batch([gram.encode("utf-8") for gram in shingles(text)])
    assert (stack([sign(text)], 128)[0] == expected.hashvalues).all()


def test_batches_do_not_change_the_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"w{number}" for number in range(100))
    whole = sign(text)
    monkeypatch.setattr(signature, "SHINGLES_AT_ONCE", 7)
    assert sign(text) == whole


def test_a_signature_never_changes() -> None:
    assert sign("Vláda dnes schválila nový rozpočet státu")[:12].hex() == "8bd6879b3c2f1f01fe82895c"
    assert len(sign("")) == 4 * PARAMETERS.permutations


@given(st.text("aábčdžжщ中 .,"), st.sampled_from([str.upper, str.lower, "  {}.".format]))
def test_case_space_and_punctuation_do_not_count(text: str, change: Callable[[str], str]) -> None:
    assert content_hash(change(text)) == content_hash(text)
    assert sign(change(text)) == sign(text)


def test_composed_and_decomposed_letters_are_one() -> None:
    assert content_hash("c\u030cas") == content_hash("\u010das")


def test_lone_surrogates_are_signed() -> None:
    assert len(sign("a \ud800 b")) == 512
    assert len(content_hash("\ud800")) == 16


@pytest.mark.parametrize("share", [0.95, 0.8, 0.5])
def test_estimate_is_near_the_jaccard_similarity(share: float) -> None:
    numbers = np.random.default_rng(0).integers(0, 10_000, 3000)
    text = [f"w{number}" for number in numbers]
    other = text[: int(3000 * share)] + [f"v{number}" for number in numbers[int(3000 * share) :]]
    exact = jaccard(shingles(" ".join(text)), shingles(" ".join(other)))
    matrix = stack([sign(" ".join(text)), sign(" ".join(other))], 128)
    assert estimate(matrix[0], matrix)[0] == 1.0
    assert estimate(matrix[0], matrix)[1] == pytest.approx(exact, abs=0.13)


def test_jaccard_of_sets() -> None:
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset(), frozenset()) == 1.0
    assert jaccard(frozenset(), frozenset("a")) == 0.0


def test_datasketchs_index_takes_the_signature() -> None:
    index = MinHashLSH(num_perm=128, params=(16, 8))
    minhash = minhash_of(stack([sign("a b c d e f")], 128)[0], PARAMETERS)
    index.insert("x", minhash)
    assert index.query(minhash) == ["x"]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("normaliser", replace(PARAMETERS, normaliser="odd")),
        ("hashing", replace(PARAMETERS, hashing="odd")),
        ("scheme", replace(PARAMETERS, scheme="odd")),
    ],
)
def test_unknown_parameters_are_refused(name: str, parameters: SignatureParameters) -> None:
    with pytest.raises(ValueError, match=rf"signature parameter {name} = 'odd' is unknown; known: '\w"):
        sign("a", parameters)


def test_seed_and_length_are_parameters() -> None:
    assert sign("a", replace(PARAMETERS, seed=2)) != sign("a")
    assert len(sign("a", replace(PARAMETERS, permutations=64))) == 256
