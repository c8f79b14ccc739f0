"""The pool of processes; what runs in it is from the standard library, which every process can import."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import call
from pathlib import Path
from typing import Any, TypeVar

import pytest

from newscorpus.workers import FORKSERVER, UNDER_WAY, Lost, WorkerPool, in_order

T = TypeVar("T")
Task = partial[Any]
"""What the processes are sent, and call."""
FAILING = partial(exec, "import time; time.sleep(1); raise ValueError('no model')")
"""A preparation that fails after some time."""
Pool = WorkerPool[Callable[[], Any], Any]


def run(job: Callable[[Pool], Awaitable[T]], size: int = 1, seconds: float = 20.0) -> T:
    """Await a job in an event loop, as a crawl does."""

    async def main() -> T:
        pool: Pool = WorkerPool(call, size, seconds)
        with pool:
            return await job(pool)

    return asyncio.run(main())


def submit(pool: Pool, function: Callable[..., Any], *arguments: Any) -> "asyncio.Future[Any]":
    return asyncio.wrap_future(pool.submit(partial(function, *arguments)))


def is_alive(process_id: int) -> bool:
    """Whether a process is alive, after some time to die."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True


def test_order_is_kept_whoever_is_done_first() -> None:
    tasks: list[Task] = [partial(time.sleep, 0.3), *(partial(abs, -number) for number in range(5))]
    found = list(in_order(call, tasks, 2, 30))
    assert [result for _, result in found] == [None, 0, 1, 2, 3, 4]
    assert [item.func for item, _ in found] == [task.func for task in tasks]


def test_a_process_that_dies_or_hangs_costs_its_item_only() -> None:
    tasks: list[Task] = [
        partial(abs, -1),
        partial(os._exit, 3),
        partial(abs, -2),
        partial(time.sleep, 99),
        partial(int, "no number"),
        partial(abs, -3),
    ]
    results = [result for _, result in in_order(call, tasks, 1, 1)]
    assert results == [
        1,
        Lost("worker_failed", "the process died with exit code 3"),
        2,
        Lost("timeout", "took more than 1 seconds"),
        Lost("worker_failed", "the process died with exit code 1"),
        3,
    ]


def test_what_a_process_loads_first_does_not_count_as_time_of_its_first_item() -> None:
    tasks: list[Task] = [partial(abs, -1)]
    prepare = partial(time.sleep, 2)
    assert [result for _, result in in_order(call, tasks, 1, 1, prepare)] == [1]


def test_items_are_read_as_they_are_needed() -> None:
    read: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(1_000):
            read.append(number)
            yield partial(abs, -number)

    results = iter(in_order(call, tasks(), 1, 30))
    assert next(results)[1] == 0
    assert len(read) <= UNDER_WAY


def test_a_source_that_fails_says_so() -> None:
    def tasks() -> Iterator[Task]:
        yield partial(abs, -1)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(in_order(call, tasks(), 1, 30))


def test_a_process_that_is_killed_between_two_items_costs_nothing() -> None:
    async def job(pool: Pool) -> list[Any]:
        process_id = await submit(pool, os.getpid)
        os.kill(process_id, signal.SIGKILL)
        return [await submit(pool, abs, -1), await submit(pool, abs, -2)]

    assert run(job) == [1, 2]


NOTED = "import os; open({0!r}, 'a').write(f'{{os.getpid()}}\\n')"
"""Notes in a file which process works."""
KILLED = NOTED + "; os.kill(os.getpid(), 9)"
KILLED_ONCE = NOTED + "; len(open({0!r}).readlines()) == 1 and os.kill(os.getpid(), 9)"


@pytest.mark.parametrize(
    ("code", "result"), [(KILLED_ONCE, None), (KILLED, Lost("worker_failed", "the process died with exit code -9"))]
)
def test_what_a_process_was_killed_over_is_tried_once_more_in_a_new_one(
    code: str, result: Lost | None, tmp_path: Path
) -> None:
    noted = tmp_path / "noted"

    async def job(pool: Pool) -> Any:
        return await submit(pool, exec, code.format(str(noted)))

    assert run(job) == result
    first, second = noted.read_text().split()
    assert first != second


