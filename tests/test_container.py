"""The image of the Dockerfile: small, not root, corpora outside. Built and run where Docker and the base image are.

Where there is no Docker, root can try its steps in a fresh folder: `debootstrap --include=python3,python3-venv trixie
FOLDER`, with `/proc` and `/dev/shm` mounted in it, then `NEWSCORPUS_DEBIAN=FOLDER pytest tests/test_container.py`.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

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


@pytest.mark.timeout(1800)
def test_its_steps_lead_to_a_crawl_in_a_folder_of_debian() -> None:
    if not (name := os.environ.get("NEWSCORPUS_DEBIAN")):
        pytest.skip("NEWSCORPUS_DEBIAN names no folder of Debian")
    folder = Path(name)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], capture_output=True, check=True)
    (folder / "source").mkdir(exist_ok=True)
    subprocess.run(["tar", "-x", "-C", str(folder / "source")], input=archive.stdout, check=True)

    def run(command: str, user: str = "root", where: str = "/") -> None:
        entered = ["chroot", f"--userspec={user}", str(folder), "sh", "-c", f"cd {where} && {command}"]
        clean = {"PATH": "/opt/newscorpus/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}
        done = subprocess.run(entered, env=clean, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"

    run("ln -sf python3 /usr/bin/python")  # as it is called in the base image
    for step in (line.removeprefix("RUN ") for line in LINES if line.startswith("RUN ")):
        run(step, where="/source")
    run("newscorpus demo", "crawler", "/corpora")
    assert (folder / "corpora" / "corpora" / "demo" / "corpus" / "manifest.json").is_file()
