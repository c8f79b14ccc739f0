"""Signatures: what they depend on, what they estimate, what is refused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st

from newscorpus.config import SignatureParameters
from newscorpus.page.signature import kernel, signature
from newscorpus.page.signature.signature import (
    containment,
    content_hash,
    estimate,
    jaccard,
    minhash_of,
    shingle_hash,
    shingles,
    sign,
    stack,
    word_hashes,
)

PARAMETERS = SignatureParameters()
WORDS = st.text(st.sampled_from("aáčžЖΣ1\u0301"), min_size=1, max_size=6).filter(lambda word: not word.isspace())


@pytest.fixture
def without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "compiled", lambda function: None)


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


def test_shingles_are_runs_of_words_without_case() -> None:
    assert len(set_of("Vláda dnes schválila – nový rozpočet, státu.")) == 2
    assert set_of("a b c d e f").tolist() == set_of("A b, c d E: F!").tolist()


@pytest.mark.parametrize(("text", "count"), [("", 0), ("  . ", 0), ("Jen tři slova", 1), ("a b c d e a b c d e", 5)])
def test_shingles_are_a_set(text: str, count: int) -> None:
    assert len(set_of(text)) == count


def test_scripts_without_spaces_have_shingles_of_characters() -> None:
    assert len(set_of("新华社北京电")) == 2


@settings(deadline=None)  # the first call compiles
@given(st.lists(WORDS, max_size=12))
def test_the_signature_is_datasketchs_own(words: list[str]) -> None:
    assert (stack([sign(" ".join(words))], 128)[0] == datasketchs(words)).all()


@settings(deadline=None)  # the first call compiles
@given(st.text(st.characters(exclude_categories=())))
def test_compiled_code_and_numpy_sign_alike(text: str) -> None:
    pytest.importorskip("numba")
    compiled = sign(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "compiled", lambda function: None)
        assert sign(text) == compiled


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=1, max_size=4))
def test_compiled_code_and_numpy_compare_alike(values: list[list[int]]) -> None:
    pytest.importorskip("numba")
    sets = [np.unique(np.array(one, np.uint64)) for one in values]
    rows = np.array([one + [0] * (8 - len(one)) for one in values], np.uint32)

    def compared() -> list[float]:
        pairs = [(first, second) for first in sets for second in sets]
        exact = [measure(*pair) for pair in pairs for measure in (jaccard, containment)]
        return [*exact, *estimate(rows[0], rows).tolist()]

    compiled = compared()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "compiled", lambda function: None)
        assert compared() == compiled


def test_batches_do_not_change_the_signature(monkeypatch: pytest.MonkeyPatch, without_numba: None) -> None:
    text = " ".join(f"w{number}" for number in range(100))
    whole = sign(text)
    monkeypatch.setattr(signature, "SHINGLES_AT_ONCE", 7)
    assert sign(text) == whole


def test_a_signature_never_changes() -> None:
    assert sign("Vláda dnes schválila nový rozpočet státu")[:12].hex() == "9b77442f8c46ae1aae086092"
    assert sign("") == b"\xff" * 4 * PARAMETERS.permutations


@settings(deadline=None)  # the first call compiles
@given(st.text("aábčdžжщ中 .,"), st.sampled_from([str.upper, str.lower, "  {}.".format]))
def test_case_space_and_punctuation_do_not_count(text: str, change: Callable[[str], str]) -> None:
    assert content_hash(word_hashes(change(text))) == content_hash(word_hashes(text))
    assert sign(change(text)) == sign(text)


def test_a_content_hash_has_16_bytes() -> None:
    assert len({content_hash(word_hashes(text)) for text in ("", "a", "b", "a b", "b a")}) == 5
    assert len(content_hash(word_hashes("\ud800"))) == 16


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
