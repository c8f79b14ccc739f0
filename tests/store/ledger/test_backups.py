"""A ledger that was put back from a backup beside newer files."""

import json
from pathlib import Path

import pytest

from newscorpus.store.archive.values import Exchange
from newscorpus.store.archive.write import ArchiveWriter, encode
from newscorpus.store.ledger import REJECTIONS, Fetched, Ledger, LedgerError, Link, Series, UrlOutcome, key_of

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


def test_an_older_ledger_is_refused_and_nothing_is_cut(older: Path) -> None:
    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for folder in ("archive", "intake") for path in (older / folder).iterdir()}

    before = files()
    with pytest.raises(LedgerError, match=r"ledger\.sqlite: older than the files beside it.*put the whole folder back"):
        Ledger.open(older)
    assert files() == before
    (older / ".committed.json").unlink()
    with pytest.raises(LedgerError, match=r"no file of this corpus, nor are 1 more; move it away"):
        Ledger.open(older)
    for name in ("archive/000002.warc.gz", "intake/000002.jsonl"):
        (older / name).unlink()
    Ledger.open(older).close()


def test_files_that_were_cut_do_not_make_the_ledger_look_old(tmp_path: Path) -> None:
    crawl(tmp_path, {"x": "kept"})
    segment = tmp_path / "intake" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes()[:-1])
    ledger = Ledger.open(tmp_path)
    ledger._held.close()  # as a death ends it
    Ledger.open(tmp_path).close()


@pytest.mark.parametrize("noted", [b"{", b"[]", b'{"archive/000001.warc.gz": "x"}'])
def test_a_damaged_note_is_named(older: Path, noted: bytes) -> None:
    (older / ".committed.json").write_bytes(noted)
    with pytest.raises(LedgerError, match=r"\.committed\.json: damaged .*; remove it"):
        Ledger.open(older)
