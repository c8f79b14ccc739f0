"""Share an index among machines: datasketch's `MinHashLSH` in a Redis server, with the documents' rows beside it.

Runs enter what they keep, one run after the other under a lock of the server; to later ones it is a reference. What a
run entered counts once it is committed, so that one that dies leaves nothing behind that others could take for kept.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np
from datasketch import MinHashLSH
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.dedup.signature import minhash_of
from newscorpus.dedup.sketch import digest
from newscorpus.dedup.store import grouped, layout_of, refuse_other
from newscorpus.errors import DedupError
from newscorpus.files import replacing

Client = Any
"""A `redis.Redis` that gives bytes; its own types say bytes, str or None of everything."""

NAME = "newscorpus"
LAYOUT, RUNS, ROWS, LOCK = (f"{NAME}:{what}" for what in ("layout", "runs", "rows", "lock"))
"""Names of keys: what the index was made with, its committed runs in order, the rows, and the lock."""

DEFAULT_PORT = 6379
"""Where Redis listens unless it is told otherwise."""

LOCK_SECONDS = 3_600.0
"""After so long another run goes on where the holder of the lock has died."""

AT_ONCE = 1_000
"""Documents asked for or entered in one go."""


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A run as the shared index knows it: its name, and a hash of its inputs."""

    name: str = ""
    inputs: str = ""


class SharedIndex:
    """The index, while its lock is held; `storage` says how datasketch connects to the server."""

    def __init__(self, client: Client, storage: dict[str, Any], config: BuildConfig) -> None:
        self._client = client
        self._parameters = config.signature
        self._index = MinHashLSH(
            num_perm=config.signature.permutations,
            params=(config.duplicates.bands, config.duplicates.rows),
            storage_config={"type": "redis", "basename": NAME.encode(), "redis": storage},
            prepickle=False,  # else it unpickles what a server gives it
        )

    def name_run(self, path: Path, inputs: Sequence[str]) -> str:
        """Read the name of a run from its file; make a new one where it has none or was not committed.

        `inputs` are names and states of all its inputs.

        Raises:
            DedupError: the file is damaged, or its run is committed with other inputs, whose documents it keeps.
        """
        hashed = digest("\n".join(inputs).encode()).hex()
        try:
            run = msgspec.json.decode(path.read_bytes(), type=SharedRun) if path.exists() else SharedRun()
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DedupError(f"{path}: {error}") from error
        if self.is_committed(run.name):
            if run.inputs != hashed:
                raise DedupError(
                    f"{path}: the shared index has what this folder kept of other inputs; give another --output"
                )
            return run.name
        run = SharedRun(secrets.token_hex(8), hashed)
        with replacing(path) as file:
            file.write(msgspec.json.encode(run))
        return run.name

    def is_committed(self, run: str) -> bool:
        """Whether a run has entered all that it kept."""
        return run in self._runs()

    def alike(self, signatures: NDArray[np.uint32], run: str) -> dict[str, bytes]:
        """The rows that runs before this one have entered and that share a band with one of these signatures, by key.

        Raises:
            DedupError: the server has thrown some of them away.
        """
        runs = self._runs()
        earlier = set(runs[: runs.index(run)] if run in runs else runs)
        keys: set[bytes] = set()
        for start in range(0, len(signatures), AT_ONCE):
            part = signatures[start : start + AT_ONCE]
            for (first, end), table in zip(self._index.hashranges, self._index.hashtables, strict=True):
                names = (row.tobytes() for row in part[:, first:end].astype(">u4"))  # as datasketch names buckets
                keys.update(*table.getmany(*names))
        return self._rows(sorted(key for key in keys if key.decode().partition(":")[0] in earlier))

    def enter(self, run: str, documents: Iterable[tuple[int, NDArray[np.uint32], bytes]]) -> None:
        """Enter number, signature and row of the documents that a run keeps; nothing where it is committed already."""
        if self.is_committed(run):
            return
        for batch in grouped(documents, AT_ONCE):
            keys = [f"{run}:{number}".encode() for number, _, _ in batch]
            with self._index.insertion_session() as session:
                for key, (_, signature, _) in zip(keys, batch, strict=True):
                    session.insert(key, minhash_of(signature, self._parameters), check_duplication=False)
            self._client.hset(ROWS, mapping={key: row for key, (_, _, row) in zip(keys, batch, strict=True)})
        self._client.rpush(RUNS, run)

    def _rows(self, keys: Sequence[bytes]) -> dict[str, bytes]:
        rows: dict[str, bytes] = {}
        for part in grouped(keys, AT_ONCE):
            rows |= zip(map(bytes.decode, part), self._client.hmget(ROWS, part), strict=True)
        if None in rows.values():
            raise DedupError("the Redis server has lost documents; its maxmemory-policy must be noeviction")
        return rows

    def _runs(self) -> list[str]:
        return [run.decode() for run in self._client.lrange(RUNS, 0, -1)]


@contextmanager
def shared_index(url: str, config: BuildConfig) -> Iterator[SharedIndex]:
    """Hold the index in a Redis server; the URL names its database: `redis://HOST:PORT/0`.

    Raises:
        DedupError: the server cannot be reached or fails, its index was made otherwise, or redis is not installed.
    """
    try:
        import redis  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise DedupError(f"a shared index needs redis ({error}); pip install 'newscorpus[redis]'") from error
    where = shown(url)
    try:
        storage = redis.connection.parse_url(url)  # type: ignore[no-untyped-call]
        is_encrypted = storage.pop("connection_class", None) is redis.SSLConnection
        client: Client = redis.Redis(**storage, ssl=is_encrypted)
        with closing(client):
            ours = {**layout_of(config), "bands": config.duplicates.bands, "rows": config.duplicates.rows}
            client.set(LAYOUT, msgspec.json.encode(ours), nx=True)
            refuse_other(where, msgspec.json.decode(client.get(LAYOUT)), ours)
            with client.lock(LOCK, timeout=LOCK_SECONDS):
                yield SharedIndex(client, {**storage, "ssl": is_encrypted}, config)
    except redis.RedisError as error:
        raise DedupError(f"{where}: {error}") from error


def shown(url: str) -> str:
    """The address of a server without name and password.

    Raises:
        DedupError: it is none of a Redis server.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or DEFAULT_PORT
    except ValueError as error:
        raise DedupError(f"not the address of a Redis server: {error}") from error
    if parts.scheme not in ("redis", "rediss") or not host:
        raise DedupError("not the address of a Redis server, which looks like redis://localhost:6379/0")
    return f"{parts.scheme}://{host}:{port}{parts.path}"
