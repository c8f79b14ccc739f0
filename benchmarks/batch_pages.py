"""A batch makes of real pages what one process makes: `python -m benchmarks.batch_pages DATA --every 60`.

Of the pages of the sets a sample is taken, ten copies of each, with words of their paragraphs changed by chance. One
process extracts and builds; then `newscorpus batch` does so with one, two and four tasks. All corpora must be equal.
"""

import argparse
import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from newscorpus.batch.plan import begin
from newscorpus.corpus.lines import encode_line
from newscorpus.gold.pages import read_pages
from newscorpus.layout import DUPLICATES, PUBLISHED
from newscorpus.publish.build import build
from newscorpus.publish.reextract import extract_pages, store
from newscorpus.workers import COMMAND

RESULT = Path(__file__).parent / "results" / "batch" / "pages.md"
SETS = ("article_extraction", "daniel", "dragnet", "fundus", "l3s_gn1")
COPIES = 10
TASKS = (1, 2, 4)


def main() -> None:
    """Run all ways, compare them, and write the results."""
    parser = argparse.ArgumentParser(description="a batch beside one process")
    parser.add_argument("data", type=Path, help="folder of the pages with gold text (docs/data.md)")
    parser.add_argument("--every", type=int, default=60, help="of so many pages of a set one is taken")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "pages.jsonl").open("wb") as file:
            file.writelines(lines := list(pages(arguments.data, arguments.every)))
        rows = [("one process", timed(partial(run_alone, folder)))]
        for tasks in TASKS:
            rows.append((f"batch, tasks = {tasks}", timed(partial(run_batch, folder, tasks))))
            if content(folder / f"out-{tasks}") != content(folder / "alone"):
                raise SystemExit(f"{tasks} tasks make another corpus")
        text = render(rows, len(lines), arguments.every, len(content(folder / "alone")[DUPLICATES].splitlines()))
    RESULT.write_text(text, encoding="utf-8")
    print(text)


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
    path.write_text(f'inputs = ["pages.jsonl"]\noutput = "{output}"\ntasks = {tasks}\n')
    return path


def run_alone(folder: Path) -> None:
    """Extract and build in one process, which is a new one as those of a batch are."""
    child = os.fork()
    if child == 0:
        plan = begin(recipe(folder, "alone", 1))
        store(extract_pages(plan.pages(0), plan.recipe), plan.folder)
        build(plan.folder, plan.build)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("extraction failed")


def run_batch(folder: Path, tasks: int) -> None:
    """Run the command, with two tasks at the same time."""
    command = [*COMMAND, "batch", str(recipe(folder, f"out-{tasks}", tasks)), "--at-once", str(min(tasks, 2))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def timed(work: Callable[[], None]) -> float:
    """Seconds of the clock."""
    start = time.monotonic()
    work()
    return time.monotonic() - start


def content(corpus: Path) -> dict[str, bytes]:
    """What a corpus consists of, by name."""
    files = [*(corpus / PUBLISHED).glob("shard-*"), corpus / DUPLICATES]
    return {path.name: path.read_bytes() for path in files}


def render(rows: list[tuple[str, float]], n_pages: int, every: int, duplicates: int) -> str:
    """The results as Markdown."""
    what = (
        f"Made by `python -m benchmarks.batch_pages DATA --every {every}`: {n_pages:,} pages, {COPIES} copies of every "
        f"{every}th page of {', '.join(SETS)}, with words left out of paragraphs by chance. All corpora are equal, "
        f"byte for byte; {duplicates:,} documents were left out as duplicates. With so few pages it is the start of "
        "processes that takes the time, and others used the machine: the seconds say little."
    )
    table = [f"| {name} | {clock:.0f} |" for name, clock in rows]
    return "\n".join(
        ["# A batch beside one process", "", what, "", "| | seconds of the clock |\n|---|--:|", *table, ""]
    )


if __name__ == "__main__":
    main()