def test_while_it_is_tried_again_no_other_works(tmp_path: Path) -> None:
    """Each task notes when it began and ended; the two that die do so at the same time."""
    dying = (
        "import os, time; began = time.time(); path = {0!r}; again = os.path.exists(path); open(path, 'w').close(); "
    )
    dying += "time.sleep(0.3 if again else 0); again or os.kill(os.getpid(), 9); "
    dying += "open(path, 'w').write(f'{{began}} {{time.time()}}')"
    living = "import time; began = time.time(); time.sleep(0.1); open({0!r}, 'w').write(f'{{began}} {{time.time()}}')"
    paths = [tmp_path / str(number) for number in range(20)]

    async def job(pool: Pool) -> None:
        codes = [(dying if path in paths[:2] else living).format(str(path)) for path in paths]
        assert set(await asyncio.gather(*(submit(pool, exec, code, {}) for code in codes))) == {None}

    run(job, size=3)
    spans = {path: tuple(map(float, path.read_text().split())) for path in paths}
    for alone in paths[:2]:
        began, ended = spans.pop(alone)
        assert all(end <= began or ended <= start for start, end in spans.values())


@pytest.mark.parametrize("hang", [partial(time.sleep, 60), partial(exec, "while True: pass")], ids=["idle", "busy"])
def test_a_hanging_process_is_killed_and_replaced(hang: Task) -> None:
    async def job(pool: Pool) -> tuple[int, Any, int]:
        return await submit(pool, os.getpid), await submit(pool, hang), await submit(pool, os.getpid)

    hanging, lost, replacement = run(job, seconds=0.5)
    assert lost == Lost("timeout", "took more than 0.5 seconds")
    assert not is_alive(hanging)
    assert replacement not in {hanging, os.getpid()}


def test_the_time_of_others_on_the_cores_is_not_that_of_an_item() -> None:
    tasks: list[Task] = [partial(time.sleep, 0.7), partial(sum, range(10))] * 2
    assert [result for _, result in in_order(call, tasks, 1, 0.5)] == [None, 45] * 2


@pytest.mark.parametrize(("size", "waits"), [(1, True), (2, False)])
def test_items_wait_for_a_free_process(size: int, waits: bool) -> None:
    async def job(pool: Pool) -> bool:
        pool.start()
        slow = submit(pool, time.sleep, 1.5)
        await submit(pool, os.getpid)
        return slow.done()

    assert run(job, size) is waits


def test_without_processes_the_caller_works_and_hears_what_fails() -> None:
    assert list(in_order(call, [os.getpid], 0, 1)) == [(os.getpid, os.getpid())]
    prepared: list[str] = []
    with WorkerPool[Callable[[], Any], Any](call, 0, 1, partial(prepared.append, "once")) as pool:
        pool.start()
        assert pool.submit(partial(abs, -1)).result() == 1
        with pytest.raises(ValueError, match="no number"):
            pool.submit(partial(int, "no number"))
    assert prepared == ["once"]


