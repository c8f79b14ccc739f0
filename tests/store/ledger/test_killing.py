"""A crawl that is killed at any write resumes and ends like an undisturbed one.

The crawl is the ledger's part of one: pages are leased, links reserved and queued or refused, lines appended, pages
finished, with commits in between.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from io import FileIO
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from dying import KILLED, in_a_child

from newscorpus.files import extend
from newscorpus.store.ledger import Fetched, Ledger, Link, Series, UrlOutcome, key_of, transaction

SITE = {"/": ["/a", "/trap"], "/a": ["/", "/trap", "/moved"], "/moved": ["/b"], "/b": []}
ROWS, REJECTED = Series("intake/{:06}.jsonl", b"header\n"), Series("rejected.jsonl")


def crawl(corpus: Path) -> None:
    """Crawl the site to its end, or go on with it."""
    with Ledger.open(corpus) as ledger:
        if ledger.reserve(address("/"), "paper"):
            ledger.add(link("/"))
            ledger.commit()
        while lease := ledger.queue.lease("paper"):
            ledger.commit()  # as the clock does in a crawl, at any moment
            read(ledger, lease.serial, lease.url.removeprefix(address("")))
            ledger.commit()


def read(ledger: Ledger, serial: int, path: str) -> None:
    """What a page brings."""
    for found in SITE[path]:
        if not ledger.reserve(address(found), "paper"):
            continue
        ledger.commit()
        if found == "/trap":
            ledger.refuse(address(found), UrlOutcome("discovery", "trap"), REJECTED, b"trap\n")
        else:
            ledger.add(link(found, serial))
    final = "/here" if path == "/moved" else path
    place = ledger.append(ROWS, f"row of {path}\n".encode())
    kept = UrlOutcome(reason="kept", n_words=3, document=address(final), line=place)
    ledger.finish(serial, [kept], Fetched(address(final), 200, "2026-11-21T00:00:00+00:00", 10))


def address(path: str) -> str:
    """The address of a page."""
    return f"https://paper.example{path}"


def link(path: str, found_on: int = 0) -> Link:
    """The request for a page."""
    return Link(key_of(address(path)), address(path), "paper", found_on=found_on, request=b"{}")


def result(corpus: Path) -> dict[str, Any]:
    """What lies on the disk in the end."""
    segments = sorted((corpus / "intake").glob("*"))
    rows = [line for segment in segments for line in segment.read_text().splitlines() if line != "header"]
    with sqlite3.connect(corpus / "ledger.sqlite") as connection:
        counts = dict(connection.execute("SELECT name, n FROM counts WHERE name != ''").fetchall())
        states = connection.execute("SELECT url, state, reason FROM urls ORDER BY url").fetchall()
        documents = connection.execute("SELECT count(*) FROM documents").fetchone()
    connection.close()
    headers = [segment.read_text().startswith("header\n") for segment in segments]
    rejected = (corpus / "rejected.jsonl").read_text()
    return {
        "rows": sorted(rows),
        "rejected": rejected,
        "counts": counts,
        "states": states,
        "documents": documents,
        "headers": all(headers),
    }


def before_statements(is_time: Callable[[], bool]) -> None:
    """Have this process die before a statement of SQL."""
    connect = sqlite3.connect

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(lambda _statement: os._exit(KILLED) if is_time() else None)
        return connection

    sqlite3.connect = watched  # type: ignore[assignment]


def at_pieces(is_time: Callable[[], bool], n_halves: int) -> None:
    """Have this process die when it has written no half, or one, of a piece of a file."""

    def torn(file: FileIO, committed: int, data: bytes) -> int:
        if is_time():
            extend(file, committed, data[: len(data) * n_halves // 2])
            os._exit(KILLED)
        return extend(file, committed, data)

    transaction.extend = torn  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("watch", "least"),
    [(before_statements, 100), (partial(at_pieces, n_halves=0), 4), (partial(at_pieces, n_halves=1), 4)],
)
def test_a_crawl_killed_before_any_write_ends_as_if_it_never_was(
    tmp_path: Path, watch: Callable[[Callable[[], bool]], None], least: int
) -> None:
    crawl(tmp_path / "calm")
    calm = result(tmp_path / "calm")
    assert calm["rows"] == ["row of /", "row of /a", "row of /b", "row of /moved"]
    corpus = tmp_path / "killed"
    for step in count(1):
        shutil.rmtree(corpus, ignore_errors=True)
        if not in_a_child(partial(crawl, corpus), step, watch):
            break
        crawl(corpus)
        assert result(corpus) == calm, step
    assert step > least
