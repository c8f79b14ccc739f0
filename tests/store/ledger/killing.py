"""Kills a crawl at every single write: `python killing.py FOLDER`; prints what differed.

The crawl is the ledger's part of one: pages are leased, links reserved and queued or refused, lines appended, pages
finished, with commits in between. A child process does it and dies (`os._exit`) before the n-th statement of SQL,
before the n-th piece of a file, or in the middle of that piece; another one goes on to the end. So for every n there
is.
"""

import json
import os
import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable
from io import FileIO
from itertools import count
from pathlib import Path
from typing import Any

from newscorpus.files import extend
from newscorpus.store.ledger import Fetched, Ledger, Link, Series, UrlOutcome, key_of, transaction

SITE = {"/": ["/a", "/trap"], "/a": ["/", "/trap", "/moved"], "/moved": ["/b"], "/b": []}
ROWS, REJECTED = Series("intake/{:06}.jsonl", b"header\n"), Series("rejected.jsonl")
KILLED = 9


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


def in_a_child(corpus: Path, die_at: int, where: str) -> int:
    """Crawl in a process that dies at the given step; gives its exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    steps = count(1)
    watch(lambda: next(steps) == die_at, where)
    try:
        crawl(corpus)
    except BaseException as error:  # noqa: BLE001 -- whatever it is, the parent must learn of it
        sys.stderr.write(f"{where} {die_at}: {error!r}\n")
        os._exit(1)
    os._exit(0)


def watch(is_time: Callable[[], bool], where: str) -> None:
    """Have this process die when it is time."""
    connect = sqlite3.connect

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(lambda _statement: os._exit(KILLED) if is_time() else None)
        return connection

    def torn(file: FileIO, committed: int, data: bytes) -> int:
        if is_time():
            if where == "torn":
                extend(file, committed, data[: len(data) // 2])
            os._exit(KILLED)
        return extend(file, committed, data)

    if where == "statement":
        sqlite3.connect = watched  # type: ignore[assignment]
    else:
        transaction.extend = torn  # type: ignore[attr-defined]


def main(folder: Path) -> None:
    """Kill at every step, and print each that made a difference; then how many there were."""
    assert threading.active_count() == 1
    crawl(folder / "calm")
    calm = result(folder / "calm")
    deaths = 0
    for where in ("statement", "piece", "torn"):
        for step in count(1):
            corpus = folder / "killed"
            shutil.rmtree(corpus, ignore_errors=True)
            killed = in_a_child(corpus, step, where)
            if killed == 0:
                break
            deaths += 1
            if killed != KILLED or in_a_child(corpus, 0, where) != 0 or result(corpus) != calm:
                print(f"{where} {step}: {json.dumps(result(corpus))}")  # noqa: T201 -- for the test
    print(json.dumps({"deaths": deaths, "rows": calm["rows"]}))  # noqa: T201 -- for the test


if __name__ == "__main__":
    main(Path(sys.argv[1]))
