"""The ledger: queue, addresses, files, and recovery from a kill, a power failure or a full disk."""

import sqlite3
from pathlib import Path

import pytest
from crawled import answer, take
from dying import full_disk

from newscorpus.errors import CorpusError
from newscorpus.store.archive.write import ArchiveWriter
from newscorpus.store.ledger import (
    Fetched,
    Ledger,
    LedgerError,
    Link,
    Series,
    UrlOutcome,
    UrlState,
    key_of,
)
from newscorpus.store.ledger.addresses import find, states
from newscorpus.store.ledger.database import open_writer, reading
from newscorpus.store.ledger.status import status

URL = "https://a.cz/"
ROWS, REJECTED = Series("intake/{:06}.jsonl", b"header\n"), Series("rejected.jsonl")
NEVER = "2026-11-21T00:00:00+00:00"


def link(name: str, portal: str = "a", priority: int = 0, request: bytes = b"{}") -> Link:
    return Link(key_of(URL + name), URL + name, portal, priority=priority, request=request)


def leased(ledger: Ledger, portal: str = "a") -> str:
    lease = ledger.queue.lease(portal)
    return lease.url.removeprefix(URL) if lease else ""


def keep(ledger: Ledger, name: str) -> None:
    """Queue and finish a page that becomes a row."""
    kept = UrlOutcome(reason="kept", n_words=2, line=ledger.append(ROWS, f"{name}\n".encode()))
    answer(ledger, URL + name, kept, portal="a", etag="x", last_modified=NEVER, signature="signature")


def test_what_comes_last_is_not_leased_while_other_pages_may_name_more(ledger: Ledger) -> None:
    ledger.add(link("last", "a", -5))
    assert ledger.queue.lease("a", above=-5) is None
    ledger.add(link("section", "a", -4))
    leases = ledger.queue.lease("a", above=-5), ledger.queue.lease("a", above=-5), ledger.queue.lease("a")
    assert [lease and lease.url for lease in leases] == [f"{URL}section", None, f"{URL}last"]


def test_the_highest_priority_goes_first_and_then_the_oldest_of_one_portal(ledger: Ledger) -> None:
    for name, portal, priority in (("low", "a", 1), ("first", "a", 2), ("second", "a", 2), ("b", "b", 9)):
        assert ledger.add(link(name, portal, priority))
    assert sorted(ledger.queue.portals()) == ["a", "b"]
    assert [leased(ledger) for _ in range(4)] == ["first", "second", "low", ""]
    assert list(ledger.queue.portals()) == ["b"]


def test_a_document_is_queued_once(ledger: Ledger) -> None:
    assert ledger.add(link("x"))
    assert not ledger.add(link("x?utm_source=y"))
    assert not ledger.reserve("http://a.cz/x", "a")
    assert ledger.knows("http://a.cz/x")
    assert leased(ledger) == "x"
    assert not ledger.add(link("x"), again=True)


def test_what_is_done_is_queued_again_on_demand_only(ledger: Ledger) -> None:
    keep(ledger, "x")
    assert not ledger.add(link("x"))
    assert ledger.add(link("x"), again=True)
    assert leased(ledger) == "x"


