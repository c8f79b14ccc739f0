"""Captures of a portal come from somebody else's web archive, with its name and their time in the record."""

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from newscorpus.spiders.cdx import CdxSpider
from prose import article, paragraphs
from scrapies import scrapy
from scrapy.crawler import Crawler
from serving import Handler as BaseHandler
from serving import Site

import newscorpus.settings
from newscorpus.corpus.published import open_corpus
from newscorpus.errors import CrawlError
from newscorpus.store.ledger.database import reading

SITE = "https://vesti.example"
STORY, OTHER, LATER = (
    f"{SITE}/{name}" for name in ("2024/05/06/story-of-the-day", "story-of-1", "2025/01/01/a-later-one")
)
FILE = "crawl-data/CC-MAIN-2024-22/segments/1/warc/CC-MAIN-1-00000.warc.gz"
STAMPS = {STORY: "20240520101112", OTHER: "20240521000000", LATER: "20250102000000"}
PORTAL = 'name = "vesti"\nlanguages = ["en"]\ndomains = ["vesti.example"]\nstart = ["https://vesti.example/"]\n'


def record_of(url: str, stamp: str, body: bytes = b"", kind: str = "text/html; charset=utf-8") -> bytes:
    """A record of a WARC file: a capture of an article, unless another body is given."""
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + (body or article(url).encode())
    date = re.sub(r"(....)(..)(..)(..)(..)(..)", r"\1-\2-\3T\4:\5:\6Z", stamp)
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid4()}>\r\nWARC-Date: {date}\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n")


def warc() -> tuple[bytes, dict[str, tuple[int, int]]]:
    """A WARC file, and where each record lies."""
    file, places = b"", {}
    for url, stamp in STAMPS.items():
        record = record_of(url, stamp)
        places[url] = len(file), len(record)
        file += record
    return file, places


WARC, PLACES = warc()


class Handler(BaseHandler):  # type: ignore[misc]
    """Answers as a CDX server of either kind, as a server of files, and as one that plays pages back."""

    protocol_version = "HTTP/1.0"
    server: "CdxServer"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("User-Agent", "")))
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path.endswith("-index"):
            ours = self.server.plays_back
            count = "2\n" if ours else '{"pages": 2, "pageSize": 5, "blocks": 9}'
            body = count if "showNumPages" in query else _index(int(query["page"][0]), ours)
            self.answer(body, content_type="text/plain")
        elif path.startswith("/data/") and (span := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))):
            first, last = map(int, span.groups())
            self.server.on_part(first)
            file = self.server.files[path.removeprefix("/data/")]
            part = f"bytes {first}-{last}/{len(file)}"
            self.answer(file[first : last + 1], self.server.part_status, "application/gzip", Content_Range=part)
        elif path.startswith("/lists/"):
            self.answer(gzip.compress("\n".join(["../up.warc", *self.server.files]).encode()))
        elif path == "/robots.txt":  # speaks of the archive, not of the pages in it
            self.answer("License: https://archive.example/license.xml\n", content_type="text/plain")
        elif path.startswith("/web/"):
            self.answer(article(self.path.partition("id_/")[2]))
        else:
            self.answer("", 404)


class CdxServer(Site):  # type: ignore[misc]
    """An archive that was never built for us, and what was asked of it."""

    def __init__(self, *, plays_back: bool) -> None:
        super().__init__(Handler)
        self.plays_back = plays_back
        self.files = {FILE: WARC}
        self.part_status = 206
        self.on_part: Callable[[int], object] = lambda _first: None
        self.asked: list[tuple[str, str]] = []


def _index(page: int, plays_back: bool) -> str:
    """A page of the index: what others would be there, and a second capture of the first article."""
    urls = (
        [STORY, f"{SITE}/picture.jpg", f"{SITE}/gone-story-of-7", f"{SITE}/sport/"]
        if page == 0
        else [STORY, OTHER, LATER]
    )
    rows = [
        {
            "urlkey": "k",
            "timestamp": STAMPS.get(url, "20240601000000") if not (page and url == STORY) else "20240701000000",
            "url": url,
            "mime": "image/jpeg" if url.endswith("jpg") else "text/html",
            "status": "404" if "gone" in url else "200",
            "filename": FILE,
            "offset": str(PLACES.get(url, (0, 0))[0]),
            "length": str(PLACES.get(url, (0, 0))[1]),
        }
        for url in urls
    ]
    if not plays_back:
        return "\n".join([*map(json.dumps, rows), "{broken"])
    names = ["urlkey", "timestamp", "original", "mimetype", "statuscode"]
    lists = [[row["urlkey"], row["timestamp"], row["url"], row["mime"], row["status"]] for row in rows]
    return "[" + ",\n".join(map(json.dumps, [names, *lists])) + "]"


