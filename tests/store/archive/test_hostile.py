"""Malicious WARC files: each record is counted and decompressed within bounds, and the next one is read."""

import gzip
import random
from pathlib import Path

import pytest
import zstandard

from newscorpus.content_encoding import ContentError, unpack
from newscorpus.store.archive import read, records
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.records import Damage, read_records
from newscorpus.store.archive.values import Capture

MAX_BYTES = 1_000
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A story</p>"
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
MEGABYTE = 10**6


def record(block: bytes, length: object = None, url: str = "http://news.example/1", more: bytes = b"") -> bytes:
    given = len(block) if length is None else length
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {given}\r\n"
    return head.encode() + more + b"\r\n" + block + b"\r\n\r\n"


LAST = record(PAGE, url="http://news.example/last")


@pytest.fixture(autouse=True)
def bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_BYTES", MAX_BYTES)


def outcomes(path: Path) -> list[str]:
    return [one.page.url[-4:] if isinstance(one, Capture) else one.reason for one in read_captures(path)]


HOSTILE = {
    "a length of 5,000 digits": (record(PAGE, "9" * 5_000), "broken_record"),
    "a length in other digits": (record(PAGE, "\u0664\u0662"), "broken_record"),
    "a length below zero": (record(PAGE, "-1"), "broken_record"),
    "a status of 5,000 digits": (record(PAGE.replace(b"200", b"2" * 5_000)), "http_0"),
    "headers without end": (record(PAGE, more=b"a: b\r\n" * 200_000), "broken_record"),
    "one header without end": (record(PAGE, more=b"a" * 2 * MEGABYTE + b"\r\n"), "broken_record"),
    "HTTP headers without end": (record(PAGE[:-20] + b"\r\na: b" * 300_000), "not_html"),
    "a chunk of two gigabytes": (record(CHUNKED + b"7fffffff\r\n" + b" " * MEGABYTE), "too_large"),
    "a chunk below zero": (record(CHUNKED + b"-5\r\n<p>"), "e/1"),
    "chunks of one byte": (record(CHUNKED + b"1\r\na\r\n" * 100_000), "too_large"),
    "a gigabyte of spaces, or so": (record(PAGE + b" " * 30 * MEGABYTE), "too_large"),
    "encodings one over another": (
        record(PAGE.replace(b"\r\n\r\n", b"\r\nContent-Encoding:" + b" gzip," * 99 + b"\r\n\r\n")),
        "broken_encoding",
    ),
}
"""A record and its outcome."""


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_the_next_record_is_read(name: str, packed: bool, tmp_path: Path) -> None:
    hostile, outcome = HOSTILE[name]
    path = tmp_path / "hostile.warc"
    path.write_bytes(gzip.compress(hostile) + gzip.compress(LAST) if packed else hostile + LAST)
    found = outcomes(path)
    assert (found[0][-len(outcome) :], found[-1]) == (outcome, "last")
    assert len(found) == 2


OTHER = zstandard.train_dictionary(500, [f"{number} of the others {number}".encode() * 9 for number in range(99)])
FRAME = b"\x28\xb5\x2f\xfd"
ENDLESS = FRAME + b"\x20\x05" + bytes(3) * 6_000
HOSTILE_FRAMES = {
    "a gigabyte, or so": (zstandard.compress(record(PAGE + bytes(10**8))), "too_large"),
    "a frame that says that it is empty": (zstandard.compress(b""), "broken_record"),
    "two records in a frame": (zstandard.compress(record(PAGE) * 2), "broken_record"),
    "another dictionary": (zstandard.ZstdCompressor(dict_data=OTHER).compress(record(PAGE)), "broken_record"),
    "frames that begin and do not go on": (FRAME * 900, "broken_record"),
    "blocks without end": (ENDLESS * 200, "broken_record"),
    "a skippable frame of four gigabytes": (b"\x50\x2a\x4d\x18\xff\xff\xff\xff", "broken_record"),
}