def test_what_was_reserved_by_a_page_that_was_not_finished_is_forgotten(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        assert ledger.reserve(URL + "x", "a")
        ledger.add(link("y"))
        leased(ledger)
    with Ledger.open(tmp_path) as ledger:
        assert not ledger.knows(URL + "x")
        assert leased(ledger) == "y"


def test_a_refusal_is_noted_once(ledger: Ledger, tmp_path: Path) -> None:
    trap = UrlOutcome("discovery", "trap", "a date to come")
    ledger.reserve(URL + "x", "a")
    assert ledger.refuse(URL + "x", trap, REJECTED, b"{}\n", "a", 7)
    assert not ledger.refuse(URL + "x", trap, REJECTED, b"{}\n", "a", 7)
    ledger.commit()
    assert (tmp_path / "rejected.jsonl").read_bytes() == b"{}\n"
    entry = find(tmp_path, URL + "x")
    assert entry
    assert (entry.state, entry.stage, entry.detail, entry.line) == (
        UrlState.DONE,
        *("discovery", "a date to come"),
        ("rejected.jsonl", 0),
    )
    assert status(tmp_path)[0].rejected == {"discovery/trap": 1}


def test_released_addresses_are_queued_again(ledger: Ledger) -> None:
    ledger.add(link("x"))
    lease = take(ledger, "a")
    assert leased(ledger) == ""
    assert not ledger.queue.pending(lambda _portal: False)
    ledger.queue.release(lease.serial, priority=-1, request=b'{"again":1}')
    assert ledger.queue.pending(lambda _portal: False)
    assert not ledger.queue.pending(lambda _portal: True)
    lease = take(ledger, "a")
    assert (lease.priority, lease.request, lease.fetched) == (-1, b'{"again":1}', "")
    ledger.finish(lease.serial, (), Fetched(lease.url, 200, "2026-11-21T08:00:00+00:00"))
    assert ledger.revisits.requeue_unconditionally(("",), "a")
    lease = take(ledger, "a")
    assert lease.fetched == "2026-11-21T08:00:00+00:00"


def test_an_address_that_pages_name_as_their_own_leads_to_the_first_of_them(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        for name in ("x", "y"):
            kept = UrlOutcome(reason="kept", document=URL + "canonical", line=ledger.append(ROWS, b"row\n"))
            answer(ledger, URL + name, kept, portal="a")
        assert (ledger.counts.of("kept"), ledger.knows(URL + "canonical")) == (2, False)
    found = find(tmp_path, URL + "canonical")
    assert found
    assert found.url == URL + "x"


def test_a_redirect_target_is_known_except_to_what_led_there(ledger: Ledger) -> None:
    ledger.add(link("old"))
    lease = take(ledger, "a")
    ledger.add(link("new"))  # as a link on the page itself does
    ledger.finish(lease.serial, (), Fetched(URL + "new", 200, NEVER))
    assert (leased(ledger), ledger.queue.size("a")) == ("", 0)
    assert ledger.knows(URL + "new")
    assert ledger.knows(URL + "new", asked=URL + "other")
    assert not ledger.knows(URL + "new", asked=URL + "old")


def test_a_link_to_the_target_of_a_redirect_in_progress_is_not_queued(ledger: Ledger) -> None:
    ledger.add(link("old"))
    lease = take(ledger, "a")
    ledger.expect(URL + "new", lease.serial)
    assert not ledger.reserve(URL + "new", "a")
    assert not ledger.knows(URL + "new", asked=URL + "old"), "it may be redirected again"
    ledger.finish(lease.serial, (), Fetched(URL + "new", 200, NEVER))
    assert (leased(ledger), ledger.queue.size("a"), ledger.knows(URL + "new")) == ("", 0, True)


def test_listings_of_one_shape_are_counted_over_runs(tmp_path: Path) -> None:
    for run in range(2):
        with Ledger.open(tmp_path) as ledger:
            for number in range(3):
                ledger.reserve(f"{URL}{run}{number}", "a", "section", shape=5)
                ledger.add(link(f"{run}{number}"))
    with Ledger.open(tmp_path) as ledger:
        met = [
            ledger.listings.count_outcomes(*asked)[0] for asked in (("a", 5, 9), ("a", 6, 9), ("b", 5, 9), ("a", 5, 4))
        ]
        assert met == [6, 0, 0, 4]
        assert ledger.counts.of("admitted", "a") == ledger.counts.of("admitted") == 6


def test_nothing_is_true_before_the_commit(ledger: Ledger, tmp_path: Path) -> None:
    keep(ledger, "x")
    assert not (tmp_path / "intake").exists()
    assert (find(tmp_path, URL + "x"), states(tmp_path)) == (None, {})
    ledger.commit()
    assert (tmp_path / "intake" / "000001.jsonl").read_bytes() == b"header\nx\n"
    with reading(tmp_path) as connection:
        found = connection.execute("SELECT * FROM files WHERE length > 0")
        assert list(map(tuple, found)) == [("intake/000001.jsonl", 9)]
    assert {key: n for key, (n, _) in states(tmp_path).items()} == {("a", UrlState.DONE): 1}


def test_every_crawl_has_a_segment_of_its_own(tmp_path: Path) -> None:
    for name in ("x", "y"):
        with Ledger.open(tmp_path) as ledger:
            keep(ledger, name)
    assert [path.read_text() for path in sorted((tmp_path / "intake").iterdir())] == ["header\nx\n", "header\ny\n"]


def test_what_was_not_committed_is_cut_off_and_what_was_announced_goes(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        keep(ledger, "x")
    (tmp_path / "notes.txt").write_text("mine")
    ledger = Ledger.open(tmp_path)
    ledger.announce("archive/000001.warc.gz")
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "000001.warc.gz").write_bytes(b"?")
    (tmp_path / "intake" / "000002.jsonl").write_bytes(b"header\n")
    (tmp_path / "rejected.jsonl").write_bytes(b"torn")
    segment = tmp_path / "intake" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes() + b"torn")
    ledger.close(commits=False)
    with Ledger.open(tmp_path):
        assert segment.read_bytes() == b"header\nx\n"
    names = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*") if "sqlite" not in path.name]
    assert sorted(names) == [".committed.json", ".crawl.lock", "intake/000001.jsonl", "notes.txt"]


def test_what_was_announced_and_never_made_is_not_ours_any_more(tmp_path: Path) -> None:
    Ledger.open(tmp_path).close()
    (tmp_path / "intake").mkdir()
    (tmp_path / "intake" / "000001.jsonl").write_text("mine")
    with pytest.raises(LedgerError):
        Ledger.open(tmp_path)
    assert (tmp_path / "intake" / "000001.jsonl").read_text() == "mine"


FOREIGN = ("archive/CC-NEWS-20260101.warc.gz", "archive/000009.warc.gz", "intake/000007.jsonl", "intake/notes/x")
OTHER_PLACES = ("corpus/notes.txt", "corpus/shard-of-mine.jsonl", "index/sub/x")


@pytest.mark.parametrize("name", [*FOREIGN, *OTHER_PLACES])
def test_files_of_others_are_refused_or_adopted_and_never_touched(tmp_path: Path, name: str) -> None:
    with Ledger.open(tmp_path) as ledger:
        keep(ledger, "x")
    mine = tmp_path / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(CorpusError, match=r"^\S+: no file of this corpus; move it away, or .* NEWSCORPUS_ADOPT=1"):
        Ledger.open(tmp_path)
    with Ledger.open(tmp_path, adopts=True) as ledger:
        keep(ledger, "y")
    with Ledger.open(tmp_path) as ledger, ArchiveWriter(tmp_path, 10**9, "newscorpus/0") as archive:
        keep(ledger, "z")
        archive.append(b"record")
        ledger.transaction.follow(archive.lengths)
    Ledger.open(tmp_path).close()
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("name", ["archive", "intake", "corpus", "index"])
def test_a_link_in_place_of_a_folder_is_refused_or_adopted(tmp_path: Path, name: str) -> None:
    corpus, elsewhere = tmp_path / "corpus", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "family.jpg").write_text("mine")
    corpus.mkdir()
    (corpus / name).symlink_to(elsewhere)
    with pytest.raises(CorpusError, match=rf"/{name}: a link, nor are 1 more; move it away"):
        Ledger.open(corpus)
    for adopts in (True, False):
        with Ledger.open(corpus, adopts=adopts) as ledger:
            keep(ledger, f"x{adopts}")
    assert (elsewhere / "family.jpg").read_text() == "mine"
    assert status(corpus)[0].kept == 2


