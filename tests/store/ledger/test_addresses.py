"""Last pages and pages over time, read from a ledger."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from crawled import answer

from newscorpus.errors import LedgerError
from newscorpus.store.ledger import Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.addresses import SPANS, last_pages, next_addresses, over_time
from newscorpus.store.ledger.portals import SitePace, site_paces

SITE = "https://news.example"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    with Ledger.open(tmp_path) as ledger:
        kept = UrlOutcome(reason="kept")
        for number, hour, outcome in (
            (1, 8, kept),
            (2, 8, UrlOutcome("quality", "too_short", "3 words")),
            (3, 12, kept),
        ):
            time = f"2026-11-20T{hour:02}:00:00+00:00"
            answer(ledger, f"{SITE}/{number}", outcome, portal="news", time=time)
    return tmp_path


def test_the_last_pages_come_first_with_what_became_of_them(corpus: Path) -> None:
    said = [(page.url.removeprefix(SITE), page.outcome, page.detail) for page in last_pages(corpus)]
    assert said == [("/3", "kept", ""), ("/2", "quality/too_short", "3 words"), ("/1", "kept", "")]


def test_pages_are_counted_over_time(corpus: Path) -> None:
    spans = over_time(corpus)["news"]
    assert 1 < len(spans) <= SPANS
    assert (spans[0].start, spans[0].fetched, spans[0].kept) == ("2026-11-20T08:00:00+00:00", 2, 1)
    assert (spans[-1].fetched, spans[-1].kept) == (1, 1)
    assert sum(span.fetched for span in spans) == 3
    assert "other" not in over_time(corpus)


def test_the_next_addresses_stand_in_the_order_of_the_queue(corpus: Path) -> None:
    with Ledger.open(corpus) as ledger:
        for number, priority in enumerate((0, 5, 0)):
            url = f"{SITE}/next-{number}"
            ledger.add(Link(key_of(url), url, "news", "article", 1, 0, priority))
        ledger.commit()
    found = [(one.url.removeprefix(SITE), one.kind, one.attempts) for one in next_addresses(corpus, "news")]
    assert found == [("/next-1", "article", 0), ("/next-0", "article", 0), ("/next-2", "article", 0)]
    assert next_addresses(corpus, "other") == []


def test_a_crawl_begins_with_sites_that_do_not_rest(tmp_path: Path) -> None:
    pace = SitePace("news", 2.0, "2026-11-20T08:00:00+00:00", "", "status 429")
    with Ledger.open(tmp_path) as ledger:
        ledger.sites.note([pace])
        ledger.sites.note([replace(pace, rests_until="", why="")])
        ledger.sites.note([pace])
    assert site_paces(tmp_path) == [pace]
    assert pace.describe(datetime(2026, 11, 20, 7, tzinfo=UTC)) == "rests until 2026-11-20T08:00:00+00:00: status 429"
    assert pace.describe(datetime(2026, 11, 20, 9, tzinfo=UTC)) == ""
    with Ledger.open(tmp_path) as ledger:
        ledger.sites.forget()
    assert site_paces(tmp_path) == []


def test_without_a_ledger_there_is_nothing_to_show(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        last_pages(tmp_path)
