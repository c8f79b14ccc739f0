"""Speed and memory of `newscorpus dedup`, from shards to shards: `python -m benchmarks.duplicates.speed`.

A corpus is made and published first, which does not count. Then the command runs on it in a process of its own with two
workers, and once more, when it finds everything in its index. Memory is that of all its processes together.
"""

import argparse
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.duplicates.texts import as_text, excerpt, make_words
from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.store import ROWS
from newscorpus.corpus.published import open_corpus, publish
from newscorpus.data import Article, Fields, Record
from newscorpus.layout import INDEX, PUBLISHED
from newscorpus.page.records import make_record

RESULTS = Path(__file__).parents[1] / "results" / "duplicates"

PORTALS = 50
REPEATED = 10
"""Of so many documents one is a copy of an earlier one, one is much like it, and one is an excerpt of it."""
REMEMBERED = 1_000
"""Earlier documents that are repeated."""
LOOK_SECONDS = 0.2
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the command: seconds of wall clock and of CPU, megabytes of all its processes at their peak."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    said: str


def main() -> None:
    """Make a corpus, deduplicate it twice, and write the results."""
    parser = argparse.ArgumentParser(description="speed and memory of deduplication")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=350, help="words of a document")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--made", type=Path, help="folder in which the corpus is kept and found again")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus, output = arguments.made or Path(folder) / "made", Path(folder) / "out"
        if not (corpus / PUBLISHED).exists():
            publish(corpus / PUBLISHED, records(arguments.documents, arguments.words), BuildConfig())
        runs = [run(corpus, output, arguments.jobs) for _ in range(2)]
        text = render(runs, corpus, output, arguments)
    (RESULTS / f"speed-{arguments.documents}.md").write_text(text, encoding="utf-8")
    print(text)


def records(documents: int, n_words: int) -> Iterator[Record]:
    """Records of a corpus in which some repeat earlier ones."""
    choose = random.Random(0)
    earlier: list[list[str]] = []
    for number in range(documents):
        words = make_words(choose, n_words)
        if earlier and number % REPEATED < 3:
            words = repeated(choose.choice(earlier), number % REPEATED, choose)
        elif len(earlier) < REMEMBERED:
            earlier.append(words)
        else:
            earlier[number % REMEMBERED] = words
        title, day = " ".join(words[:8]), f"2026-01-{number % 28 + 1:02}"
        url = f"https://portal{number % PORTALS}.example/{number}"
        article = Article(
            url, as_text(words), Fields(title=title, published=day, authors=("A. B.",)), "model:main-text@3"
        )
        yield make_record(article, f"portal{number % PORTALS}", "cs", 1.0)


def repeated(words: list[str], how: int, choose: random.Random) -> list[str]:
    """A copy, a text much like it, or an excerpt."""
    changed = list(words)
    changed[choose.randrange(len(words))] = "jinak"
    return (words, changed, excerpt(words, 0.6, 10, choose))[how]


def run(corpus: Path, output: Path, jobs: int) -> Run:
    """Run the command."""
    script = str(Path(sys.executable).with_name("newscorpus"))
    command = [script, "dedup", str(corpus), "--output", str(output), "--jobs", str(jobs)]
    before, start, peak = os.times(), time.monotonic(), 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        while process.poll() is None:
            peak = max(peak, memory_mb(process.pid))
            time.sleep(LOOK_SECONDS)
        seconds = time.monotonic() - start
        said = process.communicate()[0].splitlines()[:1]
    if process.returncode:
        raise SystemExit("the command failed")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, cpu, peak, "".join(said))


def memory_mb(session: int) -> float:
    """Memory of all processes of a session: what is theirs alone, and their share of what several use."""
    kilobytes = 0
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and os.getsid(int(folder.name)) == session:
                fields = dict(line.split(":", 1) for line in (folder / "smaps_rollup").read_text().splitlines()[1:])
                kilobytes += int(fields["Pss"].split()[0])
        except (OSError, KeyError):  # it has ended meanwhile
            continue
    return kilobytes * 1024 / MB


def render(runs: list[Run], corpus: Path, output: Path, arguments: argparse.Namespace) -> str:
    """The results as Markdown."""
    documents = open_corpus(corpus).manifest.documents
    sizes = {path.name: path.stat().st_size for path in (output / INDEX).iterdir()}
    beside = sum(size for name, size in sizes.items() if name not in ("signatures", ROWS))
    rows = [
        f"| {name} | {one.seconds:.0f} | {documents / one.seconds:,.0f} | {one.cpu_seconds / documents * 1e6:.0f} "
        f"| {one.peak_mb:,.0f} |"
        for name, one in zip(("first run", "again, all in the index"), runs, strict=True)
    ]
    what = (
        f"Made by `python -m benchmarks.duplicates.speed --documents {arguments.documents}`: {documents:,} records "
        f"of {arguments.words} random words in zstd shards; three of {REPEATED} are a copy, a near-duplicate or "
        f"an excerpt of an earlier one. `newscorpus dedup --jobs {arguments.jobs}`, from reading the shards to writing "
        f"new ones, start of the processes included. {os.cpu_count()} cores, Python {platform.python_version()}."
    )
    said = f"It said: {runs[0].said}."
    index = f"The index has {beside / documents:.0f} bytes a document beside the signatures (512) and the rows."
    head = "| | seconds | documents a second | CPU, microseconds a document | memory, MB |"
    return "\n".join(["# Speed of deduplication", "", what, said, index, "", head, "|---|--:|--:|--:|--:|", *rows, ""])


if __name__ == "__main__":
    main()
