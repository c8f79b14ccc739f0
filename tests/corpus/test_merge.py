"""Deduplication in batch: corpora and JSON lines, references, runs that go on, any order, errors by line."""

import csv
import gzip
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard
from crawled import take_in

from newscorpus.config import BuildConfig
from newscorpus.corpus.build import build
from newscorpus.corpus.duplicates import documents
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.merge import DedupReport, dedup
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.release import release
from newscorpus.data import Article, Fields
from newscorpus.errors import CorpusError
from newscorpus.lines import unpacked_lines
from newscorpus.page.records import make_record
from newscorpus.store.removals import note_removal
from newscorpus.urls import document_id

WORDS = [f"slovo{number}" for number in range(2000)]
Line = dict[str, Any]


def text(seed: int, n_words: int = 120) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=n_words))


def excerpt(seed: int, share: float = 0.6) -> str:
    tokens = text(seed).split()
    return " ".join(tokens[: int(len(tokens) * share)])


def write(path: Path, lines: Sequence[Line]) -> Path:
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    packed = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}.get(path.suffix, bytes)(data)
    path.write_bytes(packed)
    return path


def corpus(folder: Path, texts: dict[str, str]) -> Path:
    """A corpus that was crawled and built: of each address the text."""
    articles = (Article(url, content, Fields(title=url), "bte") for url, content in texts.items())
    build(take_in(folder, *(make_record(article, "portal", "cs", 1.0) for article in articles)))
    return folder


def lines_in(folder: Path) -> list[Line]:
    return [json.loads(line) for path in sorted(folder.iterdir()) for line in unpacked_lines(path)]


def kept(output: Path) -> set[str | int]:
    return {line["id"] for line in lines_in(output / "documents")}


def left_out(output: Path) -> dict[str, tuple[str, str]]:
    lines = [json.loads(line) for line in (output / "duplicates.jsonl").read_text().splitlines()]
    return {line["id"]: (line["duplicate_of"], line["kind"]) for line in lines}


LINES: list[Line] = [
    {"id": "a", "text": text(1), "source": "agency", "published": "2026-01-01", "mood": {"glad": [1, None]}},
    {"id": "b", "text": text(1).upper(), "source": "daily", "published": "2026-01-02"},
    {"id": "c", "text": text(1) + " navíc", "source": "daily", "published": "2026-01-03", "title": None},
    {"id": "d", "text": excerpt(1), "source": "weekly"},
    {"id": "e", "text": text(2)},
    {"id": 6, "text": text(3), "cluster_size": 3},
    {"id": "f", "text": excerpt(3)},
]


def test_json_lines(tmp_path: Path) -> None:
    report = dedup([write(tmp_path / "in.jsonl", LINES)], tmp_path / "out")
    assert report == DedupReport(
        documents=7,
        kept=3,
        duplicates={"exact": 1, "near": 1, "excerpt": 2, "revision": 0, "contains_others": 0},
        reprints=(
            ("", "", "excerpt", 1),
            ("daily", "agency", "exact", 1),
            ("daily", "agency", "near", 1),
            ("weekly", "agency", "excerpt", 1),
        ),
    )
    assert lines_in(tmp_path / "out" / "documents") == [
        {**LINES[0], "cluster": "a", "cluster_size": 4},
        {**LINES[4], "cluster": "", "cluster_size": 1},
        {**LINES[5], "cluster": "6", "cluster_size": 4},
    ]
    assert left_out(tmp_path / "out") == {
        "b": ("a", "exact"),
        "c": ("a", "near"),
        "d": ("a", "excerpt"),
        "f": ("6", "excerpt"),
    }
    table = list(csv.reader((tmp_path / "out" / "reprints.csv").read_text().splitlines()))
    assert table[:3] == [
        ["source", "repeats", "kind", "documents"],
        ["", "", "excerpt", "1"],
        ["daily", "agency", "exact", "1"],
    ]
    more = [*LINES, {"id": "new", "text": text(9)}]
    dedup([write(tmp_path / "more.jsonl", more)], tmp_path / "second", [tmp_path / "out"])
    assert kept(tmp_path / "second") == {"new"}, "an output is a reference in turn"


