"""Fill publishing systems with articles, crawl them and compare: `python -m benchmarks.sites [SYSTEM ...]`; `--help`.

A system is installed from Debian, PyPI or npm (into ~/.cache/newscorpus-sites, or $NEWSCORPUS_SITES), filled, served on
loopback, and crawled by a portal file of four keys and by the one that `newscorpus portal add` writes; without names,
by the latter only in the first configuration of each system. After the crawl by the four-key file, 30 articles are
added and 10 changed, and the site is visited again.

To add a system: a subclass of `System` (system.py) that fills it, and its entry in the `SYSTEMS` of its module.
"""

import argparse
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.newspapers import ROOT
from benchmarks.sites import ghost, mezzanine, puput, static, wordpress
from benchmarks.sites.crawl import Crawl, Project
from benchmarks.sites.posts import Post, come_back, make_posts
from benchmarks.sites.score import Score, changes, score
from benchmarks.sites.system import MissingError, System

SYSTEMS: Sequence[System] = (*static.SYSTEMS, *wordpress.SYSTEMS, *ghost.SYSTEMS, *puput.SYSTEMS, *mezzanine.SYSTEMS)
RESULT = ROOT / "benchmarks" / "results" / "sites.md"
KEEP = ROOT / "build" / "sites"
FILES = ("added", "four-key")
COLUMNS = (
    *("system", "portal file", "published", "no articles", "F1", "title", "date", "authors", "section", "tags"),
    *("requests an article", "again: new", "changed", "requests", "warnings"),
)
FIELDS = ("f1", "title", "date", "authors", "section", "tags")


@dataclass(frozen=True, slots=True)
class Result:
    """What one portal file brought of one system."""

    system: System
    file: str
    score: Score
    crawl: Crawl
    again: tuple[int, int, Crawl] | None = None  # new and changed articles found by a second crawl


def measure(system: System, posts: Sequence[Post], folder: Path, files: Sequence[str]) -> Iterator[Result]:
    """Fill, serve and crawl a system, by each portal file.

    Raises:
        MissingError: it cannot be installed, or does not run.
    """
    system.install()
    languages = sorted({post.language for post in posts})
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    site = folder / "site"
    site.mkdir(parents=True)
    paths = system.fill(site, posts, base)
    for file in files:
        project = Project(folder / file)
        with system.serve(site, base):
            added = project.add_portal(base, languages) if file == "added" else project.write_portal(base, languages)
            crawl = project.crawl()
        done = score(project.corpus, base, posts, paths, system.states)
        result = Result(system, file, done, Crawl(crawl.requests + added.requests, crawl.warnings))
        if file == "four-key":
            later = come_back(posts)
            paths = system.fill(site, later, base)
            with system.serve(site, base):
                again = project.crawl("all")
            result = replace(result, again=(*changes(project.corpus, base, posts, later, paths), again))
        (project.folder / "report.md").write_text("\n".join(report(result)), "utf-8")
        yield result


def report(result: Result) -> Iterator[str]:
    """Write down every row and article that is not as it should be."""
    done = result.score
    yield f"# {result.system.label}, {result.file} file"
    warnings = [*result.crawl.warnings, *(result.again[2].warnings if result.again else ())]
    lists = {"rows that are no articles": done.strangers, "lost articles": done.lost, "warnings": warnings}
    lists |= {f"{name} wrong": said for name, said in done.wrong.items()} | {"articles of special kinds": done.fates}
    for head, lines in lists.items():
        yield from ("", f"## {head}: {len(lines)}", "", *(f"- {line}" for line in lines))
    yield ""


def row_of(result: Result) -> str:
    """Make a row of the table; a field that the system states nowhere is `-` where no row has a value."""
    done, states = result.score, result.system.states
    means = {name: done.mean(name) for name in FIELDS}
    always = {"f1", "title", "date"}
    shown = (
        "-" if name not in always | states.keys() and name not in done.filled else f"{mean:.3f}"
        for name, mean in means.items()
    )
    again = (
        (f"{result.again[0]}", f"{result.again[1]}", f"{result.again[2].requests}") if result.again else ("", "", "")
    )
    warnings = len(result.crawl.warnings) + (len(result.again[2].warnings) if result.again else 0)
    cells = (
        *(result.system.label, result.file, f"{done.published} of {done.expected}", len(done.strangers), *shown),
        *(f"{result.crawl.requests / max(1, done.public):.2f}", *again, warnings),
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Run, and print the table row by row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [system.name for system in SYSTEMS]
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"default: all of {', '.join(names)}")
    parser.add_argument("--posts", type=int, default=300, metavar="N", help="articles; default: 300")
    parser.add_argument("--file", choices=FILES, help="crawl by this portal file alone")
    parser.add_argument("--record", action="store_true", help="put the rows into benchmarks/results/sites.md")
    parser.add_argument("--keep", type=Path, default=KEEP, metavar="DIR", help="where sites and corpora are left")
    asked = parser.parse_args()
    if unknown := set(asked.systems) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    posts = make_posts(asked.posts)
    rows, families = [], set[str]()
    print(HEAD)
    for system in SYSTEMS:
        if asked.systems and system.name not in asked.systems:
            continue
        is_first = system.family not in families
        families.add(system.family)
        files = [asked.file] if asked.file else FILES if asked.systems or is_first else FILES[-1:]
        folder = asked.keep.resolve() / system.name
        shutil.rmtree(folder, ignore_errors=True)
        began = time.monotonic()
        try:
            for result in measure(system, posts, folder, files):
                row = row_of(result)
                rows.append(row)
                print(row, flush=True)
        except MissingError as error:
            print(f"{system.name}: skipped: {error}", file=sys.stderr)
        seconds = time.monotonic() - began
        print(f"{system.name}: {seconds:.0f} s; what is wrong, by address: {folder}/*/report.md", file=sys.stderr)
    if asked.record:
        RESULT.write_text(put_in(RESULT.read_text("utf-8"), rows), "utf-8")


def put_in(text: str, rows: Sequence[str]) -> str:
    """Put rows into the results in place of those of the same system and file, and say what each system states."""
    before, head, after = text.partition(HEAD)
    table, _, more = after.partition("\n\n")
    known = {tuple(row.split(" | ")[:2]): row for row in (*table.split("\n"), *rows)}
    order = (known.get((f"| {one.label}", file)) for one in SYSTEMS for file in FILES)
    made = "\n".join((head, *filter(None, order)))
    names: dict[str, list[str]] = {}
    for one in SYSTEMS:
        names.setdefault(", ".join(f"{name} ({how})" for name, how in one.states.items()), []).append(f"`{one.name}`")
    lists = "\n".join(f"- {states}: {', '.join(systems)}" for states, systems in names.items())
    return f"{before}{made}\n\n{more.partition(STATED)[0]}{STATED}{lists}\n"


HEAD = f"| {' | '.join(COLUMNS)} |\n|---|---|{'--:|' * (len(COLUMNS) - 2)}"
STATED = """## What the systems state

On their pages, in feeds or sitemaps: a date by time or day; authors, section and tags; and where they say that an
article has changed.

"""

if __name__ == "__main__":
    main()
