import gzip
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from dying import full_disk
from warcio.archiveiterator import ArchiveIterator

from newscorpus.config import Limits
from newscorpus.data import Evidence, Page, Rejected
from newscorpus.store.archive.overwrite import addresses, read_groups
from newscorpus.store.archive.read import read_capture, read_captures
from newscorpus.store.archive.records import read_records
from newscorpus.store.archive.values import ArchiveError, Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode

MAX_BYTES = Limits().max_bytes
URL = "https://news.example/story-1?a=b"
BODY = "<html><body><p>Žluťoučký kůň</p></body></html>".encode()
HEADERS = {"content-type": "text/html", "x-robots-tag": "noai, noindex", "content-length": str(len(BODY))}
EVIDENCE = (Evidence("title", "A story", "feed"), Evidence("authors", "Ada", "feed"))
PAGE = Page(URL, BODY, HEADERS, "2026-11-20T08:00:00+00:00", EVIDENCE)
ORIGIN = Origin("vesti", ("sr",), {"text": ("div.a",)}, "https://news.example/feed.xml", 2, ("http://news.example/s",))
CAPTURE = Capture(PAGE, origin=ORIGIN)
EXCHANGE = Exchange(
    url=URL,
    date="2026-11-20T08:00:00.123456Z",
    status=200,
    headers=(
        ("Content-Type", "text/html"),
        ("X-Robots-Tag", "noai"),
        ("X-Robots-Tag", "noindex"),
        ("Set-Cookie", "who=you"),
    ),
    body=BODY,
    request_headers=(("User-Agent", "newscorpus/0"), ("Cookie", "who=you")),
    ip="192.0.2.1",
)


def archived(folder: Path, *pairs: tuple[Exchange, Capture | None], max_bytes: int = 10**9) -> list[Path]:
    with ArchiveWriter(folder, max_bytes, "newscorpus/0") as writer:
        for exchange, capture in pairs:
            writer.append(encode(exchange, capture, MAX_BYTES))
    return sorted((folder / "archive").iterdir())


def read(folder: Path) -> list[Capture | Rejected]:
    return [found for path in sorted((folder / "archive").iterdir()) for found in read_captures(path)]


def kinds(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [record.rec_type for record in ArchiveIterator(file)]


def test_a_page_comes_back_with_all_that_was_known_of_it_and_nothing_personal(tmp_path: Path) -> None:
    (path,) = archived(tmp_path, (EXCHANGE, CAPTURE))
    assert b"who=you" not in gzip.decompress(path.read_bytes())
    (found,) = read(tmp_path)
    assert isinstance(found, Capture)
    assert replace(found, place=None) == CAPTURE
    assert kinds(path) == ["warcinfo", "response", "request", "metadata"]


def test_a_page_that_differs_from_its_response_has_a_record_of_its_own(tmp_path: Path) -> None:
    headers = {"content-type": "text/html; charset=utf-8"}
    changed = replace(CAPTURE, page=replace(PAGE, body=b"<p>joined</p>", headers=headers))
    (path,) = archived(tmp_path, (EXCHANGE, changed))
    with path.open("rb") as file:
        targets = {
            record.rec_type: record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(file)
        }
    own = f"urn:newscorpus:{URL}"
    assert targets == {"warcinfo": None, "response": URL, "request": URL, "resource": own, "metadata": own}
    ((_, group),) = read_groups(path)
    assert addresses(group) == {URL}
    (found,) = read(tmp_path)
    assert isinstance(found, Capture)
    assert found.page == changed.page


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(BODY, mtime=0)),
        ("br", brotli.compress(BODY)),
        ("zstd", zstandard.compress(BODY)),
        ("br, gzip", gzip.compress(brotli.compress(BODY), mtime=0)),
    ],
)
def test_the_body_is_kept_as_it_came(tmp_path: Path, encoding: str, packed: bytes) -> None:
    exchange = replace(EXCHANGE, headers=(*EXCHANGE.headers, ("Content-Encoding", encoding)), body=packed)
    (path,) = archived(tmp_path, (exchange, CAPTURE))
    (found,) = read(tmp_path)
    assert isinstance(found, Capture)
    assert found.page.body == BODY
    assert "content-encoding" not in found.page.headers
    with path.open("rb") as file:
        bodies = [record.raw_stream.read() for record in ArchiveIterator(file) if record.rec_type == "response"]
    assert bodies == [packed]


