"""Check that a crawl that is killed again and again equals an undisturbed one: `python -m benchmarks.killtest`.

Newspapers are served on loopback by a process of their own, which counts what is asked. One crawl runs undisturbed;
another is killed at random moments (by the number of answers, some of them after the last one, when the corpus is
built) and started again with the same command. Then both are compared, and after every kill the corpus is built and
read back. `--ways` takes SIGKILL, SIGTERM, FULL and WORKERS. FULL: the corpus lies in a tmpfs that is too small, twice,
and is then made large enough (ENOSPC as on any full disk; mounting takes root). WORKERS: in each start two worker
processes are killed, as the system does where memory is short, and then the crawl, each with SIGKILL.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.newspapers import Site, crawl_command, environment, make_project, serving
from newscorpus.config import BuildConfig
from newscorpus.corpus.build import build
from newscorpus.corpus.published import open_corpus
from newscorpus.page.rows import Row, Withdrawal
from newscorpus.store.intake import read_intake
from newscorpus.store.ledger.database import reading

SETTINGS = {"LOG_LEVEL": "WARNING", "NEWSCORPUS_PAUSE_SECONDS": 0.1}
HELD_SECONDS = 1.0
A_START = 3
"""Kills in a start of WORKERS."""


@dataclass
class CrawlResult:
    """What one crawl led to, killed or not."""

    rows: list[tuple[str, str]] = field(default_factory=list)  # (id, text) of the row of every page in the intake
    published: list[tuple[str, str]] = field(default_factory=list)  # (id, text) of every record of the published corpus
    asked: Counter[str] = field(default_factory=Counter)  # requests by host and path
    under_way: int = 0  # addresses under way at the kills, added up
    starts: int = 0  # how often the crawl was started
    seconds: float = 0.0  # from the first start to the last end


def start(folder: Path, site: Site) -> "subprocess.Popen[bytes]":
    """Start the crawl, or start it again: the command is the same."""
    command = crawl_command(site.names, SETTINGS | {"NEWSCORPUS_CORPUS": folder / "corpus"})
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=environment(), stdout=log, stderr=log)


def undisturbed(folder: Path, site: Site) -> CrawlResult:
    """Crawl in one go."""
    make_project(folder, site)
    began = time.monotonic()
    with start(folder, site) as process:
        code = process.wait()
    assert code == 0, (folder / "log").read_text()[-2000:]
    return read(folder, CrawlResult(asked=site.asked(), starts=1, seconds=time.monotonic() - began))


def disturbed(folder: Path, site: Site, moments: list[float], way: str, answers: int) -> CrawlResult:
    """Crawl, and kill the crawl when it has had so many of `answers` (a share; above 1: so long after the last)."""
    make_project(folder, site)
    result = CrawlResult()
    before, began = site.asked(), time.monotonic()
    first = site.count()
    step = A_START if way == "WORKERS" else 1
    for *earlier, last in (moments[at : at + step] for at in range(0, len(moments), step)):
        result.starts += 1
        with start(folder, site) as process:
            for moment in earlier:
                if wait_for(process, site, first, moment, answers):
                    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
                    children = " ".join(task.read_text() for task in tasks).split()
                    commands = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
                    workers = [child for child, line in commands.items() if b"spawn_main" in line]
                    if workers:  # the oldest one is held until it has a page in hand
                        os.kill(min(workers), signal.SIGSTOP)
                        time.sleep(HELD_SECONDS)
                        os.kill(min(workers), signal.SIGKILL)
            if wait_for(process, site, first, last, answers):
                process.send_signal(signal.SIGKILL if way == "WORKERS" else signal.Signals[way])
            process.wait()
        check(folder, result)
    return finish(folder, site, result, before, began)


def cramped(folder: Path, site: Site, sizes: list[int]) -> CrawlResult:
    """Crawl into a disk of each of `sizes`, in bytes; then into one that is large enough."""
    make_project(folder, site)
    result = CrawlResult()
    before, began = site.asked(), time.monotonic()
    (folder / "corpus").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", folder / "corpus"], check=True)
    try:
        for size in sizes:
            subprocess.run(["mount", "-o", f"remount,size={size}", folder / "corpus"], check=True)
            result.starts += 1
            with start(folder, site) as process:
                assert process.wait() == 1, "a full disk ends the crawl with code 1"
            subprocess.run(["mount", "-o", "remount,size=1g", folder / "corpus"], check=True)
            check(folder, result)
        return finish(folder, site, result, before, began)
    finally:
        subprocess.run(["umount", folder / "corpus"], check=True)


def finish(folder: Path, site: Site, result: CrawlResult, before: Counter[str], began: float) -> CrawlResult:
    """Let the crawl end."""
    result.starts += 1
    with start(folder, site) as process:
        code = process.wait()
    assert code == 0, (folder / "log").read_text()[-2000:]
    result.seconds = time.monotonic() - began
    result.asked = site.asked() - before
    return read(folder, result)


def wait_for(process: "subprocess.Popen[bytes]", site: Site, first: int, moment: float, answers: int) -> bool:
    """Wait for a moment; False where the crawl ended before."""
    while process.poll() is None:
        if site.count() - first >= min(moment, 1) * answers:
            time.sleep(max(moment - 1, 0) * 10)
            return process.poll() is None
        time.sleep(0.01)
    return False


def check(folder: Path, result: CrawlResult) -> None:
    """Check that the corpus is valid at this moment: it can be built and read, and no id stands twice."""
    corpus = folder / "corpus"
    if (corpus / "ledger.sqlite").is_file():
        with reading(corpus) as ledger:  # after SIGTERM they are queued again already
            (n,) = ledger.execute("SELECT count(*) FROM urls WHERE state IN (1, 2, 3) AND attempts > 0").fetchone()
        result.under_way += n
    if (corpus / "corpus" / "manifest.json").is_file():
        list(open_corpus(corpus).records())
    if any((corpus / "intake").glob("*.jsonl")):
        build(corpus)
        ids = [record.id for record in open_corpus(corpus).records()]
        assert len(ids) == len(set(ids))


def read(folder: Path, result: CrawlResult) -> CrawlResult:
    """Add what is on the disk to the result."""
    newest: dict[tuple[object, str], Row | Withdrawal] = {}  # of each page; it may have been judged again
    for _, line in read_intake(folder / "corpus" / "intake", BuildConfig().signature):
        page = (line.page or line.record.url) if isinstance(line, Row) else line.url
        newest[line.fetch, page] = line
    result.rows = [(line.record.id, line.record.text) for line in newest.values() if isinstance(line, Row)]
    result.published = [(record.id, record.text) for record in open_corpus(folder / "corpus").records()]
    return result


def report(way: str, kills: int, calm: CrawlResult, result: CrawlResult) -> tuple[str, bool]:
    """Write a line of the table; also whether the result is right."""
    robots = sum(n for path, n in result.asked.items() if path.endswith("/robots.txt"))
    calm_robots = sum(n for path, n in calm.asked.items() if path.endswith("/robots.txt"))
    pages, calm_pages = result.asked.total() - robots, calm.asked.total() - calm_robots
    same = sorted(result.rows) == sorted(calm.rows) and result.published == calm.published
    twice = len(result.published) - len({identity for identity, _ in result.published})
    more = pages - calm_pages
    fine = same and not twice and more <= 0.02 * calm_pages + result.under_way
    cells = (way, kills, result.starts, len(result.rows), "yes" if same else "NO", twice, calm_pages, more)
    return f"| {' | '.join(map(str, cells))} | {result.under_way} | {robots} | {result.seconds:.0f} |", fine


HEAD = """| how | kills | starts | rows | same | twice | asked in one go | more | under way | robots.txt | seconds |
|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|"""


def main() -> int:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=4_000)
    parser.add_argument("--hosts", type=int, default=3)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--ways", default="SIGKILL,SIGTERM,FULL,WORKERS")
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    lines, fine = [HEAD], True
    with tempfile.TemporaryDirectory() as name, serving(arguments.articles, arguments.hosts) as site:
        folder = Path(name)
        (folder / "calm").mkdir()
        calm = undisturbed(folder / "calm", site)
        print(f"undisturbed: {len(calm.rows)} rows, {calm.asked.total()} requests, {calm.seconds:.0f} s", flush=True)
        for way in arguments.ways.split(","):
            (folder / way).mkdir()
            if way == "FULL":
                all_bytes = sum(path.stat().st_size for path in (folder / "calm" / "corpus").rglob("*.*"))
                result, kills = cramped(folder / way, site, [all_bytes // 5, all_bytes // 2]), 2
            else:
                kills = arguments.kills
                moments = sorted(source.uniform(0, 1.03) for _ in range(kills))
                result = disturbed(folder / way, site, moments, way, calm.asked.total())
            line, as_it_should = report(way, kills, calm, result)
            lines.append(line)
            fine = fine and as_it_should
            print(line, flush=True)
    print("\n".join(lines))
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
