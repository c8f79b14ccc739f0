"""The index of an intake: read once, grown with it, made anew where the intake is no longer what was read."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from crawled import take_in

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates import index
from newscorpus.corpus.duplicates.store import STATE, IndexState, Sketch, Store
from newscorpus.corpus.duplicates.store import make_sketches as sketch_texts
from newscorpus.data import Article, Fields
from newscorpus.page.records import make_record
from newscorpus.page.rows import encode_row, unpacked

CONFIG = BuildConfig()


def store(corpus: Path, *texts: str) -> None:
    """Add a segment to the intake."""
    articles = (Article(f"https://a.cz/{text}", text, Fields(), "bte") for text in texts)
    take_in(corpus, *(make_record(article, "a", "cs", 1.0) for article in articles))


def update(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, int]:
    """The index, and how many texts were read for it."""
    read: list[str] = []

    def make_sketches(given: Sequence[tuple[str, str, str, bytes]], *more: Any) -> Iterator[Sketch]:
        read.extend(text for _, _, text, _ in given)
        return sketch_texts(given, *more)

    with monkeypatch.context() as patch:
        patch.setattr(index, "make_sketches", make_sketches)
        return index.update_index(corpus, CONFIG), len(read)


def altered(line: bytes, old: bytes, new: bytes) -> bytes:
    """The line as if it had been written so, with its checksum."""
    text = unpacked(line[:-1])
    assert old in text
    return encode_row(msgspec.Raw(text.replace(old, new)))


def columns(corpus: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (corpus / "index").iterdir()}


def test_only_what_is_new_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path, "jedna", "dvě")
    assert update(tmp_path, monkeypatch)[1] == 2
    assert update(tmp_path, monkeypatch)[1] == 0
    store(tmp_path, "tři")
    found, n_read = update(tmp_path, monkeypatch)
    assert (len(found), n_read) == (3, 1)
    assert found.documents["file"].tolist() == [0, 0, 1]


def test_batches_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("one", "other"):
        store(tmp_path / folder, "jedna", "dvě", "tři")
        store(tmp_path / folder, "čtyři")
    update(tmp_path / "one", monkeypatch)
    monkeypatch.setattr(index, "ROWS_AT_ONCE", 2)
    update(tmp_path / "other", monkeypatch)
    assert columns(tmp_path / "one") == columns(tmp_path / "other")


def test_an_index_that_names_files_outside_the_intake_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path / "corpus", "jedna")
    update(tmp_path / "corpus", monkeypatch)
    segment, state = tmp_path / "corpus/intake/000001.jsonl", tmp_path / "corpus/index/index.json"
    (tmp_path / "secret.jsonl").write_bytes(segment.read_bytes())
    forged = msgspec.json.decode(state.read_bytes().replace(b"000001.jsonl", b"../../secret.jsonl"), type=IndexState)
    forged = replace(forged, checksums={**forged.checksums, STATE: forged.own_checksum()})
    state.write_bytes(msgspec.json.encode(forged))
    found, n_read = update(tmp_path / "corpus", monkeypatch)
    assert (len(found), n_read) == (1, 1)
    assert [covered.name for covered in found.state.covered] == ["000001.jsonl"]


@pytest.mark.parametrize(
    ("segments", "n_rows"),
    [
        (lambda one, other: (one[:-1], other), 3),  # truncated, as by a resumed crawl
        (lambda one, other: ([*one[:-1], altered(one[-1], b"dv\xc4\x9b", b"t\xc5\x99i"), one[-1]], other), 5),
        (lambda one, other: ([*one[:-1], altered(one[-1], b"dv\xc4\x9b", b"dv\xc3\xa1")], other), 4),  # equally long
        (lambda one, _: (one, None), 2),
    ],
)
def test_a_changed_intake_is_indexed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, segments: Callable[..., Any], n_rows: int
) -> None:
    store(tmp_path, "jedna", "dvě")
    store(tmp_path, "tři", "čtyři")
    update(tmp_path, monkeypatch)
    paths = [tmp_path / "intake" / f"00000{number}.jsonl" for number in (1, 2)]
    before = [io.BytesIO(path.read_bytes()).readlines() for path in paths]
    for path, lines in zip(paths, segments(*before), strict=True):
        path.write_bytes(b"".join(lines)) if lines else path.unlink()
    found, n_read = update(tmp_path, monkeypatch)
    assert (len(found), n_read) == (n_rows, n_rows)
