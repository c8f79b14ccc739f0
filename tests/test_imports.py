"""Who may import whom: the rules of docs/architecture.md, held by reading the imports of every module."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAPPED = {"spiders": "newscorpus.spiders", "pipelines": "newscorpus.pipelines"}
"""Folders at the top of the checkout, and the packages they are."""

ROOMS = (
    *("ground", "portal", "page", "store", "discover", "corpus", "fetch", "spiders", "pipelines"),
    *("batch", "lab", "upkeep", "views", "cli", "__init__"),
)
"""The rooms of the library from the ground up: a room imports itself and those that stand before it. "ground" is the
modules of `newscorpus` itself, "__init__" the public interface, which nothing in the library imports."""

GROUND = {path.stem for path in (ROOT / "newscorpus").glob("*.py")} - {"__init__", "settings"}
SCRAPY = {"fetch", "spiders", "pipelines"}
TRAINING = {"lightgbm", "onnx", "skl2onnx"}
"""Packages of the extra `train`, for which only training may ask."""
OF_EXTRAS = r"newscorpus\.(batch|lab\.training|views\.ui|corpus\.(parquet|remote)|lab\.systems\..*train)(\.|$)"
"""Modules that an ordinary installation cannot import, since they ask for the packages of an extra."""
IMPORT_ALL = """
import importlib, pkgutil, sys
from importlib.metadata import packages_distributions

ordinary = set(sys.argv[1].split())
others = {name for name, of in packages_distributions().items()
          if not ordinary & {one.lower().replace("_", "-").replace(".", "-") for one in of}}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others:
            raise ModuleNotFoundError(name=name)

sys.meta_path.insert(0, Missing())
import newscorpus, newscorpus.spiders, newscorpus.pipelines
for package in (newscorpus, newscorpus.spiders, newscorpus.pipelines):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, error.name)
"""
"""A program that has the packages given to it, and names the modules that want others, with the first of these."""
UNPICKLING = {"pickle", "joblib", "dill", "cloudpickle"}
"""Models and data are never unpickled."""


def name_of(path: Path) -> str:
    """The full name of a module, that of its package for `__init__`."""
    first, *rest = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([MAPPED.get(first, first), *rest]).removesuffix(".__init__")


def room_of(name: str) -> str:
    """The room that a module belongs to; `newscorpus.settings` lies where Scrapy's projects have theirs."""
    part = name.split(".")[1] if "." in name else ""
    return "ground" if part in GROUND else "fetch" if part == "settings" else part if part in ROOMS else "__init__"


def imports(path: Path) -> Iterator[str]:
    """Full names of what a module imports, wherever in it."""
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def breaches(paths: list[Path]) -> list[str]:
    """Every import that a rule forbids: "importer -> imported"."""
    return [f"{name_of(path)} -> {name}" for path in paths for name in imports(path) if not may_import(path, name)]


def may_import(path: Path, name: str) -> bool:
    """Whether the module at `path` may import `name`."""
    room, top = room_of(name_of(path)), name.partition(".")[0]
    if top == "newscorpus":
        return ROOMS.index(room_of(name)) <= ROOMS.index(room)
    if top in {"scrapy", "twisted"}:
        return room in SCRAPY
    return room == "lab" if top in TRAINING else top not in UNPICKLING


def library() -> list[Path]:
    return [path for folder in ("newscorpus", *MAPPED) for path in (ROOT / folder).rglob("*.py")]


def test_the_library_keeps_its_rules() -> None:
    paths = library()
    assert len(paths) > 100
    assert breaches(paths) == []


def test_no_circles() -> None:
    modules = {name_of(path): path for path in library()}
    graph = {
        name: {wanted for found in imports(path) if (wanted := module_of(found, modules)) and wanted != name}
        for name, path in modules.items()
        if path.name != "__init__.py"
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_an_ordinary_installation_has_what_every_module_but_those_of_extras_imports() -> None:
    pinned = re.findall(r"(?m)^([\w.-]+)==", (ROOT / "requirements.txt").read_text("utf-8"))
    ordinary = " ".join(["newscorpus", *(re.sub(r"[_.]", "-", name.lower()) for name in pinned)])
    command = [sys.executable, "-W", "ignore", "-c", IMPORT_ALL, ordinary]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line for line in found if not re.match(OF_EXTRAS, line.partition(" ")[0])] == []
    assert any(line.startswith("newscorpus.corpus.remote ") for line in found), "packages are hidden"


LOADED = """
import importlib, pkgutil, sys
import newscorpus.fetch, newscorpus.page.loaded, newscorpus.pipelines, newscorpus.spiders
for package in (newscorpus.fetch, newscorpus.pipelines, newscorpus.spiders):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
from newscorpus.page.recipe import Recipe
from newscorpus.page.loading import prepare
prepare(Recipe(sys.argv[1]))
print(*sorted(name for name in sys.modules if name.startswith("newscorpus.lab.")))
"""


@pytest.mark.parametrize(("extractor", "loaded"), [("main-text", ""), ("template", ""), ("bte", "systems systems.bte")])
def test_a_crawl_imports_the_system_that_it_names_and_no_other(extractor: str, loaded: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", LOADED, extractor]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert " ".join(found).replace("newscorpus.lab.", "") == loaded


NOT_LOADED = {
    "newscorpus.settings": "newscorpus.store newscorpus.page.extractor numpy requests",
    "newscorpus.spiders.portal newscorpus.pipelines.process newscorpus.pipelines.store newscorpus.fetch.progress": (
        "newscorpus.page.extractor newscorpus.page.judge newscorpus.page.text newscorpus.page.quality"
        " newscorpus.page.profiles newscorpus.page.parsing newscorpus.corpus.build"
        " numpy scipy sklearn onnxruntime trafilatura ftfy requests"
    ),
    "newscorpus.page.loaded": "sklearn scrapy requests rich newscorpus.lab",
    "newscorpus.cli": "lxml msgspec numpy onnxruntime regex rich scrapy newscorpus.page newscorpus.store",
}
"""Modules by which processes begin, and what these must not load, since it costs each of them time."""


@pytest.mark.parametrize("start", NOT_LOADED)
def test_a_process_loads_only_what_it_needs(start: str) -> None:
    program = f"import sys, {', '.join(start.split())}; print(*sys.modules)"
    command = [sys.executable, "-W", "ignore", "-c", program]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {*loaded} & {*NOT_LOADED[start].split()} == set()


def module_of(name: str, modules: Mapping[str, Path]) -> str:
    """The module that an imported name is or stands in, "" for other people's."""
    return name if name in modules else name.rpartition(".")[0] if name.rpartition(".")[0] in modules else ""


def test_breaches_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "spiders" / "bad.py"
    path.parent.mkdir()
    path.write_text(
        "import json, pickle\nfrom . import lists\nfrom ..pipelines import store\nimport scrapy\n\n\n"
        "def later():\n    import newscorpus.cli\n    import newscorpus\n"
        "    from newscorpus import extract\n    from lightgbm import Booster\n"
    )
    assert breaches([path]) == [
        f"newscorpus.spiders.bad -> {name}"
        for name in (
            "pickle",
            "newscorpus.pipelines.store",
            "newscorpus.cli",
            "newscorpus",
            "newscorpus.extract",
            "lightgbm.Booster",
        )
    ]
