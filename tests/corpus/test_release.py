"""Versions of a corpus: their lists, what differs between any two, and what is refused."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig
from newscorpus.corpus.published import publish
from newscorpus.corpus.release import RowChanges, diff, forget_rows, release, releases
from newscorpus.data import Article, Fields, Record
from newscorpus.errors import CorpusError
from newscorpus.page.records import make_record


def record(number: int, text: str = "A text.") -> Record:
    return make_record(Article(f"https://a.cz/{number}", text, Fields(title="t"), "bte"), "a", "cs", 0.9)


ONE, TWO, THREE = map(record, range(3))


def put(corpus: Path, *records: Record) -> Path:
    publish(corpus / "corpus", records, BuildConfig())
    return corpus


def ids(changes: RowChanges) -> tuple[set[str], set[str], set[str]]:
    return set(changes.added), set(changes.changed), set(changes.removed)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus with three releases: two rows, one changed and one new, one gone."""
    corpus = tmp_path / "a"
    release(put(corpus, ONE, TWO), "1")
    release(put(corpus, replace(ONE, text="Another text."), TWO, THREE), "2")
    release(put(corpus, replace(ONE, text="Another text."), THREE), "3-final")
    return corpus


def test_a_release_is_on_the_disk_before_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda handle: synced.add(os.fstat(handle).st_ino))
    release(put(tmp_path / "a", ONE), "1")
    files = {path.name: path.stat().st_ino in synced for path in (tmp_path / "a" / "releases" / "1").iterdir()}
    assert len(files) == 6
    assert all(files.values()), files


def test_a_release_says_what_changed_since_the_last(corpus: Path) -> None:
    found = [(note.tag, note.previous, note.added, note.changed, note.removed) for note in releases(corpus)]
    assert found == [("1", "", 2, 0, 0), ("2", "1", 1, 1, 0), ("3-final", "2", 0, 0, 1)]
    manifest = json.loads((corpus / "releases" / "2" / "manifest.json").read_bytes())
    assert manifest["documents"] == 3
    assert "pretty_name" in (corpus / "releases" / "2" / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1", "2", ({THREE.id}, {ONE.id}, set())),
        ("1", "3-final", ({THREE.id}, {ONE.id}, {TWO.id})),
        ("3-final", "1", ({TWO.id}, {ONE.id}, {THREE.id})),
        ("2", "2", (set(), set(), set())),
    ],
)
def test_any_two_releases_are_compared(
    corpus: Path, old: str, new: str, expected: tuple[set[str], set[str], set[str]]
) -> None:
    assert ids(diff(old, new, corpus)) == expected
    assert ids(diff(str(corpus / "releases" / old), str(corpus / "releases" / new))) == expected


def test_releases_and_corpora_are_compared(corpus: Path, tmp_path: Path) -> None:
    other = put(tmp_path / "b", ONE)
    assert ids(diff(str(other), "1", corpus)) == ({TWO.id}, set(), set())
    assert ids(diff("3-final", str(corpus), corpus)) == (set(), set(), set())
    assert ids(diff(str(other), str(put(tmp_path / "c", replace(ONE, title="other"))))) == (set(), {ONE.id}, set())


def test_the_command_says_so(corpus: Path) -> None:
    done = CliRunner().invoke(app, ["release", str(corpus), "3-final", "--against", "1"])
    assert done.output.splitlines() == ["added: 1", "changed: 1", "removed: 1"]
    done = CliRunner().invoke(app, ["release", str(corpus), "4"])
    assert done.output == "4: 2 documents; 0 added, 0 changed, 0 removed (since 3-final)\n"


@pytest.mark.parametrize("tag", ["", "../x", ".x", "a/b", "a b", "x" * 101])
def test_a_tag_that_is_none_is_refused(corpus: Path, tag: str) -> None:
    with pytest.raises(CorpusError, match="is no tag"):
        release(corpus, tag)


def test_a_release_stands(corpus: Path) -> None:
    with pytest.raises(CorpusError, match="there is such a release already"):
        release(corpus, "2")
    with pytest.raises(CorpusError, match=r"9: neither a folder nor a release of .*, which has 1, 2, 3-final$"):
        diff("1", "9", corpus)
    with pytest.raises(CorpusError, match="1: neither a folder nor a release; a tag needs --corpus"):
        diff("1", "2")


def test_a_release_that_dies_is_none(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            release(corpus, "4")
    assert [note.tag for note in releases(corpus)] == ["1", "2", "3-final"]
    assert release(corpus, "4").number == 4
    assert not (corpus / "releases" / ".4.tmp").exists()


def test_a_damaged_release_is_named(corpus: Path) -> None:
    path = corpus / "releases" / "2" / "release.json"
    path.write_text("{}")
    with pytest.raises(CorpusError, match=r"release\.json"):
        releases(corpus)
    shutil.rmtree(path.parent)
    (corpus / "releases" / "1" / "added.jsonl.zst").write_bytes(b"")
    assert ids(diff("1", "1", corpus)) == (set(), set(), set())


def test_what_is_taken_out_stands_in_no_list(corpus: Path) -> None:
    forget_rows(corpus, [TWO.id])
    assert ids(diff("1", "3-final", corpus)) == ({THREE.id}, {ONE.id}, set())
    forget_rows(corpus, [THREE.id])
    note = release(put(corpus, replace(ONE, text="Another text.")), "4")
    assert (note.documents, note.added, note.removed, note.taken_out) == (1, 0, 0, 1)
