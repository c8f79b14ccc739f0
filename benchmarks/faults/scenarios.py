"""Say how each verb of the command is tried, and make the project on which it is."""

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from benchmarks.newspapers import Site, make_project
from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus

CORPUS = "corpora/paper0"
ARTICLES = 12
QUICK = ("-s", "NEWSCORPUS_EXTRACTOR=bte", "-s", "NEWSCORPUS_WORKERS=0", "-s", "LOG_LEVEL=ERROR")
"""The extractor is the quickest, and nothing is spawned: what is looked at are files."""
PAGES = "pages.jsonl"
JOINED = "joined"
SETUP = (
    f"crawl paper0 {' '.join(QUICK)}",
    f"release {CORPUS} first",
    f"search {CORPUS}",
    f"dedup {CORPUS} --output {JOINED} --jobs 1",
)
"""What is done first, with the corpus."""
RECIPE = f'inputs = ["{PAGES}"]\noutput = "batched"\nextractor = "bte"\n'


@dataclass(frozen=True, slots=True)
class Scenario:
    """A verb with arguments; `{first}` is the address of a published document, `{port}` a free one."""

    verb: str
    arguments: str
    shares: bool = False  # it writes to the crawled corpus: takes part in pairs
    is_slow: bool = False  # it starts processes: few points in the short form

    def __str__(self) -> str:
        """Name it in the table."""
        return f"{self.verb} {self.arguments}".split(" -s ")[0]

    def command(self, values: Mapping[str, object]) -> list[str]:
        """Make the command line."""
        return [*self.verb.split(), *self.arguments.format_map(values).split()]


SCENARIOS = (
    Scenario("init", "begun"),
    Scenario("portal add", "front.html --name added --url https://news.example/"),
    Scenario("demo", "--output corpora/demo --port {port}", is_slow=True),
    Scenario("crawl", " ".join(("fresh", *QUICK))),
    Scenario("crawl", " ".join(("paper0 -a revisit=all", *QUICK)), shares=True),
    Scenario("search", f"{JOINED} bridge"),
    Scenario("stats", f"{CORPUS} --output counted"),
    Scenario("build", CORPUS, shares=True),
    Scenario("build", f"{CORPUS} --format parquet", shares=True),
    Scenario("dedup", f"{CORPUS} --output merged --jobs 1"),
    Scenario("release", f"{CORPUS} second", shares=True),
    Scenario("remove", f"{CORPUS} {{first}} --reason asked --from-archive", shares=True),
    Scenario("export", f"{CORPUS} --format text --output texts"),
    Scenario("export", f"{CORPUS} --format hf --output hf --split cluster"),
    Scenario("annotate", f"{CORPUS} --with simplemma --output annotated"),
    Scenario("extract", f"{PAGES} --output out.jsonl --extractor bte"),
    Scenario("reextract", f"{CORPUS} --output again --extractor bte"),
    Scenario("reextract", f"{CORPUS} --apply --extractor texttractor", shares=True),
    Scenario("batch", "recipe.toml", is_slow=True),
    Scenario("train", f"paragraph-svm --data {PAGES} --output model", is_slow=True),
    Scenario("features", f"paragraph-svm table.csv --data {PAGES}", is_slow=True),
    Scenario("evaluate", "gold --extractor bte"),
)

WITHOUT = {
    "portal try": "prints",
    "portal check": "prints",
    "portal find": "prints",
    "status": "prints",
    "log": "prints",
    "explain": "prints",
    "reasons": "prints",
    "verify": "prints",
    "ui": "writes marks, one line each, which tests/views/ui/ looks at",
    "upload": "writes to an object store, which tests/corpus/test_remote.py disturbs",
}
"""Verbs without a scenario, and why."""


def verbs() -> list[str]:
    """All verbs of the command, those of a group with its name before them."""

    def walk(command: Any, name: str) -> list[str]:
        inner = getattr(command, "commands", {})
        found = [verb for part, one in inner.items() for verb in walk(one, f"{name} {part}")]
        return found if inner else [name.strip()]

    return walk(typer.main.get_command(app), "")


def make_portals(folder: Path, site: Site) -> None:
    """Write the files of the portals that are crawled."""
    make_project(folder, site)
    portal = (folder / "portals" / "paper0.toml").read_text("utf-8")
    (folder / "portals" / "fresh.toml").write_text(portal.replace("paper0", "fresh"), "utf-8")


def make_pages(folder: Path) -> None:
    """Write the other files that commands are given, from the crawled corpus."""
    (folder / "recipe.toml").write_text(RECIPE, "utf-8")
    stories = "".join(f'<li><a href="/2026/05/{day:02}/story-{day}">A story of the day</a>' for day in range(1, 20))
    (folder / "front.html").write_text(f"<html lang=en><title>News</title><ul>{stories}</ul></html>", "utf-8")
    for name in ("html", "clean"):
        (folder / "gold" / name).mkdir(parents=True)
    with (folder / PAGES).open("w", encoding="utf-8") as file:
        for number, record in enumerate(open_corpus(folder / CORPUS).records()):
            body = "".join(f"<p>{line}</p>" for line in record.text.splitlines())
            article = f"<article><h1>{record.title}</h1>{body}</article>"
            html = f"<html lang=en><body><nav>Home</nav>{article}<footer><p>Terms of use</p></footer></body></html>"
            page = {"id": record.id, "url": record.url, "html": html, "text": record.text}
            file.write(json.dumps(page) + "\n")
            (folder / "gold" / "html" / f"{number}.html").write_text(html, "utf-8")
            (folder / "gold" / "clean" / f"{number}.txt").write_text(record.text, "utf-8")


def values_of(folder: Path) -> Mapping[str, object]:
    """What commands name: an address and a port, each the same in all runs."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return {"first": min(record.url for record in open_corpus(folder / CORPUS).records()), "port": port}
