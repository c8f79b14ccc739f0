"""No waiting for the disk, and an object store: S3 as moto serves it, in a process of its own."""

import os
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


@pytest.fixture(autouse=True, scope="module")
def no_power_failure() -> Iterator[None]:
    """Skip syncing: nothing here depends on what survives a power failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield
