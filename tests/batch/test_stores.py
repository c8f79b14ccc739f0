"""Batches that read from an object store, and write to one."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawled import archive

pytest.importorskip("datatrove", reason="datatrove is not installed (pip install 'newscorpus[batch]')")
pytest.importorskip("moto", reason="moto is not installed (requirements-dev.txt)")
pytest.importorskip("s3fs", reason="s3fs is not installed (pip install 'newscorpus[s3]')")

from objectstore import Store, object_store
from prose import article
from typer.testing import CliRunner

from newscorpus.batch.inputs import Slice, read_pages
from newscorpus.cli import app
from newscorpus.corpus import remote
from newscorpus.corpus.published import open_corpus
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Rules
from newscorpus.page.profiles.learn import learn
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.profile import profile_path, write_profile
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.values import Capture
from newscorpus.store.ledger import Ledger
from newscorpus.store.pages import archive_files, page_of_capture

TASKS = 4
OFFER = "Our readers know that this house has been the best place for barley since the old mayor sold it to the ferry."


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    with object_store() as running:
        running.reach(monkeypatch)
        yield running


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    """A corpus with a ledger, in which the visit of one page never ended, and with a profile."""
    corpus = tmp_path / "crawled"
    with Ledger.open(corpus) as ledger:
        pages = [article(f"news {number}") for number in range(12)]
        archive(corpus, [page.replace("</article>", f"<p>{OFFER}</p></article>") for page in pages])
        (file,) = archive_files(corpus)
        captures = [found for found in read_captures(file) if isinstance(found, Capture)]
        assert captures[5].place
        ledger.begin_capture(f"archive/{file.name}", captures[5].place.offset)
        ledger.transaction.follow(lambda: {f"archive/{file.name}": file.stat().st_size})
    rules = Rules(Recipe("main-text-alone"), for_profile=True)
    seen = [judge(page_of_capture(one, ()), rules).seen for one in captures]
    profile = learn(filter(None, seen), "news", "main-text-alone")
    write_profile(profile_path(corpus, "news"), profile)
    return corpus


def run(folder: Path, name: str, *inputs: str, more: str = "") -> None:
    """Make a corpus of that name."""
    path = folder / f"{name}.toml"
    path.write_text(f"inputs = {json.dumps(inputs)}\noutput = '{name}'\n{more}")
    done = CliRunner().invoke(app, ["batch", str(path)])
    assert done.exit_code == 0, done.output


@pytest.mark.slow
def test_a_corpus_made_from_a_store_that_fails_at_times_is_the_same(
    store: Store, crawled: Path, tmp_path: Path
) -> None:
    lines = [json.dumps({"id": number, "html": article(f"story {number}")}) for number in range(9)]
    (tmp_path / "pages.jsonl").write_text("\n".join([*lines, "{broken\n"]))
    store.put("pages.jsonl", (tmp_path / "pages.jsonl").read_bytes())
    uploaded = CliRunner().invoke(app, ["upload", str(crawled), "s3://bucket/crawled"])
    assert uploaded.exit_code == 0, uploaded.output
    run(tmp_path, "local", "crawled", "pages.jsonl", more="extractor = 'bte'")

    store.disturb(9)
    run(tmp_path, "stored", "s3://bucket/crawled", "s3://bucket/page*.jsonl", more="extractor = 'bte'")

    assert store.counts()["errors"] > 0
    rejected = (tmp_path / "local" / "rejected.jsonl").read_text().replace(str(tmp_path), "s3://bucket")
    assert sorted((tmp_path / "stored" / "rejected.jsonl").read_text().splitlines()) == sorted(rejected.splitlines())
    assert "s3://bucket/pages.jsonl, line 10" in rejected
    for shard in open_corpus(tmp_path / "local").manifest.shards:
        content = (tmp_path / "local" / "corpus" / shard.name).read_bytes()
        assert content == (tmp_path / "stored" / "corpus" / shard.name).read_bytes()
    assert not list((tmp_path / "stored").glob("**/*.input"))


def test_slices_of_an_archive_in_a_store_are_read_by_ranges_each_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "BLOCK_BYTES", block := 2**15)
    noise = random.Random(1)
    pages = [article(f"news {number}") + f"<!-- {noise.randbytes(8_000).hex()} -->" for number in range(300)]
    (file,) = archive_files(archive(tmp_path / "corpus", pages))
    store.put("news.warc.gz", file.read_bytes())
    whole = [page_of_capture(one, ()).page.url for one in read_captures(file) if isinstance(one, Capture)]
    n_bytes, found = file.stat().st_size, []

    for number in range(TASKS):
        before = store.counts()["bytes"]
        part = [Slice("s3://bucket/news.warc.gz", number, TASKS)]
        found += [page.page.url for page in read_pages(part, (), (), tmp_path / "copy") if isinstance(page, SourcePage)]
        assert store.counts()["bytes"] - before < n_bytes / TASKS + 4 * block

    assert found == whole
    assert len(whole) == 300
    assert not (tmp_path / "copy").exists()


def test_a_crawled_corpus_is_extracted_as_reextract_does(crawled: Path, tmp_path: Path) -> None:
    (crawled / "intake").mkdir()
    command = ["reextract", str(crawled), "--output", str(tmp_path / "alone")]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert CliRunner().invoke(app, ["build", str(tmp_path / "alone")]).exit_code == 0

    run(tmp_path, "batch", "crawled")

    (shard,) = open_corpus(tmp_path / "batch").manifest.shards
    assert shard == open_corpus(tmp_path / "alone").manifest.shards[0]
    records = list(open_corpus(tmp_path / "batch").records())
    assert len(records) == 11
    assert not [record for record in records if OFFER in record.text]