def test_the_checker_of_warcio_is_content(tmp_path: Path) -> None:
    (path,) = archived(tmp_path, (EXCHANGE, CAPTURE), (EXCHANGE, None))
    done = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", "-v", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("digest pass") == 6


def test_responses_that_gave_no_page_are_passed_over(tmp_path: Path) -> None:
    archived(tmp_path, (EXCHANGE, None), (EXCHANGE, CAPTURE), (replace(EXCHANGE, status=404), None))
    assert len(read(tmp_path)) == 1


def test_the_further_pages_of_an_article_are_kept(tmp_path: Path) -> None:
    following = (Page(URL + "&page=2", b"<p>two</p>", {"content-type": "text/html"}, "2026-11-20T08:00:09+00:00"),)
    archived(tmp_path, (EXCHANGE, replace(CAPTURE, following=following)))
    (found,) = read(tmp_path)
    assert isinstance(found, Capture)
    assert (found.page, found.following) == (PAGE, following)


def test_files_are_bounded_and_pages_found_by_place(tmp_path: Path) -> None:
    assert len(archived(tmp_path, *[(EXCHANGE, CAPTURE)] * 4, max_bytes=2_000)) > 1
    for found in read(tmp_path):
        assert isinstance(found, Capture)
        assert found.place is not None
        again = read_capture(Path(found.place.file), found.place.offset)
        assert again == found


def test_a_place_is_that_of_the_reader(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, 10**9, "newscorpus/0") as writer:
        places = [writer.append(encode(EXCHANGE, CAPTURE, MAX_BYTES)) for _ in range(2)]
        lengths = writer.lengths()
    found = [one.place for one in read(tmp_path) if isinstance(one, Capture) and one.place]
    assert [replace(one, file="archive/000001.warc.gz") for one in found] == places
    assert lengths == {"archive/000001.warc.gz": found[-1].offset + found[-1].length}
    with pytest.raises(ArchiveError, match="no page at offset"):
        read_capture(Path(found[0].file), found[-1].offset + found[-1].length)


def test_a_response_before_damage_is_not_joined_with_the_page_behind_it(tmp_path: Path) -> None:
    (path,) = archived(tmp_path, (EXCHANGE, CAPTURE), (EXCHANGE, CAPTURE))
    _, first, request, _, second, after, _ = [record.place.offset for record in read_records(path, MAX_BYTES)]
    assert first < request < second < after
    data = bytearray(path.read_bytes())
    data[request:after] = bytes(after - request)
    path.write_bytes(data)
    assert [type(found) for found in read(tmp_path)] == [Rejected]


def test_a_later_writer_goes_on_in_the_last_file(tmp_path: Path) -> None:
    archived(tmp_path, (EXCHANGE, CAPTURE))
    (path,) = archived(tmp_path, (EXCHANGE, CAPTURE))
    assert kinds(path).count("warcinfo") == 1
    assert len(read(tmp_path)) == 2


def test_a_torn_page_is_counted_and_the_next_run_goes_on_after_it(tmp_path: Path) -> None:
    (path,) = archived(tmp_path, (EXCHANGE, CAPTURE), (EXCHANGE, CAPTURE))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 20)
    archived(tmp_path, (EXCHANGE, CAPTURE))
    kinds_found = [found.reason if isinstance(found, Rejected) else "page" for found in read(tmp_path)]
    assert kinds_found == ["page", "broken_record", "page"]


def test_a_failed_write_leaves_whole_records(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, 10**9, "newscorpus/0") as writer:
        writer.append(encode(EXCHANGE, CAPTURE, MAX_BYTES))
        (length,) = writer.lengths().values()
        with full_disk(length + 100), pytest.raises(OSError, match="File too large"):
            writer.append(encode(EXCHANGE, CAPTURE, MAX_BYTES))
        assert (tmp_path / "archive" / "000001.warc.gz").stat().st_size == length
        writer.append(encode(EXCHANGE, CAPTURE, MAX_BYTES))
    assert len(read(tmp_path)) == 2


def test_a_file_that_could_not_be_begun_is_begun_by_the_next_write(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, 1_000, "newscorpus/0") as writer:
        writer.append(encode(EXCHANGE, CAPTURE, MAX_BYTES))
        for _ in range(2):
            with full_disk(100), pytest.raises(OSError, match="File too large"):
                writer.append(encode(EXCHANGE, CAPTURE, MAX_BYTES))
        assert writer.append(encode(EXCHANGE, CAPTURE, MAX_BYTES)).file == "archive/000002.warc.gz"
    assert len(read(tmp_path)) == 2
