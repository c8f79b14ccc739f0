"""Parse the queries of the search: words, phrases, `*` for any letters, AND, OR, NOT and parentheses.

    query  = clause {"OR" clause}
    clause = item {["AND"] item}               all must occur
    item   = ["NOT" | "-"] (word | '"' words '"' | "(" query ")")

Everything else is an error: a query that is read in another way than it was meant would count the wrong documents.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache

from newscorpus.errors import ArgumentError

TOKENIZER = "unicode61 remove_diacritics 0"
"""Of FTS5: words are runs of letters and digits of any script, their case folded, their diacritics kept."""

MAX_CHARACTERS, MAX_TERMS, MAX_DEPTH = 1000, 50, 10
"""Maximum size of a query and nesting of its parentheses: generous for a person, and answered in a second."""

MAX_STARS = 3
"""Maximum `*` in a word: each more makes the search for matching words slower by the length of a word."""

STAR = "\ue000"
"""Stands for `*` in the tokenizer: a letter of private use, which texts do not hold."""

LEXEME = re.compile(r'\s*(?:["„“”«»]([^"„“”«»]*)["„“”«»]|([()]|-(?=[^\s-]))|([^\s"„“”«»()]+)|(.))')
"""A quoted phrase, a sign, a word, or a quotation mark alone; a minus belongs to what follows it."""
RESERVED = re.compile(r"[:^{}\[\]~+=<>|\\&?!.,;/#$%@`]|^--")
"""What no unquoted word has; hyphens and apostrophes join the words of a phrase, as in `e-mail`."""
OPERATORS = ("AND", "OR", "NOT")
LOWER_CASE = tuple(map(str.lower, OPERATORS))
"""Words like others, as for FTS5 and web searches; `remark_on` names them."""


class QueryError(ArgumentError):
    """A field of a query is invalid; the message is one line."""

    def __init__(self, message: str, field: str = "words") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Phrase:
    """Successive words, as they are indexed; `*` stands for any letters."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Documents with all that is wanted, and nothing that is unwanted."""

    wanted: "tuple[Node, ...]"
    unwanted: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Documents with at least one of the choices."""

    choices: "tuple[Node, ...]"


Node = Phrase | AllOf | AnyOf


@lru_cache(64)  # a view asks for the same query several times
def parse(text: str) -> Node | None:
    """Parse a query; None if it is blank.

    Raises:
        QueryError: the syntax is unknown, only excluded words are named, or the query is too large.
    """
    if len(text) > MAX_CHARACTERS:
        raise QueryError(f"the query has {len(text):,} characters; at most {MAX_CHARACTERS:,} are allowed")
    return _Parser(text).parse() if text.strip() else None


def remark_on(text: str) -> str:
    """Return a line on words of a query that may be meant as operators; "" if it has none."""
    words = [match[3] for match in LEXEME.finditer(text.strip())]
    meant = [word for word in LOWER_CASE if word in words and len(words) > 1]
    return f"{' and '.join(map(repr, meant))} counted as a word; operators are {', '.join(OPERATORS)}" if meant else ""


def phrases(node: Node | None) -> Iterator[Phrase]:
    """Yield the wanted phrases of a query: their occurrences in the documents found are its hits."""
    if isinstance(node, Phrase):
        yield node
    elif node:
        for child in node.wanted if isinstance(node, AllOf) else node.choices:
            yield from phrases(child)


class _Parser:
    """Parser by recursive descent."""

    def __init__(self, text: str) -> None:
        # Text, and the phrase where it is a quoted one; "-" is another way to write NOT.
        self._lexemes = [
            ("NOT" if match[2] == "-" else match[2] or match[3] or match[4] or "", match[1])
            for match in LEXEME.finditer(text.strip())
        ]
        self._is_one_word = len(self._lexemes) == 1
        self._n_terms = 0

    def parse(self) -> Node:
        node = self._any_of(0)
        if self._lexemes:
            raise QueryError('a ")" without its "("')
        return node

    def _any_of(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise QueryError(f"more than {MAX_DEPTH} parentheses within each other")
        choices = [self._all_of(depth)]
        while self._take("OR"):
            choices.append(self._all_of(depth))
        return choices[0] if len(choices) == 1 else AnyOf(tuple(choices))

    def _all_of(self, depth: int) -> Node:
        found: dict[bool, list[Node]] = {True: [], False: []}
        while True:
            is_wanted = not self._take("NOT")
            found[is_wanted].append(self._atom(depth))
            if not self._take("AND") and (not self._lexemes or self._lexemes[0] in {("OR", None), (")", None)}):
                break
        wanted, unwanted = tuple(found[True]), tuple(found[False])
        if not wanted:
            raise QueryError("the query names only words that are not wanted; name one that is")
        return wanted[0] if len(wanted) == 1 and not unwanted else AllOf(wanted, unwanted)

    def _atom(self, depth: int) -> Node:
        if self._take("("):
            node = self._any_of(depth + 1)
            if not self._take(")"):
                raise QueryError('a "(" without its ")"')
            return node
        text, quoted = self._lexemes.pop(0) if self._lexemes else ("", None)
        if quoted is None and (not text or text in {*OPERATORS, ")"}):
            raise QueryError(f"a word is missing {f'before {text!r}' if text else 'at the end'}")
        if quoted is None and text in '"„“”«»':
            raise QueryError("a quotation mark without its second one")
        if quoted is None and text == "NEAR" and not self._is_one_word:
            raise QueryError(
                """'NEAR' is no operator, distances are not searched for; "NEAR" in quotes finds the word"""
            )
        if quoted is None and (reserved := RESERVED.search(text)):
            meant = "; write OR" if reserved[0] == "|" else ""
            raise QueryError(f'unknown syntax {reserved[0]!r} in {text!r}{meant}; "{text}" in quotes finds its words')
        self._n_terms += 1
        if self._n_terms > MAX_TERMS:
            raise QueryError(f"the query has more than {MAX_TERMS} words and phrases")
        return Phrase(_indexed_words(text if quoted is None else quoted))

    def _take(self, operator: str) -> bool:
        is_next = bool(self._lexemes) and self._lexemes[0] == (operator, None)
        if is_next:
            del self._lexemes[0]
        return is_next


def _indexed_words(text: str) -> tuple[str, ...]:
    """Return words as the index has them, by its own tokenizer."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = '{TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE found USING fts5vocab(texts, instance)")
        connection.execute("INSERT INTO texts VALUES (?)", (text.replace("*", STAR),))
        words = [term.replace(STAR, "*") for (term,) in connection.execute("SELECT term FROM found ORDER BY offset")]
    if not words or any(not word.strip("*") for word in words):
        raise QueryError(f"{text!r} names no word{' beside `*`' if '*' in text else ''}")
    if any(word.count("*") > MAX_STARS for word in words):
        raise QueryError(f"{text!r} has a word with more than {MAX_STARS} `*`")
    return tuple(words)
