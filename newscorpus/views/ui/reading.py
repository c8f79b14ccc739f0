"""Read a document of a corpus: beside its page, with its other texts and with what it stands for."""

from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from newscorpus.corpus.changes import Piece, marked_difference, texts_of
from newscorpus.corpus.concordance import opened_index
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.data import Record
from newscorpus.views.explain.page import ShownPage
from newscorpus.views.ui.desk import Desk, desk_of


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


async def view(request: Request) -> Response:
    """Show a document."""
    desk, corpus, name = desk_of(request), desk_of(request).corpus(request), request.path_params["corpus"]
    found = await run_in_threadpool(_read, desk, corpus, request.path_params["document"])
    if found is None:
        return RedirectResponse(f"/documents/{name}")  # where the index is made
    return desk.render(request, "document.html", found.record.title or found.record.url, corpus=name, found=found)


def _read(desk: Desk, corpus: Path, document: str) -> ReadDocument | None:
    with opened_index(corpus) as index:
        if index is None:
            return None
        record, members = index.document(document), index.members(document)
        texts = texts_of(corpus, document) if index.has_other_texts(document) else []
    if record is None:
        raise HTTPException(404, f"no document {document!r} is published here")
    source = desk.archived(record.url)
    return ReadDocument(
        record,
        tuple(members),
        tuple(_compared(one, record) for one in texts if one.revision != record.revision),
        desk.show(source) if source else None,
    )


def _compared(other: Record, record: Record) -> ComparedText:
    before, after = (f"{one.title}\n{one.text}" for one in (other, record))
    return ComparedText(other.fetched, other.revision, tuple(marked_difference(before, after)))
