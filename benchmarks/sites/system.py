"""Say what the bench asks of a publishing system, and install, build and serve what several of them need."""

import io
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import BinaryIO, ClassVar

from benchmarks.sites.posts import Post

CACHE = Path(os.environ.get("NEWSCORPUS_SITES", Path.home() / ".cache" / "newscorpus-sites"))
"""Where systems are installed, a folder for each."""
TITLE = "The Loopback Herald"
"""Of every site."""
READY_SECONDS = 120


class MissingError(Exception):
    """A system cannot be installed here; the message says why, in one line."""


@dataclass
class System:
    """A publishing system with one theme and one configuration; a subclass says how it is filled, and how installed.

    `states` says how its pages, feeds or sitemaps state a field; what is stated nowhere is missing. `published` is
    stated by "time" or "day", or by time for the "newest" alone; `authors` "all" or only the "first"; `section` "all"
    or in its "address" alone; `tags` "all" or "with section" as one more; `changes`, that an article has changed, for
    instance in the "sitemap".
    """

    name: str  # what the command calls it, such as `hexo-next`; the family is what stands before the first dash
    label: str  # what the table calls it: versions, theme, and what it was told beside its defaults

    states: ClassVar[Mapping[str, str]]
    packages: ClassVar[Sequence[str]] = ()  # pinned, of PyPI
    output: ClassVar[str] = "output"  # the folder of the built site

    @property
    def family(self) -> str:
        """The system whatever its theme."""
        return self.name.partition("-")[0]

    @property
    def home(self) -> Path:
        """Where the system is installed."""
        return CACHE / self.family

    @property
    def bin(self) -> Path:
        """Where the programs of its packages of PyPI lie."""
        return self.home / "venv" / "bin"

    def install(self) -> None:
        """Install what it needs, if it is not there yet; by default its packages of PyPI.

        Raises:
            MissingError: it cannot be installed here.
        """
        commands = (["python3", "-m", "venv", "venv"], [self.bin / "pip", "install", "--quiet", *self.packages])
        self.install_by(commands, "\n".join(self.packages))

    def install_by(self, commands: Iterable[Sequence[object]], version: str) -> None:
        """Run commands in `home`, unless a note there says that they ran for this version."""
        note = self.home / "installed.txt"
        if not note.exists() or note.read_text("utf-8") != version:
            self.home.mkdir(parents=True, exist_ok=True)
            for command in commands:
                run(command, self.home)
            note.write_text(version, "utf-8")

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Publish exactly these articles, in a folder of the site's own; return path and query of each, by key.

        A system publishes those of special kinds (`Post.kind`) as it can: what it cannot protect or schedule it leaves
        out, any other kind it takes for a plain article. `fill` is called again with others: new ones come, changed
        ones (by `key`) get their new text and keep their address, and missing ones are deleted. `base` is the address
        under which the site will be served.
        """
        raise NotImplementedError

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the site at an address on loopback while the block runs; by default the files of `output`."""
        return serve_files(folder / self.output, base)


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
            [str(part) for part in command],
            cwd=folder,
            env=os.environ | environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_until_served(f"{base}/")
            yield
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # its workers too
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
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError) and error.code != HTTPStatus.SERVICE_UNAVAILABLE:
                return
            time.sleep(0.3)
        else:
            return
    raise MissingError(f"{url} did not answer within {READY_SECONDS} s")
