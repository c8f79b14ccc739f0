"""Nothing leaves the machine: no verb looks up a name, writes to the home folder, or connects beyond loopback."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from prose import article, paragraphs

pytestmark = pytest.mark.slow

NAMESPACE = ("unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
"""Begins a command in a network namespace that has loopback and no routes."""
TRACE = ("strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-e", "signal=none")
ADDRESS = re.compile(r'sa_family=AF_INET6?.*?port=htons\((\d+)\).*?"([^"]+)"')

NEWSCORPUS = Path(sys.executable).with_name("newscorpus")
UI = """
import subprocess, sys, urllib.request
with subprocess.Popen([*sys.argv[1:]], stdout=subprocess.PIPE, text=True) as server:
    address = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
    assert "<title>" in urllib.request.urlopen(address).read().decode()
    server.terminate()
"""
"""Looks at the first view of a browser side that the arguments start."""

VERBS = (
    "build demo --format parquet", "stats demo --output counts", "search demo most", "release demo first",
    "export demo --format hf --output hf", "export demo --format tei --output tei",
    "annotate demo --with simplemma --output annotated",
)  # fmt: skip

Watch = Callable[..., set[tuple[str, int]]]


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    """Runs a command and gives the addresses and ports outside of loopback that it, or a child, sent something to."""
    if not all(map(shutil.which, ("strace", "unshare", "ip"))):
        pytest.skip("strace, unshare or ip is not installed (Debian: strace util-linux iproute2)")
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("network namespaces cannot be made here")
    home = tmp_path / "home"
    home.mkdir()

    def watch(*command: str | Path) -> set[tuple[str, int]]:
        log = tmp_path / "calls"
        environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
        done = subprocess.run(
            [*NAMESPACE, *TRACE, "-o", log, *command],
            cwd=tmp_path, env=environment | {"HOME": str(home)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert [path for path in home.rglob("*") if path.is_file()] == []
        asked = {(host, int(port)) for port, host in ADDRESS.findall(log.read_text())}
        return {(host, port) for host, port in asked if port == 53 or not host.startswith(("127.", "::1"))}

    return watch


def test_a_look_up_is_seen(watch: Watch) -> None:
    lookup = "import contextlib, socket\nwith contextlib.suppress(OSError): socket.getaddrinfo('name.example', 80)"
    assert {port for _, port in watch(sys.executable, "-c", lookup)} == {53}


@pytest.mark.timeout(600)
def test_no_verb_asks_outside(watch: Watch, tmp_path: Path) -> None:
    assert watch(NEWSCORPUS, "demo", "--output", "demo") == set()
    for line in VERBS:
        assert watch(NEWSCORPUS, *line.split()) == set(), line
    load = "import datasets, sys; datasets.load_dataset(sys.argv[1], cache_dir='cache')"
    assert watch(sys.executable, "-c", load, "demo/corpus") == set()
    assert watch(sys.executable, "-c", UI, NEWSCORPUS, "ui", "demo", "--no-browser", "--port", "0") == set()
    (tmp_path / "recipe.toml").write_text('inputs = ["demo"]\noutput = "batch"\ntasks = 1\n')
    assert watch(NEWSCORPUS, "batch", "recipe.toml") == set()
    pages = [{"id": name, "html": article(name), "text": "\n".join(paragraphs(name))} for name in "abcdefghijkl"]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    assert watch(NEWSCORPUS, "extract", "pages.jsonl", "--output", "out.jsonl", "--jobs", "2") == set()
    assert watch(NEWSCORPUS, "train", "main-text", "--data", "pages.jsonl", "--output", "own") == set()


def test_an_earlier_import_is_silenced_by_its_own_switch() -> None:
    program = (
        "import types, sys; told = []\n"
        "sys.modules['onnxruntime'] = types.SimpleNamespace(disable_telemetry_events=lambda: told.append(1))\n"
        "import newscorpus; assert told == [1]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
