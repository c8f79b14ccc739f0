from pathlib import Path

import pytest
from scrapy.settings import Settings

import newscorpus
import newscorpus.settings
from newscorpus.errors import CrawlError
from newscorpus.fetch.options import (
    KNOWN,
    check_settings,
    corpus_folder,
    positive,
    rights_policy,
    switch,
    user_agent,
    worker_count,
)
from newscorpus.page.rights import RightsPolicy


def settings(**values: object) -> Settings:
    found = Settings({"ROBOTSTXT_OBEY": True})
    found.setdict(values)
    return found


def test_our_own_settings_are_known() -> None:
    found = Settings()
    found.setmodule(newscorpus.settings)
    check_settings(found)
    assert "NEWSCORPUS_CORPUS" in KNOWN


def test_an_unknown_setting_is_refused_and_the_known_ones_are_listed() -> None:
    with pytest.raises(CrawlError, match=r"^unknown setting NEWSCORPUS_CORPSE; known: .*NEWSCORPUS_CORPUS"):
        check_settings(settings(NEWSCORPUS_CORPSE="x"))


@pytest.mark.parametrize("value", [False, "0", "False"])
def test_robots_are_obeyed_always(value: object) -> None:
    with pytest.raises(CrawlError, match="ROBOTSTXT_OBEY"):
        check_settings(settings(ROBOTSTXT_OBEY=value))


@pytest.mark.parametrize("name", ["DNSCACHE_ENABLED", "DNSCACHE_SIZE"])
def test_addresses_that_were_checked_are_those_connected_to(name: str) -> None:
    with pytest.raises(CrawlError, match=name):
        check_settings(Settings({name: 0, "ROBOTSTXT_OBEY": True}))


def test_corpus_folder() -> None:
    assert corpus_folder(settings(NEWSCORPUS_CORPUS="a/b")) == Path("a/b")
    with pytest.raises(CrawlError, match="NEWSCORPUS_CORPUS is empty"):
        corpus_folder(settings())


@pytest.mark.parametrize("value", [0, -1, "", "many", None, "nan"])
def test_numbers_must_be_positive(value: object) -> None:
    with pytest.raises(CrawlError, match="NEWSCORPUS_PAGE_SECONDS is "):
        positive(settings(NEWSCORPUS_PAGE_SECONDS=value), "NEWSCORPUS_PAGE_SECONDS")


def test_positive_numbers() -> None:
    assert positive(settings(NEWSCORPUS_PAGE_SECONDS="0.5"), "NEWSCORPUS_PAGE_SECONDS") == 0.5


@pytest.mark.parametrize("value", [-1, "", "0.5", "many", None])
def test_the_number_of_workers_must_be_whole(value: object) -> None:
    with pytest.raises(CrawlError, match=r"NEWSCORPUS_WORKERS is .*; expected a whole number, 0 or more"):
        worker_count(settings(NEWSCORPUS_WORKERS=value))


def test_the_number_of_workers() -> None:
    assert [worker_count(settings(NEWSCORPUS_WORKERS=value)) for value in (0, "3")] == [0, 3]


def test_switches() -> None:
    assert switch(settings(NEWSCORPUS_BUILD="true"), "NEWSCORPUS_BUILD")
    assert not switch(settings(NEWSCORPUS_BUILD="0"), "NEWSCORPUS_BUILD")
    assert switch(settings(NEWSCORPUS_SECOND_OPINION="on"), "NEWSCORPUS_SECOND_OPINION")
    assert not switch(settings(NEWSCORPUS_SECOND_OPINION="off"), "NEWSCORPUS_SECOND_OPINION")
    with pytest.raises(CrawlError, match="NEWSCORPUS_BUILD is 'perhaps'"):
        switch(settings(NEWSCORPUS_BUILD="perhaps"), "NEWSCORPUS_BUILD")


def test_the_user_agent_says_who_asks() -> None:
    assert user_agent("me@example.org") == f"newscorpus/{newscorpus.__version__} (+me@example.org)"
    assert user_agent("") == f"newscorpus/{newscorpus.__version__}"


def test_the_policy_on_rights() -> None:
    assert rights_policy(settings(NEWSCORPUS_RIGHTS="skip")) is RightsPolicy.SKIP
    with pytest.raises(CrawlError, match="NEWSCORPUS_RIGHTS is 'ignore'; known: record, skip"):
        rights_policy(settings(NEWSCORPUS_RIGHTS="ignore"))


def test_a_corpus_named_in_the_settings_of_a_project_lies_beside_its_scrapy_cfg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scrapy.cfg").touch()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert corpus_folder(settings(NEWSCORPUS_CORPUS="a/b")) == tmp_path / "a" / "b"
    named = Settings()
    named.set("NEWSCORPUS_CORPUS", "a/b", priority="cmdline")
    assert corpus_folder(named) == Path("a/b")
