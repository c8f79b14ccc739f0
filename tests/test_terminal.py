import pytest

from newscorpus.terminal import WIDE, table_console
from newscorpus.tokens import printable


def test_a_table_in_a_pipe_is_not_cut_at_the_width_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)

    assert table_console().width == WIDE


def test_the_width_that_the_user_sets_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")

    assert table_console().width == 70


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    assert printable("a\x9b31mb\x1b[2J\u202ecba\u2066\td\ne") == "a31mb[2Jcba d e"
    assert printable("Žluťoučký کورپس‌ها 语料") == "Žluťoučký کورپس‌ها 语料"
