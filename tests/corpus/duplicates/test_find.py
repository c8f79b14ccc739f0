"""Duplicates: kinds, survivors by policy, stars instead of chains, no dependence on order."""

import hashlib
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from newscorpus.config import BuildConfig, DuplicateConfig, SignatureParameters, Survivor
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.find import Buckets, band_keys, find_duplicates, survivors
from newscorpus.corpus.duplicates.store import Sketch, Store, layout_of, make_sketches
from newscorpus.corpus.duplicates.verify import Duplicate, DuplicateKind, Verifier
from newscorpus.page.signature import containment, jaccard, shingles, sign, word_hashes

CONFIG = DuplicateConfig()
PARAMETERS = SignatureParameters()
WORDS = [f"w{number}" for number in range(5000)]


@dataclass(frozen=True, slots=True)
class Row:
    """A document with its text."""

    id: str
    text: str
    published: float = math.nan
    fetched: float = math.nan
    space: int = 0
    signed: str = ""  # text that the signature is of, if not its own
    title: str = ""
    source: str = ""
    is_list: bool = False
    url_length: int = 0

    def sketch(self, config: DuplicateConfig) -> Sketch:
        given = (self.id, self.source, self.text, sign(self.signed or self.text))
        [made] = make_sketches([given], BuildConfig(duplicates=config))
        return replace(
            made,
            space=self.space,
            is_list=self.is_list,
            url_length=self.url_length,
            published=self.published,
            fetched=self.fetched,
            digest=hashlib.blake2b(repr(self).encode(), digest_size=8).digest(),
        )


def stored(folder: Path, rows: Sequence[Row], config: DuplicateConfig) -> Store:
    return Store.create(folder, layout_of(BuildConfig(PARAMETERS, config))).append(
        [row.sketch(config) for row in rows], ()
    )


def decide(
    rows: Sequence[Row],
    config: DuplicateConfig = CONFIG,
    reference: Sequence[Row] = (),
    text_of: Callable[[int], str] | None = None,
) -> list[Duplicate]:
    """What goes of `rows`, by position in `reference` and `rows` one after the other."""
    texts, titles = ([getattr(row, name) for row in (*reference, *rows)] for name in ("text", "title"))
    with TemporaryDirectory() as folder:
        references = []
        if reference:
            references = [stored(Path(folder) / "reference", reference, config)]
            references[0].note_kept(np.arange(len(reference)))
        collection = Collection([stored(Path(folder) / "own", rows, config)], references)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(collection, "text", text_of or texts.__getitem__)
            patch.setattr(collection, "title", titles.__getitem__)
            return find_duplicates(collection, Verifier(collection, BuildConfig(duplicates=config)), config)


def verdicts(
    rows: Sequence[Row], config: DuplicateConfig = CONFIG, reference: Sequence[Row] = ()
) -> dict[Row, tuple[Row, DuplicateKind, float]]:
    everything = [*reference, *rows]
    found = decide(rows, config, reference)
    return {everything[one.position]: (everything[one.of], one.kind, one.similarity) for one in found}


def set_of(content: str, size: int = 5) -> NDArray[np.uint64]:
    return shingles(word_hashes(content), size)


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
    assert verdicts([one, copy]) == {copy: (one, DuplicateKind.EXACT, 1.0)}


@pytest.mark.parametrize(("replaced", "found"), [(48, True), (56, False)])
def test_near_the_threshold_the_texts_decide(replaced: int, found: bool) -> None:
    """Jaccard 0.702 and 0.663: signatures alone could not tell."""
    config = replace(CONFIG, bands=64, rows=2, excerpts=False)
    one, other = Row("a", text(1)), Row("b", edited(text(1), replaced))
    exact = jaccard(set_of(one.text), set_of(other.text))
    assert (exact >= CONFIG.threshold) is found
    assert verdicts([one, other], config) == ({other: (one, DuplicateKind.NEAR, exact)} if found else {})


def test_texts_with_like_signatures_are_compared_all_the_same() -> None:
    """Of a few thousand reports from one template some pairs agree by chance in more values than they should."""
    one, other = Row("a", text(1)), Row("b", edited(text(1), 56), signed=text(1))
    assert decide([one, other], replace(CONFIG, excerpts=False)) == []


