"""The pool of processes; what runs in it is from the standard library, which every process can import."""

import asyncio
import math
import operator
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import pytest
from newscorpus.pipelines.pool import WorkerPool

T = TypeVar("T")


@contextmanager
def pool(size: int = 1, seconds: float = 20.0, prepare: Callable[[], int] = os.getpid) -> Iterator[WorkerPool]:
    workers = WorkerPool(size, seconds, prepare)
    try:
        yield workers
    finally:
        workers.close()


def run(job: Callable[[WorkerPool], Awaitable[T]], size: int = 1, seconds: float = 20.0) -> T:
    async def main() -> T:
        with pool(size, seconds) as workers:
            return await job(workers)

    return asyncio.run(main())


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_runs_in_another_process_and_gives_the_result() -> None:
    async def job(workers: WorkerPool) -> tuple[int, int]:
        return await workers.run(math.factorial, 5), await workers.run(os.getpid)

    result, process_id = run(job)
    assert result == 120
    assert process_id != os.getpid()


def test_errors_of_the_function_come_back_and_the_process_stays() -> None:
    async def job(workers: WorkerPool) -> tuple[int, int]:
        before = await workers.run(os.getpid)
        with pytest.raises(ZeroDivisionError):
            await workers.run(operator.truediv, 1, 0)
        return before, await workers.run(os.getpid)

    before, after = run(job)
    assert before == after


def test_a_dying_process_is_replaced() -> None:
    async def job(workers: WorkerPool) -> Any:
        with pytest.raises(BrokenExecutor):
            await workers.run(os._exit, 3)
        return await workers.run(math.factorial, 3)

    assert run(job) == 6


def test_a_hanging_process_is_killed_and_replaced() -> None:
    async def job(workers: WorkerPool) -> tuple[int, int]:
        hanging = await workers.run(os.getpid)
        with pytest.raises(TimeoutError):
            await workers.run(time.sleep, 60)
        return hanging, await workers.run(os.getpid)

    hanging, replacement = run(job, seconds=0.5)
    deadline = time.monotonic() + 5
    while is_alive(hanging) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(hanging)
    assert replacement != hanging


def test_a_dying_process_harms_no_other() -> None:
    async def job(workers: WorkerPool) -> Any:
        calls = (workers.run(time.sleep, 0.5), workers.run(os._exit, 3))
        return await asyncio.gather(*calls, return_exceptions=True)

    slept, died = run(job, size=2)
    assert slept is None
    assert isinstance(died, BrokenExecutor)


@pytest.mark.parametrize(("size", "waits"), [(1, True), (2, False)])
def test_callers_wait_for_a_free_process(size: int, waits: bool) -> None:
    async def job(workers: WorkerPool) -> Any:
        await workers.start()
        slow = asyncio.ensure_future(workers.run(time.sleep, 1.5))
        await asyncio.sleep(0)
        await workers.run(os.getpid)
        return slow.done()

    assert run(job, size) is waits


def test_the_event_loop_goes_on_meanwhile() -> None:
    async def job(workers: WorkerPool) -> int:
        await workers.start()
        busy = asyncio.ensure_future(workers.run(time.sleep, 0.5))
        ticks = 0
        while not busy.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert run(job) > 10


def test_start_raises_what_the_preparation_raises() -> None:
    async def main() -> None:
        with pool(prepare=partial(int, "no number")) as workers, pytest.raises(ValueError, match="no number"):
            await workers.start()

    asyncio.run(main())


def test_processes_do_not_outlive_a_killed_parent() -> None:
    script = """
import asyncio, os, signal
from functools import partial
from newscorpus.pipelines.pool import WorkerPool
from newscorpus.pipelines.work import prepare

async def main():
    workers = WorkerPool(1, 20.0, partial(prepare, "bte"))
    print(await workers.run(os.getpid), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    orphan = int(done.stdout)
    deadline = time.monotonic() + 10
    while is_alive(orphan) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(orphan)
