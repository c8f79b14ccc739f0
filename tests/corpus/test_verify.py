"""What was done to a published corpus is found, with the file named, by `verify` and by every reader."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import zstandard

from newscorpus import cli
from newscorpus.config import BuildConfig, ExportFormat, ShardConfig, ShardFormat
from newscorpus.corpus.manifest import Manifest, generation_of, read_manifest
from newscorpus.corpus.published import open_corpus, publish
from newscorpus.corpus.shards import Shard, file_hash
from newscorpus.corpus.verify import verify
from newscorpus.data import Article, Fields, Record
from newscorpus.errors import CorpusError
from newscorpus.layout import MANIFEST
from newscorpus.lines import encode_indented
from newscorpus.page.records import make_record

FORMATS = list(ShardFormat)
SHARDS = 3
VERBS: dict[str, tuple[str, ...]] = {
    "verify": ("verify", "{corpus}"),
    "stats": ("stats", "{corpus}", "--output", "{output}"),
    "dedup": ("dedup", "{corpus}", "--output", "{output}", "--jobs", "1"),
    "dedup --against": ("dedup", "{other}", "--against", "{corpus}", "--output", "{output}", "--jobs", "1"),
    "explain": ("explain", "https://a.example/absent", "--corpus", "{corpus}"),
    **{f"export {form}": ("export", "{corpus}", "--format", form, "--output", "{output}") for form in ExportFormat},
    "export by date": ("export", "{corpus}", "--format", "text", "--split", "date", "--output", "{output}"),
}

DONE = {"manifest.json", ".export.json", "stats.html"}
"""What lies in a folder once the work is done."""


@pytest.fixture
def records() -> list[Record]:
    one = make_record(Article("https://a.example/1", "Prvý odsek.\nDruhý odsek.", Fields(), "bte"), "a", "sk", 0.9)
    return [replace(one, id=f"{number:016x}", published=f"2026-01-0{number + 1}") for number in range(6)]


def published(folder: Path, records: list[Record], form: ShardFormat = ShardFormat.ZSTD) -> Manifest:
    size = len(msgspec.json.encode(records[0])) + 1
    manifest = publish(folder, records, BuildConfig(shards=ShardConfig(form, 2 * size)))
    assert len(manifest.shards) == SHARDS
    return manifest


def findings(folder: Path) -> str:
    return "\n".join(verify(folder)[1])


def resealed(folder: Path, manifest: Manifest) -> None:
    """A manifest that agrees with the files as they lie there: made by somebody who knows how."""
    shards = tuple(
        Shard(shard.name, shard.rows, (folder / shard.name).stat().st_size, file_hash(folder / shard.name))
        for shard in manifest.shards
    )
    whole = replace(manifest, shards=shards, bytes=sum(one.bytes for one in shards), generation=generation_of(shards))
    (folder / MANIFEST).write_bytes(encode_indented(whole))


def rewritten(path: Path, edit: Callable[[bytes], bytes]) -> None:
    """Change the lines of a shard, and compress them again."""
    lines = zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True).read()
    path.write_bytes(zstandard.ZstdCompressor().compress(edit(lines)))


@pytest.mark.parametrize("form", FORMATS)
def test_a_corpus_as_it_was_written_is_whole(tmp_path: Path, records: list[Record], form: ShardFormat) -> None:
    manifest = published(tmp_path / "corpus", records, form)
    assert verify(tmp_path) == (manifest, [])
    assert verify(tmp_path / "corpus") == (manifest, [])


def test_a_corpus_of_nothing_is_whole(tmp_path: Path) -> None:
    assert publish(tmp_path, [], BuildConfig()).shards == ()
    assert findings(tmp_path) == ""


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def rename(path: Path) -> None:
    path.rename(path.with_name("shard-99999" + path.suffix))


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("damage", [truncate, flip, rename, Path.unlink, empty])
def test_damage_is_found_and_refused_with_the_file_named(
    tmp_path: Path, records: list[Record], form: ShardFormat, damage: Callable[[Path], None]
) -> None:
    shard = published(tmp_path, records, form).shards[1]
    damage(tmp_path / shard.name)
    assert shard.name in findings(tmp_path)
    with pytest.raises(CorpusError, match=re.escape(shard.name)) as error:
        list(open_corpus(tmp_path).records())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", [truncate, flip])  # by size and by hash
@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_every_verb_refuses_damage_with_the_file_named(
    verb: tuple[str, ...],
    damage: Callable[[Path], None],
    tmp_path: Path,
    records: list[Record],
    capfd: pytest.CaptureFixture[str],
) -> None:
    names = {name: tmp_path / name for name in ("corpus", "other", "output")}
    for name in ("other", "corpus"):
        manifest = published(names[name] / "corpus", records)
    shard = names["corpus"] / "corpus" / manifest.shards[1].name
    damage(shard)
    with pytest.raises(SystemExit) as end:
        cli.main([part.format(**names) for part in verb])
    out, err = capfd.readouterr()
    assert end.value.code == 1
    assert str(shard) in err
    assert "Traceback" not in err
    assert out == ""
    assert DONE.isdisjoint(path.name for path in names["output"].rglob("*"))


def test_all_damaged_files_are_named_at_once(tmp_path: Path, records: list[Record]) -> None:
    manifest = published(tmp_path, records)
    for damage, shard in zip((truncate, flip, rename), manifest.shards, strict=True):
        damage(tmp_path / shard.name)
    found = findings(tmp_path)
    assert all(shard.name in found for shard in manifest.shards)
    assert f"{tmp_path / 'shard-99999.zst'}: the manifest does not name it" in found


def test_no_record_of_an_altered_shard_is_given(tmp_path: Path, records: list[Record]) -> None:
    shard = published(tmp_path, records, ShardFormat.PLAIN).shards[0]
    path = tmp_path / shard.name
    path.write_bytes(path.read_bytes().replace("Druhý".encode(), "Druhá".encode(), 1))
    given = open_corpus(tmp_path).records()
    with pytest.raises(CorpusError, match="altered"):
        next(given)


def test_strangers_are_named_and_hidden_files_are_not(tmp_path: Path, records: list[Record]) -> None:
    published(tmp_path, records)
    (tmp_path / "notes.txt").touch()
    (tmp_path / ".gitattributes").touch()
    assert findings(tmp_path) == f"{tmp_path / 'notes.txt'}: the manifest does not name it"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("documents", 7),
        ("bytes", 1),
        ("words", 1),
        ("generation", "0" * 12),
        ("extractors", {"bte": 5}),
        ("shares", []),
    ],
)
def test_a_manifest_that_does_not_add_up_is_found(
    tmp_path: Path, records: list[Record], key: str, value: object
) -> None:
    published(tmp_path, records)
    path = tmp_path / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {key: value}), "utf-8")
    assert f"{path}: {key}" in findings(tmp_path)


def test_rows_are_counted(tmp_path: Path, records: list[Record]) -> None:
    manifest = published(tmp_path, records)
    name = manifest.shards[0].name
    rewritten(tmp_path / name, lambda lines: lines.split(b"\n", 1)[1])
    resealed(tmp_path, manifest)
    assert f"{tmp_path / name}: 1 records instead of 2" in findings(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"title":""', b'"title":null', "Expected `str`, got `null`"),
        (b'"authors":[]', b'"authors":""', "Expected `array`"),
        (b'"title":"",', b"", "missing required field `title`"),
        (b'"cluster":"",', b"", "other keys than a record"),
        (b'"title":"",', b'"title":"","headline":"",', "other keys than a record"),
        (b'"schema":3', b'"schema":4', "schema 4; this version reads 3"),
        (b'"schema":3', b'"schema":2', "schema 2; this version reads 3"),
        (b"{", b"[", "not a record"),
    ],
)
def test_the_schema_of_each_row_is_checked(
    tmp_path: Path, records: list[Record], old: bytes, new: bytes, message: str
) -> None:
    manifest = published(tmp_path, records)
    name = manifest.shards[2].name
    rewritten(tmp_path / name, lambda lines: lines.replace(old, new, 1))
    resealed(tmp_path, manifest)
    assert re.search(f"{re.escape(name)}, line 1: .*{message}", findings(tmp_path))


def test_ids_that_stand_more_than_once_are_named(tmp_path: Path, records: list[Record]) -> None:
    published(tmp_path, [*records[:5], records[0]])
    assert findings(tmp_path) == f"{tmp_path}: 2 records have the id {records[0].id}"


def test_a_card_that_means_other_files_is_found(tmp_path: Path, records: list[Record]) -> None:
    manifest = published(tmp_path, records)
    card = tmp_path / "README.md"
    card.write_text(card.read_text("utf-8").replace(manifest.shards[0].name, "shard-0.gz"), "utf-8")
    assert (
        f"names other files than the manifest: {', '.join(sorted(['shard-0.gz', manifest.shards[0].name]))}"
        in findings(tmp_path)
    )
    card.unlink()
    assert f"{card}: no names" in findings(tmp_path)


@pytest.mark.parametrize("name", ["../outside", "a/b", "/etc/passwd", "."])
def test_a_manifest_never_leads_out_of_its_folder(tmp_path: Path, records: list[Record], name: str) -> None:
    manifest = published(tmp_path, records)
    shards = (replace(manifest.shards[0], name=name), *manifest.shards[1:])
    (tmp_path / MANIFEST).write_bytes(encode_indented(replace(manifest, shards=shards)))
    with pytest.raises(CorpusError, match="no name of a file"):
        read_manifest(tmp_path)
