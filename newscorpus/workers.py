"""Run work in worker processes, with a limit of CPU time per item and bounded memory, in order.

The crawl awaits a `WorkerPool`, other commands use `in_order`. A hanging process loses only its item. When a process
dies, a new one retries the item while all others are idle, since memory may have been short. Processes ignore Ctrl-C,
which their parent handles, and end when their parent dies, even by SIGKILL.
"""

import os
import signal
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process, resource_tracker
from pkgutil import resolve_name
from queue import SimpleQueue
from subprocess import DEVNULL, PIPE, Popen
from types import TracebackType
from typing import IO, Any, Generic, Self, TypeVar

from newscorpus.errors import STOPPED

T = TypeVar("T")
R = TypeVar("R")

COMMAND = (
    *(sys.executable, "-c"),
    "from newscorpus.workers import end_with_input; end_with_input(); from newscorpus.cli import main; main()",
)
"""Command line of `newscorpus` for a separate process, independent of PATH; it ends when a pipe for its input does."""

FORKSERVER = get_context("forkserver")
"""Forks processes from one that has loaded what they share, but has none of our event loops, sockets and locks."""

LOADED = "newscorpus.page.loaded"
"""Module of all that the processes of a pool with a preparation share."""

UNDER_WAY = 4
"""Items read ahead per process, so that none waits for a slow item; this bounds the memory."""

PATIENCE = 4
"""Waiting time in units of CPU time: on a loaded machine a process has a core for a part of the time. A choice."""

INTERRUPT_SECONDS = 1.0
"""Maximum delay of Ctrl-C: CPython misses a signal that arrives while the main thread releases the GIL to block."""


