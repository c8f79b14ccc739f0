"""Mark pages by hand: which blocks are main text, and which rejected pages should have been kept.

Every mark is saved before the request is answered.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from newscorpus.corpus.left_out import read_duplicates
from newscorpus.errors import CorpusError
from newscorpus.lab.gold.marking import (
    MAIN_TEXT,
    READERS,
    SETTLED,
    SPLITS,
    Agreement,
    ListName,
    MarkedBlock,
    MarkLine,
    PageMarks,
    agreement,
    journal_of,
    judged_elsewhere,
    read_marks,
    save_mark,
)
from newscorpus.lab.gold.pages import FEWEST
from newscorpus.layout import DUPLICATES
from newscorpus.model_folders import own_models
from newscorpus.page.fields.dates import Setting, parse_moment
from newscorpus.page.fields.decide import month_first
from newscorpus.store.archive.values import ByteRange
from newscorpus.store.ledger.addresses import find
from newscorpus.store.ledger.portals import iso
from newscorpus.store.reasons import Reason, find_reason, refusals
from newscorpus.views.ui.sources import CorpusPages, FolderPages, Source
from newscorpus.views.ui.state import AppState, state_of
from newscorpus.views.ui.systems import can_train

SAMPLES = 20
"""Pages shown of each reason, those with the least hash of their addresses."""


class MarkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The marks sent by a key: blocks and their labels."""

    page: str
    who: str
    blocks: tuple[MarkedBlock, ...] = ()
    n_blocks: int = 0  # on the page, where it is done
    done: bool = False  # ends the page
    reopens: bool = False  # takes that back
    seen: int | None = None  # lines of the journal on which the marks are based; None: not compared


def overview(request: Request) -> Response:
    """Show the portals of a corpus with their lists and the agreement of the annotators."""
    state, source = state_of(request), state_of(request).source(request)
    done: dict[str, dict[str, int]] = {}
    agreements: dict[str, list[Agreement]] = {}
    texts: dict[str, int] = {}
    marked: set[str] = set()
    for portal in source.groups():
        marks = [one for one in read_marks(journal_of(source.folder, portal)) if one.place]
        marked |= {one.page for one in marks}
        done[portal] = {name: len({one.page for one in marks if one.list == name}) for name in SPLITS}
        taught = (one for one in marks if one.list == "teach")
        texts[portal] = len({one.page for one in taught if any(it.kind in MAIN_TEXT for it in one.blocks.values())})
        pairs = combinations(sorted({one.who for one in marks} - {SETTLED}), 2)
        agreements[portal] = [found for pair in pairs if (found := agreement(marks, *pair)).pages]
    return state.render(
        request,
        "marks.html",
        f"Mark: {request.path_params['corpus']}",
        done=done,
        agreements=agreements,
        pages={page: page in marked for page in source.names()},
        is_folder=isinstance(source, FolderPages),
        untrainable={portal: _untrainable(n) for portal, n in texts.items()},
        trained={portal for portal in done if (own_models() / portal).is_dir()},
        lists=list(SPLITS),
    )


def _untrainable(n_texts: int) -> str:
    """Return why a model cannot be trained on so many pages with main text; "" if it can."""
    if n_texts < FEWEST:
        return f"from {FEWEST} pages of teach with main text on; there are {n_texts}"
    return "" if can_train() else "needs more packages: pip install 'newscorpus[train]'"


def page(request: Request) -> Response:
    """Show the requested page of a list, or the next one that this annotator has not finished."""
    state, source, group, name = _place(request)
    who, url = request.query_params.get("who", "").strip(), request.query_params.get("page", "")
    if not who:
        raise ValueError("say who marks: any name will do")
    marks = read_marks(journal_of(source.folder, group))
    url = url or _next(source, group, name, who, marks)
    finished = [one for one in marks if one.place and (one.list, one.who) == (name, who) and one.page != url]
    values: dict[str, Any] = {"list": name, "who": who}
    values["before"] = max(finished, key=lambda one: one.when).page if finished else ""
    if not url:
        return state.render(request, "marked_all.html", "All done", **values)
    shown = state.show(source.read(url), is_blind=name == "measure")
    mine = next((one for one in marks if (one.page, one.list, one.who) == (url, name, who)), None)
    filled_in = {block.position: "good" for block in shown.view.blocks if name == "teach" and block.label == "good"}
    held = {at: block.kind for at, block in mine.blocks.items()} if mine else filled_in
    others = [one for one in marks if one.page == url and one.place and one.who != SETTLED]
    texts = [{at for at, block in one.blocks.items() if block.kind in MAIN_TEXT} for one in others]
    known = judged_elsewhere(marks, who, url)
    return state.render(
        request,
        "mark.html",
        f"Mark: {group}",
        shown=shown,
        url=url,
        next=f"/mark/{request.path_params['corpus']}"
        if who == SETTLED
        else f"{request.url.path}?{urlencode({'who': who})}",
        held=held,
        seen=mine.n_lines if mine else 0,
        values={at: block.values for at, block in mine.blocks.items() if block.kind in READERS} if mine else {},
        blocks=[{"position": one.position, "path": one.path, "text": one.text} for one in shown.view.blocks],
        known=[block.position for block in shown.view.blocks if block.text in known],
        apart=sorted(set[int]().union(*texts) - set[int](texts[0]).intersection(*texts)) if texts else [],
        n_done=sum(one.who == who and one.list == name and one.place is not None for one in marks),
        **values,
    )