def test_a_ledger_put_back_from_a_backup_beside_newer_files_is_refused(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        keep(ledger, "x")
    backup = (tmp_path / "ledger.sqlite").read_bytes()
    with Ledger.open(tmp_path) as ledger:
        keep(ledger, "y")
    (tmp_path / "ledger.sqlite").write_bytes(backup)
    newer = tmp_path / "intake" / "000002.jsonl"
    for _ in range(2):
        with pytest.raises(LedgerError, match=r"ledger\.sqlite: older than the files beside it.*put the whole folder"):
            Ledger.open(tmp_path)
        assert newer.read_bytes() == b"header\ny\n"
    (tmp_path / ".committed.json").unlink()
    with pytest.raises(CorpusError, match=r"000002\.jsonl: no file of this corpus; move it away"):
        Ledger.open(tmp_path)
    newer.unlink()
    Ledger.open(tmp_path).close()


def test_files_that_were_cut_do_not_make_the_ledger_look_old(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        keep(ledger, "x")
    segment = tmp_path / "intake" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes()[:-1])
    ledger = Ledger.open(tmp_path)
    ledger.close(commits=False)
    Ledger.open(tmp_path).close()


@pytest.mark.parametrize("noted", [b"{", b"[]", b'{"archive/000001.warc.gz": "x"}'])
def test_a_damaged_note_of_lengths_is_named(tmp_path: Path, noted: bytes) -> None:
    (tmp_path / ".committed.json").write_bytes(noted)
    with pytest.raises(LedgerError, match=r"\.committed\.json: damaged .*; remove it"):
        Ledger.open(tmp_path)


def test_a_journal_of_somebody_else_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "rejected.jsonl").write_text("mine")
    with pytest.raises(LedgerError, match=r"rejected\.jsonl: not of this crawl"):
        Ledger.open(tmp_path)
    assert (tmp_path / "rejected.jsonl").read_text() == "mine"


def test_other_writers_files_grow_with_the_ledger(tmp_path: Path) -> None:
    file = tmp_path / "archive" / "000001.warc.gz"
    with Ledger.open(tmp_path) as ledger:
        file.parent.mkdir()
        file.write_bytes(b"member")
        ledger.transaction.follow(lambda: {"archive/000001.warc.gz": file.stat().st_size})
    file.write_bytes(b"member and half a")
    with Ledger.open(tmp_path):
        assert file.read_bytes() == b"member"


