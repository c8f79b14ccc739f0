"""Search an indexed corpus: documents, words in context, and frequencies by portal and month.

Search ignores case, but not diacritics. A hit is an occurrence of a wanted word or phrase in a document found;
overlapping ones are one hit. Hits are counted in the inverted index, without reading a text.
"""

import difflib
import json
import math
import re
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, replace
from itertools import chain, product
from pathlib import Path
from typing import Literal

import numpy as np

from newscorpus.corpus.duplicates.verify import DuplicateKind
from newscorpus.corpus.left_out import DUPLICATE_LINES, DuplicateLine
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.query import AllOf, AnyOf, Node, Phrase, QueryError, parse, phrases
from newscorpus.corpus.search_index import VERSION, Numbers, index_path, numbers, unpacked, with_texts
from newscorpus.data import Record
from newscorpus.lines import csv_lines
from newscorpus.tokens import collapse, fold, folded_words

CONTEXT_CHARACTERS = 60
"""Context on each side of a match: both fit on a line of a screen."""

REACH = 4 * CONTEXT_CHARACTERS
"""Text read on each side, marks and white space included."""

BEGIN, END = "\x02", "\x03"
"""Marks around a match; texts of a corpus hold no control characters."""

FOUND = re.compile(f"{BEGIN}([^{END}]*){END}")
UNMARKED = re.compile(f"[{BEGIN}{END}]")

MAX_FORMS = 2_000
"""Maximum words for which a pattern such as `*ova` stands: a search for so many takes half a second."""

MAX_OCCURRENCES, MAX_SHARE = 5_000_000, 0.25
"""Maximum occurrences that are read for a query, or share of all words, whichever is more: 1.5 s on an idle machine."""

NOTHING = '"\ue001"'
"""Matches no document: texts hold no characters of private use."""

OFFSET_BITS = 24
"""An occurrence is the number of its document, shifted by these bits, plus that of its word."""

SEED = 1
"""Of random samples: the same query gives the same sample."""

