"""Locks: who holds one, and what else may be wrong with it; files that are replaced; folders of corpora."""

import sqlite3
from pathlib import Path

import pytest

from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, is_held, replacing
from newscorpus.layout import check_corpus


def lock(folder: Path) -> None:
    with exclusive(folder / ".lock", "dance"):
        pass


def test_a_lock_is_held_by_one_and_not_by_who_looks_at_it(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    assert not is_held(path)
    with exclusive(path, "dance"):
        assert is_held(path)
        with pytest.raises(CorpusError, match="another dance is at work here"):
            lock(tmp_path)
    assert not is_held(path)
    lock(tmp_path)


def test_what_is_no_lock_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"\.lock: cannot be created; is .*absent a folder that you may write to\?$"):
        lock(tmp_path / "absent")
    (tmp_path / ".lock").write_bytes(b"garbage " * 100)
    with pytest.raises(CorpusError, match=r"\.lock: no lock of newscorpus \(.*\); remove it$"):
        lock(tmp_path)
    assert not is_held(tmp_path / ".lock")


def test_a_full_disk_is_no_other_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **_: connect(path, factory=Full))
    with pytest.raises(CorpusError, match=r"\.lock: database or disk is full$"):
        lock(tmp_path)


def test_a_file_that_cannot_be_written_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised, replacing(tmp_path / "absent" / "out.txt"):
        pass
    assert raised.value.filename == str(tmp_path / "absent" / "out.txt")


def test_a_folder_of_corpora_is_no_corpus_and_names_them(tmp_path: Path) -> None:
    (tmp_path / "vesti" / "intake").mkdir(parents=True)
    (tmp_path / "other" / "index").mkdir(parents=True)
    (tmp_path / "corpora" / "b92" / "intake").mkdir(parents=True)
    for name in ("vesti", "corpora/b92"):
        (tmp_path / name / "ledger.sqlite").touch()
    with pytest.raises(CorpusError) as raised:
        check_corpus(tmp_path)
    assert (
        str(raised.value)
        == f"{tmp_path}: no corpus here; there is one in {tmp_path / 'corpora/b92'}, {tmp_path / 'vesti'}"
    )
    assert check_corpus(tmp_path / "vesti") == tmp_path / "vesti"
