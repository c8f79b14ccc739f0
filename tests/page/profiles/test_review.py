"""The default extractor with what it knows of the portal."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from profiled import SUBSCRIBE, TEXT, page_html, seen, seen_pages, town
from prose import article, paragraphs
from typer.testing import CliRunner

from newscorpus.arrays import Floats
from newscorpus.artifacts import Artifact
from newscorpus.cli import app
from newscorpus.data import Article, Block, Label, Page
from newscorpus.model_folders import ArtifactError, Metadata
from newscorpus.page.extractor import PROFILE, BlockSystemExtractor
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Judgement, Rules
from newscorpus.page.loading import extractor_of
from newscorpus.page.profiles.learn import SeenPage, learn
from newscorpus.page.profiles.review import EVIDENCE, SiteEvidence, SiteReview
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.addresses import AddressTrust
from newscorpus.portal.profile import Profile, write_profile
from newscorpus.tokens import count_words

OFFER = "Our readers know that this house has been the best place for barley since the old mayor sold it to the ferry."
RECIPE = Recipe("main-text-alone")
LABEL = Rules(RECIPE, for_profile=True)


def page(number: int) -> SourcePage:
    """A page whose text is followed by what stands on every page of the portal."""
    html = article(f"story {number}").replace("</article>", f"<p>{OFFER}</p></article>")
    return SourcePage(Page.from_html(html, f"https://vesti.example/{number}"), "vesti")


def profile() -> Profile:
    seen = [found for number in range(12) if (found := judge(page(number), LABEL).seen)]
    assert len(seen) == 12
    return learn(seen, "vesti", "main-text-alone")


def test_what_stands_on_every_page_is_dropped_and_its_block_says_why(tmp_path: Path) -> None:
    file = write_profile(tmp_path / "vesti.json", profile())
    for number in (3, 99):  # of the profile, and new
        given = page(number)
        alone, reviewed = (extractor_of(RECIPE, one) for one in (given, replace(given, profile=file)))
        before, found = alone(given.page), reviewed(given.page)
        assert isinstance(before, Article)
        assert isinstance(found, Article)
        assert OFFER in before.text
        assert found.text.split("\n") == paragraphs(f"story {number}")
        assert isinstance(reviewed, BlockSystemExtractor)
        (changed,) = (item for item in reviewed.label(given.page) if PROFILE in item.reasons)
        assert (changed.block.text, changed.label) == (OFFER, Label.BAD)
        assert changed.score < 0.5 < (changed.given or 0.0)


def test_the_command_explains_what_the_profile_changed(tmp_path: Path) -> None:
    file = write_profile(tmp_path / "vesti.json", profile())
    (tmp_path / "page.html").write_bytes(page(3).page.body)
    arguments = ["explain", str(tmp_path / "page.html"), "--url", page(3).page.url, "--extractor", RECIPE.extractor]
    shown = CliRunner().invoke(app, [*arguments, "--profile", str(file.path)]).output
    (line,) = (line for line in shown.split("\n") if OFFER[:40] in line)
    assert line.startswith("bad ")
    assert "[profile; score was 0." in line
    assert "[profile" not in CliRunner().invoke(app, arguments).output
    html = CliRunner().invoke(app, [*arguments, "--profile", str(file.path), "--format", "html"]).output
    assert f"profile: vesti.json, {file.hash}" in html
    assert "profile: changed 1 block" in html


def test_the_hash_of_the_profile_is_part_of_the_recipe(tmp_path: Path) -> None:
    first, same, other = (
        RECIPE.version_for(SourcePage(page(1).page, "vesti", profile=write_profile(tmp_path / name, learned)))
        for name, learned in (("a.json", profile()), ("b.json", profile()), ("c.json", learn([], "vesti", "")))
    )
    assert first == same
    assert len({first, other, RECIPE.version_for(SourcePage(page(1).page, "vesti"))}) == 3


def test_extractors_that_use_no_profile_refuse_one(tmp_path: Path) -> None:
    given = SourcePage(page(1).page, profile=write_profile(tmp_path / "vesti.json", learn([], "vesti", "")))
    with pytest.raises(ValueError, match=r"'bte' uses no profile of a portal; main-text does"):
        extractor_of(Recipe("bte"), given)


def test_a_page_without_an_article_teaches_nothing() -> None:
    section = replace(page(1), trust=AddressTrust.SECTION)
    assert judge(SourcePage(Page.from_html("")), LABEL) == judge(section, LABEL) == Judgement()
    assert judge(page(1), Rules(Recipe("bte"), for_profile=True)) == Judgement()


def test_a_model_of_other_evidence_is_refused() -> None:
    numbers: dict[str, float | list[float]] = {"block_weights": [1.0], "block_bias": 0.0}
    metadata = Metadata("site-review", "0", tuple(EVIDENCE), numbers, {}, {}, {}, {})
    with pytest.raises(ArtifactError):
        SiteReview(learn([], "vesti", ""), Artifact(metadata, {}))


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


def test_evidence_on_new_pages() -> None:
    evidence = SiteEvidence(learn(seen_pages(10), "vesti", ""))
    page = seen("new", page_html(99) + "<section><p>Other things.</p></section>", (*GOOD, "Other"))
    found = measured(evidence, page)
    rained, river = (text.format(town(99)) for text in TEXT)
    assert [found[text][IS_REPEATED] for text in (SUBSCRIBE, "News", rained)] == [1, 1, 0]
    assert found["News"][PATH_REPEATS] > found[SUBSCRIBE][PATH_REPEATS] > 0
    assert found[river][PATH] > 1
    assert found["News"][PATH] < 0
    assert found["News"][IS_KNOWN] == 1
    other = found["Other things."]
    # Where nothing is known, the page speaks for itself
    assert (other[IS_KNOWN], other[IS_REPEATED], other[PATH_REPEATS]) == (0, 0, 0)
    assert other[PATH] == pytest.approx(other[OWN])
    blocks = [item.block for item in page.labelled]
    everywhere = evidence.measure(page.id, blocks, np.full(len(blocks), 0.99), count(blocks)).is_everywhere
    assert [block.text for block, is_everywhere in zip(blocks, everywhere, strict=True) if is_everywhere] == [SUBSCRIBE]


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
