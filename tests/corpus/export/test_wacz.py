"""The WACZ of an archive, held to its specification, and to the validator of py-wacz where that is installed."""

import gzip
import hashlib
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from newscorpus.config import BuildConfig, ExportFormat, SplitConfig, SplitRule
from newscorpus.corpus.export.export import export
from newscorpus.corpus.export.source import About
from newscorpus.corpus.published import publish
from newscorpus.data import Article, Fields, Page
from newscorpus.errors import CorpusError
from newscorpus.page.records import make_record
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.values import Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode

WACZ = Path(sys.executable).parents[1] / "wacz" / "bin" / "wacz"
WB_MANAGER = Path(sys.executable).parents[1] / "pywb" / "bin" / "wb-manager"
"""In the environments that `make test-all` makes."""
HEADERS = (("Content-Type", "text/html; charset=utf-8"),)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of five documents, with an archive of them, of another page, and of an earlier fetch."""
    records = []
    with ArchiveWriter(tmp_path / "c", 2_000, "newscorpus/0") as writer:
        for number, day in ((1, 1), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2)):
            url, time = f"https://www.a.cz:8443/{number}?b=1&a=2", f"2026-03-{day:02}T10:11:12"
            body = f"<p>Text {number} of day {day}.".encode()
            page = Page(url, body, {"content-type": "text/html"}, f"{time}+00:00")
            exchange = Exchange(url, f"{time}Z", 200, HEADERS, body)
            writer.append(encode(exchange, Capture(page, origin=Origin("a")), 10**6))
            article = Article(url, body.decode(), Fields(title=f"Headline {number}"), "bte", fetched=page.fetched)
            if day == 2 and number < 6:
                records.append(make_record(article, "a", "cs", 1.0))
    publish(tmp_path / "c" / "corpus", records, BuildConfig())
    return tmp_path / "c"


def written(corpus: Path, output: Path, rule: SplitRule = SplitRule.NONE) -> Path:
    export(corpus, output, ExportFormat.WACZ, About("vesti"), SplitConfig(rule, 0.0, 0.5))
    return output / "corpus.wacz"


def test_it_holds_the_page_of_each_document_and_finds_it(corpus: Path, tmp_path: Path) -> None:
    path = written(corpus, tmp_path / "out")
    assert path.read_bytes() == written(corpus, tmp_path / "again").read_bytes()
    with zipfile.ZipFile(path) as package:
        assert package.testzip() is None
        about = json.loads(package.read("datapackage.json"))
        for one in about["resources"]:
            assert one["hash"] == f"sha256:{hashlib.sha256(package.read(one['path'])).hexdigest()}"
        assert {one["path"] for one in about["resources"]} | {"datapackage.json", "datapackage-digest.json"} == {
            *package.namelist()
        }
        package.extract("archive/data.warc.gz", tmp_path)
        pages = [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()]
        index = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
        assert package.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED
    assert [one["title"] for one in pages[1:]] == [f"Headline {number}" for number in range(1, 6)]
    assert about["description"].startswith("5 pages of 5 documents")
    assert index == sorted(index)
    assert index[0].startswith("cz,a:8443)/1?a=2&b=1 20260302101112 {")
    warc = tmp_path / "archive" / "data.warc.gz"
    for number, line in enumerate(index, 1):
        place = json.loads(line.split(" ", 2)[2])
        with warc.open("rb") as file:
            file.seek(int(place["offset"]))
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers.get_header("WARC-Target-URI") == place["url"]
            assert record.rec_headers.get_header("WARC-Payload-Digest") == place["digest"]
            assert record.content_stream().read() == f"<p>Text {number} of day 2.".encode()
    assert sum(isinstance(one, Capture) for one in read_captures(warc)) == 5, "ours can be read again"


def test_a_split_has_a_file_a_part(corpus: Path, tmp_path: Path) -> None:
    written(corpus, tmp_path / "out", SplitRule.CLUSTER)
    assert {path.name for path in (tmp_path / "out").glob("*.wacz")} == {"train.wacz", "test.wacz"}


def test_without_the_pages_it_is_an_error(corpus: Path, tmp_path: Path) -> None:
    (stranger,) = (make_record(Article("https://b.cz/", "Text.", Fields(), "bte"), "b", "cs", 1.0) for _ in "1")
    publish(corpus / "corpus", [replace(stranger)], BuildConfig())
    with pytest.raises(CorpusError, match="no page of these documents is in the archive"):
        written(corpus, tmp_path / "out")


@pytest.mark.slow
def test_py_wacz_finds_it_valid(corpus: Path, tmp_path: Path) -> None:
    if not WACZ.is_file():
        pytest.skip("py-wacz is not installed; `make test-all` installs it")
    done = subprocess.run([WACZ, "validate", "-f", written(corpus, tmp_path / "out")], capture_output=True, check=False)
    assert b"Validation succeeded" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_pywb_takes_it_and_indexes_it_alike(corpus: Path, tmp_path: Path) -> None:
    if not WB_MANAGER.is_file():
        pytest.skip("pywb is not installed; `make test-all` installs it")
    path = written(corpus, tmp_path / "out")
    for command in (["init", "c"], ["add", "--unpack-wacz", "c", str(path)]):
        subprocess.run([WB_MANAGER, *command], cwd=tmp_path, check=True, capture_output=True)
    with zipfile.ZipFile(path) as package:
        ours = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
    theirs = (tmp_path / "collections" / "c" / "indexes" / "index.cdxj").read_text().splitlines()
    assert [line.split(" {")[0] for line in ours] == [line.split(" {")[0] for line in theirs]
