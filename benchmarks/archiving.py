"""Measure what the archive costs: `python -m benchmarks.archiving [--articles N] [--rounds N] [PAGES]`; see `--help`.

Crawls newspapers on loopback without any delay, with the archive and without it in turns, and compares the CPU time of
the crawl. Where stored pages are named, the time of encoding them is measured beside that of extracting. Writes
benchmarks/results/archive.md.
"""

import argparse
import gzip
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.newspapers import ROOT, Site, make_project, measure_crawl, serving
from newscorpus.config import Limits
from newscorpus.data import Page
from newscorpus.lines import unpacked_lines
from newscorpus.page.registry import DEFAULT, load
from newscorpus.store.archive.values import Capture, Exchange, Origin
from newscorpus.store.archive.write import encode

RESULT = ROOT / "benchmarks" / "results" / "archive.md"
HOSTS = 3
WAYS = {"unread": "without extraction", "read": "with extraction"}
PAGES = 60
KB = 1_000


@dataclass(frozen=True, slots=True)
class Pair:
    """Two crawls, one after the other, with the archive and without it."""

    cpu: float  # CPU time with it, by that without
    block: float  # longest CPU time of one callback of the event loop with it, in seconds
    archive_bytes: int  # size of the archive
    responses: int  # answers in it


def compare(way: str, site: Site, folder: Path) -> Pair:
    """Crawl twice."""
    found = []
    for archive in (False, True):
        shutil.rmtree(folder / "corpus", ignore_errors=True)
        found.append(measure_crawl(way, site, folder, {"NEWSCORPUS_ARCHIVE": archive}))
    off, on = found
    size = sum(path.stat().st_size for path in (folder / "corpus" / "archive").iterdir())
    ratio = (on["cpu_seconds"] + on["worker_seconds"]) / (off["cpu_seconds"] + off["worker_seconds"])
    return Pair(ratio, on["longest_work"], size, on["responses"])


def crawls(ways: list[str], articles: int, rounds: int) -> Iterator[str]:
    """Write the table of the crawls."""
    yield "| crawl | CPU time, with by without | longest callback | kB a response |"
    yield "|---|---:|---:|---:|"
    for way in ways:
        with serving(articles, HOSTS) as site, tempfile.TemporaryDirectory() as name:
            make_project(Path(name), site)
            pairs = [compare(way, site, Path(name)) for _ in range(rounds)]
        cpu = sorted(pair.cpu for pair in pairs)
        spread = f"{statistics.median(cpu):.2f} ({cpu[0]:.2f} to {cpu[-1]:.2f})"
        block = 1000 * max(pair.block for pair in pairs)
        size = pairs[0].archive_bytes / pairs[0].responses / KB
        yield f"| {WAYS[way]} | {spread} | {block:.0f} ms | {size:.1f} |"


def pages(path: Path) -> Iterator[str]:
    """Write the table of encoding stored pages, compressed as servers send them and plain."""
    extractor = load(DEFAULT)
    stored = [json.loads(line)["html"].encode() for line in islice(unpacked_lines(path), PAGES)]
    url, date = "https://news.example/1", "2026-11-20T08:00:00.000000Z"
    took = _milliseconds(lambda body: extractor(Page(url, body)), stored)
    yield "| body | kB as it came | kB in the archive | encoding, ms a page | by the time of its extraction |"
    yield "|---|---:|---:|---:|---:|"
    for name in ("gzip", "plain"):
        more = (("Content-Encoding", name),) if name == "gzip" else ()
        headers = (("Content-Type", "text/html; charset=utf-8"), *more)
        exchanges = []
        for body in stored:
            capture = Capture(Page(url, body, {"content-type": headers[0][1]}, date), origin=Origin("news", ("en",)))
            came_as = gzip.compress(body, 6, mtime=0) if more else body
            exchanges.append((Exchange(url, date, 200, headers, came_as), capture))
        encoded = [_encoded(one) for one in exchanges]
        spent = _milliseconds(_encoded, exchanges)
        came = sum(len(one[0].body) for one in exchanges) / len(stored) / KB
        size = sum(map(len, encoded)) / len(stored) / KB
        yield f"| {name} | {came:.1f} | {size:.1f} | {spent:.2f} | {spent / took:.2f} |"


def _encoded(one: tuple[Exchange, Capture]) -> bytes:
    return encode(one[0], one[1], Limits().max_bytes)


def _milliseconds(work: Any, items: list[Any]) -> float:
    began = time.process_time()
    for item in items:
        work(item)
    return 1000 * (time.process_time() - began) / len(items)


def main() -> None:
    """Run, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=Path)
    parser.add_argument("--articles", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    arguments = parser.parse_args()
    text = [
        "# What the archive costs",
        "",
        f"{arguments.articles} articles of some 3 kB on {HOSTS} newspapers on loopback, crawled without delay, with",
        f"the archive and without it in turns, {arguments.rounds} times: median, least and most. Made by",
        "`python -m benchmarks.archiving DATA/wcxb.jsonl.zst`. CPU time, since the clock depends more on what else a",
        "machine does; on a busy one it varies as well.",
        "",
        *crawls(arguments.ways, arguments.articles, arguments.rounds),
    ]
    if arguments.pages:
        text += ["", f"The first {PAGES} pages of a set of news pages, in one process:", "", *pages(arguments.pages)]
    RESULT.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
