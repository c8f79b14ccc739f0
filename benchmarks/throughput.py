"""Speed and memory of crawls on loopback: `python -m benchmarks.throughput [--articles N] [--tiny N]`.

The portal spider without extraction beside a bare Scrapy spider, in rounds that take turns, so that each round gives a
ratio; then once with extraction; then one crawl of tiny pages, whose memory is read on the way.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.crawls import CrawlFigures
from benchmarks.newspapers import Site, make_project, measure_crawl, serving

HOSTS = 3
NO_ARCHIVE = {"NEWSCORPUS_ARCHIVE": False}
MEGABYTE = 1_000_000

WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "bare Scrapy, FEEDS": ("bare", {}),
    "portal, no extraction, no archive": ("unread", NO_ARCHIVE),
    "portal, no extraction": ("unread", {}),
    "portal": ("read", {}),
}

HEAD = """| crawl | articles | articles/s | ratio to bare | CPU s | worker CPU s | ledger | scheduler and ledger |\
 longest block, ms | of it CPU, ms |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


def crawl(site: Site, name: str, way: str, more: dict[str, Any], every: int = 1_000_000) -> CrawlFigures:
    """One crawl in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        make_project(Path(folder), site)
        figures = CrawlFigures(**measure_crawl(way, site, Path(folder), more, every))
    print(f"{name}: {figures}", file=sys.stderr, flush=True)
    return figures


def speed(site: Site, rounds: int) -> str:
    """The table of speeds; the first round only warms the newspapers up."""
    runs_by_name: dict[str, list[CrawlFigures]] = {name: [] for name in WAYS}
    for number in range(rounds + 1):
        for name, (way, more) in WAYS.items():
            if way != "read" or number == 1:
                runs_by_name[name].append(crawl(site, name, way, more))
    bare = runs_by_name["bare Scrapy, FEEDS"][1:]
    lines = [_line(name, runs[-rounds:], bare) for name, runs in runs_by_name.items()]
    return "\n".join([HEAD, *lines])


def _line(name: str, runs: list[CrawlFigures], bare: list[CrawlFigures]) -> str:
    """A line of the table: medians; the ratio is that of rounds."""
    ratios = [_rate(run) / _rate(other) for run, other in zip(runs, bare, strict=False)]
    middle = statistics.median
    cells = (
        f"{runs[0].articles:,}",
        f"{middle(map(_rate, runs)):.0f}",
        f"{middle(ratios):.2f}",
        f"{middle(run.cpu_seconds for run in runs):.1f}",
        f"{middle(run.worker_seconds for run in runs):.1f}",
        f"{middle(run.ledger_seconds / run.seconds for run in runs):.1%}",
        f"{middle(run.scheduler_seconds / run.seconds for run in runs):.1%}",
        f"{1000 * middle(run.longest_block for run in runs):.0f}",
        f"{1000 * middle(run.longest_work for run in runs):.0f}",
    )
    return f"| {name} | {' | '.join(cells)} |"


def _rate(figures: CrawlFigures) -> float:
    return figures.articles / figures.seconds


def memory(articles: int, seconds: int) -> str:
    """The table of memory in one crawl of tiny pages, which ends after so many seconds, if that is not 0."""
    with serving(articles, HOSTS, "--tiny") as site:
        figures = crawl(site, "tiny", "unread", {"CLOSESPIDER_TIMEOUT": seconds}, every=articles // 20)
    first = next(iter(figures.memory.values()))
    lines = [f"| {int(n):,} | {used / MEGABYTE:.0f} | {used / first:.2f} |" for n, used in figures.memory.items()]
    return "\n".join(["| articles | MB resident | ratio to the first |", "|--:|--:|--:|", *lines])


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=2_000, help="of the newspapers; 0: no speed (default: 2000)")
    parser.add_argument("--rounds", type=int, default=3, help="that count (default: 3)")
    parser.add_argument(
        "--tiny", type=int, default=200_000, help="articles of a sentence; 0: no memory (default: 200000)"
    )
    parser.add_argument("--seconds", type=int, default=0, help="after which the crawl of tiny pages ends; 0: never")
    arguments = parser.parse_args()
    if arguments.articles:
        with serving(arguments.articles, HOSTS) as site:
            print(speed(site, arguments.rounds), flush=True)
    if arguments.tiny:
        print(memory(arguments.tiny, arguments.seconds), flush=True)


if __name__ == "__main__":
    main()
