"""Twenty marked pages of a site, a model of each kind, and its use by the folder's name, as a user would do it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file

from benchmarks.newspapers import started
from newscorpus.lab.gold.pages import read_pages

pytestmark = pytest.mark.slow

REPLAY = Path(__file__).parents[1] / "mockserver" / "replay.py"
HOST = "we-dwoje.pl"
MARKED, CRAWLED = 20, 8
MODELS = {
    "paragraph-svm": (),
    "node-svm": (),
    "texttractor": (),
    "main-text": ("--start-from", "main-text"),
}
PORTAL = portal_file(
    r"articles = ['^/story-\d{{6}}\.html$']",
    "sections = ['^/$']",
    r"ignore = ['^/(?!story-\d{{6}}\.html$|$)']",
    'extractor = "models/{name}-own"',
    "limits.max_depth = 1",
    name="{name}",
).replace('"en"', '"pl"')


def newscorpus(folder: Path, *arguments: object) -> str:
    program = "from newscorpus.cli import main; main()"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(gold_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages as if marked, those left over, and a model of each kind."""
    folder = tmp_path_factory.mktemp("project")
    pages = [page for page in read_pages(gold_data / "daniel.jsonl.zst") if page.domain == HOST and page.text]
    lines = [json.dumps({key: getattr(page, key) for key in ("id", "html", "text", "url")}) for page in pages]
    (folder / "marked.jsonl").write_text("\n".join(lines[:MARKED]) + "\n")
    (folder / "rest.jsonl").write_text("\n".join(lines[MARKED:]) + "\n")
    for at, name in enumerate(MODELS):  # a portal for each model, with pages of its own
        served = lines[MARKED + at * CRAWLED :][:CRAWLED]
        (folder / f"{name}.jsonl").write_text("\n".join(served) + "\n")
    (folder / "page.html").write_text(pages[-1].html, "utf-8")
    for name, options in MODELS.items():
        told = newscorpus(folder, "train", name, "--data", "marked.jsonl", *options)
        assert f"own pages: pages {MARKED}, page_f1 0." in told
        assert f"The model lies in {folder / 'models' / f'{name}-own'}" in told
    return folder


@pytest.mark.data
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_used_by_its_folder(project: Path, name: str) -> None:
    model = f"models/{name}-own"
    row = json.loads(newscorpus(project, "extract", "page.html", "--extractor", model, "--format", "json"))
    assert row["extractor"].startswith(f"model:{name}-own@")
    newscorpus(project, "evaluate", "--dataset", "rest.jsonl", "--extractor", model, "--output", f"{name}-figures")
    figures = json.loads((project / f"{name}-figures" / "texts.json").read_text())
    (overall,) = (row for row in figures["summaries"] if row["scope"] == "all")
    assert overall["pages"] > MARKED
    assert overall["page_f1"]["value"] > 0.75


@pytest.fixture(scope="module")
def sites(project: Path) -> Iterator[dict[str, str]]:
    files = [project / f"{name}.jsonl" for name in MODELS]
    with started(REPLAY, CRAWLED, *files) as line:
        yield json.loads(line)


@pytest.mark.data
@pytest.mark.timeout(1200)
def test_a_crawl_takes_the_model_that_the_portal_names(
    crawl: Callable[..., Any], project: Path, sites: dict[str, str]
) -> None:
    (project / "portals").mkdir()
    for name, base in sites.items():
        (project / "portals" / f"{name}.toml").write_text(PORTAL.format(name=name, base=base))
    done = crawl(project, "-a", f"portal={','.join(sites)}")
    assert done.exit_code == 0, done.output
    for name in MODELS:
        rows = [record for record in done.records if record["source"] == name]
        assert len(rows) > CRAWLED / 2
        deciders = {row["extractor"].partition("@")[0] for row in rows}
        allowed = {"second-opinion:trafilatura"} if name == "main-text" else set()
        assert deciders - allowed == {f"model:{name}-own"}


@pytest.mark.data
@pytest.mark.timeout(1200)
def test_a_portal_whose_model_is_missing_is_refused(crawl: Callable[..., Any], project: Path) -> None:
    portal = PORTAL.format(name="mock", base="http://127.0.0.1:1")
    done = crawl(project, "-a", "portal=mock", portal=portal)
    assert done.exit_code == 2
    assert "portal mock: unknown extractor 'models/mock-own'" in done.output
    assert "Traceback" not in done.output
