"""The image of the Dockerfile: small, not root, corpora outside. Built and run where Docker and the base image are."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
LAST_STAGE = LINES[max(n for n, line in enumerate(LINES) if line.startswith("FROM")) :]


def docker(*arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=seconds, check=False)


def base_image() -> str:
    return LINES[next(n for n, line in enumerate(LINES) if line.startswith("FROM"))].split()[1]


def test_it_runs_as_a_user_without_rights_and_keeps_corpora_outside() -> None:
    (user,) = (line.split()[1] for line in LAST_STAGE if line.startswith("USER"))
    assert user != "root"
    assert [line.split()[1] for line in LAST_STAGE if line.startswith("VOLUME")] == ["/corpora"]
    assert not any(line.startswith(("ADD", "COPY .")) for line in LAST_STAGE)  # no source in what is shipped


def test_it_installs_the_exact_versions_for_a_python_that_is_supported() -> None:
    assert any("-r requirements.txt" in line for line in LINES)
    assert re.fullmatch(r"python:3\.1[1-3]-slim", base_image())


@pytest.mark.timeout(1800)
def test_the_image_crawls_the_demo_as_another_user(tmp_path: Path) -> None:
    if not shutil.which("docker") or docker("image", "inspect", base_image()).returncode:
        pytest.skip(f"Docker, or its image {base_image()}, is not at hand")
    built = docker("build", "--tag", "newscorpus-test", str(ROOT), seconds=1500)
    assert built.returncode == 0, built.stderr
    tmp_path.chmod(0o777)
    done = docker("run", "--rm", "--volume", f"{tmp_path}:/corpora", "newscorpus-test", "demo", seconds=600)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "corpora" / "demo" / "corpus" / "manifest.json").is_file()