Side = Literal["", "left", "right"]
"""Context by which lines of a concordance are sorted; "" for the order of the corpus, by day of publication."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search; "" and 0 mean no restriction."""

    words: str = ""  # in the syntax of `newscorpus.corpus.query`
    source: str = ""  # name of the portal
    since: str = ""  # first day of publication, ISO 8601
    until: str = ""  # last day
    language: str = ""
    section: str = ""
    author: str = ""
    flag: str = ""
    least: float = 0.0  # minimum confidence
    below: float = 0.0  # confidence below this
    least_group: int = 0  # minimum size of the group of near-duplicates that the document represents
    group: str = ""  # id of the document that represents the group

    @property
    def parsed(self) -> Node | None:
        """The parsed words; None if there are none; errors as for `parse`, and for days in the wrong order."""
        if self.since and self.until and self.since > self.until:
            raise QueryError(f"since {self.since} is later than until {self.until}", "since")
        return parse(self.words)


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line of a concordance: a match with its left and right context."""

    source: str
    day: str
    id: str  # of the document, as are address and headline
    url: str
    title: str
    left_context: str
    match: str
    right_context: str


@dataclass(frozen=True, slots=True)
class Frequency:
    """Documents found, hits in them, and words of all documents that the filters let through."""

    documents: int = 0
    hits: int = 0
    words: int = 0

    @property
    def per_million(self) -> float:
        """Hits per million words."""
        return 1e6 * self.hits / self.words if self.words else 0.0

    def __add__(self, other: "Frequency") -> "Frequency":
        """Return the frequency in both parts together."""
        return Frequency(self.documents + other.documents, self.hits + other.hits, self.words + other.words)


@dataclass(frozen=True, slots=True)
class Counts:
    """Frequencies by month of publication and portal."""

    portals: tuple[str, ...]  # most documents first
    months: Mapping[str, Mapping[str, Frequency]]  # by month (latest first; "" if undated) and portal
    total: Frequency

    def of_month(self, month: str) -> Frequency:
        """Return the frequency in a month."""
        return sum(self.months[month].values(), Frequency())


NAMED_KINDS = ("source", "language", "section", "author", "flag")
"""Fields of a query with a name that a document must have; `SearchIndex.choices` lists the names."""


class SearchIndex:
    """The index of a corpus, open for reading."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def choices(self, kind: str) -> list[str]:
        """Return all names of a kind of `NAMED_KINDS`, the most frequent first."""
        sql = "SELECT name FROM choices WHERE kind = ? AND name != ''"
        return [name for (name,) in self._connection.execute(sql, (kind,))]

    def number(self, query: Query) -> int:
        """Return the number of matching documents."""
        number: int = self._select(query, "count(*)", "").fetchone()[0]
        return number

    def count(self, query: Query) -> Counts:
        """Count documents and hits by month and portal."""
        stored = self._connection.execute("SELECT cells, n_words FROM made").fetchone()
        cell_of, n_words = (np.frombuffer(array, np.int64) for array in stored)
        everything = replace(query, words="")
        let_through = slice(None) if everything == Query() else self._serials(everything) - 1
        serials, hits = self._found(query)
        sizes, n_documents, n_hits = (
            np.bincount(cell_of[chosen], weights, minlength=cell_of.max(initial=0) + 1)
            for chosen, weights in (
                (let_through, n_words[let_through]),
                (serials - 1, None),
                ((hits >> OFFSET_BITS) - 1, None),
            )
        )
        by_portal: Counter[str] = Counter()
        months: defaultdict[str, dict[str, Frequency]] = defaultdict(dict)
        for cell, portal, month in self._connection.execute("SELECT cell, source, month FROM cells"):
            if sizes[cell]:
                found = Frequency(int(n_documents[cell]), int(n_hits[cell]), int(sizes[cell]))
                by_portal[portal] += found.documents
                months[month][portal] = found
        portals = tuple(name for name, _ in sorted(by_portal.items(), key=lambda item: (-item[1], item[0])))
        total = sum((one for of in months.values() for one in of.values()), Frequency())
        return Counts(portals, dict(sorted(months.items(), reverse=True)), total)

    def ids(self, query: Query) -> list[str]:
        """Return the ids of all matching documents, sorted."""
        return [name for (name,) in self._select(query, "id", "ORDER BY id")]

    def documents(self, query: Query, limit: int, skipped: int = 0) -> list[Record]:
        """Read matching documents, in the order of the corpus."""
        found = self._select(query, "documents.serial", "LIMIT ? OFFSET ?", limit, skipped)
        return [self._record(serial) for (serial,) in found.fetchall()]

    def lines(self, query: Query, number: int | None = None) -> Iterator[ContextLine]:
        """Yield the hits in context, in the order of the corpus: all, or so many drawn at random, always the same."""
        if query.parsed is None:
            return
        chosen, values, wanted = "", tuple[str, ...](), set[tuple[int, int]]()
        if number is not None:
            hits = self._found(query)[1]
            drawn = np.sort(np.random.default_rng(SEED).choice(len(hits), min(number, len(hits)), replace=False))
            of_document = hits >> OFFSET_BITS
            places = drawn - np.searchsorted(of_document, of_document[drawn])  # number of each hit in its document
            wanted = set(zip(of_document[drawn].tolist(), places.tolist(), strict=True))
            chosen = "AND +documents.serial IN (SELECT value FROM json_each(?))"
            values = (json.dumps(sorted({serial for serial, _ in wanted})),)
        source = "(SELECT source FROM cells WHERE cells.cell = documents.cell)"
        columns = f"documents.serial, {source}, day, id, url, highlight(words, 0, '{BEGIN}', '{END}')"
        # FTS5 also marks words of alternatives that do not apply: it marks in a search without conditions.
        marked = " OR ".join(map(self._matched, phrases(query.parsed)))
        drawn_from = query if number is None else Query()  # the documents drawn have passed the filters
        for serial, portal, day, name, url, text in self._select(drawn_from, columns, chosen, *values, marked=marked):
            for place, context in enumerate(contexts(text)):
                if number is None or (serial, place) in wanted:
                    title = UNMARKED.sub("", text.partition("\n")[0])
                    yield ContextLine(portal, day, name, url, title, *context)

    def missing_words(self, query: Query) -> Iterator[str]:
        """Yield the words of a query that no document has, each with the words most like it."""
        for word in dict.fromkeys(word for phrase in phrases(query.parsed) for word in phrase.words):
            condition, values = self._has_form(word)
            sql = "SELECT term FROM forms WHERE"
            if not self._connection.execute(f"{sql} {condition}", values).fetchone():
                lengths = (len(word) - 1, len(word) + 1)
                forms = self._connection.execute(f"{sql} length(term) BETWEEN ? AND ?", lengths)
                folded = {fold(form): form for (form,) in forms if fold(form)[:1] == fold(word)[:1]}
                near = ", ".join(folded[one] for one in difflib.get_close_matches(fold(word), folded))
                yield f"no document has the word {word!r}" + (f"; like it: {near}" if near else "")

    def _found(self, query: Query) -> tuple[Numbers, Numbers]:
        """Return the serials of the matching documents and the hits in them, sorted."""
        serials = self._serials(query)
        found = list(phrases(query.parsed))
        occurrences = [self._occurrences(phrase) for phrase in found]
        after = [at + len(phrase.words) for at, phrase in zip(occurrences, found, strict=True)]
        begins, ends = (np.concatenate([np.zeros(0, np.int64), *parts]) for parts in (occurrences, after))
        order = np.argsort(begins, kind="stable")
        begins, ends = begins[order], np.maximum.accumulate(ends[order])
        hits = begins[np.concatenate([begins[:1] >= 0, begins[1:] >= ends[:-1]])]
        return serials, hits[np.isin(hits >> OFFSET_BITS, serials)]

    def _serials(self, query: Query) -> Numbers:
        return numbers(self._select(query, "documents.serial", ""))

    def _occurrences(self, phrase: Phrase) -> Numbers:
        """Return the occurrences of a phrase, sorted."""
        # One long text is read three times as fast as a million rows.
        sql = f"SELECT group_concat(doc << {OFFSET_BITS} | offset) FROM occurrences WHERE"  # noqa: S608 -- a number of ours
        found = np.zeros(0, np.int64)
        for number, word in enumerate(phrase.words):
            condition, values = self._has_form(word)
            (listed,) = self._connection.execute(f"{sql} {condition}", values).fetchone()
            places = np.sort(np.fromstring(listed, np.int64, sep=",") if listed else found[:0], kind="stable")
            found = np.intersect1d(found, places - number, assume_unique=True) if number else places
        return found

    def _has_form(self, word: str) -> tuple[str, tuple[str, ...]]:
        """Return the condition for the forms of a word or pattern in SQL, and its values."""
        if _is_prefix(word):
            return "term >= ? AND term < ?", (word.rstrip("*"), word.rstrip("*") + chr(sys.maxunicode))
        return "term IN (SELECT value FROM json_each(?))", (json.dumps(self._forms(word)),)

    def _check_size(self, found: Iterable[Phrase]) -> None:
        """Refuse a query that stands for too large a part of the corpus."""
        conditions = [("TRUE", ()), *(self._has_form(word) for phrase in found for word in phrase.words)]
        sql = "SELECT ifnull(sum(hits), 0) FROM forms WHERE"
        total, *hits = (self._connection.execute(f"{sql} {one}", values).fetchone()[0] for one, values in conditions)
        if (number := sum(hits)) > max(MAX_OCCURRENCES, MAX_SHARE * total):
            raise QueryError(f"the words of the query occur {number:,} times, too often to be counted; name rarer ones")

    def _matched_by(self, query: Query) -> str:
        """Return the words of a query in the syntax of FTS5."""
        matched = "" if query.parsed is None else self._matched(query.parsed)
        if matched.count('"') > 2 * MAX_FORMS:
            raise QueryError(f"the query stands for more than {MAX_FORMS:,} words; write more of their letters")
        self._check_size(phrases(query.parsed))
        return matched

    def _matched(self, node: Node) -> str:
        if isinstance(node, AnyOf):
            return f"({' OR '.join(map(self._matched, node.choices))})"
        if isinstance(node, AllOf):
            unwanted = "".join(f" NOT {self._matched(one)}" for one in node.unwanted)
            return f"(({' AND '.join(map(self._matched, node.wanted))}){unwanted})"
        *words, last = node.words
        ending = " *" if _is_prefix(last) else ""
        forms = [*map(self._forms, words), [last.rstrip("*")] if ending else self._forms(last)]
        if math.prod(map(len, forms)) > MAX_FORMS:
            raise QueryError(f"{' '.join(node.words)!r} stands for more than {MAX_FORMS:,} phrases; write more letters")
        alternatives = [f'"{" ".join(one)}"{ending}' for one in product(*forms)]
        return f"({' OR '.join(alternatives) or NOTHING})"

    def _forms(self, pattern: str) -> list[str]:
        """Return the words of the corpus for which a pattern stands; a word without `*` for itself."""
        if "*" not in pattern:
            return [pattern]
        forms = self._connection.execute("SELECT term FROM forms WHERE term GLOB ? LIMIT ?", (pattern, MAX_FORMS + 1))
        found = [form for (form,) in forms]
        if len(found) > MAX_FORMS:
            raise QueryError(f"{pattern!r} stands for more than {MAX_FORMS:,} words; write more of its letters")
        return found

    def document(self, name: str) -> Record | None:
        """Read a document by its id; None if it is not published."""
        found = self._connection.execute("SELECT serial FROM documents WHERE id = ?", (name,)).fetchone()
        return self._record(*found) if found else None

    def members(self, name: str) -> list[DuplicateLine]:
        """Return the documents that another one represents, without its own revisions."""
        return [line for line in self._left_out(name) if not _is_other_text(line, name)]

    def has_other_texts(self, name: str) -> bool:
        """Check whether other revisions of a document were excluded."""
        return any(_is_other_text(line, name) for line in self._left_out(name))

    def _left_out(self, name: str) -> Iterator[DuplicateLine]:
        found = self._connection.execute("SELECT line FROM left_out WHERE cluster = ?", (name,))
        return (DUPLICATE_LINES.decode(line) for (line,) in found)

    def _record(self, serial: int) -> Record:
        return unpacked(*self._connection.execute("SELECT record FROM records WHERE serial = ?", (serial,)).fetchone())

    def _select(self, query: Query, columns: str, ending: str, *values: object, marked: str = "") -> sqlite3.Cursor:
        """Select documents; `marked`: in the syntax of FTS5, the words to be marked in them."""
        self._check_names(query)
        matched = self._matched_by(query)
        conditions: Mapping[str, object] = {
            "words MATCH ?": marked or matched,
            "+words.rowid IN (SELECT rowid FROM words WHERE words MATCH ?)": marked and matched,  # no look-up of each
            "cell IN (SELECT cell FROM cells WHERE source = ?)": query.source,
            "day >= ?": query.since,
            "day != '' AND day <= ?": query.until,
            "language = ?": query.language,
            "section = ?": query.section,
            "instr(authors, char(10) || ? || char(10))": query.author,
            "instr(flags, ',' || ? || ',')": query.flag,
            "confidence >= ?": query.least,
            "confidence < ?": query.below,
            "cluster_size >= ?": query.least_group,
            "id = ?": query.group,
        }
        asked = {sql: value for sql, value in conditions.items() if value}
        tables = "words CROSS JOIN documents ON documents.serial = words.rowid" if marked or matched else "documents"
        where = " AND ".join(asked) or "TRUE"
        # Only constants of ours are formatted in; the query's values are parameters.
        sql = f"SELECT {columns} FROM {tables} WHERE {where} {ending}"  # noqa: S608
        return self._connection.execute(sql, [*asked.values(), *values])

    def _check_names(self, query: Query) -> None:
        """Refuse names that no document has: nothing found would be taken for a fact about the words."""
        for kind in NAMED_KINDS:
            name, known = getattr(query, kind), self.choices(kind)
            if name and name not in known:
                near = difflib.get_close_matches(name, known, 3, 0.5) or known[:10]
                what = kind.replace("source", "portal")
                raise QueryError(f"no document has the {what} {name!r}; some have: {', '.join(near) or 'none'}", kind)


