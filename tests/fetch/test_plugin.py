"""The add-on in a project that is not ours."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest
from scrapy import Spider
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from benchmarks.newspapers import started
from newscorpus.errors import CrawlError
from newscorpus.fetch.middlewares.pauses import PolitenessPolicy
from newscorpus.fetch.plugin import COMPONENTS, NewscorpusAddon, SpiderHints, hints_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "scrapy_project"
SERVER = Path(__file__).parents[1] / "mockserver" / "server.py"


def applied(**project: Any) -> Settings:
    """The settings of a project after the add-on; those of the command line have the last word."""
    settings = Settings(project)
    settings.set("NEWSCORPUS_BUILD", "0", priority="cmdline")
    NewscorpusAddon(get_crawler(Spider)).update_settings(settings)
    return settings


def paths(settings: Settings, name: str) -> dict[str, int | None]:
    """The components of one kind, by the name of their class."""
    keys = settings.getdict(name).items()
    return {key.rpartition(".")[2] if isinstance(key, str) else key.__name__: value for key, value in keys}


def test_everything_is_switched_on() -> None:
    settings = applied(NEWSCORPUS_CONTACT="you@example.org")
    assert settings["SCHEDULER"] == "newscorpus.fetch.scheduler.LedgerScheduler"
    assert settings.getbool("ROBOTSTXT_OBEY")
    assert (settings.getbool("NEWSCORPUS_ARCHIVE"), settings.getbool("NEWSCORPUS_BUILD")) == (True, False)
    assert settings["USER_AGENT"].endswith("(+you@example.org)")
    assert "StorePipeline" in paths(settings, "ITEM_PIPELINES")
    assert all(settings.getdict(name) for name in COMPONENTS)


def test_what_the_project_sets_stays() -> None:
    settings = applied(
        USER_AGENT="mine (+me@example.org)",
        DOWNLOAD_DELAY=7,
        BOT_NAME="mine",
        NEWSCORPUS_ARCHIVE=False,
        ITEM_PIPELINES={
            "newscorpus.pipelines.process.ProcessPipeline": None,
            "newscorpus.pipelines.store.StorePipeline": 5,
        },
    )
    assert (settings["USER_AGENT"], settings["DOWNLOAD_DELAY"]) == ("mine (+me@example.org)", 7)
    assert not settings.getbool("NEWSCORPUS_ARCHIVE")
    pipelines = paths(settings, "ITEM_PIPELINES")
    assert (pipelines["ProcessPipeline"], pipelines["StorePipeline"]) == (None, 5)
    assert settings["BOT_NAME"] == "mine"
    assert settings["SPIDER_MODULES"] == []


@pytest.mark.parametrize(
    ("project", "message"),
    [
        ({}, "setting NEWSCORPUS_CONTACT is empty"),
        (
            {"NEWSCORPUS_CONTACT": "you@example.org", "NEWSCORPUS_ARCHIV": 1},
            "unknown setting NEWSCORPUS_ARCHIV; did you mean NEWSCORPUS_ARCHIVE",
        ),
        ({"NEWSCORPUS_CONTACT": "you@example.org", "ROBOTSTXT_OBEY": False}, "setting ROBOTSTXT_OBEY: "),
    ],
)
def test_wrong_settings_are_refused(project: dict[str, Any], message: str) -> None:
    with pytest.raises(CrawlError, match=message):
        applied(**project)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example project, in a folder of its own."""
    folder = tmp_path_factory.mktemp("example") / "project"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", "corpora"))
    return folder


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    command = [sys.executable, "-m", "scrapy", "crawl", "news", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_example_project_makes_a_corpus(example: Path) -> None:
    with started(SERVER) as base:
        done = scrapy(example, "-a", f"start={base}/", "-s", "DOWNLOAD_DELAY=0.1")
    assert done.returncode == 0, done.stdout + done.stderr
    corpus = example / "corpora" / "valley"
    assert json.loads((corpus / "corpus" / "manifest.json").read_text())["documents"] == 5
    assert (corpus / "ledger.sqlite").is_file()
    assert (corpus / "archive" / "000001.warc.gz").is_file()


def test_a_start_request_that_is_refused_leaves_a_trace(example: Path) -> None:
    spider = example / "valley" / "spiders" / "news.py"
    code = spider.read_text()
    spider.write_text(code.replace("self.loopback = ", "self.passed_over = "))
    try:
        done = scrapy(example, "-a", "start=http://127.0.0.1:1/", "-s", "NEWSCORPUS_CORPUS=refused")
    finally:
        spider.write_text(code)
    assert done.returncode == 1
    (line,) = (example / "refused" / "rejected.jsonl").read_text().splitlines()
    assert [json.loads(line)[name] for name in ("stage", "reason", "url")] == [
        "fetch", "private_address", "http://127.0.0.1:1/",
    ]  # fmt: skip
    report = json.loads((example / "refused" / "crawl-report.json").read_text())
    assert report["stats"]["newscorpus/rejected/fetch/private_address"] == 1
    why = "fetch/private_address http://127.0.0.1:1/ (no address of the public web)"
    assert f"No start page of news could be fetched: {why}" in done.stderr


def test_the_example_says_in_one_line_what_is_wrong(example: Path) -> None:
    done = scrapy(example, "-a", "start=http://127.0.0.1:1/", "-s", "NEWSCORPUS_WORKERS=none", "-s", "LOG_LEVEL=ERROR")
    assert done.returncode == 2
    assert done.stderr.strip().split("\n") == [
        "scrapy crawl: error: setting NEWSCORPUS_WORKERS is 'none'; expected a whole number, 0 or more"
    ]


def test_a_spider_may_leave_out_every_hint() -> None:
    hints = hints_of(Spider("plain"))
    assert (hints.portal_names, dict(hints.policies), tuple(hints.loopback)) == (None, {}, ())
    assert not hints.has_met("http://a.example/", "http://a.example/")


def test_the_hints_that_a_spider_gives_are_taken() -> None:
    class Knowing(Spider):
        name = "knowing"
        loopback = frozenset({"127.0.0.1:8000"})
        policies: ClassVar[dict[str, PolitenessPolicy]] = {"a": PolitenessPolicy(5.0)}

        def has_met(self, url: str, asked: str) -> bool:
            return url != asked

    hints: SpiderHints = hints_of(Knowing())
    assert hints.loopback == {"127.0.0.1:8000"}
    assert hints.policies["a"].delay_seconds == 5.0
    assert hints.has_met("a", "b")
