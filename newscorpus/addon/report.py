"""The report of a crawl, as a person or a program reads it afterwards."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newscorpus.corpus.files import replacing

FILE_NAME = "crawl-report.json"

TOLD = ("newscorpus/", "downloader/", "dupefilter/", "httpcompression/", "retry/", "robotstxt/", "spider_exceptions/")
"""How the names of the stats begin that go into the report."""


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What one crawl did.

    Attributes:
        portals: names of the portals.
        started: ISO 8601 with offset.
        finished: likewise.
        reason: why it ended: "finished", "limit", "shutdown" ...
        stats: every count under `newscorpus/`, and the counts of requests, responses and bytes.
        build: report of the build; empty where none ran; {"error": ...} where it failed.
    """

    portals: tuple[str, ...]
    started: str
    finished: str
    reason: str
    stats: Mapping[str, Any]
    build: Mapping[str, Any]


def told(stats: Mapping[str, Any]) -> dict[str, Any]:
    """The stats that go into the report, sorted by name."""
    return {name: value for name, value in sorted(stats.items()) if name.startswith(TOLD)}


def write_report(folder: Path, report: CrawlReport) -> None:
    """Write `crawl-report.json` into `folder`: whole, or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / FILE_NAME) as file:
        file.write(json.dumps(asdict(report), ensure_ascii=False, indent=2).encode() + b"\n")
