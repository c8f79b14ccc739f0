"""Run `scrapy` in processes that are forked from one that has imported all that crawls need, which takes seconds."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from scrapy.cmdline import execute

PATIENCE_SECONDS = 280
"""Longest time of a command, below that of a test, so that what it printed is shown."""

LOADED = "preloaded"
FORKSERVER = get_context("forkserver")
FORKSERVER.set_forkserver_preload([LOADED])


def forkserver() -> ForkServerContext:
    """Start the process that others are forked from, which Python 3.11 does not tell where modules lie."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        ensure_running()
    return FORKSERVER


def portal_file(*lines: str, name: str = "mock", start: str = "{base}/", delay: object = 0) -> str:
    """The portal file of a site on this machine, whose `{base}` is filled in by `format`."""
    own = ('languages = ["en"]', 'domains = ["127.0.0.1"]', f"start = [{start!r}]", f"delay_seconds = {delay}")
    return "\n".join((f'name = "{name}"', *own, *lines, ""))


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    exit_code: int
    output: str


def scrapy(folder: Path, *arguments: str) -> Ended:
    """Run `scrapy` in a folder, with the environment of this process."""
    with NamedTemporaryFile() as output:
        task = (folder, output.name, dict(os.environ), arguments)
        process = forkserver().Process(target=_execute, args=task)
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
