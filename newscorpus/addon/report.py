"""The report of a crawl, as a person or a program reads it afterwards."""

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from newscorpus.addon.counts import politeness
from newscorpus.crawl.ledger.status import PortalStatus
from newscorpus.files import replacing

FILE_NAME = "crawl-report.json"

MOST_REASONS = 3
"""Reasons for rejection that are told at the end; the report has all."""

LEFT_OUT = "most often rejected for"
"""Heading of the reasons."""

NOTHING_LEFT = "nothing was to be asked for now; -a revisit=due asks again for what is due, revisit=all for every list"

REJECTED = "newscorpus/rejected/"

TOLD = ("newscorpus/", "downloader/", "dupefilter/", "httpcompression/", "retry/", "robotstxt/", "spider_exceptions/")
"""How the names of the stats begin that go into the report."""

logger = logging.getLogger(__name__)


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
        by_portal: how each portal stands, by its name: see `newscorpus.crawl.ledger.status`;
            "given_up" says why it was left.
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


def tell(console: Console, figures: Mapping[str, Mapping[str, Any]]) -> None:
    """Show the figures of each portal: as a table in a terminal, as lines of the log otherwise."""
    rows = {portal: _cells(one) for portal, one in figures.items()}
    if console.is_terminal:
        console.print(_table(rows))
    for portal, cells in ({} if console.is_terminal else rows).items():
        counted = (f"{value} {name}" for name, value in cells.items() if name != LEFT_OUT)
        logger.info("%s: %s; %s: %s", portal, ", ".join(counted), LEFT_OUT, cells[LEFT_OUT] or "nothing")
    empty = [portal for portal, one in figures.items() if not one["kept"]]
    for portal in empty if len(empty) < len(figures) else ():
        logger.warning("Kept nothing of %s: %s", portal, rows[portal][LEFT_OUT] or "nothing was found")


def _cells(one: Mapping[str, Any]) -> dict[str, str]:
    """The figures of a portal as a person reads them, by heading."""
    reasons = [f"{reason} {n:,}" for reason, n in list(one["rejected"].items())[:MOST_REASONS]]
    given_up = [f"given up: {one['given_up']}"] if one["given_up"] else []
    return {
        "kept": f"{one['kept']:,}",
        "rejected": f"{sum(one['rejected'].values()):,}",
        "queued": f"{one['queued']:,}",
        "words": f"{one['words']:,}",
        "MB": f"{one['megabytes']:,.1f}",
        "words/MB": f"{one['words_per_megabyte']:,.0f}",
        LEFT_OUT: ", ".join([*given_up, *reasons]),
    }


def _table(rows: Mapping[str, Mapping[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("portal", *next(iter(rows.values()), ())):
        table.add_column(name, justify="left" if name in {"portal", LEFT_OUT} else "right")
    for portal, cells in rows.items():
        table.add_row(portal, *cells.values())
    return table


def why_nothing(stats: Mapping[str, Any], figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Why a crawl kept nothing, in one line; where it rejected nothing itself, what those before it rejected."""
    now = Counter({name.removeprefix(REJECTED): n for name, n in stats.items() if name.startswith(REJECTED)})
    before = sum((Counter(one["rejected"]) for one in figures.values()), Counter[str]())
    left = {name.split("/")[-2]: why for name, why in sorted(stats.items()) if name.endswith("/given_up")}
    reasons = [f"{portal} was given up: {why}" for portal, why in left.items()]
    queued = sum(one["queued"] for one in figures.values())
    if now:
        reasons.insert(0, f"rejected: {_counted(now)}")
    elif before:
        reasons.insert(0, f"rejected earlier: {_counted(before)}")
    if queued:
        reasons.append(f"{queued} addresses are still queued")
    elif before and not now:
        reasons.append(NOTHING_LEFT)
    responses = f"{stats.get('downloader/response_count', 0)} responses"
    return "; ".join([responses, *(reasons or ["no page was taken for an article"])])


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def write_report(folder: Path, report: CrawlReport) -> None:
    """Write `crawl-report.json` into `folder`: whole, or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / FILE_NAME) as file:
        file.write(json.dumps(asdict(report), ensure_ascii=False, indent=2).encode() + b"\n")
