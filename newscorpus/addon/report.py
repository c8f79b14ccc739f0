"""The report of a crawl, as a person or a program reads it afterwards."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from newscorpus.addon.counts import politeness
from newscorpus.corpus.files import replacing
from newscorpus.jobs.status import PortalStatus

FILE_NAME = "crawl-report.json"

COLUMNS = {
    "kept": "kept",
    "queued": "queued",
    "failed": "failed",
    "words": "words",
    "megabytes": "MB",
    "words_per_megabyte": "words/MB",
}
"""Figures in the table at the end, and their headings."""

MOST_REASONS = 3
"""Reasons for rejection in the table; the report has all."""

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
        by_portal: how each portal stands, by its name: see `newscorpus.jobs.status`; "given_up" says why it was left.
    """

    portals: tuple[str, ...]
    started: str
    finished: str
    reason: str
    stats: Mapping[str, Any]
    build: Mapping[str, Any]
    by_portal: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def told(stats: Mapping[str, Any]) -> dict[str, Any]:
    """The stats that go into the report, sorted by name."""
    return {name: value for name, value in sorted(stats.items()) if name.startswith(TOLD)}


def by_portal(statuses: Iterable[PortalStatus], stats: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The figures of each portal at the end of a crawl."""
    return {
        one.portal: asdict(one) | {"given_up": stats.get(politeness(one.portal, "given_up"), "")}
        for one in statuses
        if one.portal
    }


def print_table(console: Console, figures: Mapping[str, Mapping[str, Any]]) -> None:
    """The figures of each portal as a table."""
    table = Table(box=None, pad_edge=False)
    for name in ("portal", *COLUMNS.values(), "most often rejected for"):
        table.add_column(name, justify="left" if name.startswith(("portal", "most")) else "right")
    for portal, one in figures.items():
        reasons = [f"{reason} {n}" for reason, n in list(one["rejected"].items())[:MOST_REASONS]]
        left = [f"given up: {one['given_up']}"] if one["given_up"] else []
        table.add_row(portal, *(f"{one[key]:,.0f}" for key in COLUMNS), ", ".join([*left, *reasons]))
    console.print(table)


def write_report(folder: Path, report: CrawlReport) -> None:
    """Write `crawl-report.json` into `folder`: whole, or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / FILE_NAME) as file:
        file.write(json.dumps(asdict(report), ensure_ascii=False, indent=2).encode() + b"\n")
