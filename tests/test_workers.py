import os
import time
from collections.abc import Iterator
from functools import partial
from operator import call
from typing import Any

import pytest

from newscorpus.workers import UNDER_WAY, Lost, in_order

Task = partial[Any]
"""What the processes are sent, and call."""


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
        partial(abs, -3),
    ]
    results = [result for _, result in in_order(call, tasks, 1, 5)]
    assert results == [
        1,
        Lost("worker_failed", "the process died with exit code 3"),
        2,
        Lost("timeout", "took longer than 5 seconds"),
        3,
    ]


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
