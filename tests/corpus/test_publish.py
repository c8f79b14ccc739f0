"""The published corpus: bounded shards, equal bytes, a manifest that tells the truth, valid at every moment."""

import errno
import hashlib
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from newscorpus.config import BuildConfig, ShardConfig, ShardFormat
from newscorpus.corpus.manifest import read_manifest
from newscorpus.corpus.published import open_corpus, publish, publish_joined, publish_ranges
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.layout import MANIFEST
from newscorpus.page.records import encode

FORMATS = list(ShardFormat)


def config(form: ShardFormat = ShardFormat.ZSTD, max_bytes: int = 10_000) -> BuildConfig:
    return BuildConfig(shards=ShardConfig(form, max_bytes))


def many(record: Record, number: int) -> list[Record]:
    return [replace(record, id=f"{at:016x}") for at in range(number)]


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def names_in_card(folder: Path) -> list[str]:
    (line,) = [line for line in (folder / "README.md").read_text("utf-8").splitlines() if "data_files" in line]
    return sorted(json.loads(line.partition(":")[2]))


def check(folder: Path) -> None:
    """The manifest and the card each name files that are there, whole."""
    manifest = read_manifest(folder)
    for shard in manifest.shards:
        data = (folder / shard.name).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (shard.sha256, shard.bytes)
    assert sum(1 for _ in open_corpus(folder).records()) == manifest.documents
    assert all((folder / name).is_file() for name in names_in_card(folder))


@pytest.mark.parametrize("form", FORMATS)
def test_records_come_back(tmp_path: Path, record: Record, bare_record: Record, form: ShardFormat) -> None:
    records = [*many(record, 50), bare_record]
    manifest = publish(tmp_path, iter(records), config(form))
    assert list(open_corpus(tmp_path).records()) == records
    assert read_manifest(tmp_path) == manifest
    assert manifest.documents == 51
    assert manifest.words == sum(record.n_words for record in records)
    assert [(share.source, share.language, share.documents) for share in manifest.shares] == [
        ("a", "cs", 50),
        ("b", "", 1),
    ]
    assert manifest.extractors == {"template:a": 50, "bte": 1}
    check(tmp_path)


@pytest.mark.parametrize(("n_records", "rows"), [(3, [3, 3, 3, 1]), (0.5, [1] * 10)])
def test_shards_are_bounded_before_compression(
    tmp_path: Path, record: Record, n_records: float, rows: list[int]
) -> None:
    size = len(encode(record))
    manifest = publish(tmp_path, many(record, 10), config(ShardFormat.PLAIN, int(n_records * size)))
    assert [(shard.rows, shard.bytes) for shard in manifest.shards] == [(n, n * size) for n in rows]


@pytest.mark.parametrize("form", FORMATS)
def test_equal_records_make_equal_bytes(tmp_path: Path, record: Record, form: ShardFormat) -> None:
    for name in ("one", "other"):
        publish(tmp_path / name, many(record, 30), config(form))
    first = content(tmp_path / "one")
    assert content(tmp_path / "other") == first
    publish(tmp_path / "one", many(record, 30), config(form))
    assert content(tmp_path / "one") == first


def test_gz_and_zst_carry_no_time_and_a_checksum(tmp_path: Path, record: Record) -> None:
    packed = tmp_path / publish(tmp_path, [record], config(ShardFormat.GZIP)).shards[0].name
    assert packed.read_bytes()[3:8] == bytes(5), "no name, time 0"
    packed = tmp_path / publish(tmp_path, [record], config(ShardFormat.ZSTD)).shards[0].name
    assert packed.read_bytes()[4] & 0b100, "frame header descriptor: content checksum flag (RFC 8878, 3.1.1.1.1)"


def test_old_shards_go(tmp_path: Path, record: Record) -> None:
    publish(tmp_path, many(record, 30), config())
    (tmp_path / ".building").mkdir()
    (tmp_path / ".building" / "00000").touch()
    (tmp_path / "notes.txt").touch()
    manifest = publish(tmp_path, many(record, 2), config())
    assert set(content(tmp_path)) == {".contents.json", "README.md", MANIFEST, "notes.txt", manifest.shards[0].name}
    check(tmp_path)


def days(record: Record, seed: int, number: int) -> list[Record]:
    """Records in the order of a corpus, with texts of several lengths."""
    source = random.Random(seed)
    ids = sorted(f"{source.getrandbits(64):016x}" for _ in range(number))
    return [replace(record, id=name, text="word " * source.randrange(20, 60)) for name in ids]


