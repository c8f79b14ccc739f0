"""Crawls run as users run them: `scrapy crawl` in a process of its own, against a site in another."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file, scrapy
from serving import ask

from benchmarks.newspapers import started
from newscorpus.lines import complete_lines
from newscorpus.page.rows import unpacked

SERVER = Path(__file__).parents[1] / "mockserver" / "server.py"

PORTAL = portal_file(
    'feeds = ["http://127.0.0.1/feed.xml", "http://127.0.0.1/not-a-feed.xml"]',
    'sitemaps = ["http://127.0.0.1/sitemap-index.xml"]',
    r"articles = ['-\d{5}(\.html)?(\?|$)']",
    start="http://127.0.0.1/",
)

SETTINGS = {"NEWSCORPUS_PAUSE_SECONDS": 0.1, "NEWSCORPUS_PROFILE": "off", "NEWSCORPUS_WORKERS": 0}
"""Pages are judged once, so that the intake has one row of each; the tests of profiles switch these on. No process is
started for pages, which takes seconds; the tests of what needs one, and those of whole programs, have them."""


@dataclass(frozen=True, slots=True)
class Crawl:
    """What a crawl left behind."""

    exit_code: int
    output: str
    corpus: Path

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((self.corpus / "crawl-report.json").read_text())
        return report

    @property
    def stats(self) -> dict[str, Any]:
        stats: dict[str, Any] = self.report["stats"]
        return stats

    @property
    def rejected(self) -> list[dict[str, str]]:
        return _json_lines(self.corpus / "rejected.jsonl")

    @property
    def records(self) -> list[dict[str, Any]]:
        segments = sorted((self.corpus / "intake").glob("*.jsonl"))
        lines = [json.loads(unpacked(line)) for segment in segments for _, line in complete_lines(segment)]
        return [line["record"] for line in lines if "record" in line]

    def reasons(self, part_of_url: str) -> list[str]:
        """Why addresses that hold `part_of_url` were rejected."""
        return [f"{line['stage']}/{line['reason']}" for line in self.rejected if part_of_url in line["url"]]


@dataclass(frozen=True, slots=True)
class MockSite:
    """The misbehaving site."""

    base: str

    def log(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = ask(self.base)
        return found

    def asked(self) -> Counter[str]:
        return Counter(entry["path"] for entry in self.log())


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


@pytest.fixture
def mock_site() -> Iterator[MockSite]:
    """A fresh mock site in a process of its own."""
    with started(SERVER) as base:
        yield MockSite(base)


@pytest.fixture(scope="module")
def shared_mock_site() -> Iterator[MockSite]:
    """A mock site for all tests of a module."""
    with started(SERVER) as base:
        yield MockSite(base)


@pytest.fixture(scope="session")
def crawl() -> Callable[..., Crawl]:
    """Run `scrapy crawl portal` with `portals/mock.toml` in a folder."""

    def run(folder: Path, *arguments: str, portal: str = PORTAL) -> Crawl:
        (folder / "portals").mkdir(exist_ok=True)
        (folder / "portals" / "mock.toml").write_text(portal)
        corpus = folder / "corpus"
        settings = [f"-s{name}={value}" for name, value in (SETTINGS | {"NEWSCORPUS_CORPUS": corpus}).items()]
        done = scrapy(folder, "crawl", "portal", *settings, *arguments)
        return Crawl(done.exit_code, done.output, corpus)

    return run
