"""Who may import whom: the rules of docs/architecture.md, held by reading the imports of every module."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAPPED = {"spiders": "newscorpus.spiders", "pipelines": "newscorpus.pipelines"}
"""Folders at the top of the checkout, and the packages they are."""

GROUND = {"data", "text", "urls", "config", "resources"}
LINE = {"extraction", "dedup", "corpus", "crawl"}
PARTS = GROUND | {"artifacts"} | LINE | {"extractors", "portals"}

ALLOWED: dict[str, set[str]] = {
    "__init__": set(),
    "data": set(),
    "settings": GROUND | {"extractors"},
    **dict.fromkeys(GROUND - {"data"}, GROUND),
    "artifacts": GROUND,
    **dict.fromkeys(LINE, GROUND | {"artifacts"}),
    "extractors": GROUND | {"artifacts", "extraction", "portals"},
    "portals": GROUND | {"artifacts", "extraction"},
    **dict.fromkeys(("learning", "evaluation", "jobs"), PARTS | {"learning", "evaluation", "jobs"}),
    "demo": {"data", "urls", "corpus", "dedup", "evaluation", "jobs"},
    "addon": PARTS | {"learning", "evaluation", "jobs", "settings", "__init__"},
    "spiders": PARTS | {"addon", "jobs", "__init__"},
    "pipelines": PARTS | {"addon", "jobs"},
    "terminal": {"corpus"},
    "cli": PARTS | {"learning", "evaluation", "jobs", "demo", "addon", "terminal"},
}
"""What each part of the library may import, beside itself."""

SCRAPY = {"addon", "spiders", "pipelines"}
TRAINING = {"lightgbm", "onnx", "skl2onnx"}
"""Packages of the extra `train`, for which only `learning` may ask."""
UNPICKLING = {"pickle", "joblib", "dill", "cloudpickle"}
"""Models and data are never unpickled."""


def name_of(path: Path) -> str:
    """The full name of a module, that of its package for `__init__`."""
    first, *rest = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([MAPPED.get(first, first), *rest]).removesuffix(".__init__")


def part_of(name: str) -> str:
    """The part of the library that a module belongs to; "__init__" for the package itself and what it holds."""
    part = name.split(".")[1] if "." in name else ""
    return part if part in ALLOWED else "__init__"


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
    part, top = part_of(name_of(path)), name.partition(".")[0]
    if top == "newscorpus":
        return part_of(name) in ALLOWED[part] | {part}
    if top in {"scrapy", "twisted"}:
        return part in SCRAPY
    return part == "learning" if top in TRAINING else top not in UNPICKLING


def test_the_library_keeps_its_rules() -> None:
    paths = [path for folder in ("newscorpus", *MAPPED) for path in (ROOT / folder).rglob("*.py")]
    assert len(paths) > 100
    assert breaches(paths) == []


def test_breaches_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "spiders" / "bad.py"
    path.parent.mkdir()
    path.write_text(
        "import json, pickle\nfrom . import lists\nfrom ..pipelines import pool\nimport scrapy\n\n\n"
        "def later():\n    import newscorpus.cli\n    from lightgbm import Booster\n    import newscorpus\n"
    )
    assert breaches([path]) == [
        f"newscorpus.spiders.bad -> {name}"
        for name in ("pickle", "newscorpus.pipelines.pool", "newscorpus.cli", "lightgbm.Booster")
    ]
