"""Run `scrapy` in processes that are forked from one that has imported all that crawls need, which takes seconds."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import NamedTemporaryFile

from scrapy.cmdline import execute

PATIENCE_SECONDS = 280
"""Longest time of a command, below that of a test, so that what it printed is shown."""

FORKSERVER = get_context("forkserver")
FORKSERVER.set_forkserver_preload([
    __name__, "scrapy.core.downloader.handlers.http11", "scrapy.core.engine", "newscorpus.fetch.closing",
    "newscorpus.fetch.report", "newscorpus.fetch.scheduler", "newscorpus.pipelines.process",
    "newscorpus.pipelines.store", "newscorpus.spiders.one_page", "newscorpus.spiders.portal",
])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    exit_code: int
    output: str


def scrapy(folder: Path, *arguments: str) -> Ended:
    """Run `scrapy` in a folder, with the environment of this process."""
    with NamedTemporaryFile() as output:
        task = (folder, output.name, dict(os.environ), arguments)
        process = FORKSERVER.Process(target=_execute, args=task)
        process.start()
        process.join(PATIENCE_SECONDS)
        process.kill()
        process.join()
        return Ended(process.exitcode or 0, output.read().decode("utf-8", "replace"))


def _execute(folder: Path, output: str, environment: Mapping[str, str], arguments: Sequence[str]) -> None:
    written = os.open(output, os.O_WRONLY | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(written, descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment, SCRAPY_SETTINGS_MODULE="newscorpus.settings")
    execute(["scrapy", *arguments])
