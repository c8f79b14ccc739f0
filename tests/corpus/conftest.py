"""An object store for tests: S3 as moto serves it, in a process of its own."""

from collections.abc import Iterator

import pytest
from objectstore import Store, object_store


@pytest.fixture(scope="module")
def running() -> Iterator[Store]:
    pytest.importorskip("moto", reason="moto is not installed (requirements-dev.txt)")
    pytest.importorskip("s3fs", reason="s3fs is not installed (pip install 'newscorpus[s3]')")
    with object_store() as store:
        yield store


@pytest.fixture
def store(running: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    running.reach(monkeypatch)
    running.disturb(0)
    return running