@pytest.mark.parametrize(("suffix", "jobs"), [(".jsonl.gz", 1), (".jsonl.zst", 2)])
def test_compressed_files_and_processes(
    tmp_path: Path, suffix: str, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LINES_AT_ONCE", 2)
    dedup([write(tmp_path / f"in{suffix}", LINES)], tmp_path / "out", jobs=jobs)
    assert kept(tmp_path / "out") == {"a", "e", 6}


def test_an_id_names_a_document_within_its_file(tmp_path: Path) -> None:
    lines = [{"id": 1, "text": text(1), "fetched": "2026-01-02"}, {"id": 1, "text": text(2), "fetched": "2026-01-01"}]
    files = [write(tmp_path / "a.jsonl", lines), write(tmp_path / "b.jsonl", [{"id": 1, "text": text(3)}])]
    assert dedup(files, tmp_path / "out").duplicates["revision"] == 1
    assert [line["text"] for line in lines_in(tmp_path / "out" / "documents")] == [text(1), text(3)]


def test_the_order_of_inputs_changes_nothing(tmp_path: Path) -> None:
    lines = [{**line, "id": str(line["id"])} for line in LINES]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shuffled = random.Random(name).sample(lines, len(lines))
        files = [write(tmp_path / name / "x.jsonl", shuffled[:3]), write(tmp_path / name / "y.jsonl", shuffled[3:])]
        dedup(files if name == "one" else files[::-1], tmp_path / name / "out")
    one, two = (tmp_path / name / "out" for name in ("one", "two"))
    assert kept(one) == kept(two) == {"a", "e", "6"}
    assert (one / "duplicates.jsonl").read_bytes() == (two / "duplicates.jsonl").read_bytes()


def test_corpora_make_a_corpus(tmp_path: Path) -> None:
    one = corpus(tmp_path / "one", {"https://a.cz/1": text(1), "https://a.cz/2": text(2), "https://a.cz/3": text(5)})
    two = corpus(tmp_path / "two", {"https://b.cz/1": text(1), "https://a.cz/2": text(3), "https://a.cz/3": text(5)})
    report = dedup([one, two / "corpus"], tmp_path / "out")
    assert report.duplicates == {"exact": 2, "near": 0, "excerpt": 0, "revision": 1, "contains_others": 0}
    assert sorted(kind for _, kind in left_out(tmp_path / "out").values()) == ["exact", "exact", "revision"]
    records = list(open_corpus(tmp_path / "out").records())
    assert {record.url[-1]: record.cluster_size for record in records} == {"1": 2, "2": 1, "3": 1}
    assert [record.id for record in records] == sorted(record.id for record in records)
    assert len(records) == report.kept


def test_a_document_removed_during_a_merge_is_not_published(tmp_path: Path) -> None:
    one = corpus(tmp_path / "one", {"https://a.cz/1": text(1), "https://a.cz/2": text(2)})

    def remove_meanwhile(items: Iterable[Any], what: str) -> Iterator[Any]:
        note_removal(one, [document_id("https://a.cz/1")], "asked for", "2026-11-25")
        yield from items

    assert dedup([one], tmp_path / "out", watch=remove_meanwhile).kept == 1
    assert [record.url for record in open_corpus(tmp_path / "out").records()] == ["https://a.cz/2"]


def test_against_a_release(tmp_path: Path) -> None:
    old = corpus(tmp_path / "old", {"https://a.cz/1": text(1), "https://a.cz/2": text(2)})
    release(old, "first")
    corpus(old, {"https://a.cz/2": text(4), "https://a.cz/3": text(3)})  # the text of 2 changed
    lines = [{"id": number, "text": text(number) + " navíc"} for number in range(1, 6)]

    dedup([write(tmp_path / "new.jsonl", lines)], tmp_path / "out", [old / "releases" / "first"])

    assert kept(tmp_path / "out") == {3, 5}


def test_against_a_corpus_with_its_index_and_lines_without(tmp_path: Path) -> None:
    earlier = corpus(tmp_path / "earlier", {"https://a.cz/1": text(1), "https://a.cz/2": text(3)})
    before = {path: path.read_bytes() for path in earlier.rglob("*") if path.is_file()}
    lines = write(tmp_path / "lines.jsonl", [{"id": "z", "text": text(2)}])
    with pytest.raises(CorpusError, match="earlier: the corpus of a crawl lies here; name another folder"):
        dedup([earlier], earlier)
    export = tmp_path / "export"
    export.mkdir()
    (export / "corpus.txt").touch()
    with pytest.raises(CorpusError, match="export: holds files of others"):
        dedup([earlier], export)
    dedup([write(tmp_path / "in.jsonl", LINES)], tmp_path / "out", [earlier, lines])
    assert kept(tmp_path / "out") == set()
    assert left_out(tmp_path / "out")["e"] == ("z", "exact")
    assert {path: path.read_bytes() for path in earlier.rglob("*") if path.is_file()} == before


def test_texts_are_compared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = write(tmp_path / "in.jsonl", LINES)
    dedup([lines], tmp_path / "out")
    before = left_out(tmp_path / "out")
    assert (tmp_path / "out" / "index" / "verified").stat().st_size
    monkeypatch.setattr(Collection, "text", lambda collection, position: pytest.fail("was read"))
    monkeypatch.setattr(documents, "unpacked_lines", lambda path: pytest.fail("was read"))
    dedup([lines], tmp_path / "out")
    assert left_out(tmp_path / "out") == before


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LINES_AT_ONCE", 1)
    monkeypatch.setattr(documents, "BATCHES_A_COMMIT", 2)
    files = [write(tmp_path / "a.jsonl", LINES[:4]), write(tmp_path / "b.jsonl", LINES[4:])]

    def broken_off(items: Iterable[Any], what: str) -> Iterator[Any]:
        for item in items:
            if item == 5:
                raise KeyboardInterrupt
            yield item

    with pytest.raises(KeyboardInterrupt):
        dedup(files, tmp_path / "out", watch=broken_off)
    with (tmp_path / "out" / "index" / "rows").open("ab") as rows:
        rows.write(b"torn")
    read: list[int] = []
    sketch = documents.sketch_lines

    def sketch_lines(config: BuildConfig, batch: documents.Batch) -> object:
        read.append(batch[1])
        return sketch(config, batch)

    monkeypatch.setattr(documents, "sketch_lines", sketch_lines)
    again = dedup(files, tmp_path / "out")
    assert read == [3]
    assert again == dedup(files, tmp_path / "anew")
    assert kept(tmp_path / "out") == kept(tmp_path / "anew")


def test_a_changed_input_rebuilds_the_index(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.jsonl", LINES[:4]), write(tmp_path / "b.jsonl", LINES[4:])]
    dedup(files, tmp_path / "out")
    write(files[0], [{"id": "x", "text": text(1)}, {"id": "y", "text": text(7)}])
    assert dedup(files, tmp_path / "out") == dedup(files, tmp_path / "anew")
    assert kept(tmp_path / "out") == kept(tmp_path / "anew") == {"x", "y", "e", 6}
    (tmp_path / "out" / "documents" / "thesis.txt").write_text("of somebody else")
    assert dedup(files[:1], tmp_path / "out").documents == 2
    names = {path.name for path in (tmp_path / "out" / "documents").iterdir()}
    assert names == {"00000-a.jsonl.zst", "thesis.txt"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "line 2: Input data was truncated"),
        (b'{"id": "x"}', "line 2: Object missing required field `text`"),
        (b'{"text": "x"}', "line 2: Object missing required field `id`"),
        (b'{"id": 1, "text": 2}', "line 2: Expected `str`, got `int`"),
        (b'{"id": 1, "text": "\xff"}', "line 2: "),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"id": 1, "text": "x"}\n' + line + b"\n")
    with pytest.raises(CorpusError, match=r"in.jsonl, ") as error:
        dedup([path], tmp_path / "out")
    assert said in str(error.value)
    assert not (tmp_path / "out" / "documents").exists()


def test_what_is_no_input_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    (tmp_path / "torn.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(b'{"id":1,"text":""}\n' * 99)[:-5])
    with pytest.raises(CorpusError, match=r"a.csv: neither a corpus nor one of .jsonl"):
        dedup([tmp_path / "a.csv"], tmp_path / "out")
    with pytest.raises(CorpusError, match=r"torn.jsonl.zst: .*end"):
        dedup([tmp_path / "torn.jsonl.zst"], tmp_path / "out")
    with pytest.raises(CorpusError, match=r"no corpus here"):
        dedup([tmp_path], tmp_path / "out")
    with pytest.raises(FileNotFoundError):
        dedup([tmp_path / "absent.jsonl"], tmp_path / "out")


@pytest.mark.parametrize("again", ["in.jsonl", "ours", "ours/corpus", "../{}/ours"])
def test_what_is_given_twice_is_named_as_it_was_given(tmp_path: Path, again: str) -> None:
    inputs = [write(tmp_path / "in.jsonl", LINES), corpus(tmp_path / "ours", {"https://x.example/1": text(1)})]
    twice = tmp_path / again.format(tmp_path.name)
    with pytest.raises(CorpusError) as error:
        dedup([*inputs, twice], tmp_path / "out")
    assert str(error.value) == f"{twice}: given twice"