@pytest.fixture(params=[False, True], ids=["files", "playback"])
def server(request: Any) -> Iterator[CdxServer]:
    with (server := CdxServer(plays_back=request.param)).served():
        yield server


def options(folder: Path, *arguments: str) -> tuple[str, ...]:
    """Arguments of a crawl into a folder."""
    (folder / "portals").mkdir(exist_ok=True)
    (folder / "portals" / "vesti.toml").write_text(PORTAL)
    settings = ("NEWSCORPUS_PROFILE=off", "NEWSCORPUS_WORKERS=0", "DOWNLOAD_DELAY=0.05", "NEWSCORPUS_CORPUS=corpus")
    return ("crawl", "cdx", "-a", "portal=vesti", *(f"-s{setting}" for setting in settings), *arguments)


def crawl(folder: Path, *arguments: str) -> Any:
    return scrapy(folder, *options(folder, *arguments))


@pytest.mark.timeout(300)
def test_captures_become_records_that_name_archive_and_time(server: CdxServer, tmp_path: Path) -> None:
    where = "/web/{time}id_/{url}" if server.plays_back else "/data/{file}"
    arguments = ("-a", f"index={server.base}/CC-MAIN-2024-22-index", "-a", f"captures={server.base}{where}")
    done = crawl(tmp_path, *arguments, "-a", "since=2024-01-01", "-a", "until=2024-12-31")
    assert done.exit_code == 0, done.output
    records = {record.url: record for record in open_corpus(tmp_path / "corpus").records()}
    assert records.keys() == {STORY, OTHER}
    story = records[STORY]
    assert story.source == "vesti"
    assert story.capture.source == ("127.0.0.1" if server.plays_back else "CC-MAIN-2024-22")
    assert story.capture.time == story.fetched == "2024-05-20T10:11:12+00:00"
    assert story.rights.rsl == ""
    assert story.text == "\n".join(paragraphs(STORY))
    captures = [path for path, _ in server.asked if path.startswith(("/data/", "/web/"))]
    assert len(captures) == 2
    assert all("from=20240101" in path for path, _ in server.asked if "-index" in path)
    assert {agent for _, agent in server.asked} == {"newscorpus/0.1.0"}
    n_asked = len(server.asked)
    assert crawl(tmp_path, *arguments, "-a", "since=2024-01-01", "-a", "until=2024-12-31").exit_code == 0
    assert len(server.asked) == n_asked, "the ledger knows the index and the captures"
    with reading(tmp_path / "corpus") as ledger:
        assert ledger.execute("SELECT count(*) FROM urls WHERE reason = 'kept'").fetchone()[0] == 2


NEWS = "crawl-data/CC-NEWS/2024/05/CC-NEWS-{}-00001.warc.gz"


@pytest.fixture
def news() -> Iterator[CdxServer]:
    """A server of files like CC-NEWS: the second one begins as long as two blocks without a page of the portal."""
    noise = random.Random(1)
    fill = [record_of(f"https://other.example/{n}.jpg", "1", noise.randbytes(2**20), "image/jpeg") for n in range(17)]
    first = [record_of(STORY, STAMPS[STORY]), record_of(f"{SITE}/gone", "1", b"x", "text/plain")]
    files = {
        NEWS.format("20240520093000"): b"".join([*first, *fill, record_of(OTHER, STAMPS[OTHER])]),
        NEWS.format("20240531220000"): record_of(LATER, STAMPS[LATER]) + record_of("https://other.example/a-b-c", "1"),
        NEWS.format("20240401000000"): record_of(f"{SITE}/not-of-may", STAMPS[STORY]),
    }
    with (server := CdxServer(plays_back=False)).served():
        server.files = files
        yield server


def news_arguments(server: CdxServer, *files: str) -> tuple[str, ...]:
    files = files or (f"{server.base}/lists/{{year}}/{{month:02}}/warc.paths.gz",)
    where = ("-a", f"list={files[0]}", "-a", f"captures={server.base}/data/{{file}}")
    return (*where, "-a", "since=2024-05-02", "-a", "until=2024-05-31")


