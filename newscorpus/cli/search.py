"""Add the verb `newscorpus search`."""

import re
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, app

if TYPE_CHECKING:
    from newscorpus.corpus.concordance import ContextLine

CONTEXT_COLUMNS = 40
"""Of a line on each side, so that it fits into 100 columns."""


class SortSide(StrEnum):
    """By what lines are sorted; values of `newscorpus.corpus.concordance.Side`."""

    LEFT = "left"
    RIGHT = "right"


def _day(given: str) -> str:
    if given and not re.fullmatch(r"\d{4}(-\d\d){2}", given):
        raise typer.BadParameter(f"{given!r} is no day, such as 2026-05-31")
    return given


@app.command()
def search(
    corpus: Corpus,
    words: Annotated[
        list[str] | None, Argument(metavar="WORDS", help="Words, '\"phrases\"', begin*. None: only the index is made.")
    ] = None,
    portal: Annotated[str, Option(metavar="NAME", help="Only documents of this portal.")] = "",
    since: Annotated[
        str, Option(metavar="DAY", help="Published on this day (YYYY-MM-DD) or later.", callback=_day)
    ] = "",
    until: Annotated[str, Option(metavar="DAY", help="Published on this day or earlier.", callback=_day)] = "",
    language: Annotated[str, Option(metavar="TAG", help="Only documents in this language.")] = "",
    flag: Annotated[str, Option(help="Only documents with this flag.")] = "",
    sort: Annotated[SortSide | None, Option(help="Sort by what stands on this side of what was found.")] = None,
    as_csv: Annotated[bool, Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Find words in a published corpus, each in its context.

    All of the words are wanted; 'this -that' leaves out documents with that. The index, CORPUS.search.sqlite beside the
    corpus, is made when it is missing or older than the corpus.
    """
    from newscorpus.corpus.concordance import Query, in_order, lines_table, opened_index
    from newscorpus.corpus.search import make_index
    from newscorpus.terminal import progress, sink
    from newscorpus.tokens import number_of

    sought = " ".join(words or ())
    query = Query(sought, portal, since, until, language, flag)
    if sought and not query.matched:
        raise typer.BadParameter(f"{sought!r} names no word")
    with opened_index(corpus) as found:
        is_missing = found is None
    if is_missing:
        typer.echo(f"The index lies in {make_index(corpus, partial(progress, what='documents'))}", err=True)
    with opened_index(corpus) as index, sink(None) as file:
        if index and query.matched:
            lines = in_order(index.lines(query), sort.value if sort else "")
            file.writelines(lines_table(lines) if as_csv else map(_line, lines))
            typer.echo(number_of(index.number(query), "document"), err=True)


def _line(line: "ContextLine") -> bytes:
    from newscorpus.tokens import printable

    left, right = line.left[-CONTEXT_COLUMNS:], line.right[:CONTEXT_COLUMNS]
    text = f"{line.day:10} {line.source}  {left:>{CONTEXT_COLUMNS}} [{line.found}] {right}"
    return f"{printable(text)}\n".encode()
