"""`newscorpus crawl`, from folders of all kinds, as users run it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapies import portal_file

from benchmarks.newspapers import started

SERVER = Path(__file__).parents[1] / "mockserver" / "server.py"
PORTAL = portal_file(
    'feeds = ["http://127.0.0.1/feed.xml"]', r"articles = ['-\d{5}(\.html)?(\?|$)']", start="http://127.0.0.1/"
)
FOREIGN = {
    "scrapy.cfg": "[settings]\ndefault = valley.settings\n",
    "valley/__init__.py": "",
    "valley/settings.py": 'BOT_NAME = "valley"\n',
}
SMALL = (
    *("--limit", "2", "-s", "DOWNLOAD_DELAY=0", "-s", "CLOSESPIDER_TIMEOUT=60", "-s", "NEWSCORPUS_WORKERS=0"),
    *("-s", "NEWSCORPUS_PROFILE=off"),
)
OURS = {"scrapy.cfg": "[settings]\ndefault = newscorpus.settings\n"}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with started(SERVER) as base:
        yield base


def crawl(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    environment = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    done = subprocess.run(
        [Path(sys.executable).with_name("newscorpus"), "crawl", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, (done.stderr + done.stdout).splitlines()


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("project", [{}, OURS, FOREIGN], ids=["outside", "ours", "foreign"])
def test_a_crawl_in_any_folder_says_first_where_the_corpus_lies(
    base: str, tmp_path: Path, project: dict[str, str]
) -> None:
    write(tmp_path, {**project, "portals/mock.toml": PORTAL})
    (below := tmp_path / "notes" / "may").mkdir(parents=True)
    crawl_in = below if project else tmp_path
    given = ("mock", "-a", f"base={base}", *SMALL)
    settings = ("--contact", "me@example.org") if project is FOREIGN else ()
    code, lines = crawl(crawl_in, *given, *settings)
    corpus = tmp_path / "corpora" / "mock"
    assert code == 0, lines
    first = next(line for line in lines if project is not FOREIGN or line.startswith("The "))  # its log begins earlier
    assert first == f"The corpus is new: {corpus}"
    assert any(
        f"INFO: Crawl into {corpus} as newscorpus/" in line and "pause between requests: none" in line for line in lines
    )
    if project is not FOREIGN:  # which has a level of its own
        assert len(lines) < 24, "the log of a small crawl fits on a screen"
    assert (corpus / "corpus" / "manifest.json").is_file()
    assert json.loads((corpus / "crawl-report.json").read_text())["stats"]["newscorpus/kept"] == 2
    assert not list(below.iterdir())
    if project is OURS:
        for fresh, standing in ((), "goes on"), (("-a", "fresh=yes"), "begins anew"):
            code, lines = crawl(crawl_in, *given, *fresh, "-s", "LOG_LEVEL=DEBUG")
            assert (code, f"The corpus {standing}: {corpus}" in lines) == (0, True)
            assert any("Overridden settings" in line for line in lines), "all lines of Scrapy, at its lowest level"


def test_a_project_that_was_begun_crawls_when_its_portal_file_is_filled_in(base: str, tmp_path: Path) -> None:
    newscorpus = Path(sys.executable).with_name("newscorpus")
    subprocess.run([newscorpus, "init", "--name", "vesti", "papers"], cwd=tmp_path, check=True)
    file = tmp_path / "papers" / "portals" / "vesti.toml"
    filled_in = file.read_text().replace("news.example", "127.0.0.1").replace("https://www.", "http://")
    file.write_text(filled_in.replace("# delay_seconds = 1 ", "delay_seconds = 0 "))
    given = ("vesti", "-a", f"base={base}", *SMALL)
    code, lines = crawl(tmp_path / "papers", *given)
    assert code == 0, lines
    assert (tmp_path / "papers" / "corpora" / "vesti" / "corpus" / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mock", "-a", "limits=3"), "newscorpus crawl: error: unknown argument 'limits'"),
        (("mock", "--since", "2024-05-01", "--until", "2024-04-01"), "newscorpus crawl: error: argument 'since'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    write(tmp_path, {"portals/mock.toml": PORTAL})
    code, lines = crawl(tmp_path, *arguments)
    assert code == 2
    assert any(line.startswith(message) for line in lines), lines
    assert not any("Traceback" in line for line in lines)
    assert len(lines) == 1, "nothing is said of a corpus that is not crawled"
    assert not (tmp_path / "corpora").exists()