@pytest.mark.parametrize("name", HOSTILE_FRAMES)
def test_the_next_frame_is_read(name: str, tmp_path: Path) -> None:
    hostile, outcome = HOSTILE_FRAMES[name]
    path = tmp_path / "hostile.warc.zst"
    path.write_bytes(zstandard.compress(LAST) + hostile + zstandard.compress(LAST))
    assert outcomes(path) == ["last", outcome, "last"]


def test_a_record_too_long_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "hostile.warc"
    long = bytearray(gzip.compress(record(PAGE + b" " * 50 * MEGABYTE)))
    long[20_000:20_010] = bytes(10)  # twenty megabytes on, where reading would find it damaged
    path.write_bytes(long + gzip.compress(LAST))
    assert outcomes(path) == ["too_large", "last"]


@pytest.mark.parametrize("length", [200_000, 2**16, 2**17 - 99])
def test_records_that_are_hardly_longer_than_nothing_when_packed(length: int, tmp_path: Path) -> None:
    path = tmp_path / "long.warc.gz"
    long = gzip.compress(record(PAGE + b"a" * length))
    path.write_bytes((long + gzip.compress(LAST)) * 3)
    found = list(read_records(path, MEGABYTE))
    assert [one.place.length for one in found] == [len(long), len(gzip.compress(LAST))] * 3


def test_a_record_among_the_headers_of_another_is_read(tmp_path: Path) -> None:
    path = tmp_path / "hostile.warc"
    path.write_bytes(b"WARC/1.0\r\n" * 50 + LAST)
    assert outcomes(path) == ["broken_record", "last"]


FALSE_STARTS = {
    "headers": b"WARC/1.0\r\n",
    "members": gzip.compress(b"WARC/1.0\r\n"),
    "magic": b"\x1f\x8b\x08",
}


@pytest.mark.parametrize("name", FALSE_STARTS)
def test_a_damaged_region_is_one_rejection_and_is_left_alone_in_the_end(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_FALSE_STARTS", 100)
    path, last = tmp_path / "hostile.warc", LAST if name == "headers" else gzip.compress(LAST)
    path.write_bytes(last + FALSE_STARTS[name] * 99 + last)
    assert outcomes(path) == ["last", "broken_record", "last"]
    path.write_bytes(last + FALSE_STARTS[name] * 1_000 + last)
    whole, damage = read_records(path, MEGABYTE)
    assert isinstance(damage, Damage)
    assert damage.why.endswith("; left alone after 100 false starts")
    assert whole.place.length + damage.place.length == path.stat().st_size


def test_whatever_stands_in_a_file_is_a_record_or_damage_and_covers_it(tmp_path: Path) -> None:
    tokens = (
        b"\r\n",
        b":",
        b"WARC/1.0\r\n",
        b"9" * 4_500,
        b"\xff",
        b"\0",
        b"ffffffff\r\n",
        b"\x1f\x8b\x08",
        b"http://[",
    )
    path, whole = tmp_path / "hostile.warc", (record(PAGE) + record(CHUNKED + b"3\r\nabc\r\n0\r\n\r\n") + LAST)
    for seed in range(300):
        source = random.Random(seed)
        content = bytearray(whole)
        for _ in range(source.choice((1, 2, 4))):
            at = source.randrange(len(content))
            content[at : at + source.randrange(40)] = source.choice(tokens)
        path.write_bytes(gzip.compress(content) if seed % 3 == 0 else content)
        assert len(outcomes(path)) <= len(content)
        found = list(read_records(path, MAX_BYTES))
        ends = [one.place.offset + one.place.length for one in found]
        assert [one.place.offset for one in found] == [0, *ends[:-1]]
        assert ends[-1] == path.stat().st_size
        assert all(one.why for one in found if isinstance(one, Damage))


def test_encodings_that_unpack_to_more_than_a_page() -> None:
    layers = gzip.compress(gzip.compress(bytes(50 * MEGABYTE)))
    with pytest.raises(ContentError, match="more than 1000 bytes when unpacked"):
        unpack(layers, "gzip, gzip", 1_000)
    with pytest.raises(ContentError, match="5 encodings"):
        unpack(b"", "gzip, gzip, gzip, gzip, gzip", 1_000)
