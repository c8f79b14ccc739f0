"""Compacted files of an archive: every page at its place, in the form that others read, and no damage that spreads."""

import gzip
import io
import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from prose import article
from warcio.archiveiterator import ArchiveIterator

from newscorpus.config import Limits
from newscorpus.data import Evidence, Page, Rejected
from newscorpus.layout import standard_path
from newscorpus.store.archive.compact import write_compact, write_standard
from newscorpus.store.archive.frames import FOOTER, Closing, read_closing
from newscorpus.store.archive.read import read_capture, read_captures
from newscorpus.store.archive.values import ArchiveError, Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode, encode_info

PAGES = 40
DATE = "2026-11-20T08:00:00.123456Z"
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.compress,
    "br": brotli.compress,
    "br, gzip": lambda body: gzip.compress(brotli.compress(body)),
    "unknown": bytes,
}


def exchange(number: int) -> tuple[Exchange, Capture]:
    """A page as it came, and as it was handed on; every fourth goes on on a second page."""
    url, body = f"https://news.example/{number}", article(f"story {number}").encode()
    encoding = list(ENCODINGS)[number % len(ENCODINGS)]
    headers = (("Content-Type", "text/html"), ("X-Robots-Tag", "noai"), ("X-Robots-Tag", "noindex"))
    page = Page(url, body, {"content-type": "text/html"}, DATE, (Evidence("title", "A story", "feed"),))
    following = (replace(page, url=f"{url}?page=2"),) * (number % 4 == 0)
    packed = (("Content-Encoding", encoding),) if encoding else ()
    came = ENCODINGS[encoding](body)
    sent = Exchange(url, DATE, 200, (*headers, *packed), came, request_headers=(("User-Agent", "a"),))
    return sent, Capture(page, following, Origin("news", ("en",), via="https://news.example/feed"))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file as a crawl wrote it, and beside it the same one compacted, under another name."""
    folder = tmp_path_factory.mktemp("written")
    with ArchiveWriter(folder, 10**9, "newscorpus/0") as writer:
        for number in range(PAGES):
            writer.append(encode(*exchange(number), Limits().max_bytes))
            writer.append(encode(replace(exchange(number)[0], url="https://news.example/list"), None, 10**6))
    path = folder / "archive" / "000001.warc.gz"
    with (folder / "compact").open("wb") as file:
        write_compact(path, file)
    return path


@pytest.fixture
def compact(written: Path, tmp_path: Path) -> Path:
    """The compacted file alone, in a folder of its own."""
    path = tmp_path / "000001.warc.zst"
    path.write_bytes((written.parents[1] / "compact").read_bytes())
    return path


def pages(path: Path) -> list[Capture]:
    return [found for found in read_captures(path) if isinstance(found, Capture)]


def placed(capture: Capture) -> tuple[int, int]:
    assert capture.place
    return capture.place.offset, capture.place.length


def closing_of(path: Path) -> Closing | None:
    with path.open("rb") as file:
        return read_closing(file)


def test_every_page_is_found_at_the_place_that_it_had(written: Path, compact: Path) -> None:
    before, after = list(read_captures(written)), list(read_captures(standard_path(compact)))
    assert len(before) == PAGES
    for old, new in zip(before, after, strict=True):
        assert isinstance(old, Capture)
        assert isinstance(new, Capture)
        assert replace(new, place=None) == replace(old, place=None)
        assert placed(new) == placed(old)
        assert read_capture(standard_path(compact), placed(old)[0]) == new
        assert next(iter(read_captures(standard_path(compact), placed(old)[0]))) == new
    assert compact.stat().st_size < 0.7 * written.stat().st_size


def test_what_is_at_no_place_is_not_taken_for_the_page_after_it(compact: Path) -> None:
    found = read_capture(standard_path(compact), placed(pages(compact)[3])[0] - 1)
    assert isinstance(found, Rejected)
    assert (found.reason, found.detail) == ("broken_record", "no record begins here")
    with pytest.raises(ArchiveError, match="no page at offset"):
        read_capture(standard_path(compact), 10**9)


def test_it_has_the_form_that_is_specified(compact: Path) -> None:
    """That of https://iipc.github.io/warc-specifications/specifications/warc-zstd/, read without ours."""
    data = compact.read_bytes()
    magic, length = struct.unpack_from("<II", data)
    assert magic == 0x184D2A5D
    packed = data[8 : 8 + length]
    assert zstandard.get_frame_parameters(packed).has_checksum
    dictionary = zstandard.ZstdCompressionDict(zstandard.decompress(packed))
    assert 32_768 <= dictionary.dict_id() < 2**31
    parameters = zstandard.get_frame_parameters(data[8 + length :])
    assert (parameters.has_checksum, parameters.dict_id) == (True, dictionary.dict_id())
    assert parameters.content_size < 2**20, "each frame says how much it holds"
    unpacker = zstandard.ZstdDecompressor(dict_data=dictionary)
    plain = unpacker.stream_reader(data[8 + length :], read_across_frames=True).read()
    records = list(ArchiveIterator(io.BytesIO(plain), check_digests="raise"))
    kinds = [record.rec_type for record in records]
    assert (kinds.count("response"), kinds.count("request"), kinds.count("metadata")) == (2 * PAGES, 2 * PAGES, PAGES)
    assert kinds[0] == "warcinfo"