def _is_other_text(line: DuplicateLine, name: str) -> bool:
    return line.kind is DuplicateKind.REVISION and line.id == name


@contextmanager
def opened_index(corpus: Path) -> Iterator[SearchIndex | None]:
    """Open the index of the published corpus read-only; None if it is missing or outdated, and must be made first.

    Raises:
        CorpusError: there is no published corpus.
    """
    path, published = index_path(corpus), open_corpus(corpus)
    if not path.is_file():
        yield None
        return
    # The file is only ever replaced as a whole, so no lock is needed.
    with closing(with_texts(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True))) as connection:
        try:
            made = connection.execute("SELECT user_version, generation FROM pragma_user_version, made").fetchone()
        except sqlite3.DatabaseError:  # not an index: it will be replaced
            made = None
        yield SearchIndex(connection) if made == (VERSION, published.manifest.generation) else None


def contexts(marked: str) -> Iterator[tuple[str, str, str]]:
    """Yield the marked matches in a text: left context, match, right context; the contexts consist of whole words."""
    for match in FOUND.finditer(marked):
        left, right = marked[: match.start()][-REACH:], marked[match.end() :][:REACH]
        plain = (collapse(UNMARKED.sub("", part).replace("\n", " ¶ ")) for part in (left, match[1], right))
        left, found, right = plain
        yield whole_words(left[::-1])[::-1], found, whole_words(right)


