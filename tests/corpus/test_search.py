"""A published corpus is searched: words, beginnings and phrases, in context, filtered, counted, and as CSV."""

import csv
import io
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from crawled import take_in
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig
from newscorpus.corpus.build import build
from newscorpus.corpus.changes import Piece, marked_difference, texts_of
from newscorpus.corpus.duplicates.verify import DuplicateKind
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.corpus.published import publish
from newscorpus.corpus.query import QueryError
from newscorpus.corpus.search import MAX_FORMS, ContextLine, Query, SearchIndex, contexts, in_order, opened_index
from newscorpus.corpus.search_index import index_path, make_index
from newscorpus.data import Article, Fields, Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.lines import encode_line
from newscorpus.page.records import make_record


def record(name: str, text: str, **fields: object) -> Record:
    made = make_record(Article(f"https://a.example/{name}", text, Fields(title=name), "x"), "a", "sr", 1.0)
    return replace(made, **fields)  # type: ignore[arg-type]


RECORDS = (
    record(
        "Most",
        "Novi most preko Save je otvoren.\nStari mostovi čekaju.",
        published="2026-05-04T10:00:00+02:00",
        section="Kultura",
        authors=("Ivo Ivić", "Ana Anić"),
    ),
    record(
        "Мост",
        "Нови мост преко Саве је отворен.",
        published="2026-05-09",
        source="b",
        confidence=0.4,
        authors=("Ana Anić",),
    ),
    record("Γέφυρα", "Η νέα γέφυρα άνοιξε χθες. ΓΈΦΥΡΑ!", language="el", flags=("masked_email:2", "flash_news")),
    record("Česta", "Cesta přes most. Česta!", published="2026-04-30", language="cs", cluster_size=3),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A published corpus without an index."""
    folder = tmp_path / "vesti"
    publish(folder / "corpus", RECORDS, BuildConfig())
    return folder


@contextmanager
def indexed(corpus: Path) -> Iterator[SearchIndex]:
    """Index a corpus, and open the index."""
    make_index(corpus)
    with opened_index(corpus) as index:
        assert index
        yield index


def titles(corpus: Path, query: Query) -> set[str]:
    with indexed(corpus) as index:
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
        (Query("„preko most“"), set()),
        (Query("most-preko"), {"Most"}),
        (Query("*st AND *reko"), {"Most"}),
        (Query("m*t OR γέφ*"), {"Most", "Γέφυρα", "Česta"}),
        (Query('(most OR мост) NOT "save je"'), {"Мост", "Česta"}),
        (Query('"nov* most* *ko"'), {"Most"}),
        (Query("*xyz"), set()),
        (Query("most OR *xyz"), {"Most", "Česta"}),
        (Query(section="Kultura"), {"Most"}),
        (Query(author="Ana Anić"), {"Most", "Мост"}),
        (Query(), {"Most", "Мост", "Γέφυρα", "Česta"}),
        (Query(source="b"), {"Мост"}),
        (Query(since="2026-05-01"), {"Most", "Мост"}),
        (Query(since="2026-05-04", until="2026-05-04"), {"Most"}),
        (Query(until="2026-05-01"), {"Česta"}),
        (Query(language="el"), {"Γέφυρα"}),
        (Query(flag="masked_email"), {"Γέφυρα"}),
        (Query(least=0.3), {"Мост"}),
        (Query("мост", below=0.3), set()),
        (Query(least_group=2), {"Česta"}),
    ],
)
def test_documents_are_found(corpus: Path, query: Query, found: set[str]) -> None:
    assert titles(corpus, query) == found


def test_words_are_shown_in_context_and_counted(corpus: Path) -> None:
    with indexed(corpus) as index:
        lines = {
            (line.left_context, line.match, line.right_context) for line in index.lines(Query("most*", source="a"))
        }
        counts = index.count(Query())
        assert list(index.lines(Query(language="sr"))) == []
    assert ("Most ¶ Novi", "most", "preko Save je otvoren. ¶ Stari mostovi čekaju.") in lines
    assert ("", "Most", "¶ Novi most preko Save je otvoren. ¶ Stari mostovi čekaju.") in lines
    assert len(lines) == 4
    assert counts.portals == ("a", "b")
    found = {month: {portal: one.documents for portal, one in of.items()} for month, of in counts.months.items()}
    assert found == {"2026-05": {"a": 1, "b": 1}, "2026-04": {"a": 1}, "": {"a": 1}}
    assert list(found) == ["2026-05", "2026-04", ""]


def test_lines_are_sorted_by_what_stands_on_a_side() -> None:
    def line(left: str, right: str) -> ContextLine:
        return ContextLine("a", "", "1", "", "", left, "x", right)

    given = [line("b c", "Zid"), line("a d", "alfa"), line("z C", "beta")]
    assert [one.right_context for one in in_order(given, "right")] == ["alfa", "beta", "Zid"]
    assert [one.left_context for one in in_order(given, "left")] == ["b c", "z C", "a d"]
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
    assert titles(corpus, Query()) == {"Most"}


def test_what_is_no_index_is_replaced(corpus: Path) -> None:
    index_path(corpus).write_bytes(b"something else, and more than a header of a hundred bytes" * 9)
    with opened_index(corpus) as index:
        assert index is None
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

    monkeypatch.setattr("newscorpus.corpus.search_index._fill", full)
    with pytest.raises(OSError, match=r"vesti\.search\.sqlite: database or disk is full"):
        make_index(corpus)


def test_what_a_document_stands_for(corpus: Path) -> None:
    leader = RECORDS[3]
    lines = [
        DuplicateLine("1", "r", "https://b.example/1", "T", leader.id, DuplicateKind.NEAR, 0.9, leader.id, "b", "a"),
        DuplicateLine("2", "r", "https://b.example/2", "T", "9", DuplicateKind.EXACT, 1.0, "9", "b", "a"),
        DuplicateLine(leader.id, "r", leader.url, "T", leader.id, DuplicateKind.REVISION, 0.9, leader.id, "a", "a"),
    ]
    (corpus / "duplicates.jsonl").write_bytes(b"".join(map(encode_line, lines)))
    with indexed(corpus) as index:
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
    assert "3 hits in 1 document, 103,448.3 per million words" in found.stderr
    again = CliRunner().invoke(app, ["search", str(corpus), "most", "--portal", "a", "--language", "cs", "--csv"])
    rows = list(csv.DictReader(io.StringIO(again.stdout)))
    assert "The index lies" not in again.stderr
    columns = ("source", "day", "url", "title", "match")
    assert [[row[name] for name in columns] for row in rows] == [
        ["a", "2026-04-30", "https://a.example/Česta", "Česta", "most"]
    ]
    without = CliRunner().invoke(app, ["search", str(corpus), "most", "-stari"])
    assert "1 hit in 1 document," in without.stderr
    nothing = CliRunner().invoke(app, ["search", str(corpus), "cesta", "preco"])
    assert "no document has the word 'preco'; like it: preko" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (['"'], "a quotation mark without its second one"),
        (["NOT most"], "name one that is"),
        (["most", "--portal", "vesty"], "no document has the portal 'vesty'; some have: a, b"),
        (["most", "--flag", "masked"], "no document has the flag 'masked'; some have: masked_email"),
        (["most", "--save", "../x"], "a subcorpus is named with letters"),
        (["most", "--since", "2026-05-02", "--until", "2026-05-01"], "2026-05-02 is later than until 2026-05-01"),
        (["most", "--since", "2026-13-01"], "'2026-13-01' is no day"),
        (["most", "--since", "May"], "'May' is no day, such as 2026-"),
    ],
)
def test_what_cannot_be_searched_for_is_said(corpus: Path, arguments: list[str], said: str) -> None:
    found = CliRunner().invoke(app, ["search", str(corpus), *arguments])
    assert found.exit_code in {1, 2}
    assert said in f"{found.stderr} {found.exception}".replace(" │\n│ ", " ")


def test_a_query_for_most_of_the_corpus_is_refused_before_it_is_answered(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newscorpus.corpus.search.MAX_OCCURRENCES", 1)
    most = Query(" OR ".join(f"{letter}*" for letter in "abcčdefghijklmnoprstuvzмнпсз"))
    with indexed(corpus) as index:
        for answer in (index.number, index.count, index.ids, lambda query: index.documents(query, 1)):
            with pytest.raises(QueryError, match="too often to be counted"):
                answer(most)


def test_small_operators_are_words_and_said_to_be(corpus: Path) -> None:
    def said(words: str) -> str:
        return CliRunner().invoke(app, ["search", str(corpus), words]).stderr

    assert "'or' counted as a word; operators are AND, OR, NOT" in said("most or cesta")
    assert "no document has the word 'or'" in said("most or cesta")
    assert "counted as a word" not in said('most "or" cesta') + said("or") + said("most OR cesta")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("title:most", "unknown syntax ':'"),
        ("most | cesta", "write OR"),
        ("mos?", "unknown syntax '\\?'"),
        ("mo.t", "unknown syntax '\\.'"),
        ("/most/", "unknown syntax '/'"),
        ("most NEAR cesta", "'NEAR' is no operator"),
        ("most OR", "a word is missing at the end"),
        ("most OR NOT cesta", "name one that is"),
        ("most - cesta", "'-' names no word"),
        ("(most", "without its"),
        ("most)", "without its"),
        ("*", "names no word"),
        ("(" * 5000, "at most 1,000"),
        ("(" * 400 + "a" + ")" * 400, "more than 10 parentheses"),
        ("a " * 400, "more than 50 words"),
        ("*a*a*a*a*", "more than 3"),
    ],
)
def test_unknown_and_hostile_queries_are_errors(words: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        _ = Query(words).parsed


def made(random: Random) -> Record:
    """A document of few short words, so that phrases repeat and overlap."""
    text = " ".join(random.choice(("a", "b", "ab", "ba", "aab")) for _ in range(random.randrange(1, 30)))
    return record(
        f"{random.random()}", text, source=random.choice("xy"), published=f"2026-0{random.randrange(1, 4)}-01"
    )


def test_frequencies_equal_a_count_by_hand(tmp_path: Path) -> None:
    random = Random(1)
    records = [made(random) for _ in range(60)]
    publish(tmp_path / "made" / "corpus", records, BuildConfig())
    with indexed(tmp_path / "made") as index:
        for words, pattern, needed, excluded in (
            ("a", "a", (), ""),
            ("a*", "a[ab]*", (), ""),
            ("*b", "[ab]*b", (), ""),
            ('"a a"', "a a(?: a)*", (), ""),  # overlapping ones are one hit
            ('"a *b"', "a [ab]*b", (), ""),
            ("a*b OR ba", "a[ab]*b|ba", (), ""),
            ("ab ba", "ab|ba", ("ab", "ba"), ""),
            ("ab NOT aab", "ab", (), "aab"),
            ('a NOT (ba "a b")', "a", (), None),
        ):
            by_month: Counter[str] = Counter()
            sizes: Counter[str] = Counter()
            for one in records:
                text = one.text.split()
                sizes[one.published[:7]] += len(text) + 2  # the headline is a number with a point
                is_excluded = excluded in text if excluded is not None else "ba" in text and " a b " in f" {one.text} "
                if not is_excluded and all(map(text.__contains__, needed)):
                    by_month[one.published[:7]] += len(re.findall(rf"\b(?:{pattern})\b", one.text))
            counts = index.count(Query(words))
            assert {month: counts.of_month(month).hits for month in counts.months} == {m: by_month[m] for m in sizes}, (
                words
            )
            assert {month: counts.of_month(month).words for month in counts.months} == sizes
            lines = list(index.lines(Query(words)))
            assert len(lines) == counts.total.hits == by_month.total()
            assert index.number(Query(words)) == counts.total.documents
            drawn = list(index.lines(Query(words), 7))
            assert len(drawn) == min(7, len(lines))
            assert set(drawn) <= set(lines)
            assert drawn == list(index.lines(Query(words), 7))


def test_a_pattern_for_too_many_words_is_an_error(tmp_path: Path) -> None:
    publish(
        tmp_path / "many" / "corpus", [record("m", " ".join(f"x{n}y" for n in range(MAX_FORMS + 1)))], BuildConfig()
    )
    with indexed(tmp_path / "many") as index:
        assert index.count(Query("x*")).total.hits == MAX_FORMS + 1
        for words in ("*y", " OR ".join(f"*{n}y" for n in range(10))):
            with pytest.raises(QueryError, match="write more of"):
                index.number(Query(words))


def test_a_search_is_saved_and_exported(corpus: Path) -> None:
    run = partial(CliRunner().invoke, app)
    saved = run(["search", str(corpus), "most", "--save", "bridges", "--months", "--csv"])
    assert saved.exit_code == 0, saved.output
    assert saved.stdout.splitlines()[0] == "month,documents,hits,words,per_million"
    assert saved.stdout.splitlines()[-1].startswith("all,2,3,")
    assert (corpus / "subcorpora" / "bridges.jsonl").read_text().startswith('{"query":{"words":"most"}}\n')
    output = corpus.parent / "out"
    done = run(["export", str(corpus), "--format", "text", "--subcorpus", "bridges", "--output", str(output)])
    assert "all: 2 documents" in done.output
    none = run(["export", str(corpus), "--format", "text", "--subcorpus", "other", "--output", str(output)])
    assert "no such subcorpus; there are: bridges" in str(none.exception)
    assert run(["search", str(corpus), "zzz", "--save", "none"]).exit_code == 1
    assert run(["search", str(corpus), "most", "--save", "bridges"]).exit_code == 0
    other = run(["search", str(corpus), "cesta", "--save", "bridges"])
    assert other.stdout == ""
    assert "bridges.jsonl: holds another search" in str(other.exception)


def test_all_texts_of_a_document_are_read_from_the_intake(tmp_path: Path) -> None:
    texts = ["Jedan dva tri četiri pet šest sedam.", "Jedan dva tri četiri pet osam sedam."]
    rows = [record("r", text, fetched=f"2026-05-0{day}T00:00:00+00:00") for day, text in enumerate(texts, 1)]
    rows = [replace(one, revision=f"{number:016}") for number, one in enumerate(rows)]
    take_in(tmp_path, rows[1], record("other", "Nešto drugo."), rows[0])
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
