"""An object store like S3 (moto) in a process of its own: `python objectstore.py`; prints its port.

After a PUT of a number N to `/faults`, one of N requests is answered by 503, and of one of N answers the second half
is lost with the connection, but for the requests of `Store`; `/counts` says how often that was so.
"""

import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import fsspec
import pytest

ACCESS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
SIGNED = "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
HEADERS = {"Authorization": SIGNED, "Content-Type": "application/octet-stream"}
BUSY = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"

Answer = Iterable[bytes]


class Faulty:
    """Disturbs the answers of another application."""

    def __init__(self, store: Callable[..., Answer]) -> None:
        self._store = store
        self._every = 0
        self._numbers = itertools.count(1)
        self._counts: Counter[str] = Counter()

    def __call__(self, request: dict[str, Any], start: Callable[..., Any]) -> Answer:
        """Answer a request."""
        if request["PATH_INFO"] == "/faults":
            self._every = int(request["wsgi.input"].read(int(request["CONTENT_LENGTH"])))
        if request["PATH_INFO"] in {"/faults", "/counts"}:
            start("200 OK", [])
            return [json.dumps(self._counts).encode()]
        if request["HTTP_AUTHORIZATION"] == SIGNED:
            return self._store(request, start)
        self._counts[request["REQUEST_METHOD"]] += 1
        place = next(self._numbers) % self._every if self._every else -1
        if place == 0:
            self._counts["errors"] += 1
            start("503 Slow Down", [("Content-Length", str(len(BUSY)))])
            return [BUSY]
        answer = b"".join(self._store(request, start))
        if request["REQUEST_METHOD"] == "GET":
            self._counts["bytes"] += len(answer)
        return self._cut(answer) if place == 1 else [answer]

    def _cut(self, body: bytes) -> Iterator[bytes]:
        self._counts["cut"] += 1
        yield body[: len(body) // 2]
        raise ConnectionAbortedError


class Store:
    """A running store with a bucket."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}"
        self._environment = {**ACCESS, "AWS_ENDPOINT_URL": self._root}
        self._ask("/bucket", b"", "PUT")

    def reach(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let this process, and those that it starts, take the store for S3."""
        for name, value in self._environment.items():
            monkeypatch.setenv(name, value)
        fsspec.get_filesystem_class("s3").clear_instance_cache()  # which may know an earlier store

    def disturb(self, every: int) -> None:
        """Let one of so many requests fail, and one answer be cut; 0: none."""
        self._ask("/faults", str(every).encode(), "PUT")

    def counts(self) -> Counter[str]:
        """Requests by method, "errors" and "cut", and "bytes" of the answers to GET so far."""
        return Counter(json.loads(self._ask("/counts")))

    def put(self, name: str, content: bytes) -> None:
        """Put a file into the bucket."""
        self._ask(f"/bucket/{name}", content, "PUT")

    def get(self, name: str) -> bytes:
        """Give what a file of the bucket holds."""
        return self._ask(f"/bucket/{name}")

    def _ask(self, path: str, content: bytes | None = None, method: str = "GET") -> bytes:
        with urlopen(Request(self._root + path, content, HEADERS, method=method)) as answer:
            found: bytes = answer.read()
            return found


@contextmanager
def object_store() -> Iterator[Store]:
    """Run a store."""
    command = [sys.executable, "-W", "ignore", str(Path(__file__))]
    environment = {**os.environ, **ACCESS}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        try:
            yield Store(int(process.stdout.readline()))
        finally:
            process.terminate()


if __name__ == "__main__":
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import make_server

    store = Faulty(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, store, threaded=True, request_handler=MotoRequestHandler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
