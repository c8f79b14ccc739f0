"""Measure speed and memory of the default extractor and its peers in one run: `python benchmarks/extract.py DATA`.

CPU time: every extractor runs on a page before the next page, in a new order each round; the median of a page's rounds
counts. Memory: a fresh process for each extractor. Stages: the functions of our line are timed where they are called.
"""

import argparse
import csv
import functools
import itertools
import pkgutil
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from newscorpus.data import Page
from newscorpus.lab.evaluation.summary import flatten
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.page.judge import process_page
from newscorpus.page.loading import load
from newscorpus.page.recipe import Recipe
from newscorpus.page.registry import DEFAULT, NO_FALLBACK

RESULTS = Path(__file__).parent / "results"
REFERENCE = "trafilatura"
ROW = "main-text (row)"
"""The whole way from a page to a row: our text, fields, filters, language and signature."""
EXTRACTORS = (
    ROW, DEFAULT, NO_FALLBACK, "resiliparse", "justext", "boilerpipe-article", REFERENCE, "trafilatura-fast",
    "trafilatura-precision", "trafilatura-metadata", "readability", "newspaper4k",
)  # fmt: skip
"""The first is timed by stage; `NO_FALLBACK` asks for no second opinion, so that the cost of that shows."""
PACKAGES = ("trafilatura", "resiliparse", "jusText", "boilerpy3", "readability-lxml", "newspaper4k", "lxml")
SETS = ("daniel", "dragnet", "fundus", "ir_research", "l3s_gn1", "wcxb")
SIZES_KB = (0, 50, 150, 400, 100_000)
NOTHING = "nothing"
"""Reads the pages and extracts nothing: what the memory of the others is compared with."""

STAGES = {
    "decode": "newscorpus.page.extractor.decode",
    "parse": "newscorpus.page.extractor.parse",
    "fields": "newscorpus.page.extractor.read_fields",
    "segment": "newscorpus.page.extractor.segment",
    "features": "newscorpus.page.text.main_text.measure",
    "context": "newscorpus.page.text.classify.add_context",
    "trees": "newscorpus.page.text.classify.Trees.probability",
    "post-analysis": "newscorpus.page.text.main_text.revise",
    "conventions": "newscorpus.page.text.main_text.clean",
    "second opinion": "newscorpus.page.text.second_opinion.Arbiter.decide",
    "hidden text": "newscorpus.page.text.main_text.pick_best_candidate",
    "walls": "newscorpus.page.judge.find_wall",
    "filters": "newscorpus.page.judge.assess_quality",
    "language": "newscorpus.page.judge.judge_language",
    "record": "newscorpus.page.judge.make_record",
    "signature": "newscorpus.page.judge.sign",
}
"""The name under which each stage is called; its time is without that of others in it, and what is left is "rest"."""


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of one extractor on the pages of one size class; milliseconds of CPU time a page."""

    size: str
    pages: int
    extractor: str
    ms: float
    pages_per_second: float
    ratio: float


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="speed and memory of extractors, side by side")
    parser.add_argument("data", type=Path, help="folder of the pages with gold text; with --memory one file")
    parser.add_argument("--pages", type=int, default=40, help="pages a size class (default: 40)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all pages (default: 3)")
    parser.add_argument(
        "--extractors", nargs="+", default=EXTRACTORS, metavar="NAME", help="the first is the one timed by stage"
    )
    parser.add_argument("--memory", metavar="NAME", help="only print the peak memory of one extractor, in MB")
    arguments = parser.parse_args()
    if arguments.memory:
        print(peak_memory_mb(arguments.memory, arguments.data))
        return
    sample = list(sample_pages(arguments.data, arguments.pages))
    rows = summarise(sample, measure(sample, arguments.extractors, arguments.rounds))
    stages = measure_stages(sample, arguments.extractors[0], arguments.rounds)
    memory = measure_memory(sample, (NOTHING, *arguments.extractors))
    text = render(rows, stages, memory, arguments)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "extract.md").write_text(text, encoding="utf-8")
    write_csv(rows)
    print(text)


def size_class(page: GoldPage) -> str:
    """The size class of a page, by kilobytes of HTML: "50-150 KB"."""
    kilobytes = len(page.html.encode("utf-8", "replace")) / 1_000
    low, high = next((low, high) for low, high in itertools.pairwise(SIZES_KB) if kilobytes < high)
    return f"{low}-{high} KB" if high != SIZES_KB[-1] else f"over {low} KB"


def sample_pages(folder: Path, limit: int) -> Iterator[GoldPage]:
    """Development pages, the first `limit` of each size class, the sets taking turns."""
    sets = [(page for page in read_pages(folder / f"{name}.jsonl.zst") if page.split == "dev") for name in SETS]
    taken: dict[str, int] = defaultdict(int)
    for page in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*sets))):
        size = size_class(page)
        if taken[size] < limit:
            taken[size] += 1
            yield page


def measure(sample: Sequence[GoldPage], names: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """Measure the CPU seconds of each extractor on each page, the median of the rounds."""
    extractors = {name: load_extractor(name) for name in names}
    times: dict[str, list[list[float]]] = {name: [[] for _ in sample] for name in names}
    for turn, (index, page) in itertools.product(range(rounds + 1), enumerate(sample)):
        fetched = Page.from_html(page.html, page.url)
        for name in rotated(names, turn):
            seconds = cpu_seconds(extractors[name], fetched)
            if turn:  # the first round warms up
                times[name][index].append(seconds)
    return {name: [statistics.median(page) for page in pages] for name, pages in times.items()}


def load_extractor(name: str) -> Callable[[Page], object]:
    """Load an extractor, or the function that makes a row."""
    return partial(process_page, Recipe()) if name == ROW else load(name)


def rotated(names: Sequence[str], turn: int) -> Sequence[str]:
    """The names, beginning with another one each turn."""
    start = turn % len(names)
    return [*names[start:], *names[:start]]


def cpu_seconds(extractor: Callable[[Page], object], page: Page) -> float:
    """Measure the CPU time of one call."""
    start = time.process_time()
    extractor(page)
    return time.process_time() - start


def summarise(sample: Sequence[GoldPage], times: dict[str, list[float]]) -> list[Row]:
    """A row for each size class and extractor, and one for all pages; the ratio is to `REFERENCE`."""
    classes: dict[str, list[int]] = defaultdict(list)
    for index, page in enumerate(sample):
        classes[size_class(page)].append(index)
    ordered = {size: classes[size] for size in sorted(classes, key=lambda size: len(sample[classes[size][0]].html))}
    rows = []
    for size, indices in (ordered | {"all": list(range(len(sample)))}).items():
        means = {name: statistics.fmean(seconds[index] for index in indices) for name, seconds in times.items()}
        reference = means.get(REFERENCE, 0.0)
        for name, mean in means.items():
            rows.append(Row(size, len(indices), name, 1_000 * mean, 1 / mean, mean / reference if reference else 0.0))
    return rows


def measure_stages(sample: Sequence[GoldPage], name: str, rounds: int) -> dict[str, float]:
    """Measure the CPU milliseconds a page of each stage of one of our extractors."""
    totals = dict.fromkeys(STAGES, 0.0)
    pages = [Page.from_html(page.html, page.url) for page in sample]
    with ExitStack() as patches:
        for stage, path in STAGES.items():
            patches.enter_context(mock.patch(path, timed(pkgutil.resolve_name(path), totals, stage)))
        extractor = load_extractor(name)
        total = sum(cpu_seconds(extractor, page) for _ in range(rounds) for page in pages)
    seconds = totals | {"rest": total - sum(totals.values())}
    return {stage: 1_000 * spent / (rounds * len(pages)) for stage, spent in seconds.items()}


def timed(function: Callable[..., Any], totals: dict[str, float], stage: str) -> Callable[..., Any]:
    """`function`, its CPU time without that of other stages in it added to `totals[stage]`."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        start, others = time.process_time(), sum(totals.values())
        result = function(*args, **kwargs)
        totals[stage] += time.process_time() - start - (sum(totals.values()) - others)
        return result

    return run


