"""Run verbs in forked processes in which the N-th operation that writes below a folder is killed, stopped or fails."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

from newscorpus import workers
from newscorpus.cli import main
from newscorpus.page.loading import prepare
from newscorpus.page.recipe import Recipe

SOURCE = Path(__file__).with_name("inject.c")
PATIENCE_SECONDS = 120.0
"""After this a process hangs; the slowest verb takes ten seconds."""
EXTRACTORS = ("bte", "texttractor")
"""The quickest, which all verbs use."""
LOOK_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Ended:
    """How a verb ended."""

    code: int  # exit code; negative after a signal
    errors: str  # standard error
    operations: Sequence[str]  # that were counted, such as "open /corpus/.building"


def preload() -> bool:
    """Compile the injector and start this process again with it; False where there is no compiler, or no Linux."""
    if os.environ.get("LD_PRELOAD"):
        return True
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return False
    library = Path(tempfile.mkdtemp(prefix="faults-")) / "inject.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    environment = os.environ | {"LD_PRELOAD": str(library), "NEWSCORPUS_CONTACT": "faults@example.org"}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
    raise AssertionError("execve does not return")


def warm_up() -> None:
    """Import what verbs import and load the models, once for all of them."""
    package = import_module("newscorpus")
    for module in walk_packages(package.__path__, "newscorpus."):
        if not module.name.startswith(("newscorpus.lab.training", "newscorpus.settings")):
            import_module(module.name)
    for extractor in EXTRACTORS:
        prepare(Recipe(extractor))


class Verb:
    """A verb in a process group of its own.

    Args:
        folder: in which it runs; what is written below it is counted.
        arguments: of the command.
        how: the fault, as FAULT_HOW in inject.c.
        at: the operation that it happens to, from 1; 0: none.
    """

    def __init__(self, folder: Path, arguments: Sequence[str], how: str = "", at: int = 0) -> None:
        self._notes = Path(tempfile.mkdtemp(prefix="fault-"))
        (self._notes / "count").write_bytes(bytes(8))
        (self._notes / "log").touch()
        fault = {"BELOW": folder, "COUNT": self._notes / "count", "LOG": self._notes / "log", "AT": at, "HOW": how}
        self._process = os.fork()
        if not self._process:
            self._run(folder, arguments, {f"FAULT_{name}": str(value) for name, value in fault.items()})

    def _run(self, folder: Path, arguments: Sequence[str], fault: Mapping[str, str]) -> None:
        """Run the verb in the child, and end it."""
        os.setsid()
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(self._notes / name, os.O_CREAT | os.O_WRONLY), number)
        os.chdir(folder)
        os.environ.update(fault)
        sys.argv = ["newscorpus", *arguments]
        sys.modules["__main__"] = ModuleType("__main__")  # what it spawns shall not import the benchmark
        code = 70
        try:
            workers.FORKSERVER = get_context("fork")  # type: ignore[assignment]  # which takes no second a process
            ctypes.CDLL(None).fault_begin()
            main(arguments)
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:  # noqa: BLE001 -- as the interpreter would show it
            sys.excepthook(*sys.exc_info())
            code = 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def is_stopped(self) -> bool:
        """Wait until it is stopped or has ended; gives whether it is stopped."""
        found = os.waitid(os.P_PID, self._process, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        return found is not None and found.si_code == os.CLD_STOPPED

    def go_on(self) -> None:
        """Let it continue."""
        os.killpg(self._process, signal.SIGCONT)

    def end(self) -> Ended:
        """Wait for its end; what hangs is killed."""
        began = time.monotonic()
        while not (ended := os.waitpid(self._process, os.WNOHANG))[0]:
            if time.monotonic() - began > PATIENCE_SECONDS:
                os.killpg(self._process, signal.SIGKILL)
            time.sleep(LOOK_SECONDS)
        errors = (self._notes / "stderr").read_text("utf-8", "replace")
        operations = (self._notes / "log").read_text("utf-8", "replace").splitlines()
        shutil.rmtree(self._notes)
        return Ended(os.waitstatus_to_exitcode(ended[1]), errors, operations)
