"""Duplicates: kinds, survivors by policy, stars instead of chains, no dependence on order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newscorpus.config import DuplicateConfig, SignatureParameters, Survivor
from newscorpus.dedup.duplicates import Document, Duplicate, Kind, find_duplicates
from newscorpus.dedup.signature import content_hash, jaccard, shingles, sign

CONFIG = DuplicateConfig()
WORDS = [f"w{number}" for number in range(5000)]


@dataclass(frozen=True, slots=True)
class Row:
    """A document with its text."""

    id: str
    text: str
    published: float | None = None
    fetched: float | None = None

    @property
    def document(self) -> Document:
        return Document(
            id=self.id,
            content=content_hash(self.text),
            signature=sign(self.text),
            n_words=len(self.text.split()),
            published=self.published,
            fetched=self.fetched,
            digest=repr(self).encode(),
        )


def decide(rows: Sequence[Row], config: DuplicateConfig = CONFIG) -> list[Duplicate]:
    documents = [row.document for row in rows]
    return find_duplicates(documents, lambda position: rows[position].text, config, SignatureParameters())


def verdicts(rows: Sequence[Row], config: DuplicateConfig = CONFIG) -> dict[Row, tuple[Row, Kind, float]]:
    return {rows[found.position]: (rows[found.of], found.kind, found.similarity) for found in decide(rows, config)}


def text(seed: int, n_words: int = 300) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=n_words))


def edited(original: str, replaced: int, at: int = 0) -> str:
    """The text with words replaced by others, from word `at` on."""
    tokens = original.split()
    tokens[at : at + replaced] = [f"x{number}" for number in range(at, at + replaced)]
    return " ".join(tokens)


def test_different_texts_all_stay() -> None:
    assert decide([Row(str(seed), text(seed)) for seed in range(20)]) == []
    assert decide([]) == []


def test_exact_copies_differ_in_case_and_punctuation_only() -> None:
    one, copy = Row("a", text(1)), Row("b", text(1).upper().replace(" ", ", "))
    assert verdicts([one, copy]) == {copy: (one, Kind.EXACT, 1.0)}


def test_near_duplicates_are_found_with_their_similarity() -> None:
    one, near = Row("a", text(1)), Row("b", edited(text(1), 30))
    ((survivor, kind, similarity),) = verdicts([one, near]).values()
    assert (survivor, kind) == (one, Kind.NEAR)
    assert similarity == pytest.approx(jaccard(shingles(one.text), shingles(near.text)), abs=0.12)


@pytest.mark.parametrize(("replaced", "found"), [(48, True), (56, False)])
def test_near_the_threshold_the_texts_decide(replaced: int, found: bool) -> None:
    """Jaccard 0.702 and 0.663: signatures alone could not tell."""
    config = replace(CONFIG, bands=64, rows=2)
    one, other = Row("a", text(1)), Row("b", edited(text(1), replaced))
    exact = jaccard(shingles(one.text), shingles(other.text))
    assert (exact >= CONFIG.threshold) is found
    assert verdicts([one, other], config) == ({other: (one, Kind.NEAR, exact)} if found else {})


def test_texts_are_read_only_near_the_threshold() -> None:
    rows = [Row("a", text(1)), Row("b", edited(text(1), 3)), Row("c", text(2))]

    def refuse(position: int) -> str:
        pytest.fail(f"text {position} was read")

    documents = [row.document for row in rows]
    assert len(find_duplicates(documents, refuse, CONFIG, SignatureParameters())) == 1


def test_a_copy_of_a_near_duplicate_is_near_the_survivor() -> None:
    first, near, copy = Row("a", text(1)), Row("b", edited(text(1), 9)), Row("c", edited(text(1), 9) + "!")
    found = verdicts([copy, near, first])
    assert {row: found[row][:2] for row in found} == {near: (first, Kind.NEAR), copy: (first, Kind.NEAR)}


def test_no_chains() -> None:
    """a ~ b ~ c, but not a ~ c: b goes with a, and c stays."""
    a = Row("a", text(1))
    b = Row("b", edited(a.text, 35))
    c = Row("c", edited(b.text, 35, at=100))
    assert jaccard(shingles(a.text), shingles(c.text)) < CONFIG.threshold
    assert verdicts([a, b, c], replace(CONFIG, bands=64, rows=2)).keys() == {b}


@pytest.mark.parametrize(
    ("policy", "survivor"), [(Survivor.FIRST, "early"), (Survivor.LATEST, "late"), (Survivor.LONGEST, "long")]
)
def test_the_policy_chooses_the_survivor(policy: Survivor, survivor: str) -> None:
    rows = [
        Row("a-undated", text(1)),
        Row("late", text(1) + ".", published=3.0),
        Row("early", text(1) + "!", published=1.0),
        Row("long", text(1) + " and more", published=2.0),
    ]
    found = verdicts(rows, replace(CONFIG, survivor=policy))
    assert {of.id for of, _, _ in found.values()} == {survivor}
    assert len(found) == 3


@pytest.mark.parametrize("policy", list(Survivor))
def test_ties_go_by_id(policy: Survivor) -> None:
    rows = [Row("b", text(1)), Row("a", text(1)), Row("c", text(1))]
    found = verdicts(rows, replace(CONFIG, survivor=policy))
    assert {of.id for of, _, _ in found.values()} == {"a"}


def test_the_latest_text_of_a_document_stays() -> None:
    old, new, undated = Row("a", text(1), fetched=1.0), Row("a", text(2), fetched=2.0), Row("a", text(3))
    assert verdicts([new, old, undated]) == {old: (new, Kind.REVISION, 0.0), undated: (new, Kind.REVISION, 0.0)}
    assert set(verdicts([new, old], replace(CONFIG, revision=Survivor.FIRST))) == {new}


def test_a_replaced_text_takes_no_other_document_with_it() -> None:
    old, new, other = Row("a", text(1), fetched=1.0), Row("a", text(2), fetched=2.0), Row("b", text(1))
    assert set(verdicts([old, new, other])) == {old}


def test_a_document_stored_twice_is_a_revision_of_itself() -> None:
    (found,) = decide([Row("a", text(1)), Row("a", text(1))])
    assert (found.kind, found.similarity) == (Kind.REVISION, 1.0)


ROWS = st.lists(
    st.builds(
        lambda name, seed, replaced, at, when: Row(name, edited(text(seed, 60), replaced, at), when, when),
        st.sampled_from("abcdefgh"),
        st.integers(0, 2),
        st.integers(0, 12),
        st.integers(0, 40),
        st.sampled_from([None, 1.0, 2.0]),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=40)
@given(ROWS, st.randoms(use_true_random=False), st.sampled_from(Survivor))
def test_order_does_not_matter(rows: list[Row], shuffler: random.Random, policy: Survivor) -> None:
    config = replace(CONFIG, survivor=policy)
    shuffled = shuffler.sample(rows, len(rows))
    assert verdicts(shuffled, config) == verdicts(rows, config)
    assert len(decide(shuffled, config)) == len(decide(rows, config))


@settings(deadline=None, max_examples=40)
@given(ROWS)
def test_every_duplicate_resembles_its_survivor_and_survivors_do_not_resemble(rows: list[Row]) -> None:
    config = replace(CONFIG, bands=128, rows=1)
    found = decide(rows, config)
    stay = set(range(len(rows))) - {duplicate.position for duplicate in found}
    for duplicate in found:
        if duplicate.kind is not Kind.REVISION:
            assert duplicate.of in stay
            assert duplicate.similarity >= config.threshold
    survivors = [shingles(rows[position].text) for position in sorted(stay)]
    for at, one in enumerate(survivors):
        assert all(jaccard(one, other) < config.threshold + config.margin for other in survivors[at + 1 :])
