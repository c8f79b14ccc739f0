"""The journal of rejections."""

from pathlib import Path

import pytest

from newscorpus.corpus.errors import CorpusError
from newscorpus.corpus.journal import Journal, read_journal
from newscorpus.data import Rejected

ONE = Rejected("fetch", "robots_forbidden", "Disallow: /x", "https://a.cz/x")
OTHER = Rejected("quality", "too_short", "8 words", "https://a.cz/č")


def test_rejections_come_back_over_several_runs(tmp_path: Path) -> None:
    path = tmp_path / "corpus" / "rejected.jsonl"
    for rejected in (ONE, OTHER):
        with Journal(path) as journal:
            journal.append(rejected)
    assert list(read_journal(path)) == [ONE, OTHER]


def test_a_torn_line_is_cut_off_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "rejected.jsonl"
    with Journal(path) as journal:
        journal.append(ONE)
        journal.append(OTHER)
    path.write_bytes(path.read_bytes()[:-5])
    assert list(read_journal(path)) == [ONE]
    with Journal(path) as journal:
        journal.append(OTHER)
    assert list(read_journal(path)) == [ONE, OTHER]


def test_committed_lines_are_on_the_disk(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "rejected.jsonl")
    journal.append(ONE)
    journal.commit()
    assert list(read_journal(tmp_path / "rejected.jsonl")) == [ONE]
    journal.close()
    journal.close()


def test_odd_addresses_are_stored(tmp_path: Path) -> None:
    with Journal(tmp_path / "rejected.jsonl") as journal:
        journal.append(Rejected("fetch", "bad_url", "\x00", "http://\ud800/"))
    assert list(read_journal(tmp_path / "rejected.jsonl")) == [Rejected("fetch", "bad_url", "", "http:///")]


@pytest.mark.parametrize("damage", [b"x", b"{}", b'{"stage": "\xff", "reason": ""}'])
def test_damage_is_named_by_file_and_line(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "rejected.jsonl").write_bytes(damage + b"\n")
    with pytest.raises(CorpusError, match=r"rejected\.jsonl, line 1: "):
        list(read_journal(tmp_path / "rejected.jsonl"))
