"""A ledger that was put back from a backup beside newer files."""

import json
from pathlib import Path

import pytest

from newscorpus.crawl.archive.encode import encode
from newscorpus.crawl.archive.values import Exchange
from newscorpus.crawl.archive.writer import ArchiveWriter
from newscorpus.crawl.ledger import REJECTIONS, Fetched, Ledger, LedgerError, Link, Series, UrlOutcome, UrlState, key_of
from newscorpus.crawl.ledger.views.addresses import states
from newscorpus.crawl.ledger.views.status import status

URL = "https://a.example/"
FILE_BYTES = 3_000
"""Longest file of the archive: some four answers, so that a crawl goes on in the last file and begins another."""
NOW = "2026-11-22T00:00:00Z"
ROWS = Series("intake/{:06}.jsonl", b"header\n")


def crawl(corpus: Path, fates: dict[str, str], to_queue: str = "") -> None:
    """Ask for addresses, which end with these reasons, and queue others."""
    with Ledger.open(corpus) as ledger:
        writer = ArchiveWriter(corpus, FILE_BYTES, "newscorpus/0")
        writer.announce = ledger.announce
        ledger.transaction.follow(writer.lengths)
        for name in (*fates, *to_queue):
            ledger.add(Link(key_of(URL + name), URL + name, "a", request=b"{}"), again=name in fates)
        while (lease := ledger.queue.lease("a")) and (name := lease.url.removeprefix(URL)) in fates:
            end(ledger, writer, lease.serial, name, fates[name])
        if lease:
            ledger.queue.release(lease.serial)
        writer.close()


def end(ledger: Ledger, writer: ArchiveWriter, serial: int, name: str, reason: str) -> None:
    where = writer.append(encode(Exchange(URL + name, NOW, 200, (), name.encode()), None, 10**6))
    if reason == "kept":
        outcome = UrlOutcome(reason="kept", line=ledger.append(ROWS, f"{name}\n".encode()))
    else:
        line = json.dumps({"url": URL + name, "reason": reason}).encode() + b"\n"
        outcome = UrlOutcome("quality", reason, line=ledger.append(REJECTIONS, line))
    ledger.finish(serial, [outcome], Fetched(URL + name, 200, NOW, archived=(where.file, where.offset)))


def put_back(corpus: Path, backup: bytes) -> None:
    (corpus / "ledger.sqlite").write_bytes(backup)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A corpus whose ledger knows of the first of two crawls."""
    crawl(tmp_path, {"x": "kept", "y": "too_short", "z": "too_short"}, to_queue="b")
    backup = (tmp_path / "ledger.sqlite").read_bytes()
    crawl(tmp_path, {"b": "kept", "c": "kept", "y": "kept"})
    put_back(tmp_path, backup)
    return tmp_path


def test_newer_rows_are_put_aside_and_newer_answers_come_from_the_archive(
    older: Path, caplog: pytest.LogCaptureFixture
) -> None:
    archives = {path.name: path.read_bytes() for path in (older / "archive").iterdir()}
    with Ledger.open(older) as ledger:
        assert {path.name: path.read_bytes() for path in (older / "archive").iterdir()} == archives
        leases = {lease.url: lease for lease in (ledger.queue.lease("a"), ledger.queue.lease("a")) if lease}
        assert leases.keys() == {f"{URL}b", f"{URL}y"}
        assert all(lease.from_archive and not lease.stands for lease in leases.values())
        assert ledger.queue.lease("a") is None
        ledger.add(Link(key_of(f"{URL}c"), f"{URL}c", "a", request=b"{}"))
        found = ledger.queue.lease("a")
        assert found
        assert found.from_archive
        ledger.add(Link(key_of(f"{URL}d"), f"{URL}d", "a", request=b"{}"))
        unknown = ledger.queue.lease("a")
        assert unknown
        assert not unknown.from_archive
    assert (older / "aside" / "1" / "intake" / "000002.jsonl").read_bytes() == b"header\ny\nb\nc\n"
    assert (older / "intake" / "000001.jsonl").read_bytes() == b"header\nx\n"
    (message,) = caplog.messages
    assert "older than the files beside it" in message
    assert "asking for them: 3. Newer rows were put aside" in message


def test_the_journal_that_was_renewed_since_keeps_its_lines(older: Path) -> None:
    (now,) = status(older)
    assert now.rejected == {"quality/too_short": 2}
    crawl(older, {"b": "kept", "y": "kept"})
    lines = [json.loads(line) for line in (older / "rejected.jsonl").read_bytes().splitlines()]
    assert [line["url"] for line in lines] == [f"{URL}z"]
    (now,) = status(older)
    assert (now.kept, now.rejected) == (3, {"quality/too_short": 1})
    assert states(older) == {("a", UrlState.DONE): 4}


def test_it_is_said_once_and_a_ledger_that_is_not_older_is_left_alone(
    older: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawl(older, {"b": "kept", "c": "kept", "y": "kept"})
    crawl(older, {"d": "kept"})
    assert len([message for message in caplog.messages if "backup" in message]) == 1
    assert [path.name for path in (older / "aside").iterdir()] == ["1"]


def test_files_that_were_cut_do_not_make_the_ledger_look_old(older: Path, caplog: pytest.LogCaptureFixture) -> None:
    Ledger.open(older).close()
    caplog.clear()
    segment = older / "intake" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes()[:-1])
    ledger = Ledger.open(older)
    ledger._held.close()  # as a death ends it
    Ledger.open(older).close()
    assert not caplog.messages


@pytest.mark.parametrize("noted", [b"{", b"[]", b'{"archive/000001.warc.gz": "x"}'])
def test_a_damaged_note_is_named(older: Path, noted: bytes) -> None:
    (older / ".committed.json").write_bytes(noted)
    with pytest.raises(LedgerError, match=r"\.committed\.json: damaged .*; remove it"):
        Ledger.open(older)


def test_a_note_that_names_files_outside_the_corpus_is_refused(older: Path) -> None:
    (older / ".committed.json").write_text(json.dumps({"../x": 1}), "utf-8")
    with pytest.raises(LedgerError, match="outside the corpus"):
        Ledger.open(older)