def test_a_shard_whose_records_did_not_change_keeps_its_name_and_is_not_written(tmp_path: Path, record: Record) -> None:
    records, source = days(record, 1, 3000), random.Random(2)
    before = publish(tmp_path, records, config(ShardFormat.PLAIN, 400_000))
    assert len(before.shards) > 8
    assert all(200_000 <= shard.bytes <= 400_000 for shard in before.shards[:-1])
    n_new = 0
    for edit in range(12):
        written = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
        at = source.randrange(len(records))
        if edit % 3 == 0:
            records[at] = replace(records[at], text=records[at].text + "more")
        elif edit % 3 == 1:
            del records[at]
        else:
            records = sorted([*records, *days(record, 100 + edit, 1)], key=lambda one: one.id)
        now = publish(tmp_path, records, config(ShardFormat.PLAIN, 400_000))
        kept = {shard.name for shard in now.shards} & {shard.name for shard in before.shards}
        assert {name: (tmp_path / name).stat().st_ino for name in kept} == {name: written[name] for name in kept}
        shards = {shard.name for shard in now.shards}
        assert set(content(tmp_path)) == {".contents.json", "README.md", MANIFEST} | shards
        assert names_in_card(tmp_path) == sorted(shard.name for shard in now.shards)
        n_new += len(now.shards) - len(kept)
        before = now
        check(tmp_path)
    assert 12 <= n_new <= 24, "one a change, and a neighbour now and then"


def test_corpora_of_ranges_are_joined_also_after_a_kill(tmp_path: Path, record: Record) -> None:
    records = days(record, 1, 300)
    ranges = [records[:100], records[100:110], records[110:]]
    whole = publish_ranges(tmp_path / "whole", ranges, config(ShardFormat.PLAIN, 40_000))
    parts = [tmp_path / f"{number}" for number in range(3)]
    for part, of_range in zip(parts, ranges, strict=True):
        publish(part, of_range, config(ShardFormat.PLAIN, 40_000))
    moved = read_manifest(parts[0]).shards[0].name
    (tmp_path / "joined").mkdir()
    (parts[0] / moved).rename(tmp_path / "joined" / moved)

    joined = publish_joined(tmp_path / "joined", parts, config(ShardFormat.PLAIN, 40_000))

    assert joined == whole
    assert content(tmp_path / "joined") == content(tmp_path / "whole")
    check(tmp_path / "joined")


def test_a_shard_that_was_altered_is_written_again(tmp_path: Path, record: Record) -> None:
    (shard,) = publish(tmp_path, many(record, 9), config()).shards
    (tmp_path / shard.name).write_bytes(bytes(shard.bytes))
    publish(tmp_path, many(record, 9), config())
    check(tmp_path)


OPERATIONS = ("replace", "unlink", "open", "mkdir", "glob")


def failing(original: Callable[..., object], steps: Iterator[int], last: int) -> Callable[..., object]:
    """A file operation that finds the disk full once `last` of them are done."""

    def operation(*args: object, **options: object) -> object:
        if next(steps) == last:
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(*args, **options)

    return operation


@pytest.mark.parametrize("step", range(30))
def test_valid_whenever_the_build_dies(
    tmp_path: Path, record: Record, bare_record: Record, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    old, new = many(record, 12), many(bare_record, 25)
    publish(tmp_path, old, config())
    with monkeypatch.context() as patch, suppress(OSError):
        steps = count()
        for name in OPERATIONS:
            patch.setattr(Path, name, failing(getattr(Path, name), steps, step))
        publish(tmp_path, new, config())
    check(tmp_path)
    assert list(open_corpus(tmp_path).records()) in (old, new)
    publish(tmp_path, new, config())
    check(tmp_path)
    assert len(content(tmp_path)) == 3 + len(read_manifest(tmp_path).shards)


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "build the corpus first"), ("{", "truncated"), ("{}", "missing"), ("\xff", "manifest.json")],
)
def test_a_manifest_that_cannot_be_read_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / MANIFEST).write_bytes(text.encode("latin-1"))
    with pytest.raises(CorpusError, match=message):
        read_manifest(tmp_path)


def test_a_manifest_of_a_later_schema_is_refused(tmp_path: Path, record: Record) -> None:
    publish(tmp_path, [record], config())
    path = tmp_path / MANIFEST
    path.write_text(path.read_text("utf-8").replace('"schema": 3', '"schema": 9', 1), "utf-8")
    with pytest.raises(CorpusError, match="schema 9; this version reads 3"):
        read_manifest(tmp_path)


def test_names_of_others_have_no_effect_in_the_card(tmp_path: Path, record: Record) -> None:
    hostile = replace(record, source="a\n\n# Free <img src=x> | [b](c)\u202e\x9b", language="<b>")
    publish(tmp_path, [hostile], config())
    card = (tmp_path / "README.md").read_text("utf-8")
    (line,) = [line for line in card.splitlines() if "Free" in line]
    assert line == r"| a # Free &lt;img src=x> \| \[b\](c) | &lt;b> | 1 | 6 |"
