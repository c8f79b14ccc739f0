"""Search a corpus, show matches as a list or in context, and show a document beside its page."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Literal
from urllib.parse import urlencode

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from newscorpus.corpus.changes import marked_difference, texts_of
from newscorpus.corpus.published import is_published
from newscorpus.corpus.query import QueryError, remark_on
from newscorpus.corpus.search import NAMED_KINDS, Query, Side, in_order, lines_table, month_rows, opened_index
from newscorpus.corpus.subcorpora import save_subcorpus
from newscorpus.lines import csv_lines
from newscorpus.views.ui.state import answer, state_of

LISTED = 25
"""Documents on one page of the list."""
LINED = 200
"""Maximum hits that are shown and sorted; the CSV file has all."""
MOST_LISTED = 200
"""Maximum sections and authors that the form suggests, the most frequent."""
EXCERPT = 300
"""Characters of a text in the list."""
BOUNDS = {"listed": LISTED, "lined": LINED, "most_listed": MOST_LISTED, "excerpt": EXCERPT}


class Form(msgspec.Struct, frozen=True):
    """Presentation of the search results."""

    shown: Literal["list", "lines"] = "list"
    sort: Side = ""
    drawn: bool = False  # at random, not the first ones
    page: Annotated[int, msgspec.Meta(ge=1)] = 1


@dataclass(frozen=True, slots=True)
class Search:
    """A search as the form sends it: query and presentation."""

    query: Query
    form: Form

    @property
    def is_narrowed(self) -> bool:
        """Whether a filter is set beside the words."""
        return self.query != Query(self.query.words)

    def address(self, **changed: object) -> str:
        """Return the query string of this search, with some fields changed."""
        fields = {**msgspec.to_builtins(self.query), **msgspec.to_builtins(self.form), **changed}
        return urlencode({name: value for name, value in fields.items() if value})


def view(request: Request) -> Response:
    """Show the search results, or make the index first where there is none."""
    state, corpus, name = state_of(request), state_of(request).corpus(request), request.path_params["corpus"]
    search, title = _search(request), f"Documents: {name}"
    if not is_published(corpus):
        return state.render(request, "unpublished.html", title)
    with opened_index(corpus) as index:
        if index is None:
            return state.render(request, "indexing.html", title, search=search)
        query, form = search.query, search.form
        shown: dict[str, object] = {"remark": remark_on(query.words)}
        try:
            shown["number"] = index.number(query)
            shown["members"] = index.members(query.group) if query.group else []
            if form.shown == "lines" and query.parsed:
                lines = islice(index.lines(query, LINED if form.drawn else None), LINED)
                shown["lines"] = list(in_order(lines, form.sort))
            else:
                shown["documents"] = index.documents(query, LISTED, LISTED * (form.page - 1))
        except QueryError as error:
            shown["error"] = error
        shown["choices"] = {kind: index.choices(kind) for kind in NAMED_KINDS}
        found = state.render(request, "documents.html", title, search=search, **BOUNDS, **shown)
    found.status_code = 422 if "error" in shown else 200
    return found


def counts(request: Request) -> Response:
    """Show the frequencies by month and portal."""
    search = _search(request)
    with opened_index(state_of(request).corpus(request)) as index:
        found = index.count(search.query) if index else None
    return state_of(request).render(request, "counts.html", "Frequency", counts=found, search=search)


def months(request: Request) -> Response:
    """Send the frequencies by month as CSV."""
    with opened_index(state_of(request).corpus(request)) as index:
        found = b"".join(csv_lines(month_rows(index.count(_search(request).query)))) if index else b""
    return Response(found, media_type="text/csv", headers=_download("months.csv"))


async def save(request: Request) -> Response:
    """Save the documents found as a subcorpus, as `newscorpus search --save` does."""
    state, corpus, query = state_of(request), state_of(request).corpus(request), _search(request).query
    async with request.form() as form:
        name = str(form.get("name", ""))

    def saved() -> int:
        with opened_index(corpus) as index:
            ids = index.ids(query) if index else []
        save_subcorpus(corpus, name, query, ids)
        return len(ids)

    values = {"name": name, "number": await run_in_threadpool(saved), "folder": corpus}
    return state.render(request, "saved_subcorpus.html", "Saved", **values)


def index(request: Request) -> Response:
    """Make the index, as `newscorpus search CORPUS` does."""
    state = state_of(request)
    return answer(request, state.jobs.start(["search", str(state.corpus(request))]), reloads=True)


def table(request: Request) -> Response:
    """Send all matching lines as CSV."""
    corpus, search = state_of(request).corpus(request), _search(request)
    search.query.parsed  # noqa: B018 -- raises for a wrong query before the response begins

    def lines() -> Iterator[bytes]:
        with opened_index(corpus) as index:
            if index:
                yield from lines_table(in_order(index.lines(search.query), search.form.sort))

    return StreamingResponse(lines(), media_type="text/csv", headers=_download("lines.csv"))


def _download(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _search(request: Request) -> Search:
    given = {name: value for name, value in request.query_params.items() if value}
    return Search(msgspec.convert(given, Query, strict=False), msgspec.convert(given, Form, strict=False))


def read(request: Request) -> Response:
    """Show a document, its other texts and the documents it stands for, beside its archived page."""
    state, corpus, name = state_of(request), state_of(request).corpus(request), request.path_params["corpus"]
    document = request.path_params["document"]
    with opened_index(corpus) as index:
        if index is None:
            return RedirectResponse(f"/documents/{name}")  # where the index is made
        record, members = index.document(document), index.members(document)
        texts = texts_of(corpus, document) if index.has_other_texts(document) else []
    if record is None:
        raise HTTPException(404, f"no document {document!r} is published here")
    source, text = state.archived(record.url), f"{record.title}\n{record.text}"
    others = [
        (one, list(marked_difference(f"{one.title}\n{one.text}", text)))
        for one in texts
        if one.revision != record.revision
    ]
    return state.render(
        request,
        "document.html",
        record.title or record.url,
        record=record,
        members=members,
        others=others,
        page=state.show(source) if source else None,
    )
