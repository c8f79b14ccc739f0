"""WARC files of other programs, also damaged ones."""

import gzip
import io
import os
import struct
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from warcio.warcwriter import WARCWriter

from newscorpus.data import ArchiveCapture, Page, Rejected
from newscorpus.store.archive import read
from newscorpus.store.archive.read import read_block, read_capture, read_captures, read_onwards
from newscorpus.store.archive.values import ArchiveError, ByteRange, Capture
from newscorpus.store.pages import saved_pages

PAGE = b"<html><body><p>A story</p></body></html>"
Record = tuple[str, str, bytes]
"""Type, address, block."""


def http(body: bytes, *headers: str, status: str = "200 OK", content_type: str = "text/html") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.fixture
def foreign(tmp_path: Path) -> Callable[..., Path]:
    def write(*records: Record, packed: bool = True, **headers: str) -> Path:
        out = io.BytesIO()
        writer = WARCWriter(out, gzip=packed)
        for kind, url, block in records:
            given = {"WARC-Date": "2024-01-02T03:04:05Z"} | {name.replace("_", "-"): headers[name] for name in headers}
            writer.write_record(
                writer.create_warc_record(url, kind, io.BytesIO(block), len(block), warc_headers_dict=given)
            )
        (tmp_path / "other.warc").write_bytes(out.getvalue())
        return tmp_path / "other.warc"

    return write


def story(number: int, block: bytes = http(PAGE)) -> Record:
    return "response", f"http://news.example/{number}", block


@pytest.mark.parametrize("form", ["plain", "gzip", "zstd"])
def test_slices_of_a_file_yield_each_page_and_rejection_once_and_in_order(
    foreign: Callable[..., Path], form: str
) -> None:
    info = ("warcinfo", "", b"software: StormCrawler\r\n")
    path = foreign(info, *map(story, range(30)), story(30, http(b"", status="404 Gone")), packed=form == "gzip")
    if form == "zstd":
        records = path.read_bytes().split(b"WARC/1.0")[1:]
        path.write_bytes(b"".join(zstandard.compress(b"WARC/1.0" + one) for one in records))
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(bytes(300))
    whole, n_bytes = list(read_captures(path)), path.stat().st_size
    assert 25 < len(whole) < 33
    for of in (1, 2, 3, 7, 50, 300):
        with path.open("rb") as file:
            bounds = [n_bytes * number // of for number in range(of + 1)]
            found = [one for start, end in pairwise(bounds) for _, one in read_onwards(path, start, end, file)]
        assert found == whole, of


def test_a_folder_lists_the_pages_of_a_file_which_is_read_again_only_when_it_changes(
    foreign: Callable[..., Path],
) -> None:
    for numbers in ((1,), (1, 2), (3, 2, 1)):
        stories = [story(number) for number in numbers]
        path = foreign(*stories)
        pages = saved_pages(path.parent)
        assert list(pages) == [url for _, url, _ in stories]
        assert {place.file for place in pages.values()} == {"other.warc"}
    stat = path.stat()
    path.write_bytes(bytes(stat.st_size))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert saved_pages(path.parent) == pages


def said(found: Iterable[Capture | Rejected]) -> list[str]:
    """Last letters of the addresses of pages, and reasons of rejections."""
    return [one.page.url[-1] if isinstance(one, Capture) else f"{one.stage}/{one.reason}" for one in found]


def outcomes(path: Path) -> list[str]:
    return said(read_captures(path))


@pytest.mark.parametrize("packed", [True, False])
def test_every_html_response_is_a_page(foreign: Callable[..., Path], packed: bool) -> None:
    info = ("warcinfo", "", b"software: StormCrawler\r\n")
    request = ("request", "http://news.example/1", b"GET /1 HTTP/1.1\r\nHost: news.example\r\n\r\n")
    path = foreign(info, request, story(1), story(2), packed=packed)
    found = list(read_captures(path))
    pages = [one.page for one in found if isinstance(one, Capture)]
    headers = {"content-type": "text/html"}
    date = "2024-01-02T03:04:05+00:00"
    capture = ArchiveCapture("StormCrawler", date)
    assert pages == [Page(f"http://news.example/{n}", PAGE, headers, date, capture=capture) for n in (1, 2)]
    assert all(one.origin is None for one in found if isinstance(one, Capture))


@pytest.mark.parametrize(
    ("info", "name", "source"),
    [
        (b"isPartOf: CC-MAIN-2024-10\r\npublisher: Common Crawl\r\nsoftware: Nutch", "x.warc", "CC-MAIN-2024-10"),
        (b"software: StormCrawler 2.10", "CC-NEWS-20240102-00001.warc.gz", "CC-NEWS"),
        (b"Publisher:  The\tArchive \r\nsoftware: Heritrix/3.4", "x.warc", "The Archive"),
        (b"software: Wget/1.21", "x.warc", "Wget/1.21"),
        (b"\xff: \xff\r\n: \r\nisPartOf", "x.warc", ""),
        (b"publisher: " + b"x" * 1000, "x.warc", "x" * 200),
    ],
)
def test_whose_archive_it_is(foreign: Callable[..., Path], info: bytes, name: str, source: str) -> None:
    path = foreign(("warcinfo", "", info), story(1), story(2))
    path = path.rename(path.with_name(name))
    both = [one for one in read_captures(path) if isinstance(one, Capture)]
    assert [one.page.capture for one in both] == [ArchiveCapture(source, "2024-01-02T03:04:05+00:00")] * 2
    again = read_capture(path, both[1].place.offset if both[1].place else 0)
    assert again == both[1], "read from the middle, the file is still known"


@pytest.mark.parametrize(
    "block",
    [
        http(b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE), "Transfer-Encoding: chunked"),
        http(PAGE, "Transfer-Encoding: chunked"),
        http(gzip.compress(PAGE, mtime=0), "Content-Encoding: gzip"),
        http(PAGE, "Content-Encoding: gzip"),
        http(PAGE, "X-Crawl-Content-Encoding: br"),
        http(brotli.compress(PAGE), "Content-Encoding: br"),
        http(PAGE, "Content-Encoding: br"),
        http(PAGE, content_type="application/xhtml+xml; charset=x"),
    ],
)
def test_bodies_however_they_are_stored(foreign: Callable[..., Path], block: bytes) -> None:
    (found,) = read_captures(foreign(story(1, block)))
    assert isinstance(found, Capture)
    assert found.page.body == PAGE


