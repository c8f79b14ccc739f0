"""Try a page (an address, a file or pasted HTML) with any extractor and rules, and show it beside its text."""

from functools import partial

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from newscorpus.config import RULE_SETS, Limits, Revision
from newscorpus.corpus.changes import marked_difference
from newscorpus.data import Page, Rejected
from newscorpus.model_folders import FIELDS_MODEL, model_folder
from newscorpus.page.recipe import Recipe
from newscorpus.page.registry import DEFAULT, choices, own_names
from newscorpus.page.source_page import SourcePage, page_of_portal
from newscorpus.page.text.post_analysis import DEFAULT_RULES, RULES
from newscorpus.portal.schema import list_portals, load_portal
from newscorpus.spiders.one_page import fetch_page
from newscorpus.tokens import count_words
from newscorpus.urls import is_web
from newscorpus.views.explain.page import ShownPage
from newscorpus.views.ui.state import AppState, state_of
from newscorpus.workers import WorkerPool

FETCH_SECONDS = 60.0
"""Time limit for a page from the web, including robots.txt."""

CHOSEN = (*RULE_SETS, *(name for name in RULES if name not in DEFAULT_RULES))
"""Post-analysis rules and sets of them to choose from; the headline is always removed."""


Pieces = list[tuple[str, bool]]
"""A paragraph in pieces, each with whether only one of two texts has it."""


class Trial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page and the options: the body of `POST /api/extract`, and the fields of the form."""

    url: str = ""  # without `html` the page is read from an archive, or fetched
    html: str = ""
    extractor: str = DEFAULT  # name, or a model of the user's own
    beside: str = ""  # a second extractor, for the form
    portal: str = ""  # gives languages and template
    rules: tuple[str, ...] = ()  # of post-analysis, or names of sets of them; (): the extractor's own
    upper: float | None = None  # thresholds; None: the extractor's own
    lower: float | None = None
    fields_model: str = ""  # a field model of the user's own; "": the portal's or the shipped one


def view(request: Request) -> Response:
    """Show the form, with the archived page of `url` in the address of the request."""
    state, choice = state_of(request), Trial(url=request.query_params.get("url", ""))
    page = state.archived(choice.url) if choice.url else None
    return _render(request, choice, [state.show(page)] if page else [])


async def post(request: Request) -> Response:
    """Show the page of the form, by one extractor or two."""
    async with request.form(max_files=1, max_part_size=Limits().max_bytes) as form:
        given = {name: str(form[name]) for name in Trial.__struct_fields__ if name != "rules" and form.get(name)}
        rules = tuple(map(str, form.getlist("rules")))
        choice = msgspec.convert({**given, "rules": rules}, Trial, strict=False)
        file = form.get("file")
        uploaded = await file.read(Limits().max_bytes + 1) if isinstance(file, UploadFile) else b""
        body = uploaded or choice.html.encode("utf-8", "replace")
    names = [choice.extractor, *filter(None, [choice.beside])]
    page = await run_in_threadpool(_page, state_of(request), choice, body)
    shown = [await run_in_threadpool(_shown, state_of(request), choice, name, page) for name in names]
    return _render(request, choice, shown)


async def api(request: Request) -> Response:
    """Answer `POST /api/extract` in JSON."""
    choice = msgspec.json.decode(await request.body(), type=Trial)
    page = await run_in_threadpool(_page, state_of(request), choice, choice.html.encode())
    shown = await run_in_threadpool(_shown, state_of(request), choice, choice.extractor, page)
    key = "rejected" if isinstance(shown.result, Rejected) else "record"
    answer = {key: shown.result, "paragraphs": shown.paragraphs, "page": shown.view}
    return Response(msgspec.json.encode(answer), media_type="application/json")


def _render(request: Request, choice: Trial, shown: list[ShownPage]) -> Response:
    chosen: dict[str, object] = {"choice": choice, "extractors": choices(), "portals": list_portals(), "rules": CHOSEN}
    chosen["fields_models"] = own_names(FIELDS_MODEL.__eq__)
    pieces, differing = _differences(shown)
    chosen |= {"pieces": pieces, "differing": differing}
    part = "shown_pages.html" if "hx-request" in request.headers else "try.html"
    return state_of(request).render(request, part, "Try a page", shown=shown, **chosen)


def _differences(shown: list[ShownPage]) -> tuple[list[list[Pieces]], tuple[int, int]]:
    """Return the pieces of each paragraph of two texts, and the numbers of words that only one text has."""
    if len(shown) < 2:
        return [], (0, 0)
    pieces = list(marked_difference(*("\n".join(one.paragraphs) for one in shown)))
    texts, numbers = list[list[Pieces]](), list[int]()
    for own in ("gone", "new"):  # only in the first, and only in the second
        paragraphs: list[Pieces] = [[]]
        for piece in pieces:
            for number, part in enumerate(piece.text.split("\n") if piece.kind in {"same", own} else ()):
                if number:
                    paragraphs.append([])
                paragraphs[-1].append((part, piece.kind == own and bool(part.strip())))
        texts.append(paragraphs)
        numbers.append(sum(count_words(piece.text) for piece in pieces if piece.kind == own))
    return texts, (numbers[0], numbers[1])


def _page(state: AppState, choice: Trial, body: bytes) -> SourcePage:
    """Return the given page, or the page at the given address."""
    portal = load_portal(choice.portal) if choice.portal in list_portals() else None
    if choice.portal and portal is None:
        raise ValueError(f"unknown portal {choice.portal!r}")
    if body:
        found = SourcePage(Page(choice.url, body, {"content-type": "text/html; charset=utf-8"} if choice.html else {}))
    elif choice.url:
        found = state.archived(choice.url) or SourcePage(_fetched(choice.url, state.contact))
    else:
        raise ValueError("give an address, a file or the HTML of a page")
    return page_of_portal(found.page, portal, found.following, found.trust) if portal else found


def _shown(state: AppState, choice: Trial, extractor: str, page: SourcePage) -> ShownPage:
    for name, known in ((extractor, choices()), (choice.fields_model, ("", *own_names(FIELDS_MODEL.__eq__)))):
        if name not in known:
            raise ValueError(f"unknown extractor {name!r}; known are: {', '.join(known)}")
    revision = Revision(choice.rules or None, choice.upper, choice.lower).checked()
    fields_model = _found(choice.fields_model) if choice.fields_model else FIELDS_MODEL
    return state.show(page, Recipe(_found(extractor), revision=revision, fields_model=fields_model))


def _found(model: str) -> str:
    """Return the name of a shipped model, or the folder of the user's own, whatever the worker's current folder is."""
    return str(model_folder(model)) if model in own_names(bool) else model


def _fetched(url: str, contact: str) -> Page:
    """Fetch one page in a separate process, as `newscorpus extract URL` does."""
    if not is_web(url):
        raise ValueError(f"{url}: only addresses that begin with http:// or https:// are fetched")
    if not contact:
        raise ValueError(f"{url}: in no archive of the corpora; start with --contact to let it be fetched")
    with WorkerPool(partial(fetch_page, contact=contact), 1, FETCH_SECONDS) as pool:
        found = pool.submit(url).result()
    if isinstance(found, Page):
        return found
    raise ValueError(f"{url} was not fetched: {found.reason}, {found.detail}")
