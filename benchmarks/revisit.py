"""Measure what it costs to visit a portal again: `python -m benchmarks.revisit`.

A newsroom is served on loopback, with validators and a sitemap that says when each article changed. It is crawled, and
visited again while nothing has changed, after three articles changed, and after three others changed of which the
sitemap says nothing. The site counts what is asked.
"""

import argparse
import json
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import astuple, dataclass
from http import HTTPStatus
from pathlib import Path

from benchmarks.newspapers import crawl_command, environment, started
from newscorpus.corpus.published import open_corpus

SERVER = Path(__file__).parents[1] / "tests" / "mockserver" / "newsroom.py"
RESULTS = Path(__file__).parent / "results" / "revisit.md"

PORTAL = """
name = "newsroom"
languages = ["en"]
domains = ["127.0.0.1"]
start = ["{base}/"]
articles = ['-\\d{{5}}\\.html(\\?|$)']
delay_seconds = 0
"""

VISITS = (
    ("first crawl", "", ""),
    ("again at once", "due", ""),
    ("again, nothing changed", "all", ""),
    ("again, 3 changed and the sitemap says so", "all", "change"),
    ("again, 3 others changed and nothing says so", "all", "rewrite"),
    ("the same, articles asked as well", "articles", ""),
)
"""What each visit is called, its argument `revisit`, and what the site does before it."""


@dataclass(frozen=True, slots=True)
class VisitFigures:
    """What one visit cost and brought."""

    what: str  # which visit
    revisit: str  # its argument of that name
    asked: int  # articles asked for
    bodies: int  # articles whose body was sent
    lists: int  # other addresses asked for: pages, feeds and sitemaps
    unchanged: int  # answers 304 among all these
    documents: int  # rows of the published corpus afterwards
    revisions: int  # rows that replaced an earlier text
    seconds: float  # from start to end, the build included


def ask(url: str) -> str:
    """Fetch the body at an address."""
    with urllib.request.urlopen(url) as answer:
        text: str = answer.read().decode()
        return text


def visit(folder: Path, base: str, what: str, revisit: str, change: str) -> VisitFigures:
    """Crawl once, and count."""
    if change:
        ask(f"{base}/_{change}")
    before, began = len(json.loads(ask(f"{base}/_log"))), time.monotonic()
    settings = {"NEWSCORPUS_CORPUS": folder / "corpus", "LOG_LEVEL": "WARNING"}
    command = crawl_command(["newsroom"], settings, f"revisit={revisit}")
    subprocess.run(command, cwd=folder, env=environment(), check=True)
    seconds = time.monotonic() - began
    log = [(path, status) for path, status in json.loads(ask(f"{base}/_log"))[before:] if path != "/robots.txt"]
    articles = [status for path, status in log if path.startswith("/news/")]
    records = list(open_corpus(folder / "corpus").records())
    return VisitFigures(
        what=what,
        revisit=revisit,
        asked=len(articles),
        bodies=articles.count(HTTPStatus.OK),
        lists=len(log) - len(articles),
        unchanged=[status for _, status in log].count(HTTPStatus.NOT_MODIFIED),
        documents=len(records),
        revisions=sum(bool(record.supersedes) for record in records),
        seconds=seconds,
    )


def written(rows: list[VisitFigures], articles: int) -> str:
    """Write the figures as Markdown."""
    heads = "visit", "`revisit=`", "articles asked for", "bodies sent", "other requests", "answers 304", "documents"
    lines = [
        "# Visiting a portal again",
        "",
        f"Made by `python -m benchmarks.revisit --articles {articles}`: a newsroom on loopback, whose sitemap says of",
        f"{articles} articles when each changed. Requests for robots.txt are not counted; the seconds, start and build",
        "included, are those of a machine with other work to do, and show no more than the order of magnitude.",
        "",
        f"| {' | '.join(heads)} | newer revisions | seconds |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
        *(f"| {' | '.join(map(str, astuple(row)[:-1]))} | {row.seconds:.1f} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Visit, and write the figures to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=500, help="articles of the sitemap")
    parser.add_argument("--output", type=Path, default=RESULTS, help="file for the figures")
    arguments = parser.parse_args()
    with started(SERVER, arguments.articles) as base, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "portals").mkdir()
        (folder / "portals" / "newsroom.toml").write_text(PORTAL.format(base=base))
        rows = [visit(folder, base, *each) for each in VISITS]
    arguments.output.write_text(written(rows, arguments.articles))


if __name__ == "__main__":
    main()