def test_it_becomes_a_standard_file_again(written: Path, compact: Path, tmp_path: Path) -> None:
    standard = tmp_path / "again.warc.gz"
    with standard.open("wb") as file:
        write_standard(standard_path(compact), file)
    before, after = pages(written), pages(standard)
    assert [replace(one, place=None) for one in after] == [replace(one, place=None) for one in before]
    with standard.open("rb") as file:
        records = list(ArchiveIterator(file, check_digests="raise"))
    assert len(records) == 1 + 5 * PAGES + PAGES // 4
    gzipped = next(one for one in records if one.http_headers and one.http_headers.get_header("X-Robots-Tag"))
    assert [value for name, value in gzipped.http_headers.headers if name == "X-Robots-Tag"] == ["noai", "noindex"]


def test_a_page_is_read_though_all_others_are_gone(compact: Path) -> None:
    wanted = pages(compact)[7]
    closing = closing_of(compact)
    assert closing
    data = bytearray(compact.read_bytes())
    offset, length = placed(wanted)
    for (at, here), (_, end) in zip(closing.starts[1:].tolist(), closing.starts[2:].tolist(), strict=False):
        if not offset <= at < offset + length:
            data[here:end] = bytes(end - here)
    compact.write_bytes(data)
    assert read_capture(compact, offset) == wanted


def test_a_damaged_record_costs_itself_and_is_named_by_its_place(compact: Path) -> None:
    whole = pages(compact)
    closing = closing_of(compact)
    assert closing
    hit = placed(whole[5])[0]
    (here,) = closing.starts[closing.starts[:, 0] == hit, 1].tolist()
    data = bytearray(compact.read_bytes())
    data[here + 40] ^= 1
    compact.write_bytes(data)
    found = list(read_captures(compact))
    (damage,) = [one for one in found if isinstance(one, Rejected)]
    assert (damage.reason, damage.url) == ("broken_record", f"{compact}@{hit}")
    assert [one for one in found if isinstance(one, Capture)] == whole[:5] + whole[6:]


DAMAGES: dict[str, tuple[Callable[[bytes], slice], str]] = {
    "the dictionary": (lambda _: slice(1_000, 1_010), "the dictionary is damaged"),
    "how it begins": (lambda _: slice(0, 4), "the dictionary is damaged"),
    "the index": (lambda data: slice(len(data) - 10 - FOOTER.size - _dictionary(data), len(data)), "index"),
    "the mark at the end": (lambda data: slice(len(data) - 3, len(data)), "the index is damaged"),
}


def _dictionary(data: bytes) -> int:
    return int(FOOTER.unpack(data[-FOOTER.size :])[1])


@pytest.mark.parametrize("name", DAMAGES)
def test_whatever_else_is_damaged_every_page_is_read(compact: Path, name: str) -> None:
    where, why = DAMAGES[name]
    whole, data = pages(compact), bytearray(compact.read_bytes())
    hit = where(bytes(data))
    data[hit] = bytes(len(data[hit]))
    compact.write_bytes(data)
    found = list(read_captures(compact))
    (damage,) = [one for one in found if isinstance(one, Rejected)]
    assert why in damage.detail or (why == "index" and damage.detail == "no frame")
    left = [one for one in found if isinstance(one, Capture)]
    assert [one.page for one in left] == [one.page for one in whole]


def test_without_any_dictionary_it_is_one_damage(compact: Path) -> None:
    data = bytearray(compact.read_bytes())
    data[1_000], data[-FOOTER.size - 100] = data[1_000] ^ 1, data[-FOOTER.size - 100] ^ 1
    compact.write_bytes(data)
    (damage,) = read_captures(compact)
    assert isinstance(damage, Rejected)
    assert damage.detail.startswith("the dictionary is damaged")


def test_wherever_it_is_cut_what_stands_before_is_read(compact: Path) -> None:
    data, whole = compact.read_bytes(), pages(compact)
    closing = closing_of(compact)
    assert closing
    ends = {offset + length for offset, length in map(placed, whole)}
    for cut in random.Random(1).sample(range(len(data)), 40):
        compact.write_bytes(data[:cut])
        n_before = sum(here <= cut and int(at) in ends for at, here in closing.starts.tolist())
        assert [one.page for one in pages(compact)] == [one.page for one in whole[:n_before]], cut