@dataclass(frozen=True, slots=True)
class ByName:
    """A function by its name, `package.module:function`; only the process that calls it imports the module."""

    name: str

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call the function."""
        return resolve_name(self.name)(*args, **options)


@dataclass(frozen=True, slots=True)
class Lost:
    """Result of an item that could not be processed."""

    reason: str  # "timeout" or "worker_failed"
    detail: str  # one line for a person


class WorkerPool(Generic[T, R]):
    """Call a function on items in worker processes.

    Args:
        function: importable, or a partial of an importable function. An exception ends its process.
        size: number of processes; they start with the first items, or with `start`. With 0, `submit` calls the function
            in this process, without a time limit, and lets its exceptions pass.
        seconds: limit of CPU time per item; a process that takes more is killed and replaced, and so is one that takes
            `PATIENCE` times as long by the clock.
        prepare: called first in every process, without a time limit.
    """

    def __init__(
        self, function: Callable[[T], R], size: int, seconds: float, prepare: Callable[[], object] | None = None
    ) -> None:
        self._function, self._prepare = function, prepare
        if prepare:
            FORKSERVER.set_forkserver_preload([LOADED])
        self._workers = [_Worker(function, seconds, prepare) for _ in range(size)]
        self._free: SimpleQueue[_Worker[T, R]] = SimpleQueue()
        for worker in self._workers:
            self._free.put(worker)
        self._one_alone = threading.Lock()
        self._threads = ThreadPoolExecutor(max(1, size))

    def start(self) -> None:
        """Start all processes and wait until they are prepared; one that dies is followed by another.

        Raises:
            Exception: what `prepare` raised in one of them.
            EOFError: the second one died, too, or the pool is closed.
            OSError: one of them could not be started.
        """
        if not self._workers and self._prepare:
            self._prepare()
            self._prepare = None
        for worker in self._workers:
            worker.start()
        for worker in self._workers:
            try:
                error = worker.wait()
            except EOFError:
                worker.stop()
                worker.start()
                error = worker.wait()
            if error:
                raise error

    def submit(self, item: T) -> "Future[R | Lost]":
        """Process an item in the next free process."""
        if not self._workers:
            self.start()
            done: Future[R | Lost] = Future()
            done.set_result(self._function(item))
            return done
        return self._threads.submit(self._run, item)

    def close(self) -> None:
        """Kill all processes; items in progress are lost."""
        for worker in self._workers:
            worker.close()
        self._threads.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, item: T) -> R | Lost:
        worker = self._free.get()
        try:
            result = worker.call(item)
        finally:
            self._free.put(worker)
        if not isinstance(result, Lost) or result.reason != "worker_failed":
            return result
        with self._one_alone:  # two that wait for all processes would wait for each other
            workers = [self._free.get() for _ in self._workers]
            try:
                workers[0].stop()
                return workers[0].call(item)
            finally:
                for worker in workers:
                    self._free.put(worker)


def in_order(
    function: Callable[[T], R],
    items: Iterable[T],
    jobs: int,
    seconds: float,
    prepare: Callable[[], object] | None = None,
) -> Iterator[tuple[T, R | Lost]]:
    """Yield each item, read as needed in this thread, with its result, in order; arguments as for `WorkerPool`."""
    waiting: deque[tuple[T, Future[R | Lost]]] = deque()
    with WorkerPool(function, jobs, seconds, prepare) as pool:
        for item in items:
            waiting.append((item, pool.submit(item)))
            if len(waiting) >= UNDER_WAY * jobs:
                yield _await(*waiting.popleft())
        while waiting:
            yield _await(*waiting.popleft())


def _await(item: T, future: "Future[R | Lost]") -> tuple[T, R | Lost]:
    while not wait([future], INTERRUPT_SECONDS).done:
        pass
    return item, future.result()


class _Worker(Generic[T, R]):
    """One process and its pipe; one thread at a time calls it, and any thread may start, await or close it."""

    def __init__(self, function: Callable[[T], R], seconds: float, prepare: Callable[[], object] | None) -> None:
        self._function = function
        self._seconds = seconds
        self._prepare = prepare
        self._lock = threading.Lock()
        self._preparation = threading.Lock()
        self._closed = False
        self._process: Any = None
        self._is_prepared = False
        self._failure: Exception | None = None

    def start(self) -> None:
        """Start the process where there is none."""
        with self._lock:
            if self._process or self._closed:
                return
            self._pipe, theirs = FORKSERVER.Pipe()
            self._is_prepared = False
            process = FORKSERVER.Process(
                target=_serve, args=(theirs, self._function, self._seconds, self._prepare), daemon=True
            )
            # A process inherits the signal mask, so Ctrl-C does not reach it even while it starts. The tracker of
            # multiprocessing must run before, since its start unblocks the signal.
            resource_tracker.ensure_running()
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            self._process = process
            theirs.close()

    def wait(self) -> Exception | None:
        """Wait in any thread until the process is prepared; return the exception of its preparation, if any."""
        with self._preparation:  # the answer comes once; a second waiter would take a result for it
            if not self._is_prepared:
                if not self._process:
                    raise EOFError("the pool is closed")
                try:
                    self._failure = self._pipe.recv()
                except EOFError:
                    raise EOFError("its process died") from None
                self._is_prepared = True
            return self._failure

    def call(self, item: T) -> R | Lost:
        try:
            self.start()
        except (EOFError, OSError) as error:  # such as too little memory; the next item starts it again
            return Lost("worker_failed", f"no process: {error}")
        if not self._process:
            return Lost("worker_failed", "the pool is closed")
        result: R | Lost = Lost("timeout", f"took more than {self._seconds:g} seconds")
        try:
            if failure := self.wait():
                result = Lost("worker_failed", str(failure))
            else:
                self._pipe.send(item)
                if self._pipe.poll(PATIENCE * self._seconds):
                    result = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            if self._process.exitcode != -signal.SIGPROF:
                result = Lost("worker_failed", f"the process died with exit code {self._process.exitcode}")
        if isinstance(result, Lost):
            self.stop()
        return result

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._process:
                self._process.kill()

    def stop(self) -> None:
        """End the process; the next call starts another."""
        with self._lock:
            if not self._process:
                return
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None


def _serve(
    pipe: "connection.Connection[Any, Any]",
    function: Callable[[Any], Any],
    seconds: float,
    prepare: Callable[[], object] | None,
) -> None:
    """Process items until the pipe is closed; the first answer is None, or the exception of `prepare`.

    An item that takes more than `seconds` of CPU time ends the process by SIGPROF.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if prepare:
            prepare()
    except Exception as error:  # noqa: BLE001 -- the parent raises it
        pipe.send(error)
        return
    pipe.send(None)
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, seconds)
        result = function(item)
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(result)


class Commands:
    """Runs commands of `newscorpus` in process groups of their own; no process of a group outlives its first one."""

    def __init__(self) -> None:
        self._running: set[Popen[bytes]] = set()
        self._signals: list[int] = []  # of `stop`

    def run(
        self,
        arguments: Sequence[str],
        errors: IO[bytes],
        output: IO[bytes] | int = DEVNULL,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """Run a command to its end, with further variables of the environment; any thread may call it.

        Returns: its exit code, negative after a signal; `STOPPED` if `stop` killed it, or it was not started for that.
        """
        if self._signals:
            return STOPPED
        command, variables = [*COMMAND, *arguments], os.environ | (environment or {})
        with Popen(command, stdin=PIPE, stdout=output, stderr=errors, process_group=0, env=variables) as process:  # noqa: S603 -- our own
            self._running.add(process)
            for number in tuple(self._signals):  # that came meanwhile
                process.send_signal(number)
            code = process.wait()
        self._running.remove(process)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return STOPPED if -code in self._signals else code

    def stop(self, number: int) -> None:
        """Send a signal to all running commands, and start no more."""
        self._signals.append(number)
        for process in tuple(self._running):
            process.send_signal(number)


def end_with_input() -> None:
    """Stop this process by SIGTERM when its input, if that is a pipe, ends: the parent has died."""

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    if stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=watch, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent ends, however suddenly."""
    if parent := parent_process():
        connection.wait([parent.sentinel])
        os._exit(1)
