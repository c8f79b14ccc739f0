"""Hold the state that all views share: corpora, worker process, templates, and the commands that run."""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from signal import SIGTERM
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from newscorpus.layout import LEDGER, MANIFEST, PUBLISHED, check_folder
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.views.explain.page import FOLDER as SHOWN_TEMPLATES
from newscorpus.views.explain.page import TEMPLATES as SHOWN
from newscorpus.views.explain.page import ShownPage, frame, show_page
from newscorpus.views.stats.page import FOLDER as STATS_TEMPLATES
from newscorpus.views.theme import environment
from newscorpus.views.ui.sources import CorpusPages, FolderPages, Source
from newscorpus.workers import Commands, Lost, WorkerPool

SHOWN_BYTES = 20_000
"""Maximum length of a command's output that is shown, from its end."""

T = TypeVar("T")
DEFAULT_RECIPE = Recipe()
Work = Callable[[], Any]
"""Work for the process that reads pages: a partial of an importable function."""


@dataclass(slots=True)
class Job:
    """Commands that run one after another, or have run."""

    number: int
    commands: tuple[tuple[str, ...], ...]  # after `newscorpus`
    log: Path
    begun: float  # seconds, monotonic
    codes: list[int] = field(default_factory=list)  # of the commands that have ended
    thread: Thread | None = None  # which runs them

    @property
    def code(self) -> int | None:
        """The highest exit code; None while a command runs."""
        return max(map(abs, self.codes)) if len(self.codes) == len(self.commands) else None

    @property
    def current(self) -> str:
        """The command that runs, or the last one."""
        at = min(len(self.codes), len(self.commands) - 1)
        count = f" ({at + 1} of {len(self.commands)})" if len(self.commands) > 1 else ""
        return f"newscorpus {shlex.join(self.commands[at])}{count}"

    def run(self, runner: Commands) -> None:
        """Run the commands; a failure does not keep the next from running, but `Commands.stop` does."""
        for command in self.commands:
            with self.log.open("ab") as out:
                if len(self.commands) > 1:
                    out.write(f"{self.current}\n".encode())
                    out.flush()
                self.codes.append(runner.run(command, out, out))

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
    runner: Commands = field(default_factory=Commands)

    def start(self, *commands: Sequence[str]) -> Job:
        """Run commands one after another; return the running job if there is one with the same commands."""
        given = tuple(map(tuple, commands))
        with self.lock:
            for job in self.started:
                if job.commands == given and job.code is None:
                    return job
            log = Path(self.folder.name, f"{len(self.started)}.log")
            log.touch()
            job = Job(len(self.started), given, log, time.monotonic())
            job.thread = Thread(target=job.run, args=(self.runner,), daemon=True)
            self.started.append(job)
        job.thread.start()
        return job

    def close(self) -> None:
        """End all running jobs."""
        self.runner.stop(SIGTERM)
        for job in self.started:
            if job.thread:
                job.thread.join()
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

    corpora: Mapping[str, Path]  # folders by name in addresses, those of saved pages included
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

    @property
    def folders(self) -> list[str]:
        """The names of the folders of saved pages."""
        return [name for name, folder in self.corpora.items() if _is_folder(folder)]

    def source(self, request: Request) -> Source:
        """Return the pages to be marked of the corpus or folder named in the address of a request."""
        self.corpus(request)
        return self._source(request.path_params["corpus"])

    def _source(self, name: str) -> Source:
        folder = self.corpora[name]
        return FolderPages(folder) if _is_folder(folder) else CorpusPages(folder)

    def group(self, request: Request) -> tuple[Source, str]:
        """Return the pages to be marked, and their group named in the address of a request."""
        source, group = self.source(request), request.path_params["portal"]
        if group not in source.groups():
            raise HTTPException(404, f"no portal {group!r} was crawled here")
        return source, group

    def portal(self, request: Request) -> tuple[Path, str]:
        """Return the corpus folder and the portal named in the address of a request."""
        source, portal = self.group(request)
        return source.folder, portal

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
        """Return the page of an address or name from the first corpus or folder that has it; None if none has.

        Raises:
            CorpusError: the archived page is damaged.
        """
        sources = (self._source(name) for name in self.corpora)
        return next((source.read(url) for source in sources if source.place(url)), None)

    def render(self, request: Request, template: str, title: str, **values: Any) -> HTMLResponse:
        """Fill a template, with `corpus` and `portal` of the address: as a fragment for htmx, else a whole page."""
        given = {"corpus": request.path_params.get("corpus", ""), "portal": request.path_params.get("portal", "")}
        part = TEMPLATES.get_template(template).render(state=self, frame=frame, title=title, **given | values)
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


def _is_folder(folder: Path) -> bool:
    """Tell whether a folder has files, and neither a ledger nor published documents."""
    return not any((folder / own).exists() for own in (LEDGER, PUBLISHED, MANIFEST)) and any(folder.iterdir())


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
    response = state_of(request).render(
        request, "job.html", f"newscorpus {job.commands[0][0]}", job=job, reloads=reloads
    )
    if reloads and job.code == 0:
        response.headers["hx-refresh"] = "true"
    return response
