"""Our steps in pipelines of datatrove."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from prose import article, paragraphs

pytest.importorskip("datatrove", reason="datatrove is not installed (pip install 'newscorpus[batch]')")

from datatrove.data import Document

from newscorpus.batch.steps import (
    SIGNATURE,
    Extract,
    Judge,
    ReadArchives,
    ReadCorpus,
    Sign,
    WriteIntake,
    document_of,
    record_of,
)
from newscorpus.corpus.build import build
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Page
from newscorpus.errors import CorpusError
from newscorpus.page.judge import process_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.page.source_page import SourcePage

BTE = Recipe("bte")
N_PAGES = 7


@pytest.fixture
def pages(tmp_path: Path) -> str:
    """Two files of pages, of which one is no article, and a line is broken."""
    for part in range(2):
        with (tmp_path / f"pages{part}.jsonl").open("w") as file:
            for number in range(part, N_PAGES, 2):
                url = f"https://www.a.example/story-{number}"
                file.write(json.dumps({"id": f"n{number}", "url": url, "html": article(f"story {number}")}) + "\n")
    with (tmp_path / "pages0.jsonl").open("a") as file:
        file.write(json.dumps({"id": "empty", "html": "<p>Nothing"}) + "\n{broken\n")
    return str(tmp_path / "pages*.jsonl")


def test_pages_become_the_rows_that_a_crawl_makes_of_them(pages: str, tmp_path: Path) -> None:
    extract = Extract(BTE, jobs=0)
    written = list(WriteIntake(str(tmp_path / "out")).run(extract.run(ReadArchives([pages]).run())))
    build(tmp_path / "out")

    assert len(written) == N_PAGES
    records = {record.id: record for record in open_corpus(tmp_path / "out").records()}
    assert len(records) == N_PAGES
    url = "https://www.a.example/story-3"
    page = SourcePage(Page.from_html(article("story 3"), url), "www.a.example", document="n3")
    row = process_page(BTE, page)
    assert isinstance(row, Row)
    assert records["n3"] == replace(row.record, cluster="", cluster_size=1)
    assert extract.stats["dropped_quality/too_short"].total == 1
    read = [one for rank in range(2) for one in ReadCorpus(str(tmp_path / "out")).run(None, rank, 2)]
    assert {one.id: record_of(one) for one in read} == records
    assert {one.id: one for one in read} == {name: document_of(one) for name, one in records.items()}


@pytest.mark.parametrize("world_size", [1, 2, 5])
def test_each_page_is_read_by_one_task_and_broken_lines_are_counted(pages: str, world_size: int) -> None:
    readers = [ReadArchives([pages]) for _ in range(world_size)]
    found = [one.id for rank, read in enumerate(readers) for one in read.run(None, rank, world_size)]
    assert sorted(found) == sorted(["empty", *(f"n{number}" for number in range(N_PAGES))])
    assert sum(read.stats["dropped_archive/broken_record"].total for read in readers) == 1


def test_documents_of_others_become_rows_by_our_filters(tmp_path: Path) -> None:
    text = "\n".join(paragraphs("others"))
    metadata = {"url": "https://www.b.example/1", "date": "2026-01-01", "title": "Ferries"}
    others = [Document(text, "<urn:1>", metadata=metadata), Document("Too short.", "<urn:2>")]
    judge = Judge()

    written = list(WriteIntake(str(tmp_path / "out")).run(judge.run(others)))

    assert [document.id for document in written] == ["<urn:1>"]
    assert judge.stats["dropped_quality/too_short"].total == 1
    build(tmp_path / "out")
    (record,) = open_corpus(tmp_path / "out").records()
    assert (record.id, record.source, record.title, record.text) == ("<urn:1>", "www.b.example", "Ferries", text)
    assert record.language == "en"


def test_a_text_that_a_step_of_others_changed_is_judged_and_signed_anew(pages: str) -> None:
    (document, *_) = Extract(BTE, jobs=0).run(ReadArchives([pages]).run())
    document.text = document.text.rpartition("\n")[0]

    (judged,) = Sign().run(Judge().run([document]))

    assert judged.metadata[SIGNATURE] == sign(judged.text).hex()
    assert record_of(judged).n_words == len(judged.text.split())
    assert record_of(judged).extractor == "bte"


def test_a_document_that_is_no_record_is_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"document 1: no record .*; put Extract or Judge before"):
        list(WriteIntake(str(tmp_path)).run([Document("A text.", "1")]))

    assert not list((tmp_path / "intake").iterdir())


def test_a_task_that_dies_leaves_no_segment_and_the_earlier_one(pages: str, tmp_path: Path) -> None:
    documents = list(Extract(BTE, jobs=0).run(ReadArchives([pages]).run()))
    list(WriteIntake(str(tmp_path / "out")).run(documents))
    (segment,) = (tmp_path / "out" / "intake").iterdir()
    before = segment.read_bytes()

    def dies() -> Iterator[Document]:
        yield from documents[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(WriteIntake(str(tmp_path / "out")).run(dies()))
    assert [path.read_bytes() for path in (tmp_path / "out" / "intake").iterdir()] == [before]