def test_a_process_that_cannot_be_started_costs_its_item_only(monkeypatch: pytest.MonkeyPatch) -> None:
    start: Any = FORKSERVER.Process.start
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def fail(_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with WorkerPool[Callable[[], Any], Any](call, 1, 20) as pool:
        monkeypatch.setattr(FORKSERVER.Process, "start", fail)
        lost = pool.submit(partial(abs, -1)).result()
        with pytest.raises(OSError, match="unavailable"):
            pool.start()
        monkeypatch.setattr(FORKSERVER.Process, "start", start)
        assert pool.submit(partial(abs, -2)).result() == 2
    assert lost == Lost("worker_failed", "no process: [Errno 11] Resource temporarily unavailable")
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == blocked


@pytest.mark.timeout(60)
def test_items_may_come_while_the_pool_starts() -> None:
    prepare = partial(time.sleep, 1)
    with WorkerPool[Callable[[], Any], Any](call, 1, 20, prepare) as pool, ThreadPoolExecutor() as threads:
        started = [threads.submit(pool.start) for _ in range(2)]
        items = [pool.submit(partial(abs, -number)) for number in range(5)]
        assert [item.result() for item in items] == [0, 1, 2, 3, 4]
        assert [each.result() for each in started] == [None, None]


@pytest.mark.timeout(60)
def test_whoever_waits_learns_that_the_pool_cannot_start() -> None:
    with WorkerPool[Callable[[], Any], Any](call, 1, 20, FAILING) as pool, ThreadPoolExecutor() as threads:
        started = threads.submit(pool.start)
        item = pool.submit(partial(abs, -1))
        with pytest.raises(ValueError, match="no model"):
            started.result()
        assert item.result() == Lost("worker_failed", "no model")


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_process_that_dies_before_it_is_prepared_is_followed_by_one_more(deaths: int, tmp_path: Path) -> None:
    script = "import os, sys; os.mkdir(p + str(len(os.listdir(p)))) or os._exit(9) if len(os.listdir(p)) < n else 0"
    prepare = partial(exec, script, {"p": f"{tmp_path}/", "n": deaths})
    pool: Pool = WorkerPool(call, 1, 20, prepare)
    with pool:
        if deaths > 1:
            with pytest.raises(EOFError, match="died"):
                pool.start()
        else:
            pool.start()
            assert pool.submit(partial(abs, -7)).result() == 7


def test_a_closed_pool_cannot_be_started() -> None:
    pool: Pool = WorkerPool(call, 1, 20)
    pool.close()
    with pytest.raises(EOFError, match="closed"):
        pool.start()


@pytest.mark.timeout(120)
def test_closing_does_not_wait_for_what_is_under_way() -> None:
    before = set(multiprocessing.active_children())
    pool: Pool = WorkerPool(call, 1, 600)
    with pool:
        pool.start()
        futures = [pool.submit(partial(time.sleep, 600)) for _ in range(3)]
        time.sleep(0.2)
    assert isinstance(futures[0].result(), Lost)
    assert all(future.cancelled() for future in futures[1:])
    assert set(multiprocessing.active_children()) <= before


SCRIPT = """
import os, signal, sys, time
from functools import partial
from operator import call
from newscorpus.workers import WorkerPool, in_order

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts in the background ignore it
    {}
"""


def script(body: str) -> "subprocess.Popen[str]":
    """A program that works in processes, in a process group of its own."""
    command = [sys.executable, "-c", SCRIPT.format(body)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def test_processes_are_forked_from_one_that_has_loaded_the_models() -> None:
    pool = script("""with WorkerPool(call, 2, 60, partial(abs, 1)) as pool:
        pool.start()
        loaded = "__import__('sys').modules['newscorpus.page.quality.language']._langid.cache_info().currsize"
        working = [pool.submit(partial(eval, f"(__import__('time').sleep(1), __import__('os').getppid(), {loaded})"))
                   for _ in range(2)]
        ((_, one, n), (_, other, m)) = (each.result() for each in working)
        print(one == other != os.getpid(), n, m)""")
    output, errors = pool.communicate(timeout=60)
    assert (output, errors) == ("True 1 1\n", "")


@pytest.mark.parametrize("busy", [False, True])
def test_processes_do_not_outlive_a_killed_parent(busy: bool) -> None:
    pool = script(f"""pool = WorkerPool(call, 1, 60)
    print(pool.submit(os.getpid).result(), flush=True)
    {"pool.submit(partial(time.sleep, 60)); time.sleep(0.2)" if busy else ""}
    os.kill(os.getpid(), signal.SIGKILL)""")
    output, _ = pool.communicate(timeout=60)
    assert not is_alive(int(output))


def test_a_command_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    pages = tmp_path / "pages.jsonl"  # from which it reads as long as we do not write
    os.mkfifo(pages)
    parent = script(f"""import subprocess
    from newscorpus.workers import COMMAND
    child = subprocess.Popen([*COMMAND, "extract", {str(pages)!r}], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    print(child.pid, flush=True)
    time.sleep(60)""")
    with parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.kill()
    assert not is_alive(child)


@pytest.mark.parametrize("seconds", [0.15, 1.5], ids=["while it starts", "at work"])
def test_an_interrupt_ends_all_without_a_word_of_the_processes(seconds: float) -> None:
    pool = script("""print("ready", flush=True)
    for _ in in_order(time.sleep, [60, 60], 2, 60):
        pass""")
    assert pool.stdout
    pool.stdout.readline()
    time.sleep(seconds)
    os.killpg(pool.pid, signal.SIGINT)
    _, errors = pool.communicate(timeout=30)
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")
