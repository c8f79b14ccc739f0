"""The wheel carries what the checkout has, and works where nothing else of the checkout is."""

import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PLACES = {
    "newscorpus": "newscorpus",
    "spiders": "newscorpus/spiders",
    "pipelines": "newscorpus/pipelines",
    "models": "newscorpus/models",
    "portals": "newscorpus/portal/files",
}
"""Folders at the top of the checkout, and where they are in the wheel."""

PROGRAM = """
import sys

# The wheel's own files alone: the editable installation finds `newscorpus` by a finder of its own.
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
sys.path.insert(0, sys.argv[1])

import newscorpus.fetch.crawl
import newscorpus.cli
import newscorpus.pipelines.store
import newscorpus.spiders.portal
from newscorpus.views.demo.server import SITE, read_routes
from newscorpus.lab.evaluation.gate import read_floors
from newscorpus.page.registry import DEFAULT
from newscorpus.page.loading import load
from newscorpus.portal.schema import load_portal

assert load_portal("demo").name == "demo"
assert all((SITE / route.file).is_file() for route in read_routes().values() if route.file)
read_floors()
load(DEFAULT)
print(newscorpus.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of a wheel built from the files under version control."""
    if missing := [name for name in ("pip", "setuptools") if importlib.util.find_spec(name) is None]:
        pytest.skip(f"to build a wheel, install {' and '.join(missing)}")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "-w", folder, _copy(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def _copy(folder: Path) -> Path:
    """What git knows of the checkout, in a folder of its own, so that building leaves no trace in the checkout."""
    for name in _tracked():
        target = folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    return folder / "source"


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a checkout under git")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_every_file_of_the_library_is_inside(wheel: Path) -> None:
    split = (name.partition("/") for name in _tracked())
    expected = {f"{PLACES[folder]}/{rest}" for folder, _, rest in split if folder in PLACES}
    inside = {path.relative_to(wheel).as_posix() for path in wheel.rglob("*") if path.is_file()}
    assert sorted(expected - inside) == []
    assert {name.partition("/")[0] for name in inside if ".dist-info" not in name} == {"newscorpus"}


def test_it_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", PROGRAM, str(wheel)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(wheel))


def test_what_an_extra_of_lxml_brings_is_asked_for_by_name() -> None:
    named = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert any(one.startswith("lxml-html-clean>=") for one in named)  # else trafilatura cannot be imported everywhere
