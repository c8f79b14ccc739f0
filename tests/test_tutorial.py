"""The tutorial, run line by line in an empty folder as a new user would."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from newscorpus.portal.schema import load_portal

pytestmark = pytest.mark.slow

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial.md"
PORT = "8765"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", TUTORIAL.read_text("utf-8"), re.DOTALL)


def commands(port: int) -> str:
    """All commands as a script that ends at the first that fails, and waits until the portal is served."""
    lines = "\n".join(blocks("sh")).replace(PORT, str(port)).splitlines()
    served = f"until (echo > /dev/tcp/127.0.0.1/{port}) 2> /dev/null; do sleep 0.2; done"
    return "\n".join(["set -e", *(f"{line}\n{served}" if line.endswith("&") else line for line in lines)])


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, free_port: int) -> tuple[Path, int, str]:
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "model.py").write_text(blocks("python")[0])
    bin_folder = Path(sys.executable).parent
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("NEWSCORPUS", "PYTHON"))}
    with (folder / "out").open("w") as out:
        shell = subprocess.Popen(
            ["bash", "-c", commands(free_port)],
            cwd=folder,
            env=clean | {"PATH": f"{bin_folder}:{clean['PATH']}"},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = shell.wait()
        finally:
            os.killpg(shell.pid, signal.SIGTERM)
    return folder, code, (folder / "out").read_text()


@pytest.fixture(scope="module")
def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


@pytest.mark.timeout(1200)
def test_every_command_of_the_tutorial_works(done: tuple[Path, int, str]) -> None:
    folder, code, out = done
    assert code == 0, out
    assert "Traceback" not in out
    assert load_portal(folder / "portals" / "north.toml").languages == ("en",)
    assert (folder / "demo-text" / "corpus.txt").stat().st_size > 1000
    assert re.search(r"\d+ texts: \w", out)


def test_the_tutorial_has_commands_of_each_step() -> None:
    script = "\n".join(blocks("sh"))
    assert all(f"newscorpus {verb}" in script for verb in ("init", "portal add", "portal try", "demo", "export"))


def test_the_notebook_reads_the_corpus_of_the_tutorial(
    done: tuple[Path, int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(done[0])
    notebook = json.loads((TUTORIAL.parents[1] / "examples" / "corpus.ipynb").read_text("utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert len(names["df"]) > 20
    assert names["over_time"].to_numpy().sum() > 0
    assert names["reprints"].documents.sum() > 0
    assert names["of_day"].documents.sum() == len(names["df"])
    one, again, other = names["stories"](["a fire in the old mill", "fire destroys the old mill", "tax rates rise"])
    assert one == again != other
