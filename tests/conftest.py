"""What the tests share."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

DATA_VARIABLE = "NEWSCORPUS_DATA"
BESIDE_CHECKOUT = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def gold_data() -> Path:
    """The folder of the pages with gold text; the test is skipped where it is missing."""
    folder = Path(os.environ.get(DATA_VARIABLE, BESIDE_CHECKOUT))
    if not folder.is_dir():
        pytest.skip(f"the pages with gold text are not here ({folder}); set {DATA_VARIABLE} to their folder")
    return folder


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a Redis server of our own; the test is skipped where none is installed."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed (Debian: apt-get install redis-server)")
    redis = pytest.importorskip("redis", reason="redis is not installed (pip install 'newscorpus[redis]')")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    options = {"--port": port, "--bind": "127.0.0.1", "--save": "", "--appendonly": "no", "--dir": folder}
    command = [program, *(str(part) for option in options.items() for part in option)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process, redis.Redis(port=port) as client:
        try:
            _wait_for(client.ping, redis.ConnectionError, process)
            yield port
        finally:
            process.terminate()


@pytest.fixture
def redis_url(redis_server: int) -> str:
    """The address of an empty database in a Redis server."""
    from redis import Redis  # noqa: PLC0415 -- an extra

    with Redis(port=redis_server) as client:
        client.flushall()
    return f"redis://127.0.0.1:{redis_server}/0"


def _wait_for(ping: Callable[[], object], refusal: type[Exception], process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers."""
    for _ in range(300):
        try:
            ping()
        except refusal:
            assert process.poll() is None, "redis-server has ended"
            time.sleep(0.1)
        else:
            return
    pytest.fail("redis-server does not answer")
