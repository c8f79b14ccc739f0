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
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.newspapers import ROOT, Site, environment, make_project, serving
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
DATE = "2026-11-20T08:00:00.000000Z"
KB, MB = 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Pair:
    """Two crawls, one after the other, with the archive and without it."""

    cpu: float  # CPU time with it, by that without
    block: float  # longest CPU time of one callback of the event loop with it, in seconds
    archive_bytes: int  # size of the archive
    responses: int  # answers in it


def compare(way: str, site: Site, folder: Path) -> Pair:
    """Crawl twice."""
    off = crawl(way, site, folder, archive=False)
    on = crawl(way, site, folder, archive=True)
    size = sum(path.stat().st_size for path in (folder / "corpus" / "archive").iterdir())
    ratio = (on["cpu_seconds"] + on["worker_seconds"]) / (off["cpu_seconds"] + off["worker_seconds"])
    return Pair(ratio, on["longest_work"], size, on["responses"])


def crawl(way: str, site: Site, folder: Path, *, archive: bool) -> dict[str, Any]:
    """Crawl in a process of its own, and read its figures."""
    shutil.rmtree(folder / "corpus", ignore_errors=True)
    more = {"NEWSCORPUS_ARCHIVE": archive}
    asked = {"way": way, "bases": site.bases, "folder": str(folder), "every": MB, "more": more}
    command = [sys.executable, "-m", "benchmarks.crawls", json.dumps(asked)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def crawls(ways: list[str], articles: int, rounds: int) -> Iterator[str]:
    """Write the table of the crawls."""
    yield "| crawl | CPU time, with by without | longest callback | kB a response |"
    yield "|---|---:|---:|---:|"
    for way in ways:
        with serving(articles, HOSTS) as site, tempfile.TemporaryDirectory() as name:
            make_project(Path(name), site)
            pairs = [compare(way, site, Path(name)) for _ in range(rounds)]
        cpu = [pair.cpu for pair in pairs]
        block = 1000 * max(pair.block for pair in pairs)
        size = pairs[0].archive_bytes / pairs[0].responses / KB
        yield f"| {WAYS[way]} | {_spread(cpu)} | {block:.0f} ms | {size:.1f} |"


def pages(path: Path) -> Iterator[str]:
    """Write the table of encoding stored pages, compressed as servers send them and plain."""
    extractor = load(DEFAULT)
    stored = [json.loads(line)["html"].encode() for line in islice(unpacked_lines(path), PAGES)]
    took = _milliseconds(lambda body: extractor(Page("https://news.example/1", body)), stored)
    yield "| body | kB as it came | kB in the archive | encoding, ms a page | by the time of its extraction |"
    yield "|---|---:|---:|---:|---:|"
    for name, packed in (("gzip", True), ("plain", False)):
        exchanges = [_exchange(body, packed=packed) for body in stored]
        encoded = [_encoded(one) for one in exchanges]
        spent = _milliseconds(_encoded, exchanges)
        came = sum(len(one[0].body) for one in exchanges) / len(stored) / KB
        size = sum(map(len, encoded)) / len(stored) / KB
        yield f"| {name} | {came:.1f} | {size:.1f} | {spent:.2f} | {spent / took:.2f} |"


def _exchange(body: bytes, *, packed: bool) -> tuple[Exchange, Capture]:
    url = "https://news.example/1"
    headers = (("Content-Type", "text/html; charset=utf-8"), *((("Content-Encoding", "gzip"),) if packed else ()))
    page = Page(url, body, {"content-type": "text/html; charset=utf-8"}, DATE)
    came = gzip.compress(body, 6, mtime=0) if packed else body
    return Exchange(url, DATE, 200, headers, came), Capture(page, origin=Origin("news", ("en",)))


def _encoded(one: tuple[Exchange, Capture]) -> bytes:
    return encode(one[0], one[1], Limits().max_bytes)


def _milliseconds(work: Any, items: list[Any]) -> float:
    began = time.process_time()
    for item in items:
        work(item)
    return 1000 * (time.process_time() - began) / len(items)


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


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
