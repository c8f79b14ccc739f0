"""A published corpus is searched: words, beginnings and phrases, in context, filtered, counted, and as CSV."""

import csv
import io
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig, SignatureParameters
from newscorpus.corpus.build import build
from newscorpus.corpus.changes import Piece, marked_difference, texts_of
from newscorpus.corpus.duplicates.find import DuplicateKind
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.corpus.published import publish
from newscorpus.corpus.search import (
    ContextLine,
    Query,
    QueryError,
    contexts,
    in_order,
    index_path,
    make_index,
    opened_index,
)
from newscorpus.data import Article, Fields, Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.lines import encode_line
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.store.intake import IntakeWriter


def record(name: str, text: str, **fields: object) -> Record:
    made = make_record(Article(f"https://a.example/{name}", text, Fields(title=name), "x"), "a", "sr", 1.0)
    return replace(made, **fields)  # type: ignore[arg-type]


RECORDS = (
    record("Most", "Novi most preko Save je otvoren.\nStari mostovi čekaju.", published="2026-05-04T10:00:00+02:00"),
    record("Мост", "Нови мост преко Саве је отворен.", published="2026-05-09", source="b", confidence=0.4),
    record("Γέφυρα", "Η νέα γέφυρα άνοιξε χθες. ΓΈΦΥΡΑ!", language="el", flags=("masked_email:2", "flash_news")),
    record("Česta", "Cesta přes most. Česta!", published="2026-04-30", language="cs", cluster_size=3),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A published corpus without an index."""
    folder = tmp_path / "vesti"
    publish(folder / "corpus", RECORDS, BuildConfig())
    return folder


def titles(corpus: Path, query: Query) -> set[str]:
    with opened_index(corpus) as index:
        assert index
        found = {one.title for one in index.documents(query, 10)}
        assert index.number(query) == len(found)
        return found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (Query("most"), {"Most", "Česta"}),
        (Query("MOST*"), {"Most", "Česta"}),
        (Query("mosto*"), {"Most"}),
        (Query("мост"), {"Мост"}),
        (Query("γέφυρα"), {"Γέφυρα"}),
        (Query("cesta"), {"Česta"}),  # a letter with its mark is another letter
        (Query("česta -cesta"), set()),
        (Query("most -save"), {"Česta"}),
        (Query('"most preko"'), {"Most"}),
        (Query('"most pre*"'), {"Most"}),
        (Query('"preko most"'), set()),
        (Query("most !?"), {"Most", "Česta"}),
        (Query('most AND "'), set()),  # a word like others: only its own letters can be searched for
        (Query("* ^ : ( {"), {"Most", "Мост", "Γέφυρα", "Česta"}),
        (Query(), {"Most", "Мост", "Γέφυρα", "Česta"}),
        (Query(source="b"), {"Мост"}),
        (Query(since="2026-05-01"), {"Most", "Мост"}),
        (Query(since="2026-05-04", until="2026-05-04"), {"Most"}),
        (Query(until="2026-05-01"), {"Česta"}),
        (Query(language="el"), {"Γέφυρα"}),
        (Query(flag="masked_email"), {"Γέφυρα"}),
        (Query(flag="masked"), set()),
        (Query(least=0.3), {"Мост"}),
        (Query("мост", below=0.3), set()),
        (Query(least_group=2), {"Česta"}),
    ],
)
def test_documents_are_found(corpus: Path, query: Query, found: set[str]) -> None:
    make_index(corpus)
    assert titles(corpus, query) == found


def test_words_are_shown_in_context_and_counted(corpus: Path) -> None:
    make_index(corpus)
    with opened_index(corpus) as index:
        assert index
        lines = {(line.left, line.found, line.right) for line in index.lines(Query("most*", source="a"))}
        counts = index.count(Query())
        assert list(index.lines(Query(language="sr"))) == []
    assert ("Most ¶ Novi", "most", "preko Save je otvoren. ¶ Stari mostovi čekaju.") in lines
    assert ("", "Most", "¶ Novi most preko Save je otvoren. ¶ Stari mostovi čekaju.") in lines
    assert len(lines) == 4
    assert counts.portals == ("a", "b")
    assert list(counts.months.items()) == [("2026-05", {"a": 1, "b": 1}), ("2026-04", {"a": 1}), ("", {"a": 1})]


def test_lines_are_sorted_by_what_stands_on_a_side() -> None:
    def line(left: str, right: str) -> ContextLine:
        return ContextLine("a", "", "1", left, "x", right)

    given = [line("b c", "Zid"), line("a d", "alfa"), line("z C", "beta")]
    assert [one.right for one in in_order(given, "right")] == ["alfa", "beta", "Zid"]
    assert [one.left for one in in_order(given, "left")] == ["b c", "z C", "a d"]
    assert list(in_order(given, "")) == given
    assert list(contexts("\x02a\x03 b \x02a\x03")) == [("", "a", "b a"), ("a b", "a", "")], "no marks of other hits"


def test_an_index_belongs_to_what_is_published_now(corpus: Path) -> None:
    with opened_index(corpus) as index:
        assert index is None
    before = {path: path.stat().st_mtime_ns for path in corpus.rglob("*")}
    path = make_index(corpus)
    assert path == index_path(corpus) == corpus.parent / "vesti.search.sqlite"
    assert {path: path.stat().st_mtime_ns for path in corpus.rglob("*")} == before  # nothing is written inside
    publish(corpus / "corpus", RECORDS[:1], BuildConfig())
    with opened_index(corpus) as index:
        assert index is None
    make_index(corpus)
    assert titles(corpus, Query()) == {"Most"}


def test_what_is_no_index_is_replaced(corpus: Path) -> None:
    index_path(corpus).write_bytes(b"something else, and more than a header of a hundred bytes" * 9)
    with opened_index(corpus) as index:
        assert index is None
    make_index(corpus)
    assert titles(corpus, Query("мост")) == {"Мост"}


def test_an_index_that_breaks_off_leaves_the_one_before(corpus: Path) -> None:
    path = make_index(corpus)
    before = path.read_bytes()

    def breaks(records: Sequence[Record]) -> Sequence[Record]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_index(corpus, breaks)  # type: ignore[arg-type]
    assert path.read_bytes() == before
    assert {one.name for one in corpus.parent.iterdir()} == {"vesti", path.name, "vesti.search.lock"}


def test_two_do_not_index_at_once(corpus: Path) -> None:
    lock = index_path(corpus).with_suffix(".lock")
    with exclusive(lock), pytest.raises(CorpusError, match="another search index is at work"):
        make_index(corpus)


def test_a_folder_that_cannot_be_written_is_one_line(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> sqlite3.Connection:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("newscorpus.corpus.search._fill", full)
    with pytest.raises(OSError, match=r"vesti\.search\.tmp: database or disk is full"):
        make_index(corpus)


def test_what_a_document_stands_for(corpus: Path) -> None:
    leader = RECORDS[3]
    lines = [
        DuplicateLine("1", "r", "https://b.example/1", "T", leader.id, DuplicateKind.NEAR, 0.9, leader.id, "b", "a"),
        DuplicateLine("2", "r", "https://b.example/2", "T", "9", DuplicateKind.EXACT, 1.0, "9", "b", "a"),
        DuplicateLine(leader.id, "r", leader.url, "T", leader.id, DuplicateKind.REVISION, 0.9, leader.id, "a", "a"),
    ]
    (corpus / "duplicates.jsonl").write_bytes(b"".join(map(encode_line, lines)))
    make_index(corpus)
    with opened_index(corpus) as index:
        assert index
        assert index.document(leader.id) == leader
        assert index.document("nothing") is None
        assert index.members(leader.id) == lines[:1]
        assert (index.has_other_texts(leader.id), index.has_other_texts("9")) == (True, False)
        assert index.documents(Query(group=leader.id), 9) == [leader]
        assert index.choices("flag") == ["masked_email", "flash_news"]


def test_the_verb_makes_the_index_and_prints_lines(corpus: Path) -> None:
    found = CliRunner().invoke(app, ["search", str(corpus), "most", "preko", "--sort", "left"])
    assert found.exit_code == 0, found.output
    assert "Novi [most] preko Save" in found.stdout
    assert f"The index lies in {index_path(corpus)}" in found.stderr
    assert "1 documents" not in found.stderr
    assert "1 document" in found.stderr
    again = CliRunner().invoke(app, ["search", str(corpus), "most", "--portal", "a", "--language", "cs", "--csv"])
    rows = list(csv.DictReader(io.StringIO(again.stdout)))
    assert "The index lies" not in again.stderr
    assert [(row["source"], row["day"], row["found"]) for row in rows] == [("a", "2026-04-30", "most")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (['"'], "names no word"),
        (["most", "--since", "May"], "'May' is no day, such as 2026-"),
    ],
)
def test_what_cannot_be_searched_for_is_said(corpus: Path, arguments: list[str], said: str) -> None:
    found = CliRunner().invoke(app, ["search", str(corpus), *arguments])
    assert found.exit_code == 2
    assert said in found.stderr
    with pytest.raises(QueryError, match="name one that is"):
        _ = Query("-most").matched


def test_all_texts_of_a_document_are_read_from_the_intake(tmp_path: Path) -> None:
    parameters = SignatureParameters()
    texts = ["Jedan dva tri četiri pet šest sedam.", "Jedan dva tri četiri pet osam sedam."]
    rows = [record("r", text, fetched=f"2026-05-0{day}T00:00:00+00:00") for day, text in enumerate(texts, 1)]
    rows = [replace(one, revision=f"{number:016}") for number, one in enumerate(rows)]
    with IntakeWriter(tmp_path / "intake", parameters) as writer:
        for one in (rows[1], record("other", "Nešto drugo."), rows[0]):
            writer.append(Row(one, sign(one.text, parameters)))
    assert texts_of(tmp_path, rows[0].id) == []
    build(tmp_path)
    assert [one.text for one in texts_of(tmp_path, rows[0].id)] == texts


def test_differences_are_marked_word_by_word() -> None:
    assert list(marked_difference("A b c.\nStays.\nGone.", "A x c.\nStays.\n")) == [
        Piece("same", "A "),
        Piece("gone", "b "),
        Piece("new", "x "),
        Piece("same", "c.\n"),
        Piece("same", "Stays.\n"),
        Piece("gone", "Gone."),
    ]