def test_one_crawl_at_a_time(tmp_path: Path) -> None:
    with Ledger.open(tmp_path), pytest.raises(CorpusError, match="another crawl is at work here"):
        Ledger.open(tmp_path)
    Ledger.open(tmp_path).close()


def test_a_corpus_from_before_the_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "intake").mkdir()
    (tmp_path / "intake" / "000001.jsonl").write_text("header\n")
    with pytest.raises(LedgerError, match="its intake is older than the ledger"):
        Ledger.open(tmp_path)
    assert (tmp_path / "intake" / "000001.jsonl").exists()


@pytest.mark.parametrize("name", ["../mine.txt", "/etc/passwd", "intake/../../mine.txt"])
def test_a_ledger_that_names_files_outside_the_corpus_cuts_none_of_them(tmp_path: Path, name: str) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    connection = open_writer(corpus)
    connection.execute("INSERT INTO files VALUES (?, 1)", (name,))
    connection.close()
    with pytest.raises(CorpusError, match="names a file outside the corpus"):
        Ledger.open(corpus)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_damage_and_other_versions_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"no database, for sure " * 100)
    with pytest.raises(LedgerError, match=r"ledger\.sqlite: file is not a database; newscorpus build .* publishes"):
        Ledger.open(tmp_path)
    with pytest.raises(LedgerError, match=r"ledger\.sqlite: file is not a database; newscorpus build .* publishes"):
        states(tmp_path)
    (tmp_path / "ledger.sqlite").unlink()
    with pytest.raises(LedgerError, match="no ledger here"):
        find(tmp_path, URL)
    connection = sqlite3.connect(tmp_path / "ledger.sqlite")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    for use in (Ledger.open, states):
        with pytest.raises(LedgerError, match="version 999"):
            use(tmp_path)


def test_a_full_disk_leaves_what_was_committed(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        keep(ledger, "x")
        ledger.commit()
        ledger.append(REJECTED, b"{}\n")  # which still finds room
        keep(ledger, "y")
        with full_disk(len(b"header\nx\n?")):
            for _ in range(2):
                with pytest.raises(LedgerError):
                    ledger.commit()
        with pytest.raises(LedgerError, match="since writing failed"):
            ledger.add(link("z"))
        assert not (tmp_path / "rejected.jsonl").exists()
    assert (tmp_path / "intake" / "000001.jsonl").read_bytes() == b"header\nx\n"
    with Ledger.open(tmp_path) as ledger:
        assert ledger.knows(URL + "x")
        assert not ledger.knows(URL + "y")


def test_a_full_disk_is_said_in_one_line_by_the_database_too(ledger: Ledger) -> None:
    ledger.add(link("x"))
    with full_disk(0), pytest.raises(LedgerError, match=r"ledger\.sqlite: disk I/O error"):
        ledger.commit()


def test_a_database_that_cannot_be_read_is_said_in_one_line(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match=r"ledger\.sqlite: no such table: lost_pages"):
        ledger.transaction.read("SELECT * FROM lost_pages")


def test_an_interrupt_leaves_what_was_committed(tmp_path: Path) -> None:
    """It may come between appending a row and recording its outcome."""

    def interrupted() -> None:
        with Ledger.open(tmp_path) as ledger:
            keep(ledger, "x")
            ledger.commit()
            ledger.append(ROWS, b"half\n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (tmp_path / "intake/000001.jsonl").read_bytes() == b"header\nx\n"
    with Ledger.open(tmp_path) as ledger:
        assert ledger.counts.of("kept") == 1


@pytest.mark.parametrize("left", [9, 11, 13, 14])
def test_a_part_of_a_file_whose_rows_a_power_failure_took_in_part_is_read_again(tmp_path: Path, left: int) -> None:
    """The ledger stores the place of the first row of a request only."""
    with Ledger.open(tmp_path) as ledger:
        keep(ledger, "x")
        kept = [UrlOutcome(reason="kept", line=ledger.append(ROWS, f"{name}\n".encode())) for name in "123"]
        answer(ledger, URL + "part", *kept, portal="a")
    segment = tmp_path / "intake" / "000001.jsonl"
    assert segment.read_bytes() == b"header\nx\n1\n2\n3\n"
    segment.write_bytes(segment.read_bytes()[:left])
    with Ledger.open(tmp_path) as ledger:
        asked = []
        while name := leased(ledger):
            asked.append(name)
        assert "part" in asked
        assert segment.read_bytes() == (b"header\n" if "x" in asked else b"header\nx\n")
