"""Work on many items in processes of their own: order kept, memory bounded, and one bad item harms no other."""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import connection, get_context
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

SPAWN = get_context("spawn")
"""A forked child would share locks and threads with its parent."""

UNDER_WAY = 4
"""Items read ahead for each process, so that none waits for a slow one: what bounds the memory."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Stands for the result of an item that brought none.

    Attributes:
        reason: "timeout" or "worker_failed".
        detail: one line for a person.
    """

    reason: str
    detail: str


def in_order(function: Callable[[T], R], items: Iterable[T], jobs: int, seconds: float) -> Iterator[tuple[T, R | Lost]]:
    """Each of `items` with the result of `function` on it, in order, made by `jobs` processes.

    Args:
        function: importable, or a partial of such; called in the processes. One that raises ends its process.
        items: read as they are needed, from this thread.
        jobs: number of processes.
        seconds: longest time for one item; a process that takes longer is killed and another takes its place.
    """
    with ExitStack() as stack:
        free: SimpleQueue[_Worker[T, R]] = SimpleQueue()
        for _ in range(jobs):
            worker = _Worker(function, seconds)
            stack.callback(worker.stop)
            free.put(worker)
        threads = ThreadPoolExecutor(jobs)
        stack.callback(threads.shutdown, cancel_futures=True)
        waiting: deque[Future[tuple[T, R | Lost]]] = deque()
        for item in items:
            waiting.append(threads.submit(_run, free, item))
            if len(waiting) >= UNDER_WAY * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _run(free: "SimpleQueue[_Worker[T, R]]", item: T) -> tuple[T, R | Lost]:
    worker = free.get()
    try:
        return item, worker.call(item)
    finally:
        free.put(worker)


class _Worker(Generic[T, R]):
    """One process, and the pipe to it."""

    def __init__(self, function: Callable[[T], R], seconds: float) -> None:
        self._function = function
        self._seconds = seconds
        self._start()

    def call(self, item: T) -> R | Lost:
        try:
            self._pipe.send(item)
            if self._pipe.poll(self._seconds):
                result: R = self._pipe.recv()
                return result
            lost = Lost("timeout", f"took longer than {self._seconds:g} seconds")
        except (EOFError, OSError):
            self._process.join()
            lost = Lost("worker_failed", f"the process died with exit code {self._process.exitcode}")
        self.stop()
        self._start()
        return lost

    def stop(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=_serve, args=(theirs, self._function), daemon=True)
        self._process.start()
        theirs.close()


def _serve(pipe: "connection.Connection[R, T]", function: Callable[[T], R]) -> None:
    """Answer until the pipe is closed, which the death of the parent does too; it also handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        pipe.send(function(item))
