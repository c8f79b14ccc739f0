"""Serve newspapers on loopback for the benchmarks of crawls, and make the project that crawls them."""

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "tests" / "mockserver" / "newspapers.py"

PORTAL = """
name = "{name}"
languages = ["en"]
domains = ["127.0.0.1"]
start = ["{base}/"]
articles = ['^/(story|moved|print|gone)/\\d+']
delay_seconds = 0
limits = {{ max_pages = 10_000_000, max_depth = 10_000_000 }}
"""


@dataclass(frozen=True, slots=True)
class Site:
    """The newspapers, as the crawl's project names them."""

    bases: list[str]

    @property
    def names(self) -> list[str]:
        """Names of the portals."""
        return [f"paper{number}" for number in range(len(self.bases))]

    def asked(self) -> Counter[str]:
        """Requests so far."""
        with urllib.request.urlopen(f"{self.bases[0]}/_log") as answer:
            return Counter(json.load(answer))

    def count(self) -> int:
        """Number of requests so far."""
        with urllib.request.urlopen(f"{self.bases[0]}/_count") as answer:
            return int(answer.read())


@contextmanager
def started(server: Path, *arguments: object) -> Iterator[str]:
    """Run a server in a process of its own; gives the line in which it says where it serves."""
    command = [sys.executable, str(server), *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@contextmanager
def serving(articles: int, hosts: int, *options: str) -> Iterator[Site]:
    """Serve newspapers in a process of their own."""
    with started(SERVER, articles, hosts, *options) as line:
        yield Site(json.loads(line))


def make_project(folder: Path, site: Site) -> None:
    """Write the portal files."""
    (folder / "portals").mkdir(parents=True, exist_ok=True)
    for name, base in zip(site.names, site.bases, strict=True):
        (folder / "portals" / f"{name}.toml").write_text(PORTAL.format(name=name, base=base))


def options(settings: Mapping[str, object]) -> list[str]:
    """Write settings as options of the command."""
    return [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]


def crawl_command(names: Iterable[str], settings: Mapping[str, object], *arguments: str) -> list[str]:
    """Make the command that crawls portals; `arguments` are those of the spider, such as `revisit=all`."""
    given = [part for argument in (f"portal={','.join(names)}", *arguments) for part in ("-a", argument)]
    return [sys.executable, "-m", "scrapy", "crawl", "portal", *given, *options(settings)]


def measure_crawl(
    way: str, site: Site, folder: Path, more: Mapping[str, Any], every: int = 1_000_000
) -> dict[str, Any]:
    """Run `benchmarks.crawls` in a process of its own, in a folder with the portal files, and return its figures."""
    asked = {"way": way, "bases": site.bases, "folder": str(folder), "every": every, "more": more}
    command = [sys.executable, "-m", "benchmarks.crawls", json.dumps(asked)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def environment() -> dict[str, str]:
    """Make the environment of crawls in processes of their own, in any folder."""
    return os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings", "PYTHONPATH": str(ROOT)}
