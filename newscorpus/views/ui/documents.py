"""Search a corpus, its documents as a list or words in their context, and read a document beside its page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from newscorpus.corpus.changes import Piece, marked_difference, texts_of
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.corpus.search import Counts, Query, Side, in_order, lines_table, opened_index
from newscorpus.data import Record
from newscorpus.views.explain.page import ShownPage
from newscorpus.views.ui.state import AppState, answer, state_of

LISTED = 25
"""Documents on one page of the list."""
LINED = 200
"""Documents whose lines are shown, and sorted; the CSV file has those of all."""
MOST_LINES = 1000
EXCERPT = 300
"""Characters of a text in the list."""


class Form(msgspec.Struct, frozen=True):
    """Presentation of the search results."""

    shown: Literal["list", "lines"] = "list"
    sort: Side = ""
    page: Annotated[int, msgspec.Meta(ge=1)] = 1


@dataclass(frozen=True, slots=True)
class Search:
    """What stands in the form, and in the address of the answer."""

    query: Query
    form: Form

    @property
    def is_narrowed(self) -> bool:
        """Whether something but words is asked for."""
        return self.query != Query(self.query.words)

    def address(self, **changed: object) -> str:
        """The part of an address behind `?`, with some fields changed."""
        fields = {**msgspec.to_builtins(self.query), **msgspec.to_builtins(self.form), **changed}
        return urlencode({name: value for name, value in fields.items() if value})


async def view(request: Request) -> Response:
    """Show what is found; where there is no index yet, have it made first."""
    state, corpus, name = state_of(request), state_of(request).corpus(request), request.path_params["corpus"]
    search = _search(request)
    found = await run_in_threadpool(_found, corpus, search)
    template = "documents.html" if found else "indexing.html"
    return state.render(request, template, f"Documents: {name}", corpus=name, search=search, **(found or {}))


async def counts(request: Request) -> Response:
    """Show the number of matching documents by month and portal."""
    corpus, search = state_of(request).corpus(request), _search(request)
    found = await run_in_threadpool(_counts, corpus, search)
    return state_of(request).render(request, "counts.html", "Documents by month and portal", counts=found)


async def index(request: Request) -> Response:
    """Make the index, as `newscorpus search CORPUS` does."""
    state = state_of(request)
    return answer(request, state.jobs.start(["search", str(state.corpus(request))]), reloads=True)


def table(request: Request) -> Response:
    """Send all matching lines as CSV."""
    corpus, search = state_of(request).corpus(request), _search(request)
    search.query.matched  # noqa: B018 -- what cannot be read is said before the answer begins
    headers = {"content-disposition": 'attachment; filename="lines.csv"'}
    return StreamingResponse(_table(corpus, search), media_type="text/csv", headers=headers)


def _search(request: Request) -> Search:
    given = {name: value for name, value in request.query_params.items() if value}
    return Search(msgspec.convert(given, Query, strict=False), msgspec.convert(given, Form, strict=False))


def _found(corpus: Path, search: Search) -> Mapping[str, Any] | None:
    with opened_index(corpus) as index:
        if index is None:
            return None
        choices = {kind: index.choices(kind) for kind in ("source", "language", "flag")}
        number = index.number(search.query)
        if search.form.shown == "lines" and search.query.matched:
            lines = islice(index.lines(search.query, LINED), MOST_LINES)
            shown: Mapping[str, Any] = {"lines": list(in_order(lines, search.form.sort))}
        else:
            found = index.documents(search.query, LISTED, LISTED * (search.form.page - 1))
            shown = {"documents": found, "excerpt": EXCERPT}
        members = index.members(search.query.group) if search.query.group else []
        values = {"choices": choices, "number": number, "members": members, "listed": LISTED, "lined": LINED}
        return {**values, **shown}


def _counts(corpus: Path, search: Search) -> Counts | None:
    with opened_index(corpus) as index:
        return index.count(search.query) if index else None


def _table(corpus: Path, search: Search) -> Iterator[bytes]:
    with opened_index(corpus) as index:
        if index:
            yield from lines_table(in_order(index.lines(search.query), search.form.sort))


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text that a document had at another time, and how that of the corpus differs from it."""

    fetched: str
    revision: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document and what belongs to it."""

    record: Record
    members: tuple[DuplicateLine, ...]  # documents that were left out for it
    others: tuple[ComparedText, ...]  # its texts that were left out
    page: ShownPage | None  # None where no archive has its page


async def read(request: Request) -> Response:
    """Show a document."""
    state, corpus, name = state_of(request), state_of(request).corpus(request), request.path_params["corpus"]
    found = await run_in_threadpool(_read, state, corpus, request.path_params["document"])
    if found is None:
        return RedirectResponse(f"/documents/{name}")  # where the index is made
    return state.render(request, "document.html", found.record.title or found.record.url, corpus=name, found=found)


def _read(state: AppState, corpus: Path, document: str) -> ReadDocument | None:
    with opened_index(corpus) as index:
        if index is None:
            return None
        record, members = index.document(document), index.members(document)
        texts = texts_of(corpus, document) if index.has_other_texts(document) else []
    if record is None:
        raise HTTPException(404, f"no document {document!r} is published here")
    source = state.archived(record.url)
    return ReadDocument(
        record,
        tuple(members),
        tuple(_compared(one, record) for one in texts if one.revision != record.revision),
        state.show(source) if source else None,
    )


def _compared(other: Record, record: Record) -> ComparedText:
    before, after = (f"{one.title}\n{one.text}" for one in (other, record))
    return ComparedText(other.fetched, other.revision, tuple(marked_difference(before, after)))