def measure_memory(sample: Sequence[GoldPage], names: Sequence[str]) -> dict[str, float]:
    """Measure the peak memory of each extractor in a fresh process of its own, in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.jsonl"  # plain: unpacking the sets takes more memory than any extractor
        path.write_bytes(b"\n".join(map(msgspec.json.encode, sample)))
        command = [sys.executable, __file__, str(path), "--memory"]
        return {name: float(subprocess.check_output([*command, name])) for name in names}


def peak_memory_mb(name: str, path: Path) -> float:
    """Run one extractor over the pages of a file and read this process's peak of resident memory (Linux)."""
    extractor = load_extractor(name) if name != NOTHING else None
    for page in read_pages(path):
        if extractor:
            extractor(Page.from_html(page.html, page.url))
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1_024


def render(
    rows: Sequence[Row], stages: dict[str, float], memory: dict[str, float], arguments: argparse.Namespace
) -> str:
    """Write all results as Markdown."""
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    made = f"medians of {arguments.rounds} interleaved rounds, CPU time, Python {platform.python_version()}; {packages}"
    lines = [
        "# Speed and memory of the extractors",
        "",
        f"Made by `benchmarks/extract.py`: {made}.",
        "",
        f"| size | pages | extractor | ms a page | pages a CPU second | time against {REFERENCE} |",
        "|---|--:|---|--:|--:|--:|",
        *(
            "| {size} | {pages} | {extractor} | {ms:.2f} | {pages_per_second:.0f} | {ratio:.2f} |".format(**asdict(row))
            for row in rows
        ),
        "",
        f"Stages of `{arguments.extractors[0]}`, all pages:",
        "",
        "| stage | ms a page |",
        "|---|--:|",
        *(f"| {stage} | {milliseconds:.2f} |" for stage, milliseconds in stages.items()),
        "",
        f"Peak resident memory of a fresh process over the same pages (`{NOTHING}`: reading them alone):",
        "",
        "| extractor | MB |",
        "|---|--:|",
        *(f"| {name} | {megabytes:.0f} |" for name, megabytes in memory.items()),
    ]
    return "\n".join(lines) + "\n"


def write_csv(rows: Sequence[Row]) -> None:
    """Write the rows of CPU time."""
    with (RESULTS / "extract.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, Row.__slots__, lineterminator="\n")
        writer.writeheader()
        writer.writerows(flatten(asdict(row)) for row in rows)


if __name__ == "__main__":
    main()