def whole_words(text: str, width: int = CONTEXT_CHARACTERS) -> str:
    """Cut a text to a width, before the word that does not fit."""
    return text if len(text) <= width else text[: width + 1].rpartition(" ")[0] or text[:width]


def in_order(lines: Iterable[ContextLine], side: Side) -> Iterable[ContextLine]:
    """Sort lines by the words after the match, or by those before it, nearest first."""
    if not side:
        return lines
    if side == "right":
        return sorted(lines, key=lambda line: folded_words(line.right_context))
    return sorted(lines, key=lambda line: folded_words(line.left_context)[::-1])


def lines_table(lines: Iterable[ContextLine]) -> Iterator[bytes]:
    """Yield the lines of a concordance as CSV, with a header."""
    return csv_lines(chain([ContextLine.__slots__], map(astuple, lines)))


def month_rows(counts: Counts) -> Iterator[tuple[str, ...]]:
    """Yield the columns and rows of a table of the frequencies by month; the last row has all months."""
    yield "month", "documents", "hits", "words", "per_million"
    found = [(month or "undated", counts.of_month(month)) for month in counts.months]
    for month, one in [*found, ("all", counts.total)]:
        yield month, str(one.documents), str(one.hits), str(one.words), f"{one.per_million:.2f}"


def _is_prefix(word: str) -> bool:
    """Whether a pattern has its only `*` at the end, which FTS5 finds by itself."""
    return word.find("*") == len(word) - 1