async def mark(request: Request) -> Response:
    """Save the marks that a key sends; answer what is read from dates and authors, and the lines now seen."""
    sent = msgspec.json.decode(await request.body(), type=MarkRequest)

    def save() -> dict[str, object]:
        _, source, group, name = _place(request)
        place = _placed(source, sent.page, sent.who)
        done = place if sent.done else None
        line = MarkLine(
            sent.page, name, sent.who.strip(), iso(time.time()), sent.blocks, done, sent.n_blocks, reopens=sent.reopens
        )
        setting = Setting()
        if any(block.kind in READERS for block in sent.blocks):
            read_page = source.read(sent.page)
            language = read_page.languages[0] if len(read_page.languages) == 1 else ""
            fetched = parse_moment(read_page.page.fetched)
            setting = Setting(fetched, language, month_first((), language, sent.page))
        read, n_lines = save_mark(journal_of(source.folder, group), line, setting, sent.seen)
        return {"read": read, "seen": n_lines}

    return Response(msgspec.json.encode(await run_in_threadpool(save)), media_type="application/json")


def _place(request: Request) -> tuple[AppState, Source, str, ListName]:
    state = state_of(request)
    source, group = state.group(request)
    name = request.path_params["list"]
    if name not in SPLITS:
        raise HTTPException(404, f"no list {name!r}; the lists are: {', '.join(SPLITS)}")
    return state, source, group, name


def _next(source: Source, group: str, name: ListName, who: str, marks: Sequence[PageMarks]) -> str:
    """Return the next page to mark, first those that another annotator has finished; "" if none is left."""
    mine = {one.page for one in marks if one.who == who and one.place}
    others = [one.page for one in marks if one.list == name and one.page not in mine and one.place]
    taken = mine | {one.page for one in marks if one.list != name}  # a page is in one list only
    kept = [one.page for one in marks if one.list == name and one.kept and one.page not in mine]
    return next(iter([*others, *kept]), "") or source.draw(group, name, taken)


def keep(corpus: Path, url: str, who: str) -> None:
    """Save that a rejected page should have been kept; it becomes the first one in the list `teach`.

    Raises:
        CorpusError: the archive has no such page, or nobody says so.
    """
    place, entry = _placed(CorpusPages(corpus), url, who), find(corpus, url)
    journal = journal_of(corpus, entry.portal if entry else "")
    listed: Mapping[str, ListName] = {one.page: one.list for one in read_marks(journal)}
    save_mark(journal, MarkLine(url, listed.get(url, "teach"), who.strip(), iso(time.time()), kept=place))


def _placed(source: Source, url: str, who: str) -> ByteRange:
    place = source.place(url)
    if place is None or not who.strip():
        raise CorpusError(f"{url}: no archived page of this corpus, or nobody who marks it")
    return place


def left_out(request: Request) -> Response:
    """Show every reason of rejection with its meaning, its count and some of its pages."""
    state, name = state_of(request), request.path_params["corpus"]
    corpus = state.corpus(request)
    path = corpus / DUPLICATES
    duplicates = Counter(line.kind.value for line in (read_duplicates(path) if path.is_file() else ()))
    groups = []
    for one in refusals([corpus], SAMPLES):
        reason = f"{one.stage}/{one.reason}"
        try:
            groups.append((one, find_reason(reason)))
        except CorpusError:  # of another version of newscorpus, or of the user's own pipeline
            groups.append((one, Reason(reason, "a reason that this version does not give", "")))
    counted = dict(duplicates.most_common())
    return state.render(request, "left_out.html", f"Left out: {name}", groups=groups, duplicates=counted)


async def mark_left_out(request: Request) -> Response:
    """Save that a rejected page should have been kept."""
    async with request.form() as form:
        url, who = str(form.get("page", "")), str(form.get("who", ""))
    await run_in_threadpool(keep, state_of(request).corpus(request), url, who)
    return PlainTextResponse("marked: should have been kept")
