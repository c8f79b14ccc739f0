"""A pool of processes that survives its workers."""

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SPAWN = get_context("spawn")
"""A forked child would share the event loop, its sockets and its locks."""


class WorkerPool:
    """Runs functions in processes of their own; callers wait until one is free.

    Every worker is an executor of one process, so that a page that hangs or kills its worker harms no other page.

    Args:
        size: number of processes.
        seconds: longest time that a call may take.
        prepare: called first in every process; gives its id. Must be importable, like all that runs there.
    """

    def __init__(self, size: int, seconds: float, prepare: Callable[[], int]) -> None:
        self._seconds = seconds
        self._prepare = prepare
        self._workers = [_Worker(prepare) for _ in range(size)]
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        for worker in self._workers:
            self._free.put_nowait(worker)

    async def start(self) -> None:
        """Start all processes; raises what `prepare` raised in one of them."""
        await asyncio.gather(*(worker.ready() for worker in self._workers))

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` in the next free process.

        Raises:
            TimeoutError: it took too long; the process was killed.
            BrokenExecutor: the process died.
        """
        worker = await self._free.get()
        try:
            await worker.ready()
            async with asyncio.timeout(self._seconds):
                return await worker.call(function, *args, **kwargs)
        except (TimeoutError, BrokenExecutor):
            worker = self._replace(worker)
            raise
        finally:
            self._free.put_nowait(worker)

    def close(self) -> None:
        """End all processes, at once."""
        for worker in self._workers:
            worker.kill()

    def _replace(self, worker: "_Worker") -> "_Worker":
        worker.kill()
        self._workers.remove(worker)
        self._workers.append(_Worker(self._prepare))
        return self._workers[-1]


class _Worker:
    """One process, started with the first call."""

    def __init__(self, prepare: Callable[[], int]) -> None:
        self._executor = ProcessPoolExecutor(1, mp_context=SPAWN)
        self._prepare = prepare
        self._process_id = 0

    async def ready(self) -> None:
        if not self._process_id:
            self._process_id = await self.call(self._prepare)

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._executor.submit(function, *args, **kwargs))

    def kill(self) -> None:
        if self._process_id:
            try:
                os.kill(self._process_id, signal.SIGKILL)
            except ProcessLookupError:
                self._process_id = 0
        self._executor.shutdown(wait=False, cancel_futures=True)
