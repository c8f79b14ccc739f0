"""Marks are kept at once and once, and make pages with gold text."""

import json
import os
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import pytest

from newscorpus.data import Page
from newscorpus.errors import CorpusError, LabError
from newscorpus.lab.gold.marking import (
    SETTLED,
    MarkedBlock,
    MarkLine,
    agreement,
    journal_of,
    judged_elsewhere,
    place_of,
    read_marks,
    save_mark,
    write_gold,
)
from newscorpus.lab.gold.pages import read_pages
from newscorpus.page.fields.dates import Setting
from newscorpus.store.archive.values import ByteRange, Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode

URL = "https://news.example/1"
PLACE = ByteRange("../archive/000001.warc.gz", 0, 0)
HTML = "<h1>The bridge</h1><p>It was opened.</p><p>Advertisement</p>"


def block(at: int, kind: str, text: str = "") -> MarkedBlock:
    return MarkedBlock(at, kind, "html/body/p", text or f"text {at}")


def line(*blocks: MarkedBlock, who: str = "ann", page: str = URL, place: ByteRange | None = None) -> MarkLine:
    return MarkLine(page, "measure", who, "2026-11-22T10:00:00+00:00", blocks, place, 4 if place else 0)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return journal_of(tmp_path, "news")


def test_the_last_mark_of_a_block_counts_and_is_taken_back(journal: Path) -> None:
    save_mark(journal, line(block(0, "good"), block(1, "good")))
    save_mark(journal, line(block(1, "bad")))
    save_mark(journal, line(block(0, "")))
    assert [(one.who, dict(one.blocks)) for one in read_marks(journal)] == [("ann", {1: block(1, "bad")})]


def mark_blocks(journal: Path, who: str) -> None:
    for at in range(20):
        save_mark(journal, line(block(at, "good"), who=who, place=PLACE))


def test_processes_that_mark_at_once_lose_nothing(journal: Path) -> None:
    people = ["ann", "bob", "eva"]
    with ProcessPoolExecutor(len(people), get_context("spawn")) as pool:
        list(pool.map(mark_blocks, repeat(journal), people))
    assert {one.who: len(one.blocks) for one in read_marks(journal)} == dict.fromkeys(people, 20)


def test_twice_is_once(journal: Path) -> None:
    save_mark(journal, line(block(0, "good")))
    size = journal.stat().st_size
    save_mark(journal, line(block(0, "good")))
    assert journal.stat().st_size == size
    save_mark(journal, line(block(0, "good"), place=PLACE))
    done = journal.stat().st_size
    save_mark(journal, line(place=PLACE))
    assert size < done == journal.stat().st_size


def test_a_torn_line_is_passed_over_and_cut_off(journal: Path) -> None:
    save_mark(journal, line(block(0, "good")))
    with journal.open("ab") as file:
        file.write(b'{"page": "https://ne')
    assert len(read_marks(journal)[0].blocks) == 1
    save_mark(journal, line(block(1, "good")))
    assert len(read_marks(journal)[0].blocks) == 2
    assert journal.read_bytes().count(b"\n") == 2


def test_damage_and_unknown_marks_are_named(journal: Path) -> None:
    with pytest.raises(LabError, match="unknown mark 'maybe'; known are: good, bad"):
        save_mark(journal, line(block(0, "maybe")))
    journal.parent.mkdir()
    journal.write_bytes(b"{}\n")
    with pytest.raises(CorpusError, match=r"news\.marks, at offset 0: "):
        read_marks(journal)


def test_a_mark_is_on_the_disk_before_it_is_answered(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    save_mark(journal, line(block(0, "good")))
    assert len(synced) == 1


def test_repeated_lines_of_other_pages_are_known(journal: Path) -> None:
    save_mark(journal, line(block(0, "bad", "Advertisement"), block(1, "good", "It was opened.")))
    marks = read_marks(journal)
    assert judged_elsewhere(marks, "ann", "https://news.example/2") == {"Advertisement"}
    assert judged_elsewhere(marks, "ann", URL) == frozenset()
    assert judged_elsewhere(marks, "bob", "https://news.example/2") == frozenset()


def test_pages_that_are_done_become_gold(tmp_path: Path, journal: Path) -> None:
    with ArchiveWriter(tmp_path, 10**9, "newscorpus/0") as archive:
        page = Page(URL, HTML.encode(), {"content-type": "text/html"})
        exchange = Exchange(URL, "2026-11-20T08:00:00.000000Z", 200, tuple(page.headers.items()), page.body)
        place = archive.append(encode(exchange, Capture(page, origin=Origin("news")), 10**6))
    save_mark(journal, line(block(0, "title", "The bridge"), block(2, "bad", "Advertisement")))
    save_mark(journal, line(block(1, "good", "It was opened."), place=place_of(place.file, place.offset)))
    save_mark(journal, line(block(0, "good"), page="https://news.example/2"))
    assert write_gold(journal) == 1
    (gold,) = read_pages(tmp_path / "gold" / "news.jsonl")
    assert (gold.url, gold.title, gold.text, gold.split, gold.list) == (
        *(URL, "The bridge", "It was opened."),
        *("dev", "measure"),
    )
    assert "It was opened." in gold.html
    assert {(mark.position, mark.label) for mark in gold.marks} == {(0, "bad"), (1, "good"), (2, "bad")}


def test_dates_and_names_are_normalised_when_they_are_marked(journal: Path) -> None:
    date, author = "Objavljeno: 1. 5. 2026 ob 10:31", "Avtor: Ana Novak in Petar Kos"
    blocks = (block(0, "date", "danes"), block(1, "date", date), block(2, "author", author), block(3, "good"))
    read = {0: (), 1: ("2026-05-01T10:31:00",), 2: ("Ana Novak", "Petar Kos")}
    assert save_mark(journal, line(*blocks, place=PLACE))[0] == read
    assert {at: one.values for at, one in read_marks(journal)[0].blocks.items()} == {**read, 3: ()}
    gold = json.loads(journal.with_suffix(".jsonl").read_bytes())
    assert (gold["date"], gold["authors"]) == ("2026-05-01T10:31:00", ["Ana Novak", "Petar Kos"])
    today = Setting(datetime(2026, 5, 2, 8, tzinfo=UTC))
    assert save_mark(journal, line(blocks[0]), today)[0] == {0: ("2026-05-02",)}


def test_two_people_agree_and_what_is_settled_counts(journal: Path) -> None:
    save_mark(journal, line(block(0, "good"), block(1, "lead"), place=PLACE))
    save_mark(journal, line(block(1, "good"), who="bob", place=PLACE))
    found = agreement(read_marks(journal), "ann", "bob")
    assert (found.pages, found.differing) == (1, (("measure", URL),))
    assert found.blocks.kappa == pytest.approx(0.5)  # 3 of 4 alike, 2 of 4 by chance
    assert found.blocks.scores.f1 == pytest.approx(2 / 3)
    save_mark(journal, line(block(3, "good"), who=SETTLED, place=PLACE))
    write_gold(journal)
    assert b'"text":"text 3"' in journal.with_suffix(".jsonl").read_bytes()
