"""Let work die at any of its writes, as if by SIGKILL, or find the disk full."""

import os
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

KILLED = 9


def in_a_child(
    work: Callable[[], object], die_at: int, watch: "Callable[[Callable[[], bool]], None] | None" = None
) -> bool:
    """Work in a process that dies before the given write, or as `watch` arranges it; gives whether it died."""
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in {0, KILLED}
        return code == KILLED
    steps = count(1)
    (watch or watch_writes)(lambda: next(steps) == die_at)
    try:
        work()
    except BaseException:  # noqa: BLE001 -- whatever it is, the parent must learn of it
        os._exit(1)
    os._exit(0)


def watch_writes(is_time: Callable[[], bool]) -> None:
    """Have this process die before a write, a replacement, a removal or a commit when it is time."""
    connect = sqlite3.connect

    def dying(original: Callable[..., Any]) -> Callable[..., Any]:
        def operation(*arguments: Any, **options: Any) -> Any:
            if is_time():
                os._exit(KILLED)
            return original(*arguments, **options)

        return operation

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(
            lambda sql: os._exit(KILLED) if sql.startswith(("COMMIT", "VACUUM")) and is_time() else None
        )
        return connection

    sqlite3.connect = watched  # type: ignore[assignment]
    for owner, name in ((Path, "replace"), (Path, "unlink"), (os, "fsync"), (os, "unlink"), (os, "truncate")):
        setattr(owner, name, dying(getattr(owner, name)))


@contextmanager
def full_disk(max_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond some bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
