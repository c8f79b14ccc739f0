"""Other people's tools work with our archives: pywb replays one, and `crawl cdx` takes articles from pywb."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from prose import article, paragraphs
from scrapies import scrapy

from newscorpus.corpus.published import open_corpus
from newscorpus.data import Page
from newscorpus.store.archive.values import Capture, Exchange
from newscorpus.store.archive.write import ArchiveWriter, encode

pytestmark = pytest.mark.slow

PYWB = Path(sys.executable).parents[1] / "pywb" / "bin"
"""The environment that `make test-all` makes."""
SITE = "https://vesti.example"
STORY, CHANGED = f"{SITE}/2024/05/06/story-of-the-day", f"{SITE}/2024/05/07/story-that-changed"
STAMP = "20240520101112"
PORTAL = f'name = "vesti"\nlanguages = ["en"]\ndomains = ["vesti.example"]\nstart = ["{SITE}/"]\n'
HTML = {"content-type": "text/html; charset=utf-8"}


@pytest.fixture
def pywb(tmp_path: Path) -> Iterator[str]:
    """The address of a collection that holds an archive of two articles, one of them handed on as other bytes."""
    if not (PYWB / "wayback").is_file():
        pytest.skip("pywb is not installed; `make test-all` installs it")
    with ArchiveWriter(tmp_path / "crawled", 10**9, "newscorpus/0") as writer:
        for url, handed_on in ((STORY, article(STORY)), (CHANGED, "<p>rendered</p>")):
            exchange = Exchange(url, "2024-05-20T10:11:12Z", 200, tuple(HTML.items()), article(url).encode())
            page = Page(url, handed_on.encode(), HTML, "2024-05-20T10:11:12+00:00")
            writer.append(encode(exchange, Capture(page), 10**7))
    for command in (["init", "vesti"], ["add", "vesti", "crawled/archive/000001.warc.gz"]):
        subprocess.run([PYWB / "wb-manager", *command], cwd=tmp_path, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [str(PYWB / "wayback"), "--bind", "127.0.0.1", "--port", port]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}/vesti"
        finally:
            server.terminate()


def wait_for(port: str) -> None:
    for _ in range(300):
        with suppress(OSError), socket.create_connection(("127.0.0.1", int(port))):
            return
        time.sleep(0.1)
    pytest.fail("pywb does not answer")


@pytest.mark.parametrize("url", [STORY, CHANGED])
def test_pywb_shows_the_response_of_each_page(pywb: str, url: str) -> None:
    with urllib.request.urlopen(f"{pywb}/{STAMP}id_/{url}") as answer:
        assert answer.read().decode() == article(url)
    with urllib.request.urlopen(f"{pywb}/{STAMP}mp_/{url}") as answer:
        assert f"<h1>News of {url}</h1>" in answer.read().decode()


def test_a_crawl_takes_the_articles_of_an_archive_from_pywb(pywb: str, tmp_path: Path) -> None:
    (tmp_path / "portals").mkdir()
    (tmp_path / "portals" / "vesti.toml").write_text(PORTAL)
    arguments = ["portal=vesti", f"index={pywb}/cdx", f"captures={pywb}/{{time}}id_/{{url}}"]
    settings = ["NEWSCORPUS_PROFILE=off", "NEWSCORPUS_WORKERS=0", "DOWNLOAD_DELAY=0", "NEWSCORPUS_CORPUS=corpus"]
    options = [f"-{letter}{word}" for letter, words in (("a", arguments), ("s", settings)) for word in words]
    done = scrapy(tmp_path, "crawl", "cdx", *options)
    assert done.exit_code == 0, done.output
    records = {record.url: record for record in open_corpus(tmp_path / "corpus").records()}
    assert {url: record.text for url, record in records.items()} == {
        url: "\n".join(paragraphs(url)) for url in (STORY, CHANGED)
    }
    assert {record.capture.time for record in records.values()} == {"2024-05-20T10:11:12+00:00"}
