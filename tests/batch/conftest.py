"""A Slurm for the tests of batches and crawls."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture(autouse=True, scope="module")
def no_power_failure() -> Iterator[None]:
    """Skip syncing: nothing here depends on what survives a power failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="session")
def slurm() -> Iterator[Path]:
    """The configuration of a Slurm with one node; the test is skipped where none can be started."""
    if os.geteuid() or not all(map(shutil.which, ("slurmctld", "slurmd", "srun", "munged"))):
        pytest.skip("Slurm is not installed, or this is not root (Debian: slurmctld slurmd slurm-client munge)")
    with TemporaryDirectory(prefix="slurm-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # for the user that munge is
        command = ["timeout", "95", str(Path(__file__).with_name("slurm.sh")), name]
        environment = {**os.environ, "SLURM_TEST_PORT": str(_free_port())}
        try:
            started = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment)
            if started.returncode:
                pytest.skip(f"Slurm does not start here: {started.stderr.strip()[-300:]}")
            yield folder / "slurm.conf"
        finally:
            for pid in filter(Path.exists, (folder / name for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"))):
                os.kill(int(pid.read_text()), signal.SIGTERM)


def _free_port() -> int:
    """Find a port that is free with the one behind it, below those that the system gives to connections."""
    for port in range(20_000 + os.getpid() % 5_000 * 2, 32_000, 2):
        with suppress(OSError), socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 1))
            return port
    raise OSError("no two free ports in a row")
