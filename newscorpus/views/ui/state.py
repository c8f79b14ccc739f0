"""Hold the state that all views share: corpora, worker process, templates, and the commands that run."""

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, TypeVar, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from newscorpus.layout import LEDGER, check_folder
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.store.ledger.addresses import find, states
from newscorpus.views.explain.page import FOLDER as SHOWN_TEMPLATES
from newscorpus.views.explain.page import TEMPLATES as SHOWN
from newscorpus.views.explain.page import ShownPage, archived_source, frame, show_page
from newscorpus.views.stats.page import FOLDER as STATS_TEMPLATES
from newscorpus.views.theme import environment
from newscorpus.workers import COMMAND, Lost, WorkerPool

SHOWN_BYTES = 20_000
"""Maximum length of a command's output that is shown, from its end."""

T = TypeVar("T")
DEFAULT_RECIPE = Recipe()
Work = Callable[[], Any]
"""Work for the process that reads pages: a partial of an importable function."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command that runs, or has run."""

    number: int
    arguments: tuple[str, ...]  # after `newscorpus`
    process: "subprocess.Popen[bytes]"
    log: Path
    begun: float  # seconds, monotonic

    @property
    def code(self) -> int | None:
        """The exit code; None while the command runs."""
        return self.process.poll()

    @property
    def seconds(self) -> int:
        """Seconds since the start."""
        return round(time.monotonic() - self.begun)

    @property
    def printed(self) -> str:
        """The end of the output."""
        return self.log.read_bytes()[-SHOWN_BYTES:].decode("utf-8", "replace")


@dataclass(slots=True)
class Jobs:
    """The commands run since the server started; they end with it."""

    folder: TemporaryDirectory[str] = field(default_factory=TemporaryDirectory)
    started: list[Job] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def start(self, arguments: Sequence[str]) -> Job:
        """Run a command; return the running job if there is one with the same arguments."""
        with self.lock:
            for job in self.started:
                if job.arguments == tuple(arguments) and job.code is None:
                    return job
            log = Path(self.folder.name, f"{len(self.started)}.log")
            with log.open("wb") as out:
                process = subprocess.Popen(  # noqa: S603 -- our own command, and no shell
                    [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT
                )
            self.started.append(Job(len(self.started), tuple(arguments), process, log, time.monotonic()))
            return self.started[-1]

    def close(self) -> None:
        """End all running jobs."""
        for job in self.started:
            with suppress(ProcessLookupError):
                job.process.terminate()
            job.process.communicate()
        self.folder.cleanup()


HERE = Path(__file__).parent

TEMPLATES = environment(HERE / "templates", SHOWN_TEMPLATES, STATS_TEMPLATES)
TEMPLATES.policies |= SHOWN.policies


def do(work: Work) -> Any:
    """Run `work` in the worker process; errors in the user's input are returned, others end the process."""
    try:
        return work()
    except (ValueError, ImportError) as error:
        return ValueError(str(error))


@dataclass(frozen=True, slots=True)
class AppState:
    """State shared by all views."""

    corpora: Mapping[str, Path]  # folders by name in addresses
    token: str  # sent by our own pages with each write
    contact: str  # for the user agent; "": nothing is fetched
    pool: WorkerPool[Work, Any]
    jobs: Jobs  # commands started here

    def corpus(self, request: Request) -> Path:
        """Return the corpus folder named in the address of a request."""
        name = request.path_params["corpus"]
        if name not in self.corpora:
            raise HTTPException(404, f"no corpus called {name!r} was named when the server was started")
        return self.corpora[name]

    def portal(self, request: Request) -> tuple[Path, str]:
        """Return the corpus folder and the portal named in the address of a request."""
        corpus, portal = self.corpus(request), request.path_params["portal"]
        if portal not in {known for known, _ in states(corpus)}:
            raise HTTPException(404, f"no portal {portal!r} was crawled here")
        return corpus, portal

    def do(self, work: Callable[[], T]) -> T:
        """Run `work` in the worker process, and wait for it.

        Raises:
            ValueError: the user's input is wrong, or the process hung or died.
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
        """Return the page of an address from the first archive that has it; None if none has.

        Raises:
            CorpusError: the archived page is damaged.
        """
        for corpus in self.corpora.values():
            entry = find(corpus, url) if (corpus / LEDGER).is_file() else None
            if entry and entry.archived[0]:
                return archived_source(corpus, url, *entry.archived)
        return None

    def render(self, request: Request, template: str, title: str, **values: Any) -> HTMLResponse:
        """Fill a template: as a fragment for htmx, else inside the whole page."""
        part = TEMPLATES.get_template(template).render(state=self, frame=frame, title=title, **values)
        if "hx-request" in request.headers:
            return HTMLResponse(part.encode("utf-8", "replace"))
        only = next(iter(self.corpora), "") if len(self.corpora) == 1 else ""
        page = TEMPLATES.get_template("base.html").render(
            state=self,
            title=title,
            part=part,
            here=request.url.path.split("/")[1],
            current=request.path_params.get("corpus", only),
        )
        return HTMLResponse(page.encode("utf-8", "replace"))


def state_of(request: Request) -> AppState:
    """Return the state of the server of a request."""
    state: AppState = request.app.state.own
    return state


def named(corpora: Sequence[Path]) -> dict[str, Path]:
    """Name each folder for addresses: by its own name, with a number for duplicates.

    Raises:
        CorpusError: a folder is missing.
    """
    found: dict[str, Path] = {}
    for corpus in corpora:
        name = check_folder(corpus).resolve().name or "corpus"
        alike = sum(other.partition("~")[0] == name for other in found)
        found[f"{name}~{alike + 1}" if alike else name] = corpus
    return found


def show_job(request: Request) -> Response:
    """Show a job; its page polls every second while it runs."""
    number, started = request.path_params["number"], state_of(request).jobs.started
    if number >= len(started):
        raise HTTPException(404, "no such job since the server was started")
    return answer(request, started[number], reloads="reload" in request.query_params)


def answer(request: Request, job: Job, *, reloads: bool = False) -> Response:
    """Render a job; with `reloads` its page reloads when the job has succeeded."""
    response = state_of(request).render(request, "job.html", f"newscorpus {job.arguments[0]}", job=job, reloads=reloads)
    if reloads and job.code == 0:
        response.headers["hx-refresh"] = "true"
    return response
