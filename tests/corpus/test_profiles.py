"""Corpora judged again with what the pages of their portals have in common."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest
from crawled import Crawl
from prose import article, paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.corpus import profiles, reextract
from newscorpus.corpus.build import build
from newscorpus.corpus.profiles import use_profiles
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.reextract import Archived
from newscorpus.data import Page, Record
from newscorpus.page.judge import judge, process_page
from newscorpus.page.judgement import Judgement, Rules
from newscorpus.page.profiles.learn import learn
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal
from newscorpus.portal.profile import profile_path, profiles_of, read_profile, write_profile
from newscorpus.store.archive.values import Capture, Origin
from newscorpus.store.ledger import Ledger
from newscorpus.store.pages import archive_files, page_of_capture

OFFER = "Our readers know that this house has been the best place for barley since the old mayor sold it to the ferry."
RECIPE = Recipe("main-text-alone")
PORTAL = Portal("news", ("en",), ("news.example",), ("https://news.example/",), articles=("/story",))
NUMBERS = tuple(range(8))


def page(number: int) -> Page:
    """A page with the offer, from 100 on without it."""
    offer = f"<p>{OFFER}</p>" if number < 100 else ""
    html = article(f"story {number}").replace("</article>", f"{offer}</article>")
    headers = {"content-type": "text/html; charset=utf-8"}
    fetched = f"2026-11-20T08:00:{number % 60:02}+00:00"
    return Page(f"https://news.example/story-{number}", html.encode(), headers, fetched)


def crawled(corpus: Path, numbers: Sequence[int] = NUMBERS) -> Archived:
    """Let a crawl fetch pages in this order, and judge them with the profile that is there."""
    crawl = Crawl(corpus)
    for one in map(page, numbers):
        found = page_of_capture(Capture(one, origin=Origin("news", ("en",))), (PORTAL,))
        crawl.visit(one, process_page(RECIPE, add_profile(RECIPE, profiles_of(corpus), found)))
    crawl.close()
    return Archived(corpus, archive_files(corpus), RECIPE, (PORTAL,))


def published(corpus: Path) -> list[Record]:
    build(corpus)
    return list(open_corpus(corpus).records())


def test_rows_that_were_made_without_a_profile_are_judged_again(tmp_path: Path) -> None:
    archived = crawled(tmp_path)
    assert all(OFFER in record.text for record in published(tmp_path))
    assert use_profiles(archived).outcomes == {"kept": 8}
    texts = {record.text for record in published(tmp_path)}
    assert texts == {"\n".join(paragraphs(f"story {number}")) for number in NUMBERS}
    explained = CliRunner().invoke(app, ["explain", page(0).url, "--corpus", str(tmp_path), "--page"]).output
    assert "[profile; score was 0." in explained
    later = crawled(tmp_path, (8,))  # judged by the profile at once
    assert use_profiles(later).outcomes == {}
    assert not [record for record in published(tmp_path) if OFFER in record.text]


@pytest.mark.parametrize("most_pages", [300, 8])
def test_pages_that_a_profile_does_not_touch_keep_their_rows(most_pages: int, tmp_path: Path) -> None:
    numbers = (*NUMBERS, *range(100, 104))
    assert use_profiles(crawled(tmp_path, numbers), most_pages).outcomes == {"kept": 8}
    texts = {record.text for record in published(tmp_path)}
    assert texts == {"\n".join(paragraphs(f"story {number}")) for number in numbers}


def test_the_order_in_which_pages_came_makes_no_difference(tmp_path: Path) -> None:
    for name, numbers in (("one", NUMBERS), ("other", NUMBERS[::-1])):
        use_profiles(crawled(tmp_path / name, numbers))
    assert published(tmp_path / "one") == published(tmp_path / "other")
    files = [profile_path(tmp_path / name, "news").read_bytes() for name in ("one", "other")]
    assert files[0] == files[1]


def test_what_was_broken_off_is_completed_by_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_profiles(crawled(tmp_path / "whole"))
    archived, n_judged = crawled(tmp_path / "killed"), count(1)

    def dies(page: SourcePage, rules: Rules) -> Judgement:
        if next(n_judged) == 4:
            raise KeyboardInterrupt  # after which nothing more is committed, as after a kill
        return judge(page, rules)

    with monkeypatch.context() as patch:
        patch.setattr(reextract, "judge", dies)
        patch.setattr(reextract, "PAGES_A_COMMIT", 2)
        with pytest.raises(KeyboardInterrupt):
            use_profiles(archived)
    assert sum(OFFER in record.text for record in published(tmp_path / "killed")) == 6
    assert use_profiles(archived).outcomes == {"kept": 6}
    assert published(tmp_path / "killed") == published(tmp_path / "whole")


def test_a_corpus_with_nothing_new_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archived = crawled(tmp_path)
    use_profiles(archived)
    monkeypatch.delattr(profiles, "judge")
    monkeypatch.delattr(profiles, "apply")
    assert use_profiles(archived).outcomes == {}


def test_a_profile_that_would_change_hardly_a_page_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_profiles(crawled(tmp_path))
    before = profile_path(tmp_path, "news").read_bytes()
    assert use_profiles(crawled(tmp_path, (8, 9))).outcomes == {}
    assert profile_path(tmp_path, "news").read_bytes() == before
    monkeypatch.setattr(profiles, "CHANGED_SHARE", 0.0)
    assert use_profiles(crawled(tmp_path, (10,))).outcomes == {"kept": 11}
    assert len(read_profile(profile_path(tmp_path, "news")).pages) == 11


def test_a_profile_that_changes_verdicts_is_made_anew(tmp_path: Path) -> None:
    archived = crawled(tmp_path)
    pages = [SourcePage(Page.from_html(article(f"other {n}"), f"https://a.cz/{n}")) for n in range(8)]
    other = filter(None, (judge(page, Rules(RECIPE, for_profile=True)).seen for page in pages))
    write_profile(profile_path(tmp_path, "news"), learn(other, "news", "main-text"))
    assert use_profiles(archived).outcomes == {"kept": 8}
    assert not [record for record in published(tmp_path) if OFFER in record.text]


def test_a_profile_that_is_damaged_is_named_and_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    archived = crawled(tmp_path)
    use_profiles(archived)
    whole = profile_path(tmp_path, "news").read_bytes()
    profile_path(tmp_path, "news").write_bytes(whole[:100])
    assert use_profiles(archived).outcomes == {}
    assert "news.json: no profile of a portal" in caplog.text
    assert profile_path(tmp_path, "news").read_bytes() == whole


def test_too_few_pages_teach_nothing(tmp_path: Path) -> None:
    assert use_profiles(crawled(tmp_path, range(4))).outcomes == {}
    assert profiles_of(tmp_path) == {}


def test_after_a_crawl_without_profiles_all_is_looked_at_again(tmp_path: Path) -> None:
    archived = crawled(tmp_path)
    use_profiles(archived)
    with Ledger.open(tmp_path) as ledger:
        ledger.profiles.forget()
    profile = profile_path(tmp_path, "news")
    there = profile.rename(tmp_path / "off")
    crawled(tmp_path, (8,))
    there.rename(profile)
    assert use_profiles(archived).outcomes == {"kept": 1}
    assert not [record for record in published(tmp_path) if OFFER in record.text]
