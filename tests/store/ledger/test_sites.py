"""Sites that refuse for days are left alone, the longer they have refused the longer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.portals import DAY_SECONDS, MOST_SECONDS_ALONE


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path) as ledger:
        yield ledger


def test_a_site_that_refuses_for_days_is_left_alone_for_as_long(ledger: Ledger) -> None:
    ledger.sites.end_run([("a", True), ("b", False)], 0.0)
    ledger.sites.end_run([("a", True)], DAY_SECONDS / 2)
    assert ledger.sites.refusing(DAY_SECONDS / 2) == {}
    ledger.sites.end_run([("a", True)], DAY_SECONDS)
    assert ledger.sites.refusing(1.5 * DAY_SECONDS) == {
        "a": "it has refused since 1970-01-01T00:00:00+00:00, and revisits ask again from 1970-01-03T00:00:00+00:00"
    }
    assert ledger.sites.refusing(2 * DAY_SECONDS) == {}
    ledger.sites.end_run([("a", True)], 100 * DAY_SECONDS)
    assert ledger.sites.refusing(100 * DAY_SECONDS + MOST_SECONDS_ALONE) == {}
    assert list(ledger.sites.refusing(99 * DAY_SECONDS + MOST_SECONDS_ALONE)) == ["a"]


def test_a_clock_that_was_years_ahead_does_not_leave_a_site_alone_for_years(ledger: Ledger) -> None:
    ledger.sites.end_run([("a", True)], 0.0)
    ledger.sites.end_run([("a", True)], 1_000 * DAY_SECONDS)
    assert ledger.sites.refusing(2 * DAY_SECONDS) == {}
    ledger.sites.end_run([("b", True)], 1_000 * DAY_SECONDS)
    for now in (0.0, 2 * DAY_SECONDS):
        ledger.sites.end_run([("b", True)], now)
    assert list(ledger.sites.refusing(3 * DAY_SECONDS)) == ["b"], "it has refused for two days since the clock is right"


def test_one_answer_ends_it_and_a_run_that_asks_nothing_does_not(ledger: Ledger) -> None:
    for at in (0.0, DAY_SECONDS):
        ledger.sites.end_run([("a", True)], at)
    ledger.sites.end_run([], DAY_SECONDS)
    assert list(ledger.sites.refusing(1.1 * DAY_SECONDS)) == ["a"]
    ledger.sites.end_run([("a", False)], DAY_SECONDS)
    assert ledger.sites.refusing(1.1 * DAY_SECONDS) == {}
