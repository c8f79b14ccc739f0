"""Show the start page and the crawls of portals, and show, try and change their files."""

import hashlib
import re
import tomllib
from contextlib import suppress
from functools import partial, reduce
from itertools import product
from operator import getitem
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from newscorpus.corpus.published import is_published
from newscorpus.errors import CorpusError, PortalError
from newscorpus.files import replace_file
from newscorpus.layout import LEDGER
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.schema import find_file, own_portal_file, read_portal
from newscorpus.store.ledger.addresses import archived_articles, over_time
from newscorpus.store.ledger.portals import alarms, last_looks
from newscorpus.upkeep.check import RuleTrial, found_lately, try_rules
from newscorpus.upkeep.overview import overview as look_into
from newscorpus.views.explain.page import archived_source
from newscorpus.views.stats.page import corpus_stats, crawl_state, shown
from newscorpus.views.ui.state import AppState, answer, state_of


def home(request: Request) -> Response:
    """Show a card of each corpus."""
    state = state_of(request)
    cards = [(name, look_into(folder)) for name, folder in state.corpora.items()]
    return state.render(request, "home.html", "Corpora", cards=cards)


PAGES = 12
"""Number of archived pages on which rules are tried, chosen by the hash of their addresses."""
LINE = re.compile(r"at line (\d+)")
KEY = re.compile(r"(?:(?:unknown|missing) key )?([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+(?:\[\d+\])?)*)")


def overview(request: Request) -> Response:
    """List the portals of a corpus."""
    state, name = state_of(request), request.path_params["corpus"]
    return state.render(request, "portals.html", f"Portals: {name}", portals=state.source(request).groups())


def view(request: Request) -> Response:
    """Show the file of a portal, and the matches of its rules over time."""
    corpus, portal = state_of(request).portal(request)
    path = find_file(portal)
    text = path.read_text("utf-8")
    return state_of(request).render(
        request,
        "portal.html",
        f"Portal: {portal}",
        path=_short(path),
        target=_short(own_portal_file(portal)),
        text=text,
        digest=_digest(text),
        spans=over_time(corpus).get(portal, []),
        alarms=alarms(corpus, portal),
        lately=found_lately(last_looks(corpus, portal)),
        pages=PAGES,
    )


async def try_text(request: Request) -> Response:
    """Try the text of the form."""
    corpus, portal = state_of(request).portal(request)
    form = await request.form()
    text = _text(form)
    values: dict[str, object] = {"error": "", "line": 0, "trials": []}
    try:
        values["trials"] = await run_in_threadpool(_tried, state_of(request), corpus, portal, text)
    except PortalError as error:
        values |= {"error": str(error), "line": line_of(text, str(error))}
    return state_of(request).render(request, "tried.html", f"Portal: {portal}", **values)


async def save(request: Request) -> Response:
    """Write the text of the form, unless it is invalid, or the file has changed since it was opened."""
    _, portal = state_of(request).portal(request)
    form = await request.form()
    text, path = _text(form), find_file(portal)
    read_portal(text, path)
    if _digest(path.read_text("utf-8")) != str(form.get("digest", "")):
        raise PortalError(f"{path}: changed since it was opened here; copy your text, and load the view anew")
    target = own_portal_file(portal)
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, text.encode())
    values = {"target": _short(target), "digest": _digest(text)}
    return state_of(request).render(request, "saved_portal.html", f"Portal: {portal}", **values)


async def check(request: Request) -> Response:
    """Run `newscorpus portal check` on the saved file."""
    corpus, portal = state_of(request).portal(request)
    return answer(request, state_of(request).jobs.start(["portal", "check", portal, "--corpus", str(corpus)]))


def line_of(text: str, message: str) -> int:
    """Return the line of a portal file that an error names by number or key; 0 if none."""
    if found := LINE.search(message):
        return int(found[1])
    if "at end of document" in message:
        return text.count("\n") + 1
    named, lines = KEY.match(message.partition(".toml: ")[2]), text.splitlines()
    place = [int(step) if step.isdecimal() else step for step in re.findall(r"\w+", named[1])] if named else []
    while place:
        for number, end in product(range(1, len(lines) + 1), ("", "]")):  # "]" closes a list over several lines
            with suppress(ValueError, LookupError, TypeError):  # the beginning is no TOML, or lacks the place
                table: Any = tomllib.loads("\n".join(lines[:number]) + end)
                reduce(getitem, place, table)
                return number
        place.pop()  # a key that is missing: the line of its table
    return 0


def _short(path: Path) -> Path:
    """Return a path relative to the project, if it is inside."""
    root = own_portal_file("any").parent.parent
    return path.relative_to(root) if path.is_relative_to(root) else path


def _text(form: FormData) -> str:
    return str(form.get("text", "")).replace("\r\n", "\n")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _tried(state: AppState, corpus: Path, name: str, text: str) -> list[RuleTrial]:
    """Try a text on the first readable archived pages of a portal."""
    portal, pages = read_portal(text, find_file(name)), list[SourcePage]()
    for url, file, offset in archived_articles(corpus, name):
        with suppress(CorpusError):  # try another page
            pages.append(archived_source(corpus, url, file, offset))
        if len(pages) == PAGES:
            break
    return state.do(partial(try_rules, portal, pages))


def watch(request: Request) -> Response:
    """Show the state of the crawl; while it runs, the page polls every few seconds."""
    state, corpus, name = state_of(request), state_of(request).corpus(request), request.path_params["corpus"]
    crawl = crawl_state(corpus) if (corpus / LEDGER).is_file() else None
    published = is_published(corpus)
    return state.render(request, "watch.html", f"Watch: {name}", crawl=crawl, is_published=published, tries=True)


def contents(request: Request) -> Response:
    """Show the statistics of a corpus."""
    state, corpus = state_of(request), state_of(request).corpus(request)
    found = corpus_stats(corpus)
    return state.render(request, "contents.html", f"Watch: {found.name}", tries=True, **shown(found))
