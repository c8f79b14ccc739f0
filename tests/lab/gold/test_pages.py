import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from newscorpus.data import Page
from newscorpus.errors import LabError
from newscorpus.lab.gold.pages import GoldPage, Mark, read_pages
from newscorpus.store.archive.values import ByteRange, Capture, Exchange
from newscorpus.store.archive.write import ArchiveWriter, encode

NULLS: dict[str, Any] = dict.fromkeys(("url", "domain", "language", "title", "date", "authors", "text", "split"))
FULL = {
    "id": "a1",
    "url": "https://news.example/a",
    "domain": "news.example",
    "language": "cs",
    "title": "Nadpis",
    "date": "2024-01-02",
    "authors": ["Jana Nová"],
    "html": "<p>Text\u2028with a line separator\x85inside</p>",
    "text": "Text",
    "page_type": "article",
    "split": "dev",
}


def as_lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write(path: Path, content: bytes) -> Path:
    if path.suffix == ".zst":
        content = zstandard.compress(content)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz", "news.jsonl.zst"])
def test_reads_every_packing_alike_in_lines_that_end_at_line_feeds_only(tmp_path: Path, name: str) -> None:
    lines = b"\n" + as_lines(FULL) + b"\r\n\n" + as_lines(FULL)
    expected = GoldPage(dataset="news", **{**FULL, "authors": ("Jana Nová",)})  # type: ignore[arg-type]
    assert list(read_pages(write(tmp_path / name, lines))) == [expected] * 2
    if name.endswith(".zst"):  # several frames
        (tmp_path / name).write_bytes(zstandard.compress(as_lines(FULL)) * 3)
        assert len(list(read_pages(tmp_path / name))) == 3


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("2024-01-02T09:00", "2024-01-02T09:00:00"),
        ("Objavljeno: 1. 5. 2024 ob 10:31", "2024-05-01T10:31:00"),
        ("danes", "danes"),
    ],
)
def test_dates_are_normalised_where_they_can_be_read(tmp_path: Path, given: str, read: str) -> None:
    (page,) = read_pages(write(tmp_path / "a.jsonl", as_lines({**FULL, "date": given})))
    assert page.date == read


def test_nulls_and_missing_keys_are_empty(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", as_lines({"id": "1", "html": "", **NULLS}, {"id": "2", "html": "", "more": 1}))
    for page in read_pages(path):
        assert (page.url, page.title, page.date, page.text, page.page_type, page.split) == ("",) * 6
        assert page.authors == ()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"id": "2"', "truncated"),
        (b'{"id": "2"}', "html"),
        (b'{"id": 2, "html": ""}', "id"),
        (b"[]", "object"),
        (b'{"id": "2", "html": "", "list": "test"}', r"Invalid enum value 'test' - at `\$\.list`"),
        (b'{"id": "2", "html": "", "marks": [{"block": "p"}]}', r"`label` - at `\$\.marks\[0\]`"),
        (b'{"id": "2", "html": "", "marks": [{"block": "p", "label": "good", "by": ""}]}', "unknown field `by`"),
        (
            b'{"id": "2", "html": "", "marks": [{"block": "p", "label": "good"}, {"block": "p", "label": "bad"}]}',
            "contradict each other: p is good and bad",
        ),
        (b'{"id": "2", "archive": {"file": "a.warc.gz"}}', r"`offset` - at `\$\.archive`"),
        (b'{"id": "2", "archive": {"file": "no.warc.gz", "offset": 0, "length": 1}}', r"no\.warc\.gz"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, problem: str) -> None:
    path = write(tmp_path / "a.jsonl", as_lines(FULL) + line + b"\n")
    with pytest.raises(LabError, match=problem) as caught:
        list(read_pages(path))
    assert f"{path}, line 2: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_a_person_said_of_the_page(tmp_path: Path) -> None:
    mark: dict[str, Any] = {"block": "html/body/p", "label": "bad", "who": "jn", "when": "2026-11-22T10:00:00Z"}
    (page,) = read_pages(write(tmp_path / "a.jsonl", as_lines({**FULL, "list": "teach", "marks": [mark]})))
    assert (page.list, page.marks) == ("teach", (Mark(**mark),))


def test_a_page_in_an_archive_is_read_from_there(tmp_path: Path) -> None:
    headers = (("content-type", "text/html; charset=iso-8859-2"),)
    body = "<p>Žluťoučký kůň</p>".encode("iso-8859-2")
    with ArchiveWriter(tmp_path, 10_000_000, "newscorpus/test") as writer:
        for url in ("https://a.example/1", "https://a.example/2"):
            capture = Capture(Page(url, body if url.endswith("2") else b"<p>One", dict(headers)))
            exchange = Exchange(url, "2026-11-01T10:00:00Z", 200, headers, capture.page.body)
            place = writer.append(encode(exchange, capture, 10_000_000))
    row = {"id": "1", "archive": {"file": f"../{place.file}", "offset": place.offset, "length": place.length}}
    (tmp_path / "gold").mkdir()
    (page,) = read_pages(write(tmp_path / "gold" / "a.jsonl", as_lines(row)))
    assert page.html == "<p>Žluťoučký kůň</p>"
    assert page.archive == ByteRange(f"../{place.file}", place.offset, place.length)


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
@pytest.mark.parametrize("damage", [lambda content: content[: len(content) // 2], lambda _: b"no archive"])
def test_a_damaged_archive_is_an_error(tmp_path: Path, name: str, damage: Any) -> None:
    path = write(tmp_path / name, as_lines(*[FULL] * 50))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LabError, match=r"a\.jsonl"):
        list(read_pages(path))
    with pytest.raises(LabError, match=r"absent\.jsonl"):
        list(read_pages(tmp_path / "absent.jsonl"))
