"""When an article is due, by its age and by the changes of articles of that age."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from crawled import take

from newscorpus.config import ArticleRevisitConfig
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.revisits import HOUR, AgeSeen, age_bucket, article_interval, gone_documents
from newscorpus.urls import document_id

URL = "https://a.cz/story"
DAY = 24 * HOUR
NOW = datetime(2026, 11, 23, tzinfo=UTC).timestamp()
CONFIG = ArticleRevisitConfig()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(Link(key_of(URL), URL, "a", "article", request=b"{}"))
        yield ledger


def iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def visit(ledger: Ledger, at: float, revision: str = "1", reason: str = "kept", status: int = 200) -> None:
    """Visit the article, which was published at NOW; an empty revision means that it is unchanged."""
    lease = take(ledger, "a")
    fetched = Fetched(URL, status, iso(at), 5)
    kept = UrlOutcome(reason=reason, revision=revision, published=iso(NOW), document=URL)
    with ledger.changes.recording(lease.serial):
        if revision:
            ledger.finish(lease.serial, [kept if status == 200 else UrlOutcome("fetch", f"http_{status}")], fetched)
        else:
            ledger.mark_unchanged(lease.serial, fetched)


def test_an_article_is_deleted_when_it_is_missing_twice(ledger: Ledger, tmp_path: Path) -> None:
    def gone() -> dict[str, str]:
        ledger.commit()
        return gone_documents(tmp_path)

    visit(ledger, NOW, status=404)
    assert not is_due(ledger, NOW + 9 * DAY), "it was never kept"
    ledger.revisits.revive(("article",), "a", sys.float_info.max)
    visit(ledger, NOW)
    assert is_due(ledger, NOW + 9 * DAY)
    visit(ledger, NOW + 9 * DAY, status=410)
    assert gone() == {}
    assert not is_due(ledger, NOW + 9.5 * DAY)
    assert is_due(ledger, NOW + 10 * DAY)
    visit(ledger, NOW + 10 * DAY, status=404)
    assert gone() == {document_id(URL): "2026-12-02"}
    assert not is_due(ledger, NOW + 99 * DAY)
    ledger.revisits.revive(("article",), "a", sys.float_info.max)
    visit(ledger, NOW + 100 * DAY)
    assert gone() == {}


def is_due(ledger: Ledger, at: float) -> bool:
    return ledger.revisits.revive_articles("a", at) > 0


def test_the_older_an_article_the_longer_its_interval() -> None:
    young, day, month = (article_interval(age, {}, has_changed=False) for age in (0.0, DAY, 30 * DAY))
    assert CONFIG.min_seconds <= young < day < month < CONFIG.max_seconds
    assert month > 20 * day


def test_articles_that_change_often_at_an_age_are_asked_more_often_and_the_others_less() -> None:
    number = age_bucket(10 * DAY)
    calm = {number + more: AgeSeen(0, 1000 * DAY) for more in (-1, 0, 1, 2)}
    busy = {each: replace(seen, n_changes=100) for each, seen in calm.items()}
    plain, calmed, hurried = (article_interval(10 * DAY, seen, has_changed=False) for seen in ({}, calm, busy))
    assert hurried < plain / 2 < plain * 2 < calmed
    # One change in ten days: a chance of one in fifty is reached in a fifth of a day.
    assert hurried == pytest.approx(0.02 * 10 * DAY, rel=0.1)


def test_what_has_just_changed_is_asked_in_half_the_time_and_an_interval_has_bounds() -> None:
    plain, changed = (article_interval(DAY, {}, has_changed=has) for has in (False, True))
    assert changed == pytest.approx(plain / 2)
    never = {number: AgeSeen(0, 1e15) for number in range(30)}
    always = {number: AgeSeen(10**9, 1.0) for number in range(30)}
    assert article_interval(DAY, never, has_changed=False) == CONFIG.max_seconds
    assert article_interval(DAY, always, has_changed=False) == CONFIG.min_seconds


def test_an_article_is_due_after_its_interval_and_what_visits_found_is_counted(ledger: Ledger) -> None:
    visit(ledger, NOW + DAY)
    last = ledger.revisits.last(URL)
    assert last
    assert not is_due(ledger, NOW + DAY + 0.9 * last.interval)
    assert is_due(ledger, NOW + DAY + 1.1 * last.interval)
    visit(ledger, NOW + 2 * DAY, "2")
    assert is_due(ledger, NOW + 40 * DAY)
    visit(ledger, NOW + 3 * DAY, "")
    seen = ledger.changes.seen("a")
    assert seen == {age_bucket(DAY): AgeSeen(1, DAY), age_bucket(2 * DAY): AgeSeen(0, DAY)}


def test_what_the_archive_answers_is_no_visit(ledger: Ledger) -> None:
    visit(ledger, NOW + DAY)
    ledger.revisits.read_again("a", [ledger.serial(URL)])
    visit(ledger, NOW + DAY, "other model")
    assert ledger.changes.seen("a") == {}


def test_what_was_not_kept_is_never_due(ledger: Ledger) -> None:
    visit(ledger, NOW, reason="too_short")
    assert not is_due(ledger, NOW + 1000 * DAY)


def test_a_clock_that_was_set_back_does_not_hold_an_article_for_ever(ledger: Ledger) -> None:
    visit(ledger, NOW + 5_000 * DAY)
    assert is_due(ledger, NOW)
