"""A published corpus that was damaged is refused by every verb that reads it, with the file named."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from newscorpus import cli
from newscorpus.config import BuildConfig, ExportFormat, ShardConfig
from newscorpus.corpus.published import publish
from newscorpus.data import Article, Fields
from newscorpus.page.records import make_record

DOCUMENTS = 4
TEXT = "Most cez rieku zostáva otvorený, kým nestojí nový, rozhodla v utorok mestská rada. " * 5


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def rename(path: Path) -> None:
    path.rename(path.with_name("other" + path.suffix))


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


def published(folder: Path) -> list[Path]:
    """A corpus of one document a shard."""
    one = make_record(Article("https://a.example/1", TEXT, Fields(), "bte"), "a", "sk", 0.9)
    records = [
        replace(one, id=f"{at:016x}", text=f"{at} {TEXT}", published=f"2026-01-0{at + 1}") for at in range(DOCUMENTS)
    ]
    manifest = publish(folder / "corpus", records, BuildConfig(shards=ShardConfig(max_bytes=1)))
    assert len(manifest.shards) == DOCUMENTS
    return [folder / "corpus" / shard.name for shard in manifest.shards]


@pytest.mark.parametrize("damage", [truncate, flip, rename, Path.unlink])
@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_damage_is_refused_with_the_file_named(
    verb: tuple[str, ...],
    damage: Callable[[Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    names = {name: tmp_path / name for name in ("corpus", "other", "output")}
    published(names["other"])
    shard = published(names["corpus"])[2]
    damage(shard)
    with pytest.raises(SystemExit) as end:
        cli.main([part.format(**names) for part in verb])
    out, err = capfd.readouterr()
    assert end.value.code == 1
    assert str(shard) in err
    assert "Traceback" not in err
    assert out == ""
    assert DONE.isdisjoint(path.name for path in names["output"].rglob("*"))