@pytest.mark.parametrize(
    ("date", "fetched"),
    [
        ("2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05+00:00"),
        ("2024-01-02T03:04:05", "2024-01-02T03:04:05+00:00"),
        ("0001-01-01T00:00:00+01:00", ""),
        ("9999-12-31T23:59:59-01:00", ""),
        ("yesterday", ""),
    ],
)
def test_the_time_of_a_capture_whatever_is_written_there(
    foreign: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, date: str, fetched: str
) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        (found,) = read_captures(foreign(story(1), WARC_Date=date))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert isinstance(found, Capture)
    assert found.page.fetched == fetched


def test_what_is_no_page_is_said(foreign: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_BYTES", 1_000)
    path = foreign(
        story(1, http(b"", status="404 Not Found")),
        story(2, http(b"%PDF", content_type="application/pdf")),
        ("revisit", "http://news.example/3", http(b"")),
        ("metadata", "http://news.example/4", b"a: b\r\n"),
        story(5, http(gzip.compress(b" " * 5000), "Content-Encoding: gzip")),
        story(6, http(b" " * 5000)),
        story(7),
    )
    rejected = ["fetch/http_404", "fetch/not_html", "archive/revisit", "fetch/too_large", "fetch/too_large"]
    assert outcomes(path) == [*rejected, "7"]


@pytest.mark.parametrize("url", ["http://[", "http:///x", "http://a:999999/", "dns:news.example", "file:///a", "-"])
def test_records_of_no_web_address(foreign: Callable[..., Path], url: str) -> None:
    assert outcomes(foreign(("response", url, http(PAGE)), story(1))) == ["archive/no_web_address", "1"]


def test_schemes_in_capitals(foreign: Callable[..., Path]) -> None:
    assert outcomes(foreign(("response", "HTTPS://NEWS.EXAMPLE/1", http(PAGE)))) == ["1"]


def test_records_that_their_writer_cut(foreign: Callable[..., Path]) -> None:
    assert outcomes(foreign(story(1), WARC_Truncated="length")) == ["fetch/truncated"]


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_is_cut_short(foreign: Callable[..., Path], packed: bool) -> None:
    path = foreign(story(1), story(2), packed=packed)
    path.write_bytes(path.read_bytes()[:-30])
    first, second = outcomes(path)
    assert first == "1"
    assert second in {"fetch/truncated", "archive/broken_record"}


@pytest.mark.parametrize("packed", [True, False])
def test_it_goes_on_after_damage(foreign: Callable[..., Path], packed: bool) -> None:
    path = foreign(story(1), story(2), story(3), packed=packed)
    content = bytearray(path.read_bytes())
    start = content.index(b"\x1f\x8b\x08" if packed else b"WARC/", 1)
    content[start : start + 12] = b"\0" * 12
    path.write_bytes(content)
    assert outcomes(path) == ["1", "archive/broken_record", "3"]


def test_every_cut_and_every_flipped_byte_is_survived(foreign: Callable[..., Path]) -> None:
    path = foreign(story(1), story(2))
    content = path.read_bytes()
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at])
        assert len(outcomes(path)) <= 2
        path.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        assert 1 <= len(outcomes(path)) <= 3


