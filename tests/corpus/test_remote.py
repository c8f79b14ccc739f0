"""Corpora in an object store: S3 as moto serves it, in a process of its own."""

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from objectstore import Store
from prose import article
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig
from newscorpus.corpus.manifest import decode_manifest
from newscorpus.corpus.published import publish
from newscorpus.corpus.remote import Upload, fetch, find_files, upload_corpus, uploaded_files
from newscorpus.data import Page
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import CRAWL_LOCK
from newscorpus.page.judge import process_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.store.archive.values import ArchiveError
from newscorpus.store.ledger import Ledger
from newscorpus.store.removals import note_removal, removals_of

pytestmark = pytest.mark.slow


@pytest.fixture
def address(request: pytest.FixtureRequest) -> str:
    return f"s3://bucket/{request.function.__name__}"


def build(corpus: Path, text: str) -> None:
    """Publish a corpus of another generation for another text."""
    row = process_page(Recipe("bte"), SourcePage(Page.from_html(article(text), "https://a.example/1")))
    assert isinstance(row, Row)
    publish(corpus / "corpus", [row.record], BuildConfig())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    Ledger.open(folder).close()
    for name in ("archive", "intake", "index"):
        (folder / name).mkdir()
    (folder / "archive" / "000001.warc.gz").write_bytes(b"first" * 10_000)
    (folder / "archive" / "000002.warc.gz").write_bytes(b"second")
    (folder / "intake" / "000001.jsonl").write_bytes(b"{}\n")
    (folder / "index" / "rows").write_bytes(b"made anew")
    build(folder, "one")
    return folder


def held(store: Store, address: str) -> dict[str, bytes]:
    """What an address holds, by name."""
    root = address.removeprefix("s3://bucket/")
    names = [file.name.removeprefix(f"{address}/") for file in find_files(f"{address}/**")]
    return {name: store.get(f"{root}/{name}") for name in names}


def test_a_corpus_is_there_with_its_sums(store: Store, corpus: Path, address: str, tmp_path: Path) -> None:
    done = upload_corpus(corpus, address)

    found = held(store, address)
    assert done == Upload(len(found) - 1, len(found) - 1, 0)
    for name, content in found.items():
        (tmp_path / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "copy" / name).write_bytes(content)
    check = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    assert subprocess.run(check, cwd=tmp_path / "copy", check=False).returncode == 0
    assert uploaded_files(address) == found.keys() - {"SHA256SUMS"}
    assert not [name for name in found if name.startswith("index/")]
    for name in found.keys() - {"SHA256SUMS"}:
        assert found[name] == (corpus / name).read_bytes()


def test_only_what_differs_is_sent_again_even_of_the_same_size(store: Store, corpus: Path, address: str) -> None:
    upload_corpus(corpus, address)
    assert upload_corpus(corpus, address).n_sent == 0

    (corpus / "archive" / "000002.warc.gz").write_bytes(b"SECOND")
    (corpus / "intake" / "000001.jsonl").unlink()

    done = upload_corpus(corpus, address)
    assert (done.n_sent, done.n_removed) == (1, 1)
    assert held(store, address)["archive/000002.warc.gz"] == b"SECOND"
    assert "intake/000001.jsonl" not in held(store, address)


@pytest.mark.parametrize("errors", [False, True])
def test_whatever_moment_it_dies_at_a_published_corpus_is_whole_there(
    store: Store, corpus: Path, address: str, errors: bool
) -> None:
    upload_corpus(corpus, address)
    build(corpus, "two")
    n_files = len(held(store, address)) - 1
    if errors:
        store.disturb(6)

    for moment in range(n_files):

        def dies(names: Iterable[str], moment: int = moment) -> Iterator[str]:
            for number, name in enumerate(names):
                if number == moment:
                    raise KeyboardInterrupt
                yield name

        with pytest.raises(KeyboardInterrupt):
            upload_corpus(corpus, address, dies)
        with pytest.raises(ArchiveError, match="no corpus that was uploaded whole"):
            uploaded_files(address)
        found = held(store, address)
        manifest = decode_manifest(found["corpus/manifest.json"], Path("manifest.json"))
        assert all(f"corpus/{shard.name}" in found for shard in manifest.shards)

    assert upload_corpus(corpus, address) == Upload(n_files, 1, 1)  # the manifest, and the shard before
    assert decode_manifest(held(store, address)["corpus/manifest.json"], Path("manifest.json")).documents == 1
    assert (store.counts()["errors"] > 0) or not errors


