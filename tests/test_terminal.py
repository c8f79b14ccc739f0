import pytest

from newscorpus.terminal import WIDE, table_console
from newscorpus.tokens import printable


def test_a_table_in_a_pipe_is_as_wide_as_the_user_sets_or_as_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert table_console().width == WIDE
    monkeypatch.setenv("COLUMNS", "70")
    assert table_console().width == 70


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    assert printable("a\x9b31mb\x1b[2J\u202ecba\u2066\td\ne") == "a31mb[2Jcba d e"
    assert printable("Žluťoučký کورپس‌ها 语料") == "Žluťoučký کورپس‌ها 语料"
