"""Captures of a portal come from somebody else's web archive, with its name and their time in the record."""

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from prose import article

from newscorpus.corpus.published import open_corpus
from newscorpus.crawl.ledger.store import reading

SITE = "https://vesti.example"
STORY, OTHER, LATER = (
    f"{SITE}/{name}" for name in ("2024/05/06/story-of-the-day", "story-of-1", "2025/01/01/a-later-one")
)
FILE = "crawl-data/CC-MAIN-2024-22/segments/1/warc/CC-MAIN-1-00000.warc.gz"
STAMPS = {STORY: "20240520101112", OTHER: "20240521000000", LATER: "20250102000000"}
PORTAL = 'name = "vesti"\nlanguages = ["en"]\ndomains = ["vesti.example"]\nstart = ["https://vesti.example/"]\n'

HERE = ("-a", "index=http://127.0.0.1:1/x", "-a", "captures=http://127.0.0.1:1/{file}")
"""Arguments of an archive on this machine, where nothing listens."""


def warc() -> tuple[bytes, dict[str, tuple[int, int]]]:
    """A WARC file, and where each record lies."""
    file, places = b"", {}
    for url, stamp in STAMPS.items():
        body = article(url).encode()
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
        date = re.sub(r"(....)(..)(..)(..)(..)(..)", r"\1-\2-\3T\4:\5:\6Z", stamp)
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid4()}>\r\nWARC-Date: {date}\r\n"
            f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http)}\r\n\r\n"
        )
        record = gzip.compress(head.encode() + http + b"\r\n\r\n")
        places[url] = len(file), len(record)
        file += record
    return file, places


WARC, PLACES = warc()


class Handler(BaseHTTPRequestHandler):
    """Answers as a CDX server of either kind, as a server of files, and as one that plays pages back."""

    server: "CdxServer"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("User-Agent", "")))
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path.endswith("-index"):
            ours = self.server.plays_back
            body = (_count(ours) if "showNumPages" in query else _index(int(query["page"][0]), ours)).encode()
            self.answer(200, body, "text/plain")
        elif path.startswith("/data/") and (span := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))):
            self.answer(206, WARC[int(span[1]) : int(span[2]) + 1], "application/gzip")
        elif path.startswith("/web/"):
            self.answer(200, article(self.path.partition("id_/")[2]).encode(), "text/html; charset=utf-8")
        else:
            self.answer(404, b"", "text/plain")

    def answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name in the base class
        """The log is kept by the server."""


class CdxServer(ThreadingHTTPServer):
    """An archive that was never built for us, and what was asked of it."""

    daemon_threads = True

    def __init__(self, *, plays_back: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plays_back = plays_back
        self.asked: list[tuple[str, str]] = []
        self.base = f"http://127.0.0.1:{self.server_port}"


def _count(plays_back: bool) -> str:
    return "2\n" if plays_back else '{"pages": 2, "pageSize": 5, "blocks": 9}'


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
    with CdxServer(plays_back=request.param) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def crawl(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "portals").mkdir(exist_ok=True)
    (folder / "portals" / "vesti.toml").write_text(PORTAL)
    command = [sys.executable, "-m", "scrapy", "crawl", "cdx", "-a", "portal=vesti", *arguments]
    settings = (
        "-s",
        "NEWSCORPUS_PROFILE=off",
        "-s",
        "DOWNLOAD_DELAY=0.05",
        "-s",
        f"NEWSCORPUS_CORPUS={folder / 'corpus'}",
    )
    return subprocess.run(
        [*command, *settings],
        cwd=folder, env=os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.timeout(300)
def test_captures_become_records_that_name_archive_and_time(server: CdxServer, tmp_path: Path) -> None:
    where = "/web/{time}id_/{url}" if server.plays_back else "/data/{file}"
    arguments = ("-a", f"index={server.base}/CC-MAIN-2024-22-index", "-a", f"captures={server.base}{where}")
    done = crawl(tmp_path, *arguments, "-a", "since=2024-01-01", "-a", "until=2024-12-31")
    assert done.returncode == 0, done.stdout + done.stderr
    records = {record.url: record for record in open_corpus(tmp_path / "corpus").records()}
    assert records.keys() == {STORY, OTHER}
    story = records[STORY]
    assert story.source == "vesti"
    assert story.capture.source == ("127.0.0.1" if server.plays_back else "CC-MAIN-2024-22")
    assert story.capture.time == story.fetched == "2024-05-20T10:11:12+00:00"
    assert story.text == open_text(STORY)
    captures = [path for path, _ in server.asked if path.startswith(("/data/", "/web/"))]
    assert len(captures) == 2
    assert all("from=20240101" in path for path, _ in server.asked if "-index" in path)
    assert {agent for _, agent in server.asked} == {"newscorpus/0.1.0"}
    n_asked = len(server.asked)
    assert crawl(tmp_path, *arguments, "-a", "since=2024-01-01", "-a", "until=2024-12-31").returncode == 0
    assert len(server.asked) == n_asked, "the ledger knows the index and the captures"
    with reading(tmp_path / "corpus") as ledger:
        assert ledger.execute("SELECT count(*) FROM urls WHERE reason = 'kept'").fetchone()[0] == 2


def open_text(seed: str) -> str:
    """The text of an article of the archive."""
    return "\n".join(re.findall(r"<p>(.*?)</p>", article(seed)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "argument 'index' is missing; usage: scrapy crawl cdx"),
        (["-a", "index=http://127.0.0.1:1/x"], "argument 'captures' is missing"),
        (
            ["-a", "index=http://127.0.0.1:1/x", "-a", "captures=http://127.0.0.1:1/{time}"],
            "expected {file}, or {time}",
        ),
        (
            ["-a", "index=https://index.example/x", "-a", "captures=https://data.example/{file}"],
            "setting NEWSCORPUS_CONTACT is empty",
        ),
        ([*HERE, "-s", "NEWSCORPUS_CONTACT=me"], "expected a mail address or the URL of a page"),
        ([*HERE, "-s", "USER_AGENT=Mozilla/5.0"], "newscorpus says who asks, always"),
    ],
)
def test_wrong_arguments_are_said_in_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = crawl(tmp_path, *arguments, "-s", "LOG_LEVEL=ERROR")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
