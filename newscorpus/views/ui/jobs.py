"""Run verbs of the command in processes of their own, which end with the server."""

import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from newscorpus.workers import COMMAND

SHOWN_BYTES = 20_000
"""Of what a verb printed, its end."""


@dataclass(frozen=True, slots=True)
class Job:
    """A verb that runs, or has run."""

    number: int
    arguments: tuple[str, ...]  # behind `newscorpus`
    process: "subprocess.Popen[bytes]"
    log: Path
    begun: float  # seconds, monotonic

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        return self.process.poll()

    @property
    def seconds(self) -> int:
        """Since it began."""
        return round(time.monotonic() - self.begun)

    @property
    def printed(self) -> str:
        """What it printed last."""
        return self.log.read_bytes()[-SHOWN_BYTES:].decode("utf-8", "replace")


@dataclass(slots=True)
class Jobs:
    """The verbs that were run since the server started; they end with it."""

    folder: TemporaryDirectory[str] = field(default_factory=TemporaryDirectory)
    started: list[Job] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def start(self, arguments: Sequence[str]) -> Job:
        """Run a verb; the one that runs already with the same arguments, where there is one."""
        with self.lock:
            for job in self.started:
                if job.arguments == tuple(arguments) and job.code is None:
                    return job
            log = Path(self.folder.name, f"{len(self.started)}.log")
            with log.open("wb") as out:
                process = subprocess.Popen(  # noqa: S603 -- our own command, and no shell
                    [*COMMAND, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
                )
            self.started.append(Job(len(self.started), tuple(arguments), process, log, time.monotonic()))
            return self.started[-1]

    def close(self) -> None:
        """End what runs."""
        for job in self.started:
            with suppress(ProcessLookupError):
                job.process.terminate()
            job.process.wait()
        self.folder.cleanup()
