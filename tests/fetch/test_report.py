import io

import pytest
from rich.console import Console

from newscorpus.fetch.report import NOTHING_LEFT, by_portal, show_portals, why_nothing
from newscorpus.store.ledger.status import PortalStatus


def portal(name: str, kept: int, **rejected: int) -> PortalStatus:
    return PortalStatus(name, 7, 0, 9, 1, kept, rejected, 1_234 * kept, 2.5, 493.6 * kept, 0.0, 0)


FIGURES = by_portal(
    [portal("", 0, offsite=3), portal("novine", 2, soft_404=4, http_404=1), portal("vesti", 0, http_403=5)],
    {"newscorpus/politeness/vesti/given_up": "refused"},
    {"vesti": "refused"},
)


def told(is_terminal: bool) -> str:
    console = Console(file=io.StringIO(), force_terminal=is_terminal, width=100, no_color=True, highlight=False)
    show_portals(console, FIGURES, ())
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_a_terminal_gets_a_table() -> None:
    lines = told(is_terminal=True).split("\n")
    assert len(lines) == 4
    assert lines[1].split() == ["novine", "2", "5", "7", "2,468", "2.5", "987", "soft_404", "4,", "http_404", "1"]
    assert "given up: refused, http_403 5" in lines[2]


def test_a_log_gets_lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert told(is_terminal=False) == ""
    assert caplog.messages[0] == (
        "novine: 2 kept, 5 rejected, 7 queued, 2,468 words, 2.5 MB, 987 words/MB; "
        "most often rejected for: soft_404 4, http_404 1"
    )


def test_where_nothing_was_fetched_no_megabytes_are_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    figures = {"warc": FIGURES["novine"] | {"megabytes": 0.0, "words_per_megabyte": 0.0}}
    show_portals(Console(file=io.StringIO()), figures, ())
    assert caplog.messages[0].startswith("warc: 2 kept, 5 rejected, 7 queued, 2,468 words; most often")


def test_a_portal_that_brought_nothing_is_named(caplog: pytest.LogCaptureFixture) -> None:
    told(is_terminal=True)
    assert caplog.messages == ["Kept nothing of vesti: given up: refused, http_403 5"]


def test_nothing_at_all_has_a_reason() -> None:
    stats = {
        "downloader/response_count": 6,
        "newscorpus/rejected/fetch/http_403": 1,
        "newscorpus/rejected/fetch/http_404": 2,
        "newscorpus/politeness/vesti/given_up": "refused",
    }
    assert why_nothing(stats, FIGURES) == (
        "6 responses; rejected: fetch/http_404 2, fetch/http_403 1; vesti was given up: refused; "
        "14 addresses are still queued"
    )
    assert why_nothing({}, {}) == "0 responses; no page was taken for an article"


def test_a_crawl_with_nothing_left_to_do_tells_what_was_rejected_before() -> None:
    done = FIGURES["vesti"] | {"queued": 0}
    assert why_nothing({}, {"vesti": done}) == f"0 responses; rejected earlier: http_403 5; {NOTHING_LEFT}"
    assert why_nothing({}, {"vesti": FIGURES["vesti"]}).endswith("http_403 5; 7 addresses are still queued")