def test_a_flipped_byte_costs_at_most_a_page(compact: Path) -> None:
    data, n_whole = compact.read_bytes(), len(pages(compact))
    for at in random.Random(2).sample(range(len(data)), 60):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        compact.write_bytes(damaged)
        assert len(pages(compact)) >= n_whole - 1, at


def frame(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(content)


def foreign(*urls: str) -> list[bytes]:
    """Records of somebody else's file."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A story</p>"
    head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nContent-Length: {}\r\n\r\n"
    return [head.format(url, len(page)).encode() + page + b"\r\n\r\n" for url in urls]


def test_files_of_others_are_read_with_a_plain_dictionary_or_none(tmp_path: Path) -> None:
    urls = [f"http://news.example/{number}" for number in range(30)]
    records, path = foreign(*urls), tmp_path / "of-others.warc.zst"
    path.write_bytes(b"".join(map(frame, records)))
    assert [one.page.url for one in pages(path)] == urls
    dictionary = zstandard.train_dictionary(2_000, [bytes(one) for one in records], k=64, d=8)
    packer = zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True)
    head = struct.pack("<II", 0x184D2A5D, len(dictionary.as_bytes())) + dictionary.as_bytes()
    note = struct.pack("<II", 0x184D2A50, 5) + b"what?"
    path.write_bytes(head + note.join(map(packer.compress, records)))
    found = pages(path)
    assert [one.page.url for one in found] == urls
    assert [one.page.url for one in read_captures(path, placed(found[9])[0]) if isinstance(one, Capture)] == urls[9:]


LAST = "http://news.example/last"
LIMITS = Limits(max_bytes=1_000)
SMALL = foreign("http://news.example/1")[0]
LARGE = SMALL.replace(b"Content-Length: ", b"Content-Length: 1000000") + bytes(10**8)
OTHER = zstandard.train_dictionary(500, [f"{number} of the others {number}".encode() * 9 for number in range(99)])

HOSTILE = {
    "a gigabyte, or so": (frame(LARGE), "too_large"),
    "a frame that says that it is empty": (frame(b""), "broken_record"),
    "two records in a frame": (frame(b"".join(foreign("http://a.example/1", "http://a.example/2"))), "broken_record"),
    "another dictionary": (zstandard.ZstdCompressor(dict_data=OTHER).compress(SMALL), "broken_record"),
    "frames that begin and do not go on": (b"\x28\xb5\x2f\xfd" * 900, "broken_record"),
    "blocks without end": (b"\x28\xb5\x2f\xfd\x20\x05" + bytes(3) * 6_000, "broken_record"),
    "a skippable frame of four gigabytes": (b"\x50\x2a\x4d\x18\xff\xff\xff\xff", "broken_record"),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_frame_is_counted_and_the_next_one_is_read(name: str, tmp_path: Path) -> None:
    hostile, outcome = HOSTILE[name]
    path = tmp_path / "hostile.warc.zst"
    path.write_bytes(frame(foreign("http://news.example/first")[0]) + hostile + frame(foreign(LAST)[0]))
    found = list(read_captures(path, 0, LIMITS))
    assert [one.reason for one in found if isinstance(one, Rejected)] == [outcome]
    assert [one.page.url for one in found if isinstance(one, Capture)][-1] == LAST


@pytest.mark.timeout(60)
def test_a_file_of_nothing_but_beginnings_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "hostile.warc.zst"
    path.write_bytes(frame(b"") + (b"\x28\xb5\x2f\xfd\x20\x05" + bytes(3) * 5_000) * 1_500)
    assert all(isinstance(one, Rejected) for one in read_captures(path, 0, LIMITS))


@pytest.mark.parametrize("lengths", [(2**31, 2**31), (0, 0), (10**6, 10), (12, 0)])
def test_an_index_that_lies_is_none(compact: Path, lengths: tuple[int, int]) -> None:
    data = compact.read_bytes()
    compact.write_bytes(data[: -FOOTER.size] + FOOTER.pack(*lengths, b"newscorp"))
    assert closing_of(compact) is None
    assert len(pages(compact)) == PAGES


def test_a_damaged_file_is_not_compacted(written: Path, tmp_path: Path) -> None:
    path, data = tmp_path / "000001.warc.gz", bytearray(written.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with (tmp_path / "new").open("wb") as file, pytest.raises(ArchiveError, match=r"offset \d+: damaged .*stays as"):
        write_compact(path, file)


def test_a_few_pages_are_compacted_without_a_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "000001.warc.gz"
    path.write_bytes(encode_info(path.name, "newscorpus/0") + encode(*exchange(1), 10**6))
    before = pages(path)
    with (tmp_path / "000001.warc.zst").open("wb") as file:
        write_compact(path, file)
    path.unlink()
    assert (tmp_path / "000001.warc.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert pages(path) == before
