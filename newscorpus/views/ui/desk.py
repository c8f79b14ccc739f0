"""Hold what all views need: the corpora that were named, the process that reads pages, and the templates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from jinja2 import FileSystemLoader
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from newscorpus.layout import LEDGER, check_folder
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.store.ledger.views.addresses import find, states
from newscorpus.views.explain.html import FOLDER as SHOWN_TEMPLATES
from newscorpus.views.explain.html import TEMPLATES as SHOWN
from newscorpus.views.explain.html import frame
from newscorpus.views.explain.page import ShownPage, archived_source, show_page
from newscorpus.views.stats.page import FOLDER as STATS_TEMPLATES
from newscorpus.views.ui.jobs import Job, Jobs
from newscorpus.workers import Lost, WorkerPool

T = TypeVar("T")

DEFAULT_RECIPE = Recipe()

HERE = Path(__file__).parent

TEMPLATES = SHOWN.overlay(loader=FileSystemLoader([HERE / "templates", SHOWN_TEMPLATES, STATS_TEMPLATES]))

Work = Callable[[], Any]
"""What is done in the process that reads pages; a partial of an importable function."""


def do(work: Work) -> Any:
    """Do some work; what is wrong with the choice comes back as an error. Runs in a process of its own."""
    try:
        return work()
    except (ValueError, ImportError) as error:
        return ValueError(str(error))


@dataclass(frozen=True, slots=True)
class Desk:
    """What all views need."""

    corpora: Mapping[str, Path]  # folders, by the name in addresses
    token: str  # that our own pages send with what they write
    contact: str  # for the user agent; "": nothing is fetched
    pool: WorkerPool[Work, Any]
    jobs: Jobs  # verbs of the command that were started here

    def corpus(self, request: Request) -> Path:
        """The folder of the corpus that the address of a request names."""
        name = request.path_params["corpus"]
        if name not in self.corpora:
            raise HTTPException(404, f"no corpus called {name!r} was named when the server was started")
        return self.corpora[name]

    def portal(self, request: Request) -> tuple[Path, str]:
        """The corpus and the portal that the address of a request names."""
        corpus, portal = self.corpus(request), request.path_params["portal"]
        if portal not in {known for known, _ in states(corpus)}:
            raise HTTPException(404, f"no portal {portal!r} was crawled here")
        return corpus, portal

    def job(self, request: Request) -> Job:
        """The job whose number the address of a request names."""
        number: int = request.path_params["number"]
        if number >= len(self.jobs.started):
            raise HTTPException(404, "no such job since the server was started")
        return self.jobs.started[number]

    def do(self, work: Callable[[], T]) -> T:
        """Do some work on pages; waits for the process.

        Raises:
            ValueError: the choice is wrong, or the process was lost over the page.
        """
        found = self.pool.submit(work).result()
        if isinstance(found, Lost):
            found = ValueError(f"the page was given up: {found.detail}")
        if isinstance(found, ValueError):
            raise found
        return cast("T", found)

    def show(self, page: SourcePage, recipe: Recipe = DEFAULT_RECIPE, *, is_blind: bool = False) -> ShownPage:
        """Show a page; errors as for `do`."""
        return self.do(partial(show_page, recipe, page, is_blind=is_blind))

    def archived(self, url: str) -> SourcePage | None:
        """The page of an address from the first archive that has it; None where none has.

        Raises:
            CorpusError: an archive has it, but not whole.
        """
        for corpus in self.corpora.values():
            entry = find(corpus, url) if (corpus / LEDGER).is_file() else None
            if entry and entry.archived[0]:
                return archived_source(corpus, url, *entry.archived)
        return None

    def render(self, request: Request, template: str, title: str, **values: Any) -> HTMLResponse:
        """Fill a template: the part that a page of ours asked for, or else the whole page around it."""
        part = TEMPLATES.get_template(template).render(desk=self, frame=frame, title=title, **values)
        if "hx-request" in request.headers:
            return HTMLResponse(part.encode("utf-8", "replace"))
        page = TEMPLATES.get_template("base.html").render(
            desk=self, title=title, part=part, here=request.url.path, names=list(self.corpora)
        )
        return HTMLResponse(page.encode("utf-8", "replace"))


def desk_of(request: Request) -> Desk:
    """The desk of the server that a request came to."""
    desk: Desk = request.app.state.desk
    return desk


def named(corpora: Sequence[Path]) -> dict[str, Path]:
    """Give each folder a name for addresses: its own, numbered where two are alike.

    Raises:
        CorpusError: a folder is missing.
    """
    found: dict[str, Path] = {}
    for corpus in corpora:
        name = check_folder(corpus).resolve().name or "corpus"
        alike = sum(other.partition("~")[0] == name for other in found)
        found[f"{name}~{alike + 1}" if alike else name] = corpus
    return found
