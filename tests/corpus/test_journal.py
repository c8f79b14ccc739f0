"""The journal of rejections."""

from pathlib import Path

import pytest

from newscorpus.data import Rejected
from newscorpus.errors import CorpusError
from newscorpus.store.intake import journal_line, read_journal

ONE = Rejected("fetch", "robots_forbidden", "Disallow: /x", "https://a.cz/x")
OTHER = Rejected("quality", "too_short", "8 words", "https://a.cz/č")


def test_rejections_come_back_and_a_torn_line_does_not(tmp_path: Path) -> None:
    path = tmp_path / "rejected.jsonl"
    path.write_bytes(journal_line(ONE) + journal_line(OTHER))
    assert list(read_journal(path)) == [ONE, OTHER]
    path.write_bytes(path.read_bytes()[:-5])
    assert list(read_journal(path)) == [ONE]


def test_odd_addresses_are_stored(tmp_path: Path) -> None:
    (tmp_path / "rejected.jsonl").write_bytes(journal_line(Rejected("fetch", "bad_url", "\x00", "http://\ud800/")))
    assert list(read_journal(tmp_path / "rejected.jsonl")) == [Rejected("fetch", "bad_url", "", "http:///")]


@pytest.mark.parametrize("damage", [b"x", b"{}", b'{"stage": "\xff", "reason": ""}'])
def test_damage_is_named_by_file_and_line(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "rejected.jsonl").write_bytes(damage + b"\n")
    with pytest.raises(CorpusError, match=r"rejected\.jsonl, line 1: "):
        list(read_journal(tmp_path / "rejected.jsonl"))