def test_texts_of_copies_and_of_different_documents_are_not_read() -> None:
    rows = [Row("a", text(1)), Row("b", text(1)), Row("c", text(2))]

    def refuse(position: int) -> str:
        pytest.fail(f"text {position} was read")

    assert len(decide(rows, text_of=refuse)) == 1


def test_a_copy_of_a_near_duplicate_is_near_the_survivor() -> None:
    first, near, copy = Row("a", text(1)), Row("b", edited(text(1), 9)), Row("c", edited(text(1), 9) + "!")
    found = verdicts([copy, near, first])
    assert {row: found[row][:2] for row in found} == {
        near: (first, DuplicateKind.NEAR),
        copy: (first, DuplicateKind.NEAR),
    }


def test_no_chains() -> None:
    """a ~ b ~ c, but not a ~ c: b goes with a, and c stays."""
    a = Row("a", text(1))
    b = Row("b", edited(a.text, 35))
    c = Row("c", edited(b.text, 35, at=100))
    assert jaccard(set_of(a.text), set_of(c.text)) < CONFIG.threshold
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
def test_ties_go_by_address_and_id_and_listing_pages_come_last(policy: Survivor) -> None:
    config = replace(CONFIG, survivor=policy)
    found = verdicts([Row("b", text(1)), Row("a", text(1)), Row("c", text(1))], config)
    assert {of.id for of, _, _ in found.values()} == {"a"}
    found = verdicts([Row("a", text(1), url_length=100_000), Row("b", text(1), url_length=36)], config)
    assert {of.id for of, _, _ in found.values()} == {"b"}, "the shortest address"
    post, page = Row("post", text(1), published=2.0), Row("page", text(1) + " konec", published=1.0, is_list=True)
    assert set(verdicts([page, post], config)) == {page}


def test_the_latest_text_of_a_document_stays() -> None:
    old, new, undated = Row("a", text(1), fetched=1.0), Row("a", text(2), fetched=2.0), Row("a", text(3))
    other, again = Row("b", text(1)), Row("a", text(2), fetched=1.5)
    assert verdicts([new, old, undated, other, again]) == {
        old: (new, DuplicateKind.REVISION, 0.0),
        undated: (new, DuplicateKind.REVISION, 0.0),
        again: (new, DuplicateKind.REVISION, 1.0),
    }, "and a replaced text takes no other document with it"
    assert set(verdicts([new, old], replace(CONFIG, revision=Survivor.FIRST))) == {new}


def cut(original: str, share: float) -> str:
    tokens = original.split()
    return " ".join(tokens[: int(len(tokens) * share)])


def test_an_excerpt_goes_even_where_it_came_first() -> None:
    full, excerpt = Row("b", text(1), published=2.0), Row("a", cut(text(1), 0.6), published=1.0)
    assert verdicts([excerpt, full]) == {excerpt: (full, DuplicateKind.EXCERPT, 1.0)}
    assert verdicts([excerpt, full], replace(CONFIG, excerpts=False)) == {}


@pytest.mark.parametrize(("own_words", "found"), [(30, True), (60, False)])
def test_most_of_an_excerpt_stands_in_the_longer_text(own_words: int, found: bool) -> None:
    full, excerpt = Row("a", text(1, 500)), Row("b", f"{cut(text(1, 500), 0.4)} {text(2, own_words)}")
    share = containment(set_of(excerpt.text, 7), set_of(full.text, 7))
    assert (share >= CONFIG.containment) is found
    assert verdicts([full, excerpt]) == ({excerpt: (full, DuplicateKind.EXCERPT, share)} if found else {})


def test_what_stays_for_a_group_may_be_an_excerpt() -> None:
    full, excerpt = Row("full", text(1, 500)), Row("a", cut(text(1, 500), 0.6))
    near, old = Row("b", excerpt.text + " a něco navíc"), Row("b", text(3), fetched=1.0)
    near = replace(near, fetched=2.0)
    rows = [full, excerpt, near, old]
    found = decide(rows)
    assert {(rows[one.position], rows[one.of], one.kind) for one in found} == {
        (excerpt, full, DuplicateKind.EXCERPT),
        (near, excerpt, DuplicateKind.NEAR),
        (old, near, DuplicateKind.REVISION),
    }
    assert survivors(found) == {1: 0, 2: 0, 3: 0}


