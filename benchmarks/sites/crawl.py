"""Crawl a site as a user does, in processes of their own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.newspapers import ROOT
from benchmarks.sites.system import MissingError
from newscorpus.layout import CRAWL_REPORT

NAME = "site"
"""Of the portal."""
FOUR_KEYS = """name = "site"
languages = {languages}
domains = ["127.0.0.1"]
start = ["{base}/"]
delay_seconds = 0  # it is served by this machine
"""
WARNING = re.compile(r"^[\d: -]{19} \[[\w.-]+\] (?:WARNING|ERROR|CRITICAL): (.*)", re.MULTILINE)
NEWSCORPUS = (sys.executable, "-c", "from newscorpus.cli import main; main()")
SECONDS = 1800
"""Longest time for one crawl."""


@dataclass(frozen=True, slots=True)
class Crawl:
    """What one crawl said."""

    requests: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with the file of one portal, and its corpus."""

    folder: Path

    @property
    def corpus(self) -> Path:
        """Where the corpus lies."""
        return self.folder / "corpora" / NAME

    def write_portal(self, base: str, languages: Sequence[str]) -> Crawl:
        """Write a file of the four keys that a portal needs, and of the delay that goes with loopback."""
        self._begin()
        (self.folder / "portals").mkdir()
        text = FOUR_KEYS.format(base=base, languages=json.dumps(list(languages)))
        (self.folder / "portals" / f"{NAME}.toml").write_text(text, "utf-8")
        return Crawl(0, ())

    def add_portal(self, base: str, languages: Sequence[str]) -> Crawl:
        """Let `newscorpus portal add` write the file; only the languages, of which it names one, are put right."""
        self._begin()
        crawl = self._run("add.log", "portal", "add", f"{base}/", "--name", NAME)
        path = self.folder / "portals" / f"{NAME}.toml"
        if not path.exists():
            raise MissingError(f"`portal add` wrote no file; see {self.folder}/add.log")
        text = re.sub(r"(?m)^languages = .*", f"languages = {json.dumps(list(languages))}", path.read_text("utf-8"))
        path.write_text(text, "utf-8")
        return crawl

    def crawl(self, revisit: str = "") -> Crawl:
        """Crawl it, or visit it again."""
        arguments = ["-a", f"revisit={revisit}"] if revisit else []
        return self._run(f"crawl{revisit and '-again'}.log", "crawl", NAME, *arguments, "-s", "LOG_LEVEL=WARNING")

    def _begin(self) -> None:
        """Make the folder a project of its own, lest one that it lies in be taken for its."""
        self.folder.mkdir(parents=True)
        (self.folder / "scrapy.cfg").write_text("[settings]\ndefault = newscorpus.settings\n", "utf-8")

    def _run(self, log: str, *arguments: str) -> Crawl:
        report = self.corpus / CRAWL_REPORT
        report.unlink(missing_ok=True)
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        with (self.folder / log).open("wb") as file:
            subprocess.run(
                [*NEWSCORPUS, *arguments],
                cwd=self.folder,
                env=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
            )
        said = WARNING.findall((self.folder / log).read_text("utf-8", "replace"))
        if not report.exists():
            raise MissingError(f"the crawl left no report; see {self.folder / log}")
        stats = json.loads(report.read_text("utf-8"))["stats"]
        return Crawl(stats.get("downloader/request_count", 0), tuple(said))
