"""The index in a Redis server: datasketch's own, read at once; what counts, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from datasketch import MinHashLSH
from numpy.typing import NDArray

from newscorpus.config import BuildConfig, DuplicateConfig, SignatureParameters
from newscorpus.dedup.shared import LOCK, NAME, ROWS, SharedIndex, shared_index, shown
from newscorpus.dedup.signature import minhash_of
from newscorpus.errors import DedupError

PARAMETERS, CONFIG = SignatureParameters(), DuplicateConfig()
SIGNATURES = np.random.default_rng(0).integers(0, 2, (40, 128), np.uint32)


def enter(shared: SharedIndex, run: str, signatures: NDArray[np.uint32]) -> None:
    shared.enter(run, ((number, row, f"{run} {number}".encode()) for number, row in enumerate(signatures)))


def test_what_is_alike_is_what_datasketch_finds(redis_url: str, redis_server: int) -> None:
    with shared_index(redis_url, BuildConfig()) as shared:
        enter(shared, "one", SIGNATURES)
        found = [shared.alike(row[None], "two") for row in SIGNATURES]
        together = shared.alike(SIGNATURES[:3], "two")
    storage = {"type": "redis", "basename": NAME.encode(), "redis": {"host": "127.0.0.1", "port": redis_server}}
    index = MinHashLSH(num_perm=128, params=(16, 8), storage_config=storage, prepickle=False)
    asked = [sorted(key.decode() for key in index.query(minhash_of(row))) for row in SIGNATURES]
    assert [list(rows) for rows in found] == asked
    assert max(map(len, asked)) > 1
    assert found[5]["one:5"] == b"one 5"
    assert together == found[0] | found[1] | found[2]


def test_only_committed_earlier_runs_count(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with shared_index(redis_url, BuildConfig()) as shared:
        enter(shared, "one", SIGNATURES[:1])
        enter(shared, "two", SIGNATURES[:1])
        with monkeypatch.context() as patch:
            patch.setattr(shared._client, "rpush", lambda *_: None)
            enter(shared, "dead", SIGNATURES[:1])
        assert [shared.is_committed(run) for run in ("one", "two", "dead")] == [True, True, False]
        assert list(shared.alike(SIGNATURES[:1], "one")) == []
        assert list(shared.alike(SIGNATURES[:1], "two")) == ["one:0"]
        assert list(shared.alike(SIGNATURES[:1], "three")) == ["one:0", "two:0"]


def test_nothing_asked_and_nothing_entered(redis_url: str) -> None:
    with shared_index(redis_url, BuildConfig()) as shared:
        enter(shared, "one", SIGNATURES[:0])
        assert shared.alike(SIGNATURES[:0], "two") == shared.alike(SIGNATURES, "two") == {}


def test_a_server_that_throws_documents_away_is_refused(redis_url: str) -> None:
    with shared_index(redis_url, BuildConfig()) as shared:
        enter(shared, "one", SIGNATURES)
        shared._client.delete(ROWS)
        with pytest.raises(DedupError, match="has lost documents; its maxmemory-policy must be noeviction"):
            shared.alike(SIGNATURES, "two")


def test_one_at_a_time(redis_url: str) -> None:
    with shared_index(redis_url, BuildConfig()) as shared:
        assert shared._client.exists(LOCK)
    with shared_index(redis_url, BuildConfig()) as shared:
        assert shared._client.exists(LOCK)


@pytest.mark.parametrize(
    ("parameters", "config", "said"),
    [
        (replace(PARAMETERS, seed=2), CONFIG, "seed 1 instead of 2"),
        (PARAMETERS, replace(CONFIG, bands=32, rows=4), "bands 16 instead of 32, rows 8 instead of 4"),
    ],
)
def test_other_parameters_are_refused(
    redis_url: str, parameters: SignatureParameters, config: DuplicateConfig, said: str
) -> None:
    with shared_index(redis_url, BuildConfig()):
        pass
    with (
        pytest.raises(DedupError, match=rf"^redis://127.0.0.1:\d+/0: made with other parameters: {said}$"),
        shared_index(redis_url, BuildConfig(parameters, config)),
    ):
        pytest.fail("was opened")


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    with (
        pytest.raises(DedupError, match=r"^redis://127.0.0.1:1/0: ") as error,
        shared_index("redis://me:secret@127.0.0.1:1/0", BuildConfig()),
    ):
        pytest.fail("was opened")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["localhost", "http://a.example", "redis://", "redis://a:b/0"])
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(DedupError, match="not the address of a Redis server"):
        shown(url)


def test_the_port_may_be_left_out() -> None:
    assert shown("rediss://me:secret@a.example/1") == "rediss://a.example:6379/1"
