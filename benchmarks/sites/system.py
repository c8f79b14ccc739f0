"""Say what the bench asks of a publishing system, and install, build and serve what several of them need."""

import io
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import BinaryIO, Protocol

from benchmarks.sites.posts import Post

CACHE = Path(os.environ.get("NEWSCORPUS_SITES", Path.home() / ".cache" / "newscorpus-sites"))
"""Where systems are installed, a folder for each."""
TITLE = "The Loopback Herald"
"""Of every site."""
READY_SECONDS = 120


class MissingError(Exception):
    """A system cannot be installed here; the message says why, in one line."""


class System(Protocol):
    """A publishing system with one theme and one configuration.

    Attributes:
        name: what the command calls it, such as `hexo-next`.
        label: what the table calls it: versions, theme, and what it was told beside its defaults.
        languages: of the articles that it is filled with; empty for all.
        kinds: what the system itself can do with an article: `paged`, `sticky`, `protected`, `scheduled`. It gets an
            article of another kind as a plain one, but none that is protected or scheduled.
        states: how its pages, feeds or sitemaps state fields: `published` by "time" or "day"; `authors`, `section` and
            `tags` "all", of the authors perhaps only the "first", the section perhaps in its "address" alone, the tags
            perhaps "with section" as one more; and in `changes` where they show that an article has changed, such as
            "sitemap". What is stated nowhere is missing.
    """

    name: str
    label: str
    languages: Sequence[str]
    kinds: frozenset[str]
    states: Mapping[str, str]

    def install(self, cache: Path) -> None:
        """Install what it needs in a folder, if it is not there yet.

        Raises:
            MissingError: it cannot be installed here.
        """

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Publish exactly these articles, in a folder of the site's own; gives path and query of each, by key.

        It is called again with others: new ones come, changed ones (by `key`) get their new text and keep their
        address, and those that are not among them are deleted. `base` is the address under which it will be served.
        """

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the site at an address on loopback, from when the block is entered until it is left."""


def run(command: Sequence[object], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    """Run a command in a folder.

    Raises:
        MissingError: it failed, or is not there; the message holds its last line.
    """
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            env=os.environ | (environment or {}),
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise MissingError(f"{error.filename} is not installed") from None
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        (folder / "failed.log").write_text("\n".join(lines), "utf-8")
        raise MissingError(
            f"{Path(str(command[0])).name}: {lines[-1] if lines else done.returncode}; see {folder}/failed.log"
        )


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Make a folder hold exactly these files; one that holds its text already is not touched."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        if not (folder / name).exists() or (folder / name).read_text("utf-8") != text:
            (folder / name).write_text(text, "utf-8")


def pip_install(folder: Path, *packages: str) -> Path:
    """Install pinned packages into an environment of their own, if these are not there yet; gives its `bin`."""
    with _installing(folder, packages) as is_new:
        if is_new:
            run(["python3", "-m", "venv", folder / "venv"], folder)
            run([folder / "venv" / "bin" / "pip", "install", "--quiet", *packages], folder)
    return folder / "venv" / "bin"


def npm_install(folder: Path, *packages: str) -> Path:
    """Install pinned packages of npm, if these are not there yet; gives their folder."""
    with _installing(folder, packages) as is_new:
        if is_new:
            run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *packages], folder)
    return folder / "node_modules"


@contextmanager
def _installing(folder: Path, packages: Sequence[str]) -> Iterator[bool]:
    """Say whether packages are to be installed, and note afterwards that they are."""
    note, wanted = folder / "installed.txt", "\n".join(packages)
    folder.mkdir(parents=True, exist_ok=True)
    is_new = not note.exists() or note.read_text("utf-8") != wanted
    yield is_new
    if is_new:
        note.write_text(wanted, "utf-8")


class _Files(SimpleHTTPRequestHandler):
    """Files as web servers of static sites serve them."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".xml": "application/xml",
        ".atom": "application/atom+xml",
    }

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Find the file of `/a`: `a.html`, or `a/index.html` without a redirect to `/a/`."""
        plain = self.path.partition("?")[0]
        path = Path(self.translate_path(plain))
        if (path / "index.html").is_file() and not plain.endswith("/"):
            self.path = f"{plain}/"
        elif not path.exists() and path.with_name(f"{path.name}.html").is_file():
            self.path = f"{plain}.html"
        return super().send_head()

    def list_directory(self, _path: object) -> None:
        """Refuse a folder without a page of its own."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    """A server that lets a whole crawl wait for an answer; the default refuses the sixth connection."""

    request_queue_size = 128


@contextmanager
def serve_files(folder: Path, base: str) -> Iterator[None]:
    """Serve the files of a folder."""
    host, _, port = base.removeprefix("http://").partition(":")
    with _Server((host, int(port)), partial(_Files, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()


@contextmanager
def serve_process(command: Sequence[object], folder: Path, environment: Mapping[str, str], base: str) -> Iterator[None]:
    """Run a server in a folder, from when it answers until the block is left."""
    with (folder / "serve.log").open("ab") as log:
        server = subprocess.Popen(
            [str(part) for part in command], cwd=folder, env=os.environ | environment, stdout=log, stderr=log
        )
        try:
            wait_until_served(f"{base}/")
            yield
        finally:
            server.terminate()
            server.wait()


def wait_until_served(url: str) -> None:
    """Wait until an address answers, with whatever status but 503, which says that a system is not ready.

    Raises:
        MissingError: it does not within two minutes.
    """
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=10).close()
        except urllib.error.HTTPError as error:
            if error.code != HTTPStatus.SERVICE_UNAVAILABLE:
                return
            time.sleep(0.3)
        except OSError:
            time.sleep(0.3)
        else:
            return
    raise MissingError(f"{url} did not answer within {READY_SECONDS} s")
