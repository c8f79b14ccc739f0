"""A batch makes of real pages what one process makes: `python -m benchmarks.batch_pages DATA --every 60`.

Of the pages of the sets a sample is taken, ten copies of each, with words of their paragraphs changed by chance. One
process extracts and builds; then `newscorpus batch` does so with one, two and four tasks, and with `--slurm` by a
Slurm that runs: `tests/batch/slurm.sh DIR`, then SLURM_CONF=DIR/slurm.conf. All corpora must be equal.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from newscorpus.batch.plan import begin
from newscorpus.corpus.build import build
from newscorpus.corpus.reextract import extract_pages, store
from newscorpus.lab.gold.pages import read_pages
from newscorpus.layout import DUPLICATES, PUBLISHED
from newscorpus.lines import encode_line
from newscorpus.workers import COMMAND

RESULT = Path(__file__).parent / "results" / "batch" / "pages.md"
SETS = ("article_extraction", "daniel", "dragnet", "fundus", "l3s_gn1")
COPIES = 10
TASKS = (1, 2, 4)
ALONE, SLURM = "one process", "slurm"
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Cost:
    """What a way took."""

    seconds: float  # of the clock
    cpu_seconds: float  # of the command and all that it started


def main() -> None:
    """Run all ways, compare them, and write the results."""
    parser = argparse.ArgumentParser(description="a batch beside one process")
    parser.add_argument("data", type=Path, help="folder of the pages with gold text (docs/data.md)")
    parser.add_argument("--every", type=int, default=60, help="of so many pages of a set one is taken")
    parser.add_argument("--slurm", action="store_true", help="by a Slurm that runs, too")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "pages.jsonl").open("wb") as file:
            file.writelines(lines := list(pages(arguments.data, arguments.every)))
        ways = {ALONE: partial(run_alone, folder)}
        ways |= {way(tasks): partial(run_batch, folder, tasks) for tasks in TASKS}
        if arguments.slurm:
            ways[SLURM] = partial(run_slurm, folder)
        costs = {name: timed(work) for name, work in ways.items()}
        for output in ways:
            if content(folder / output) != content(folder / ALONE):
                raise SystemExit(f"{output} makes another corpus")
        duplicates = len(content(folder / ALONE)[DUPLICATES].splitlines())
    what = (
        f"Made by `python -m benchmarks.batch_pages DATA --every {arguments.every}`: {len(lines):,} pages, {COPIES} "
        f"copies of one of every {arguments.every} pages of {', '.join(SETS)}, with words left out of paragraphs by "
        f"chance. All corpora are equal, byte for byte; {duplicates:,} documents were left out as duplicates. "
        f"{os.cpu_count()} cores; others asked for {load:.1f} of them when it began."
    )
    RESULT.write_text(text := render(costs, what), encoding="utf-8")
    print(text)


def way(tasks: int) -> str:
    """Name a batch on this machine."""
    return f"tasks = {tasks}"


def pages(data: Path, every: int) -> Iterator[bytes]:
    """The lines of a file of pages."""
    for name in SETS:
        for page in islice(read_pages(data / f"{name}.jsonl.zst"), 0, None, every):
            for copy in range(COPIES):
                url = f"https://{name}.example/{page.id}/{copy}"
                yield encode_line({"id": f"{name}/{page.id}/{copy}", "url": url, "html": changed(page.html, url, copy)})


def changed(html: str, seed: str, copy: int) -> str:
    """A page of which each paragraph has lost a word with a chance that grows with the number of the copy."""
    choose = random.Random(seed)

    def shorter(paragraph: re.Match[str]) -> str:
        words = paragraph[0].split(" ")
        if len(words) > 8 and choose.random() < copy / COPIES:
            del words[choose.randrange(4, len(words))]
        return " ".join(words)

    return re.sub(r"<p\b[^>]*>[^<]*", shorter, html)


def recipe(folder: Path, output: str, tasks: int) -> Path:
    """Write a recipe."""
    path = folder / f"{output}.toml"
    path.write_text(f'inputs = ["pages.jsonl"]\noutput = "{output}"\ntasks = {tasks}\n[slurm]\nmemory_gb = 1\n')
    return path


def run_alone(folder: Path) -> None:
    """Extract and build in one process, which is a new one as those of a batch are."""
    child = os.fork()
    if child == 0:
        plan = begin(recipe(folder, ALONE, 1))
        store(extract_pages(plan.pages(0), plan.recipe), plan.folder)
        build(plan.folder, plan.build)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("extraction failed")


def run_batch(folder: Path, tasks: int) -> None:
    """Run the command, with two tasks at the same time."""
    run(recipe(folder, way(tasks), tasks), "--at-once", str(min(tasks, 2)))


def run_slurm(folder: Path) -> None:
    """Run the command with four tasks, and wait for the jobs."""
    run(recipe(folder, SLURM, 4), "--engine", "slurm")
    while subprocess.run(["squeue", "--noheader"], check=True, capture_output=True).stdout:
        time.sleep(POLL_SECONDS)


def run(path: Path, *options: str) -> None:
    """Run the command."""
    subprocess.run([*COMMAND, "batch", str(path), *options], check=True, stdout=subprocess.DEVNULL)


def timed(work: Callable[[], None]) -> Cost:
    """Measure a way."""
    start, cpu = time.monotonic(), used()
    work()
    return Cost(time.monotonic() - start, used() - cpu)


def used() -> float:
    """Seconds of the processor that children have used which ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def content(corpus: Path) -> dict[str, bytes]:
    """What a corpus consists of, by name."""
    files = [*(corpus / PUBLISHED).glob("shard-*"), corpus / DUPLICATES]
    return {path.name: path.read_bytes() for path in files}


def render(costs: Mapping[str, Cost], what: str) -> str:
    """The results as Markdown."""
    one, two = costs[way(1)], costs[way(2)]
    table = [
        f"| {name} | {cost.seconds:.0f} | {f'{cost.cpu_seconds:.0f}' if name in map(way, TASKS) else ''} |"
        for name, cost in costs.items()
    ]
    says = (
        f"With one task the engine takes {one.seconds / costs[ALONE].seconds:.2f} times the seconds of one process; "
        f"two tasks at the same time are {one.seconds / two.seconds:.2f} times as fast as one."
    )
    head = "| | seconds of the clock | of the processor |\n|---|--:|--:|"
    return "\n".join(["# A batch beside one process", "", what, "", head, *table, "", says, ""])


if __name__ == "__main__":
    main()