def test_an_excerpt_of_an_excerpt_goes_with_the_longest() -> None:
    full, half, third = Row("a", text(1, 900)), Row("b", cut(text(1, 900), 0.6)), Row("c", cut(text(1, 900), 0.3))
    assert {row: of for row, (of, _, _) in verdicts([third, half, full]).items()} == {half: full, third: full}


POSTS = [Row(str(number), text(number, 60 + 20 * number), title=f"post about {number}s") for number in range(1, 7)]


def joined(name: str, rows: Sequence[Row], own_words: int = 0, title: str = "") -> Row:
    """A page of whole posts, with words of its own behind each; it came before them."""
    own = [text(1000 + number, own_words // len(rows)) for number in range(len(rows))]
    parts = [part for row, words in zip(rows, own, strict=True) for part in (row.text, words)]
    return Row(name, "\n".join(parts), published=1.0, title=title)


@pytest.mark.parametrize("seed", range(3))
def test_lists_of_whole_posts_go_and_their_posts_stay(seed: int) -> None:
    """A tag's page, the archive of a year that holds all of it, and a near-duplicate of that."""
    tag, year = joined("tag", POSTS[:3], title="post about 1s"), joined("year", POSTS, own_words=60)
    rows = [*POSTS, tag, year, replace(year, id="year-2", text=year.text + " konec")]
    found = verdicts(random.Random(seed).sample(rows, len(rows)))
    assert {row.id: kind for row, (_, kind, _) in found.items()} == dict.fromkeys(
        ("tag", "year", "year-2"), DuplicateKind.CONTAINER
    )
    assert {of for of, _, _ in found.values()} <= set(POSTS)


@pytest.mark.parametrize("share", [0.3, 0.4])
def test_what_quotes_others_in_full_stays_where_a_third_is_its_own(share: float) -> None:
    """A weekly round-up, a live blog, an article that quotes three others: none makes the others excerpts."""
    quoted = sum(len(row.text.split()) for row in POSTS[3:])
    quoting = joined("quoting", POSTS[3:], own_words=round(quoted * share / (1 - share)))
    found = verdicts([*POSTS, quoting])
    assert {row.id for row in found} == ({"quoting"} if share < 1 - CONFIG.list_share else set())


@pytest.mark.parametrize(("own_words", "is_list", "found"), [(60, False, False), (60, True, True), (20, False, True)])
def test_what_opens_with_two_paragraphs_of_its_own_quotes_the_others(
    own_words: int, is_list: bool, found: bool
) -> None:
    quoting = joined("quoting", POSTS[1:4])
    quoting = replace(quoting, text=f"{text(9, own_words)}\n{quoting.text}", is_list=is_list)
    assert {row.id for row in verdicts([*POSTS, quoting])} == ({"quoting"} if found else set())


@pytest.mark.parametrize(("title", "found"), [("Town repairs new bridge", set()), ("Town plans new road", {"2"})])
def test_what_is_quoted_under_a_headline_of_like_words_is_no_excerpt(title: str, found: set[str]) -> None:
    posts = [replace(post, title="Town plans new road") if post.id == "2" else post for post in POSTS]
    quoting = joined("quoting", posts[1:4], title=title)
    quoting = replace(quoting, text=f"{text(9, 60)}\n{quoting.text}")
    assert {row.id for row in verdicts([*posts, quoting])} == found


def test_a_list_of_a_long_post_and_a_short_one_is_no_near_duplicate() -> None:
    long, short = Row("long", text(1, 900)), Row("short", text(2, 60))
    both = joined("both", [long, short])
    assert verdicts([both, long, short], replace(CONFIG, survivor=Survivor.FIRST)) == {
        both: (long, DuplicateKind.CONTAINER, 1.0)
    }


def test_pages_of_one_article_are_excerpts_of_the_whole() -> None:
    pages = [
        Row("1", cut(text(1), 0.4), title="Vlak vykolejil"),
        Row("2", text(1)[len(cut(text(1), 0.4)) + 1 :], title="Vlak vykolejil (2)"),
    ]
    whole = Row("all", text(1), title="Vlak vykolejil")
    assert {row.id: (of.id, kind) for row, (of, kind, _) in verdicts([*pages, whole]).items()} == {
        "1": ("all", DuplicateKind.EXCERPT),
        "2": ("all", DuplicateKind.EXCERPT),
    }


@pytest.mark.parametrize(
    ("title", "source", "n_words", "found"),
    [
        ("Vlak u Brna vykolejil", "a", 150, True),  # another version of the headline
        ("Ranní přehled zpráv", "a", 150, False),
        ("Ranní přehled zpráv", "b", 150, True),  # an agency's text
        ("Ranní přehled zpráv", "b", 50, False),
        ("Vlak u Brna vykolejil", "b", 50, True),
        ("", "a", 50, True),
    ],
)
def test_an_excerpt_is_of_the_same_article_or_of_an_agency(title: str, source: str, n_words: int, found: bool) -> None:
    part = Row("part", text(2, n_words), title="U Brna vykolejil vlak z Prahy", source="a")
    whole = Row("whole", f"{part.text} {text(3, 120)}", title=title, source=source)
    assert set(verdicts([part, whole], replace(CONFIG, excerpt_sample=1))) == ({part} if found else set())


def test_runs_that_many_documents_share_find_nothing() -> None:
    full, excerpt = Row("a", text(1)), Row("b", cut(text(1), 0.6))
    assert verdicts([full, excerpt], replace(CONFIG, excerpt_documents=1)) == {}


def test_a_reference_takes_and_never_goes() -> None:
    earlier = [Row("x", text(1), published=9.0), Row("x", text(1)), Row("y", cut(text(2), 0.6)), Row("z", text(4))]
    rows = [
        Row("exact", text(1), published=1.0),
        Row("near", edited(text(1), 9)),
        Row("longer", text(2)),
        Row("excerpt", cut(text(4), 0.6)),
        Row("new", text(5)),
    ]
    found = verdicts(rows, reference=earlier)
    assert {row.id: (of.id, kind) for row, (of, kind, _) in found.items()} == {
        "exact": ("x", DuplicateKind.EXACT),
        "near": ("x", DuplicateKind.NEAR),
        "excerpt": ("z", DuplicateKind.EXCERPT),
    }


ROWS = st.lists(
    st.builds(
        lambda name, seed, replaced, at, when: Row(name, edited(text(seed, 60), replaced, at), when, when),
        st.sampled_from("abcdefgh"),
        st.integers(0, 2),
        st.integers(0, 12),
        st.integers(0, 40),
        st.sampled_from([math.nan, 1.0, 2.0]),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=20)
@given(ROWS, st.randoms(use_true_random=False), st.sampled_from(Survivor))
def test_order_does_not_matter(rows: list[Row], shuffler: random.Random, policy: Survivor) -> None:
    config = replace(CONFIG, survivor=policy)
    shuffled = shuffler.sample(rows, len(rows))
    # As text: from Python 3.13 on, dataclasses with the same NaN are unequal.
    assert set(map(repr, verdicts(shuffled, config).items())) == set(map(repr, verdicts(rows, config).items()))
    assert len(decide(shuffled, config)) == len(decide(rows, config))


@settings(deadline=None, max_examples=40)
@given(ROWS)
def test_every_duplicate_resembles_its_survivor_and_survivors_do_not_resemble(rows: list[Row]) -> None:
    config = replace(CONFIG, bands=128, rows=1)
    found = decide(rows, config)
    stay = set(range(len(rows))) - {duplicate.position for duplicate in found}
    excerpts = {duplicate.position for duplicate in found if duplicate.kind is DuplicateKind.EXCERPT}
    for duplicate in found:
        if duplicate.kind in (DuplicateKind.EXACT, DuplicateKind.NEAR):
            assert duplicate.of in stay | excerpts
            assert duplicate.similarity >= config.threshold
    alone = [set_of(rows[position].text) for position in sorted(stay)]
    for at, one in enumerate(alone):
        assert all(jaccard(one, other) < config.threshold + config.margin for other in alone[at + 1 :])


def test_candidates_are_those_of_datasketch() -> None:
    signatures = np.random.default_rng(0).integers(0, 2, (300, 128), np.uint32)
    minhashes = [MinHash(hashvalues=signature, scheme="affine32") for signature in signatures]
    lsh = MinHashLSH(num_perm=128, params=(16, 8))
    for row, minhash in enumerate(minhashes):
        lsh.insert(row, minhash)
    keys = band_keys(signatures, 16, 8)
    buckets = Buckets([keys[:, band] for band in range(16)])
    found = [buckets.candidates(row).tolist() for row in range(300)]
    assert found == [sorted(set(lsh.query(minhash)) - {row}) for row, minhash in enumerate(minhashes)]
    assert any(found)
