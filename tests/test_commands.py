"""Every command of the documents, run as it stands, in a folder that has what the documents speak of.

The web is the demo portal, served here: `vesti` and the like are its names, and its addresses stand for theirs. The
tutorial, whose commands make a story, has a test of its own.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import pytest
import zstandard

from newscorpus import read_corpus
from newscorpus.portal.schema import find_file
from newscorpus.views.demo.run import read_gold
from newscorpus.views.demo.server import SITE, serving

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")})
PROGRAM = re.compile(r"(newscorpus|scrapy|python|curl|cd|source|pip|make|docker|systemctl|sbatch|warcio) ")

NOT_RUN = {
    r"make (demo|test|check)$|source ": "the environment that a test runs in; what they do is tested piece by piece",
    r"pip install ": "it asks a package index",
    r"docker ": "tests/test_container.py runs it where Docker is",
    r"newscorpus batch .*--engine slurm": "it needs a cluster; tests/batch/ runs it with a stand-in for Slurm",
    r"newscorpus (annotate|export .*--annotation) ": "it needs models of the language; tests/corpus/ has stand-ins",
    r"newscorpus (release|diff|remove) ": "it needs months, and a page to be removed; tests/corpus/ has both",
    r"newscorpus upload ": "it needs an object store; tests/store/ runs one",
    r".*\bDATA\b": "it needs the pages with gold text, and minutes to hours; `make reproduce` runs it",
    r"python -m examples\.language_model --dataset": "it needs the pages with gold text",
    r"newscorpus ui |curl ": "it serves until it is stopped; tests/views/ui/ asks the server",
    r"newscorpus extract https://": "it needs the web: addresses of this machine are refused",
    r"(cd examples|scrapy crawl news)": "tests/fetch/test_plugin.py serves the site that it is made for",
    r"newscorpus train paragraph-svm --silver": "tests/lab/training/test_silver.py has its portal, with a template",
    r"scrapy crawl cdx ": "it asks web archives; tests/spiders/test_cdx.py runs it against a server of its own",
}
"""Commands that are not run here, each with the reason."""

REPLACED = {
    "portal add https://www.vesti.example/": "portal add {base}/en/ --name added",  # `vesti` has its file
    "portal try vesti": "portal try added",
    "https://www.vesti.example/1": "{base}/en/news/allotment-waiting-list-7120.html",
    "crawl all": "crawl vesti,novosti",
    "NAME": "vesti",
}
"""What a command names, and what is there for it."""


def commands(path: Path) -> list[str]:
    """The lines of a document's blocks that call a program, continued ones joined."""
    blocks = re.findall(r"```\w*\n(.*?)```", path.read_text("utf-8").replace("\\\n", " "), re.DOTALL)
    return [line.strip() for block in blocks for line in block.split("\n") if PROGRAM.match(line)]


def is_run(command: str) -> bool:
    return not any(re.match(pattern, command) for pattern in NOT_RUN)


COMMANDS = {path.relative_to(ROOT).as_posix(): commands(path) for path in DOCUMENTS if path.name != "tutorial.md"}
RUN = {name: left for name, lines in COMMANDS.items() if (left := [line for line in lines if is_run(line)])}


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run what a user types, by the programs of this environment."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("NEWSCORPUS", "PYTHON"))}
    path = {"PATH": f"{Path(sys.executable).parent}:{clean['PATH']}", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-c", f"set -eo pipefail\n{command}"],
        cwd=folder,
        env=clean | path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture(scope="module")
def project(base: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with portals, corpora, pages and recipes by the names that the documents give them."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    (folder / "settings.py").write_text("from newscorpus.settings import *\nNEWSCORPUS_PAUSE_SECONDS = 1\n")
    (folder / "portals").mkdir()
    demo = find_file("demo").read_text("utf-8").replace("http://127.0.0.1:8765", base)
    for name in ("vesti", "novosti"):
        (folder / "portals" / f"{name}.toml").write_text(demo.replace('name = "demo"', f'name = "{name}"'))
    crawled = run("newscorpus crawl vesti", folder)
    assert crawled.returncode == 0, crawled.stdout
    write_pages(folder, base)
    write_texts(folder)
    for name in ("novine", "zurnal"):
        shutil.copytree(folder / "corpora" / "vesti", folder / "corpora" / name)
    released = run("newscorpus release corpora/vesti 2026-09", folder)
    assert released.returncode == 0, released.stdout
    return folder


def write_pages(folder: Path, base: str) -> None:
    """Write pages, with gold text and without."""
    gold = {
        name: one for name, one in read_gold(base).items() if one.text and (SITE / "pages" / f"{name}.html").exists()
    }
    pages = [
        {"id": name, "url": one.url, "html": (SITE / "pages" / f"{name}.html").read_bytes().decode("utf-8", "replace")}
        for name, one in gold.items()
    ]
    marked = [page | {"text": gold[page["id"]].text, "title": gold[page["id"]].title} for page in pages]
    (folder / "page.html").write_bytes((SITE / "pages" / "en-ferryman.html").read_bytes())
    (folder / "saved-pages").mkdir()
    shutil.copy(folder / "page.html", folder / "saved-pages")
    (folder / "mymodule.py").write_text("def score(text):\n    return {'characters': float(len(text))}\n")
    (folder / "rules.txt").write_text("article\n")
    (folder / "urls.txt").write_text(f"{pages[0]['url']}\n")
    (folder / "corpora" / "vesti" / "gold").mkdir()
    for name in ("marked.jsonl", "others.jsonl", "corpora/vesti/gold/vesti.jsonl"):
        write_lines(folder / name, marked)
    for name in ("pages.jsonl", "pages.jsonl.zst"):
        write_lines(folder / name, pages)
    write_lines(folder / "texts.jsonl", [{"url": one.url, "text": one.text} for one in gold.values()])


def write_texts(folder: Path) -> None:
    """Write what the crawl left under the names of other sources."""
    corpus = folder / "corpora" / "vesti"
    records = [{"id": record.id, "text": record.text} for record in read_corpus(corpus)]
    for name in ("new.jsonl.zst", "old.jsonl.gz"):
        write_lines(folder / name, records)
    shutil.copy(corpus / "profiles" / "vesti.json", folder)
    (archive,) = (corpus / "archive").glob("*.warc.gz")
    shutil.copy(archive, folder / "CC-NEWS-1.warc.gz")
    recipe = re.search(r"```toml\n(inputs = .*?)```", (ROOT / "docs" / "scale.md").read_text("utf-8"), re.DOTALL)
    assert recipe
    (folder / "cc-news.toml").write_text(recipe[1].replace("tasks = 64", "tasks = 2"))


def write_lines(path: Path, lines: list[dict[str, str]]) -> None:
    opens: Mapping[str, Callable[..., IO[str]]] = {".zst": zstandard.open, ".gz": gzip.open, ".jsonl": open}
    with opens[path.suffix](path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("document", RUN)
def test_every_command_of_a_document_works(document: str, project: Path, base: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(project, folder)
    for written in RUN[document]:
        command = written
        for named, there in REPLACED.items():
            command = command.replace(named, there.format(base=base))
        done = run(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        assert "Traceback" not in done.stdout


def test_what_is_not_run_is_there() -> None:
    left = [line for lines in COMMANDS.values() for line in lines if not is_run(line)]
    assert [pattern for pattern in NOT_RUN if not any(re.match(pattern, line) for line in left)] == []
