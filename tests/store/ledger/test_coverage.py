"""What became of the articles that a portal's feeds, sitemaps and lists named."""

import json
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.layout import DUPLICATES
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.status import DayCoverage, PortalStatus, alarm, status
from newscorpus.urls import document_id

SITE = "https://vesti.example"
KEPT = UrlOutcome(reason="kept")
SHORT = UrlOutcome("quality", "too_short")


def meet(ledger: Ledger, name: str, kind: str, found_on: int, outcome: UrlOutcome | None = None) -> None:
    """Meet an address for the first time, and let it end, if its outcome is given."""
    url = f"{SITE}/{name}"
    ledger.reserve(url, "vesti", kind)
    ledger.add(Link(key_of(url), url, "vesti", kind, depth=found_on, found_on=found_on))
    lease = ledger.queue.lease("vesti") if outcome else None
    if lease and outcome:
        document = url if outcome.reason == "kept" else ""
        ended = UrlOutcome(outcome.stage, outcome.reason, document=document)
        ledger.finish(lease.serial, [ended], Fetched(url, 200, "2026-11-21T12:00:00+00:00", 9))


def covered(corpus: Path, copies: int) -> PortalStatus:
    """The status of a portal of 40 articles: 24 were kept, of which some are left out as copies."""
    with Ledger.open(corpus) as ledger:
        for name, kind in (("feed", "feed"), ("map", "sitemap"), ("front", "section")):
            meet(ledger, name, kind, 0, UrlOutcome())
        for number in range(24):
            meet(ledger, f"kept-{number}", "article", 1 + number % 2, KEPT)
        for number in range(10):
            meet(ledger, f"short-{number}", "article", 3, SHORT)
        for number in range(5):
            meet(ledger, f"list-{number}", "article", 3, UrlOutcome("discovery", "section"))
        for number in range(6):
            meet(ledger, f"queued-{number}", "article", 3)
    lines = [
        {"id": document_id(f"{SITE}/kept-{n}"), "kind": "near", "source": "vesti", "url": f"u{n}"}
        for n in range(copies)
    ]
    lines.append({"id": document_id(f"{SITE}/kept-23"), "kind": "revision", "source": "vesti", "url": "u"})
    (corpus / DUPLICATES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (vesti,) = status(corpus)
    return vesti


def test_what_was_named_on_a_day_is_counted_by_what_became_of_it(tmp_path: Path) -> None:
    (day,) = covered(tmp_path, 4).coverage
    left_out = {"quality/too_short": 10, "duplicates/near": 4}
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert day == DayCoverage(today, {"feed": 12, "list": 16, "sitemap": 12}, 20, left_out, 6)
    assert str(day) == (
        f"{today}: 40 articles named (feed 12, list 16, sitemap 12), 20 rows, 6 not fetched;"
        " left out: quality/too_short 10, duplicates/near 4"
    )


def test_a_fifth_left_out_as_copies_is_named_with_three_addresses(tmp_path: Path) -> None:
    said = list(covered(tmp_path / "few", 6).shortfalls())
    assert not any("duplicates" in line for line in said)
    said = list(covered(tmp_path / "many", 18).shortfalls())
    assert "vesti lost 18 of 34 pages (52.9%) by duplicates/near, such as u0, u1, u2" in said
    assert said[-1].startswith("vesti gave fewer rows than usual, 18% for 100%: ")


def test_less_than_half_of_the_usual_share_of_rows_raises_the_alarm() -> None:
    def day(rows: int, left_out: int) -> DayCoverage:
        return DayCoverage("2026-11-21", {"feed": rows + left_out}, rows, {"quality/too_short": left_out}, 0)

    assert list(alarm("vesti", ())) == []
    assert list(alarm("vesti", (day(12, 328),))), "all are rows, where nothing is usual yet"
    assert list(alarm("vesti", (day(2, 9),))) == [], "of few articles half may be missing by chance"
    usual = (day(50, 50), day(60, 40), day(40, 60), day(0, 3))
    assert list(alarm("vesti", (*usual, day(26, 74)))) == []
    (line,) = alarm("vesti", (*usual, day(24, 76)))
    assert line.startswith("vesti gave fewer rows than usual, 24% for 50%: 2026-11-21: 100 articles named")
