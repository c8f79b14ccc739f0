"""What a profile says of a page's blocks, and that a page is no evidence on itself."""

from collections.abc import Sequence

import numpy as np
import pytest
from profiled import SUBSCRIBE, page_html, seen, seen_pages, town

from newscorpus.arrays import Floats
from newscorpus.data import Block
from newscorpus.page.profiles.learn import SeenPage, learn
from newscorpus.page.profiles.review import EVIDENCE, SiteEvidence
from newscorpus.tokens import count_words

OWN, PATH, IS_KNOWN, IS_REPEATED, PATH_REPEATS = range(len(EVIDENCE))
GOOD = ("It rained", "The river", "Subscribe")


def count(blocks: Sequence[Block]) -> Floats:
    return np.array([count_words(block.text) for block in blocks], np.float64)


def measured(evidence: SiteEvidence, page: SeenPage) -> dict[str, Floats]:
    """The evidence by the text of the block."""
    blocks = [item.block for item in page.labelled]
    scores = np.array([item.score for item in page.labelled])
    rows = evidence.measure(page.id, blocks, scores, count(blocks)).rows
    assert rows.shape == (len(blocks), len(EVIDENCE))
    return {block.text: row for block, row in zip(blocks, rows, strict=True)}


def test_what_stands_on_all_pages_is_repeated_and_what_is_new_is_not() -> None:
    evidence = SiteEvidence(learn(seen_pages(10), "vesti", ""))
    found = measured(evidence, seen("new", page_html(99), GOOD))
    assert [found[text][IS_REPEATED] for text in (SUBSCRIBE, "News")] == [1, 1]
    assert found[f"It rained over {town(99)} all night."][IS_REPEATED] == 0
    assert found["News"][PATH_REPEATS] > found[SUBSCRIBE][PATH_REPEATS] > 0


def test_paths_say_where_main_text_stands() -> None:
    evidence = SiteEvidence(learn(seen_pages(10), "vesti", ""))
    found = measured(evidence, seen("new", page_html(99), ()))
    assert found[f"The river {town(99)} came close to its banks, said the mayor."][PATH] > 1
    assert found["News"][PATH] < 0
    assert found["News"][IS_KNOWN] == 1


def test_where_nothing_is_known_the_page_speaks_for_itself() -> None:
    evidence = SiteEvidence(learn(seen_pages(10), "vesti", ""))
    found = measured(evidence, seen("new", "<section><p>Other things.</p></section>", ("Other",)))
    row = found["Other things."]
    assert (row[IS_KNOWN], row[IS_REPEATED], row[PATH_REPEATS]) == (0, 0, 0)
    assert row[PATH] == pytest.approx(row[OWN])


def test_a_page_of_the_profile_is_no_evidence_on_itself() -> None:
    pages = seen_pages(10)
    for page in pages[:3]:
        with_it = SiteEvidence(learn(pages, "vesti", ""))
        without = SiteEvidence(learn([other for other in pages if other is not page], "vesti", ""))
        blocks, scores = [item.block for item in page.labelled], np.array([item.score for item in page.labelled])
        found, other = (one.measure(page.id, blocks, scores, count(blocks)) for one in (with_it, without))
        # the expected good words are rounded in the profile
        assert np.allclose(found.rows, other.rows, atol=0.05)
        assert (found.is_everywhere == other.is_everywhere).all()


def test_an_empty_profile_says_nothing() -> None:
    found = measured(SiteEvidence(learn([], "vesti", "")), seen_pages(1)[0])
    assert all(row[IS_KNOWN] == row[IS_REPEATED] == 0 for row in found.values())


def test_long_texts_on_most_pages_stand_everywhere() -> None:
    evidence = SiteEvidence(learn(seen_pages(10), "vesti", ""))
    page = seen("new", page_html(99), GOOD)
    blocks = [item.block for item in page.labelled]
    found = evidence.measure(page.id, blocks, np.full(len(blocks), 0.99), count(blocks)).is_everywhere
    assert [block.text for block, is_everywhere in zip(blocks, found, strict=True) if is_everywhere] == [SUBSCRIBE]