def test_a_file_packed_as_a_whole_is_named(foreign: Callable[..., Path]) -> None:
    path = foreign(story(1), story(2), packed=False)
    path.write_bytes(gzip.compress(path.read_bytes()))
    (found,) = read_captures(path)
    assert isinstance(found, Rejected)
    assert "warcio recompress" in found.detail


@pytest.mark.parametrize("packed_dictionary", [None, False, True])
def test_zstd_frames_are_read_with_a_dictionary_or_none(tmp_path: Path, packed_dictionary: bool | None) -> None:
    """As https://iipc.github.io/warc-specifications/specifications/warc-zstd/ describes them."""
    head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://news.example/{}\r\nContent-Length: {}\r\n\r\n"
    block = http(PAGE)
    numbers = range(10, 40)
    records = [head.format(number, len(block)).encode() + block + b"\r\n\r\n" for number in numbers]
    dictionary, start = None, b""
    if packed_dictionary is not None:
        dictionary = zstandard.train_dictionary(2_000, [*records], k=64, d=8)
        content = dictionary.as_bytes()
        content = zstandard.compress(content) if packed_dictionary else content
        start = struct.pack("<II", 0x184D2A5D, len(content)) + content
    packer = zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True)
    note = struct.pack("<II", 0x184D2A50, 5) + b"what?"
    path = tmp_path / "other.warc.zst"
    path.write_bytes(start + note.join(map(packer.compress, records)) + note)
    found = [one for one in read_captures(path) if isinstance(one, Capture)]
    assert outcomes(path) == [str(number)[-1] for number in numbers]
    assert found[9].place
    assert [one for _, one in read_onwards(path, found[9].place.offset)] == found[9:]
    if start:
        path.write_bytes(start[:9] + bytes([start[9] ^ 1]) + start[10:] + packer.compress(records[0]))
        assert outcomes(path) == ["archive/broken_record"]


def test_what_is_no_warc(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(PAGE)
    assert outcomes(tmp_path / "page.html") == ["archive/broken_record"]
    (tmp_path / "empty.warc").write_bytes(b"")
    assert outcomes(tmp_path / "empty.warc") == []


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"none\.warc: No such file"):
        list(read_captures(tmp_path / "none.warc"))


@pytest.mark.parametrize("packed", [True, False])
def test_blocks_of_a_file_hold_together_what_it_holds(foreign: Callable[..., Path], packed: bool) -> None:
    path = foreign(
        ("warcinfo", "", b"software: x\r\n"), story(1), story(2, http(b"", status="404 Gone")), story(3), packed=packed
    )
    whole, body = outcomes(path), path.read_bytes()
    name = "CC-NEWS-1.warc.gz" if packed else "CC-NEWS-1.warc"
    for cut in range(1, len(body), 7):
        first = list(read_block(body[:cut], ByteRange(name, 0, cut), is_last=False))
        at = first[-1][0] if first else 0
        rest = list(read_block(body[at:], ByteRange(name, at, len(body) - at), is_last=True))
        found = [one for _, one in (*first, *rest)]
        assert said(found) == whole
        assert all(one.place is None for one in found if isinstance(one, Capture))
        assert rest[-1][0] == len(body)


def test_a_block_that_begins_within_a_record_names_the_damage_where_it_lies(foreign: Callable[..., Path]) -> None:
    body = foreign(story(1), story(2)).read_bytes()
    cut, name = len(body) // 2 - 20, "crawl-data/CC-NEWS-1.warc.gz"
    (_, damage), (_, page) = read_block(body[cut:], ByteRange(name, cut, len(body) - cut), is_last=True)
    assert isinstance(damage, Rejected)
    assert (damage.reason, damage.url) == ("broken_record", f"{name}@{cut}")
    assert isinstance(page, Capture)
    assert page.page.url.endswith("/2")
