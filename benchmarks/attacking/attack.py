"""Say what an attack is, and run and measure the command that it is aimed at."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.newspapers import environment

NEWSCORPUS = Path(sys.executable).with_name("newscorpus")
"""The program that is installed beside the interpreter that runs the benchmark."""
LOOK_SECONDS = 0.02
"""How often the memory of a running command is looked at."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attack."""

    said: str  # what the product said or did, in some words
    seconds: float  # CPU time for pages and files, else by the clock
    megabytes: float  # peak resident memory, of the process that the attack is aimed at
    lost: int = 0  # what should have been kept: articles, rows, files
    wrong: str = ""  # what should not have happened, such as a traceback; "" if all ended as it should


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack, and what it may cost."""

    name: str
    act: Callable[[Path], Outcome]  # attacks, with an empty folder for all that it writes
    seconds: float  # at most, as in the outcome
    megabytes: float  # at most
    is_short: bool = False  # belongs to the short form, which every change must withstand: takes some seconds


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that ended, or was killed when its time was over."""

    code: int  # exit code; negative after a signal
    output: bytes  # standard output
    errors: str  # standard error
    seconds: float  # by the clock
    cpu_seconds: float  # with those of the processes that it started
    megabytes: float  # peak resident memory of the largest process that took part
    main_megabytes: float  # of the process itself


def run(command: Sequence[str | Path], folder: Path, seconds: float) -> Finished:
    """Run a command in `folder` and measure it; after `seconds` it is killed."""
    began = time.monotonic()
    main = 0.0
    with (folder / "stdout").open("wb") as output, (folder / "stderr").open("wb") as errors:
        process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=output, stderr=errors)
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        main = max(main, peak_megabytes(process.pid))
        if time.monotonic() - began > seconds:
            os.kill(process.pid, 9)
        time.sleep(LOOK_SECONDS)
    code, usage = os.waitstatus_to_exitcode(ended[1]), ended[2]
    process.returncode = code
    return Finished(
        code=code,
        output=(folder / "stdout").read_bytes(),
        errors=(folder / "stderr").read_text(encoding="utf-8", errors="replace"),
        seconds=time.monotonic() - began,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        megabytes=usage.ru_maxrss / 1_024,
        main_megabytes=main,
    )


def peak_megabytes(process: int) -> float:
    """Read the peak of a running process's resident memory (Linux); 0 where it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    _, _, found = status.partition("VmHWM:")
    return int(found.split()[0]) / 1_024 if found else 0.0


def extract(body: bytes, folder: Path, seconds: float) -> Outcome:
    """Extract one page with `newscorpus extract`; every page must end as an article or as a rejection with a reason."""
    page = folder / "page.html"
    page.write_bytes(body)
    options = ("--no-filters", "--format", "json", "--url", "https://demo.example/story/1")
    ended = run((NEWSCORPUS, "extract", page, *options), folder, seconds)
    if ended.code:
        said, wrong = f"exit code {ended.code}", ended.errors.strip().rpartition("\n")[2][:100] or "killed"
    elif rejected := (found := msgspec.json.decode(ended.output)).get("rejected"):
        said = f"{rejected['stage']}/{rejected['reason']}"
        wrong = rejected["detail"][:100] if rejected["reason"] == "worker_failed" else ""
    else:
        said, wrong = f"article of {found['n_words']} words", ""
    return Outcome(said, ended.cpu_seconds, ended.megabytes, wrong=wrong)
