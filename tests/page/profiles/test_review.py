"""The default extractor with what it knows of the portal."""

from pathlib import Path
from unittest.mock import Mock

import pytest
from prose import article, paragraphs
from typer.testing import CliRunner

from newscorpus.artifacts import Artifact, ArtifactError, Metadata
from newscorpus.cli import app
from newscorpus.data import Article, Label, Page
from newscorpus.page import extractor as extraction
from newscorpus.page.extractor import PROFILE
from newscorpus.page.judge import see_page
from newscorpus.page.parsing.parse import parse
from newscorpus.page.profiles.learn import learn
from newscorpus.page.profiles.review import EVIDENCE, SiteReview
from newscorpus.page.recipe import Recipe, extractor_of
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.profile import Profile, write_profile

OFFER = "Our readers know that this house has been the best place for barley since the old mayor sold it to the ferry."
RECIPE = Recipe("main-text-alone")


def page(number: int) -> SourcePage:
    """A page whose text is followed by what stands on every page of the portal."""
    html = article(f"story {number}").replace("</article>", f"<p>{OFFER}</p></article>")
    return SourcePage(Page.from_html(html, f"https://vesti.example/{number}"), "vesti")


def profile() -> Profile:
    seen = [found for number in range(12) if (found := see_page(RECIPE, page(number)))]
    assert len(seen) == 12
    return learn(seen, "vesti", "main-text-alone")


def test_what_stands_on_every_page_is_dropped_and_the_rest_stays(tmp_path: Path) -> None:
    file = write_profile(tmp_path / "vesti.json", profile())
    for number in (3, 99):  # of the profile, and new
        alone = extractor_of(RECIPE)(page(number).page)
        assert isinstance(alone, Article)
        assert OFFER in alone.text
        found = extractor_of(RECIPE, SourcePage(page(number).page, profile=file))(page(number).page)
        assert isinstance(found, Article)
        assert found.text.split("\n") == paragraphs(f"story {number}")


def test_blocks_say_that_the_profile_decided(tmp_path: Path) -> None:
    file = write_profile(tmp_path / "vesti.json", profile())
    extractor = extractor_of(RECIPE, SourcePage(page(3).page, profile=file))
    changed = [item for item in extractor.label(page(3).page) if PROFILE in item.reasons]  # type: ignore[attr-defined]
    assert [(item.block.text, item.label) for item in changed] == [(OFFER, Label.BAD)]
    assert changed[0].score < 0.5 < (changed[0].given or 0.0)


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


def test_a_page_is_read_once_to_learn_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = Mock(wraps=parse)
    monkeypatch.setattr(extraction, "parse", parsed)
    assert see_page(RECIPE, page(1)) is not None
    assert parsed.call_count == 1


def test_a_page_without_an_article_teaches_nothing() -> None:
    assert see_page(RECIPE, SourcePage(Page.from_html("", "https://vesti.example/"), "vesti")) is None
    assert see_page(Recipe("bte"), page(1)) is None


def test_a_model_of_other_evidence_is_refused() -> None:
    numbers: dict[str, float | list[float]] = {"block_weights": [1.0], "block_bias": 0.0}
    metadata = Metadata("site-review", "0", tuple(EVIDENCE), numbers, {}, {}, {}, {})
    with pytest.raises(ArtifactError):
        SiteReview(learn([], "vesti", ""), Artifact(metadata, {}))
