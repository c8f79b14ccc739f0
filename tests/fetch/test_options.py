"""Settings: what they become, and what is refused."""

from pathlib import Path

import pytest
from scrapy.settings import Settings

import newscorpus
import newscorpus.settings
from newscorpus.config import Part, QualityConfig
from newscorpus.errors import CrawlError
from newscorpus.fetch.options import (
    KNOWN,
    check_settings,
    corpus_folder,
    default_corpus,
    positive,
    recipe_of,
    switch,
    user_agent,
    worker_count,
)
from newscorpus.page.recipe import Recipe
from newscorpus.page.rights import RightsPolicy


def settings(**values: object) -> Settings:
    found = Settings()
    found.setmodule(newscorpus.settings)
    found.setdict(values)
    return found


def test_our_own_settings_are_known() -> None:
    check_settings(settings())
    assert "NEWSCORPUS_CORPUS" in KNOWN
    assert recipe_of(settings()) == Recipe()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"NEWSCORPUS_CORPSE": "x"}, "^unknown setting NEWSCORPUS_CORPSE; did you mean NEWSCORPUS_CORPUS"),
        *(({"ROBOTSTXT_OBEY": value}, "ROBOTSTXT_OBEY") for value in (False, "0", "False")),
        *(({name: 0}, name) for name in ("DNSCACHE_ENABLED", "DNSCACHE_SIZE")),
        ({"NEWSCORPUS_EXTRACTOR": "nonsense"}, "^setting NEWSCORPUS_EXTRACTOR: unknown extractor 'nonsense'"),
        ({"NEWSCORPUS_FIELDS_MODEL": "node-svm"}, "^setting NEWSCORPUS_FIELDS_MODEL: "),
        ({"NEWSCORPUS_RIGHTS": "ignore"}, "NEWSCORPUS_RIGHTS is 'ignore'; known: record, skip"),
        (
            {"NEWSCORPUS_QUALITY": "quality.toml"},
            r"^setting NEWSCORPUS_QUALITY: .*unknown key min_word; did you mean min_words",
        ),
        ({"NEWSCORPUS_UPPER": "high"}, "^settings NEWSCORPUS_POST_ANALYSIS, NEWSCORPUS_UPPER, NEWSCORPUS_LOWER: "),
        ({"NEWSCORPUS_POST_ANALYSIS": "start,magic"}, "^settings NEWSCORPUS_POST_ANALYSIS, .*magic"),
        ({"NEWSCORPUS_LEAVE_OUT": "captions"}, "'captions' is not a valid Part; known: embedded_posts, tables, boxes"),
        ({"NEWSCORPUS_SECOND_OPINION": "perhaps"}, "NEWSCORPUS_SECOND_OPINION is 'perhaps'; expected True or False"),
    ],
)
def test_wrong_settings_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quality.toml").write_text("min_word = 40\n")
    with pytest.raises(CrawlError, match=message):
        check_settings(settings(**given))


def test_settings_become_a_recipe(tmp_path: Path) -> None:
    (tmp_path / "quality.toml").write_text('min_words = 40\nmask = ["email"]\n')
    found = recipe_of(
        settings(
            NEWSCORPUS_QUALITY=tmp_path / "quality.toml",
            NEWSCORPUS_RIGHTS="skip",
            NEWSCORPUS_SECOND_OPINION="off",
            NEWSCORPUS_LEAVE_OUT="tables,boxes",
            NEWSCORPUS_UPPER="0.7",
        )
    )
    assert (found.quality, found.rights) == (QualityConfig(min_words=40, mask=("email",)), RightsPolicy.SKIP)
    assert (found.second_opinion, found.leave_out) == (False, (Part.TABLES, Part.BOXES))
    assert found.revision.upper == 0.7


@pytest.mark.parametrize("value", [0, -1, "", "many", None, "nan"])
def test_numbers_must_be_positive(value: object) -> None:
    with pytest.raises(CrawlError, match="NEWSCORPUS_PAGE_SECONDS is "):
        positive(settings(NEWSCORPUS_PAGE_SECONDS=value), "NEWSCORPUS_PAGE_SECONDS")
    assert positive(settings(NEWSCORPUS_PAGE_SECONDS="0.5"), "NEWSCORPUS_PAGE_SECONDS") == 0.5


@pytest.mark.parametrize("value", [-1, "", "0.5", "many", None])
def test_the_number_of_workers_must_be_whole(value: object) -> None:
    with pytest.raises(CrawlError, match=r"NEWSCORPUS_WORKERS is .*; expected a whole number, 0 or more"):
        worker_count(settings(NEWSCORPUS_WORKERS=value))
    assert [worker_count(settings(NEWSCORPUS_WORKERS=value)) for value in (0, "3")] == [0, 3]


def test_switches() -> None:
    values = {"true": True, "0": False, "on": True, "off": False}
    assert {value: switch(settings(NEWSCORPUS_BUILD=value), "NEWSCORPUS_BUILD") for value in values} == values


def test_the_user_agent_says_who_asks() -> None:
    assert user_agent("me@example.org") == f"newscorpus/{newscorpus.__version__} (+me@example.org)"
    assert user_agent("") == f"newscorpus/{newscorpus.__version__}"


def test_a_corpus_named_in_the_settings_of_a_project_lies_beside_its_scrapy_cfg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = Settings()
    named.set("NEWSCORPUS_CORPUS", "a/b", priority="project")
    assert corpus_folder(named) == Path("a/b")
    (tmp_path / "scrapy.cfg").touch()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert corpus_folder(named) == tmp_path / "a" / "b"
    named.set("NEWSCORPUS_CORPUS", "a/b", priority="cmdline")
    assert corpus_folder(named) == Path("a/b")
    with pytest.raises(CrawlError, match="NEWSCORPUS_CORPUS is empty"):
        corpus_folder(settings())


def begun(folder: Path) -> Path:
    """Begin a corpus in a folder."""
    (corpus := folder / "corpora" / "mock").mkdir(parents=True)
    (corpus / "ledger.sqlite").touch()
    return corpus


def test_outside_a_project_a_second_corpus_is_not_begun_below_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = begun(tmp_path)
    (below := tmp_path / "below").mkdir()
    monkeypatch.chdir(below)
    with pytest.raises(CrawlError, match=f"^{first} is a corpus of that name; run the crawl in {tmp_path} to go on"):
        default_corpus("mock")
    assert default_corpus("other") == Path("corpora/other")
    begun(below)
    assert default_corpus("mock") == Path("corpora/mock")


def test_in_a_project_the_corpus_is_the_one_that_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(tmp_path)
    project = tmp_path / "project"
    (below := project / "a" / "b").mkdir(parents=True)
    (project / "scrapy.cfg").touch()
    monkeypatch.chdir(below)
    assert default_corpus("mock") == project / "corpora" / "mock"
    assert begun(project / "a") == default_corpus("mock")
    begun(below)
    assert default_corpus("mock") == Path("corpora/mock")
    monkeypatch.chdir(project)
    assert default_corpus("mock") == Path("corpora/mock")


@pytest.mark.parametrize("given", ["mock", "portals/mock.toml", "../mock.toml", "/elsewhere/mock.toml"])
def test_a_portal_that_is_named_by_its_file_has_the_corpus_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_corpus(given) == Path("corpora/mock")
    assert default_corpus(f"vesti,{given}") == Path("corpora/vesti,mock")