@pytest.mark.timeout(300)
def test_the_files_of_a_list_are_read_in_parts_for_the_articles_of_a_portal(news: CdxServer, tmp_path: Path) -> None:
    done = crawl(tmp_path, *news_arguments(news))
    assert done.exit_code == 0, done.output
    records = {record.url: record for record in open_corpus(tmp_path / "corpus").records()}
    assert records.keys() == {STORY, OTHER}
    assert {record.capture.source for record in records.values()} == {"CC-NEWS"}
    assert records[STORY].capture.time == records[STORY].fetched == "2024-05-20T10:11:12+00:00"
    assert records[OTHER].text == "\n".join(paragraphs(OTHER))
    asked = [path for path, _ in news.asked]
    assert [path for path in asked if "/lists/" in path] == ["/lists/2024/05/warc.paths.gz"]
    assert sum("20240520" in path for path in asked) == 2, "in blocks"
    assert not any("20240401" in path or "up.warc" in path for path in asked)
    rejected = (tmp_path / "corpus" / "rejected.jsonl").read_text()
    assert f"{SITE}/gone" in rejected
    assert "other.example" not in rejected
    assert crawl(tmp_path, *news_arguments(news)).exit_code == 0
    assert [path for path, _ in news.asked] == asked, "the ledger knows lists and blocks"


@pytest.mark.timeout(300)
def test_a_crawl_of_files_goes_on_with_the_block_at_which_it_was_killed(news: CdxServer, tmp_path: Path) -> None:
    (tmp_path / "paths").write_text("\n".join(news.files))
    arguments = news_arguments(news, str(tmp_path / "paths"))
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"}
    command = [sys.executable, "-m", "scrapy", *options(tmp_path, *arguments)]
    with subprocess.Popen(command, cwd=tmp_path, env=environment) as process:
        news.on_part = lambda first: os.kill(process.pid, signal.SIGKILL) if first else None
        process.wait(300)
    news.on_part = lambda _first: None
    assert process.returncode == -signal.SIGKILL
    assert crawl(tmp_path, *arguments).exit_code == 0
    assert {record.url for record in open_corpus(tmp_path / "corpus").records()} == {STORY, OTHER}
    assert sum("bytes=0-" in path for path, _ in news.asked) == 2, "what was read is not read again"


@pytest.mark.timeout(300)
def test_a_server_that_gives_no_parts_is_not_asked_for_whole_files(news: CdxServer, tmp_path: Path) -> None:
    news.part_status = 200
    done = crawl(tmp_path, *news_arguments(news))
    assert done.exit_code == 1
    assert "the server gives no parts of files" in (tmp_path / "corpus" / "rejected.jsonl").read_text()
    assert "Traceback" not in done.output


@pytest.mark.timeout(300)
def test_a_block_that_failed_is_asked_for_by_the_next_crawl(news: CdxServer, tmp_path: Path) -> None:
    news.part_status = 500
    assert crawl(tmp_path, *news_arguments(news), "-s", "RETRY_TIMES=0").exit_code == 1
    news.part_status = 206
    assert crawl(tmp_path, *news_arguments(news)).exit_code == 0
    assert {record.url for record in open_corpus(tmp_path / "corpus").records()} == {STORY, OTHER}


HERE = "http://127.0.0.1:1/"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "^one of the arguments 'index' and 'list' is needed; usage: scrapy crawl cdx"),
        ({"list": "no-such", "captures": HERE + "{file}"}, "^argument 'list': no-such: no such file"),
        ({"list": HERE + "{year}", "captures": HERE + "{file}"}, "name the first day by -a since=YYYY-MM-DD"),
        ({"list": HERE + "{years}", "captures": HERE + "{file}"}, "^argument 'list': {years} is not known"),
        ({"index": HERE}, "^argument 'captures' is missing"),
        ({"index": HERE, "captures": HERE + "{time}"}, "expected {file}, or {time}"),
        ({"index": "https://a.example/x", "captures": HERE + "{file}"}, "^setting NEWSCORPUS_CONTACT is empty"),
    ],
)
def test_wrong_arguments_are_refused(given: dict[str, str], message: str) -> None:
    settings = {name: value for name, value in vars(newscorpus.settings).items() if name.isupper()}
    with pytest.raises(CrawlError, match=message):
        CdxSpider.from_crawler(Crawler(CdxSpider, settings), **given)


def test_an_agent_that_hides_who_asks_is_refused(tmp_path: Path) -> None:
    arguments = ("-a", f"index={HERE}", "-a", f"captures={HERE}{{file}}", "-s", "USER_AGENT=Mozilla/5.0")
    done = crawl(tmp_path, *arguments, "-s", "LOG_LEVEL=ERROR")
    assert (done.exit_code, "newscorpus says who asks, always" in done.output) == (2, True)
