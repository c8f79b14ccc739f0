"""What the ledger remembers of designs: the last looks of each portal, and redesigns."""

from pathlib import Path

from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.portals import KEPT_LOOKS, Alarm, Look, alarms
from newscorpus.store.ledger.status import status


def look(number: int, portal: str = "news", template: str = "old") -> Look:
    return Look(
        portal,
        f"https://{portal}.example/{number}",
        f"2026-11-01T00:00:{number:04}",
        template,
        frozenset({f"div > p{number}"}),
    )


def alarm(first: Look, template: str = "old") -> Alarm:
    until = "" if template else first.fetched
    return Alarm(first.portal, first.url, first.fetched, "2026-11-02", until, template, "div > p", (40, 40), (0, 6))


def test_the_last_looks_of_a_portal_are_remembered_once_they_are_committed(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        for number in range(KEPT_LOOKS + 5):
            ledger.looks.add(look(number))
            ledger.looks.add(look(number, "other"))
    with Ledger.open(tmp_path) as ledger:
        assert list(ledger.looks.last("news")) == [look(number) for number in range(5, KEPT_LOOKS + 5)]


def test_a_redesign_leaves_the_looks_behind_it_and_is_shown_until_another_template_reads_the_pages(
    tmp_path: Path,
) -> None:
    with Ledger.open(tmp_path) as ledger:
        for number in range(10):
            ledger.looks.add(look(number))
        ledger.counts.add("news", "kept")
        ledger.looks.alarm(alarm(look(7)))
        assert list(ledger.looks.last("news")) == [look(7), look(8), look(9)]
    (shown,) = status(tmp_path)
    assert shown.redesigns == (alarm(look(7)),)
    with Ledger.open(tmp_path) as ledger:
        ledger.looks.add(look(10, "other", template="new"))
        ledger.looks.add(look(11))
    assert status(tmp_path)[0].redesigns
    with Ledger.open(tmp_path) as ledger:
        ledger.looks.add(look(12, template="new"))
        ledger.looks.add(look(13, template="new"))
    assert status(tmp_path)[0].redesigns == ()
    assert [one.until for one in alarms(tmp_path)] == [look(12).fetched]


def test_without_a_template_a_redesign_stays_in_sight(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.looks.add(look(1, template=""))
        ledger.counts.add("news", "kept")
        ledger.looks.alarm(alarm(look(1, template=""), template=""))
    assert len(status(tmp_path)[0].redesigns) == 1
    assert alarms(tmp_path / "nowhere") == []