def test_a_large_file_goes_in_parts_and_comes_back_whole_though_the_connection_is_cut(
    store: Store, address: str, tmp_path: Path
) -> None:
    large = tmp_path / "export" / "train.parquet"
    large.parent.mkdir()
    large.write_bytes(b"0123456789abcdef" * (2**20 * 101 // 16))
    before = store.counts()
    store.disturb(5)

    upload_corpus(large.parent, address)
    fetch(f"{address}/train.parquet", tmp_path / "back")

    assert (tmp_path / "back").read_bytes() == large.read_bytes()
    after = store.counts() - before
    assert after["POST"] >= 2  # begins and ends an upload in parts
    assert after["errors"]
    assert after["cut"]


def test_a_corpus_that_a_crawl_writes_to_is_not_uploaded(store: Store, corpus: Path, address: str) -> None:
    with exclusive(corpus / CRAWL_LOCK), pytest.raises(CorpusError, match="another crawl is at work"):
        upload_corpus(corpus, address)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("bucket/news", "expected an address such as s3://bucket/name"),
        ("s3://no-such-bucket/news", "newscorpus: s3://no-such-bucket/news: The specified bucket does not exist"),
        ("s4://bucket/news", "newscorpus: s4://bucket/news: Protocol not known: s4"),
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_a_line(store: Store, corpus: Path, target: str, message: str) -> None:
    refused = CliRunner().invoke(app, ["upload", str(corpus), target])

    assert refused.exit_code in {1, 2}
    said = str(refused.exception) if refused.exit_code == 1 else refused.output
    assert message.removeprefix("newscorpus: ") in " ".join(said.replace("│", "").split())


def test_a_folder_is_an_address_too(corpus: Path, tmp_path: Path) -> None:
    there = tmp_path / "there" / "vesti"

    upload_corpus(corpus, there.as_uri())
    assert subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=there, check=False).returncode == 0
    assert upload_corpus(corpus, there.as_uri()).n_sent == 0
    assert len(uploaded_files(there.as_uri())) == 8


def test_removals_go_first_and_marked_pages_and_releases_come_along(corpus: Path, tmp_path: Path) -> None:
    note_removal(corpus, ["a"], "asked for", "2026-11-25")
    for name in ("gold/page.marks", "releases/v1/release.json"):
        (corpus / name).parent.mkdir(parents=True)
        (corpus / name).write_text("{}")
    there, order = tmp_path / "there", list[str]()

    def watch(names: Iterable[str]) -> list[str]:
        order.extend(names)
        return order

    upload_corpus(corpus, there.as_uri(), watch)
    assert order[0] == "removed.jsonl"
    assert removals_of(there).of("a")
    assert (there / "gold" / "page.marks").exists()
    assert (there / "releases" / "v1" / "release.json").exists()


@pytest.mark.parametrize("name", ["SHA256SUMS", ".SHA256SUMS.unfinished"])
def test_sums_of_others_have_nothing_removed_outside_of_the_address(corpus: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "diary.txt").write_text("mine")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / name).write_text(f"{'0' * 64}  ../diary.txt\n")
    with pytest.raises(OSError, match=rf"/far: {name} there names a file outside: \.\./diary\.txt"):
        upload_corpus(corpus, f"file://{tmp_path}/far")
    assert (tmp_path / "diary.txt").read_text() == "mine"


def test_the_command_says_what_was_sent(store: Store, corpus: Path, address: str) -> None:
    assert CliRunner().invoke(app, ["upload", str(corpus), address + "/"]).output == f"{address}/: files 8, sent 8\n"
