"""Run a command of the user's at each alarm of a crawl, since crawls run unattended."""

import asyncio
import json
import logging
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired
from tempfile import TemporaryFile

MAX_SECONDS = 60.0
"""Time limit of the command: enough to send a mail."""

RAISED = object()
"""Scrapy signal of an alarm, with the argument `alarm`."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CrawlAlarm:
    """What a person should look at."""

    kind: str  # "redesign", "fewer_rows", "given_up" or "failed"
    portal: str  # its name; "" if the alarm concerns the whole crawl
    text: str  # one line


class AlarmCommand:
    """Runs a command, without a shell, at each alarm; a failing command is logged, and one that hangs is dropped.

    An empty command runs none. On its input a command gets the facts as JSON.
    """

    def __init__(self, command: Sequence[str], corpus: Path, seconds: float = MAX_SECONDS) -> None:
        self._command = tuple(command)
        self._corpus = corpus
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(1)  # which starts no thread before the first alarm

    def raise_alarm(self, alarm: CrawlAlarm) -> None:
        """Run the command in a thread."""
        if self._command:
            self._threads.submit(self._run, alarm)

    async def close(self) -> None:
        """Wait for the commands."""
        await asyncio.to_thread(self._threads.shutdown)

    def _run(self, alarm: CrawlAlarm) -> None:
        facts = json.dumps(asdict(alarm) | {"corpus": str(self._corpus.absolute())}, ensure_ascii=False, indent=2)
        if not self._command:
            return
        try:
            with (
                TemporaryFile() as output,
                Popen(self._command, stdin=PIPE, stdout=output, stderr=STDOUT, process_group=0) as process,  # noqa: S603 -- the user's
            ):
                why = ""
                try:
                    process.communicate(f"{facts}\n".encode(), self._seconds)
                except TimeoutExpired:
                    why = f"took longer than {self._seconds:g} seconds and is not run again in this crawl"
                    self._command = ()
                finally:
                    with suppress(ProcessLookupError):  # of its group
                        os.killpg(process.pid, signal.SIGKILL)
                output.seek(0)
                said = output.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            if why or process.returncode:
                why = why or f"failed with exit code {process.returncode}{said and f': {said}'}"
                logger.error("NEWSCORPUS_ON_ALARM: the command for %r %s", alarm.text, why)
        except OSError as error:  # such as an unknown program
            logger.error("NEWSCORPUS_ON_ALARM: %s", error)  # noqa: TRY400 -- the message says all
