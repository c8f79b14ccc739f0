"""A crawl archives what it fetched, and its archive becomes the same corpus again, without the network."""

import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from newscorpus.spiders.warc import PART_RECORDS, read_part, read_warc_arguments
from prose import article
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from newscorpus.errors import CrawlError
from newscorpus.lines import complete_lines
from newscorpus.page.rows import unpacked
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.values import Capture

PAGES = (
    *(f"/news/story-of-the-day-{number}.html" for number in range(10001, 10004)),
    "/news/gzip-story-10083.html",
    "/news/wrong-charset-story-10086.html",
    "/news/moved-away-10060.html",
    "/news/gone-story-10092.html",
)

OFFLINE = """
import os, sys
def watch(event, arguments):
    is_local = event == "socket.connect" and isinstance(arguments[1], (str, bytes))  # of the workers
    if not is_local and event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        sys.stderr.write("asked the network\\n"); sys.stderr.flush(); os._exit(99)
sys.addaudithook(watch)
from scrapy.cmdline import execute
execute(["scrapy", "crawl", "warc", *sys.argv[1:]])
"""


@pytest.fixture(scope="module")
def crawled(crawl: Callable[..., Any], shared_mock_site: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("crawl")
    (folder / "urls.txt").write_text("\n".join(shared_mock_site.base + path for path in PAGES))
    base = f"base={shared_mock_site.base}"
    return crawl(
        folder, "-a", "portal=mock", "-a", base, "-a", "urls=urls.txt", "-s", "NEWSCORPUS_ARCHIVE_FILE_BYTES=9000"
    )


def offline(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `scrapy crawl warc` in a process that dies when it asks the network."""
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"}
    return subprocess.run(
        [sys.executable, "-c", OFFLINE, *arguments, "-s", f"NEWSCORPUS_CORPUS={folder / 'corpus'}"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def archive(crawled: Any) -> list[Path]:
    return sorted((crawled.corpus / "archive").iterdir())


def rows(corpus: Path) -> list[bytes]:
    return sorted(
        text
        for path in (corpus / "intake").iterdir()
        for _, line in complete_lines(path)
        if b'"record"' in (text := unpacked(line))
    )


def test_every_response_is_archived_with_its_request(crawled: Any, shared_mock_site: Any) -> None:
    assert crawled.exit_code == 0, crawled.output
    assert len(archive(crawled)) > 1
    kinds: dict[str, list[str]] = {"response": [], "request": []}
    for path in archive(crawled):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in kinds:
                    address = record.rec_headers.get_header("WARC-Target-URI")
                    kinds[record.rec_type].append(address.removeprefix(shared_mock_site.base))
    assert kinds["request"] == kinds["response"]
    assert Counter(kinds["response"]) == shared_mock_site.asked()


def test_the_archive_says_how_a_page_was_come_by(crawled: Any, shared_mock_site: Any) -> None:
    captures = [found for path in archive(crawled) for found in read_captures(path) if isinstance(found, Capture)]
    (moved,) = [found for found in captures if "moved-here" in found.page.url]
    assert moved.origin is not None
    assert (moved.origin.source, moved.origin.languages) == ("mock", ("en",))
    assert moved.origin.redirects == (f"{shared_mock_site.base}/news/moved-away-10060.html",)
    assert len(captures) == len(PAGES) - 1


def test_the_archive_gives_the_same_rows_without_the_network(crawled: Any, tmp_path: Path) -> None:
    done = offline(tmp_path, "-a", f"files={crawled.corpus}/archive/*")
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "corpus") == rows(crawled.corpus)
    assert len(rows(tmp_path / "corpus")) == len(PAGES) - 1
    published = [(corpus / "corpus" / "manifest.json").read_text() for corpus in (tmp_path / "corpus", crawled.corpus)]
    digests = [[shard["sha256"] for shard in json.loads(text)["shards"]] for text in published]
    assert digests[0] == digests[1]


def foreign(path: Path, *blocks: bytes) -> None:
    with path.open("wb") as file:
        writer = WARCWriter(file)
        writer.write_record(writer.create_warcinfo_record(path.name, {"isPartOf": "The Archive"}))
        for number, block in enumerate(blocks):
            url = f"https://www.news.example/{number}"
            writer.write_record(writer.create_warc_record(url, "response", io.BytesIO(block), len(block)))


def test_warcs_of_others(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    foreign(
        tmp_path / "cc-news.warc.gz",
        *(head + article(f"story {number}").encode() for number in range(3)),
        b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\ngone",
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\npng",
    )
    (tmp_path / "portals").mkdir()
    (tmp_path / "portals" / "news.toml").write_text(
        'name = "news"\nlanguages = ["en"]\ndomains = ["news.example"]\nstart = ["https://news.example/"]\n'
        '[template]\ntext = ["p"]\n'
    )
    done = offline(tmp_path, "-a", "files=cc-news.warc.gz", "-a", "portal=news")
    assert done.returncode == 0, done.stderr
    records = [json.loads(row)["record"] for row in rows(tmp_path / "corpus")]
    assert [(one["source"], one["extractor"].partition("@")[0]) for one in records] == [("news", "template:news")] * 3
    assert all(one["capture"] == {"source": "The Archive", "time": one["fetched"]} for one in records)
    assert {one["provenance"]["text"] for one in records} == {"template"}
    lines = (tmp_path / "corpus" / "rejected.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["reason"] for line in lines) == ["http_404", "not_html"]


def test_parts_of_a_file_are_bounded_and_cover_it(tmp_path: Path) -> None:
    path = tmp_path / "gone.warc.gz"
    foreign(path, *[b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\ngone"] * (2 * PART_RECORDS + 3))
    sizes, offset = [], 0
    while True:
        part, offset = read_part(path, offset)
        sizes.append(len(part))
        if not offset:
            break
    assert sizes == [PART_RECORDS, PART_RECORDS, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "^argument 'files' is missing; usage: "),
        ({"files": "none.warc.gz"}, "^argument 'files': none.warc.gz: no such file"),
        ({"files": __file__, "url": "x"}, "^unknown argument 'url'; known: files, portal, fresh"),
    ],
)
def test_wrong_arguments(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(CrawlError, match=message):
        read_warc_arguments(arguments)


def test_patterns_of_files_are_sorted_and_each_is_read_once(tmp_path: Path) -> None:
    for name in ("b.warc", "a.warc", "c.txt"):
        (tmp_path / name).touch()
    files, _ = read_warc_arguments({"files": f"{tmp_path}/*.warc, {tmp_path}/a.warc"})
    assert [path.name for path in files] == ["a.warc", "b.warc"]
