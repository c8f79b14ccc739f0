"""The words of the code: a docstring begins with a sentence of its own."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("newscorpus", "spiders", "pipelines")
RIDDLES = ("likewise", "it is", "they are", "ditto")
"""Beginnings that send the reader to some other docstring."""

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def nodes() -> list[tuple[Path, Documented]]:
    return [
        (path.relative_to(ROOT), node)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, Documented)
    ]


def test_a_docstring_begins_with_a_sentence_of_its_own() -> None:
    texts = [(path, text) for path, node in nodes() if (text := ast.get_docstring(node))]
    assert len(texts) > 500
    assert [(str(path), text) for path, text in texts if text.lower().startswith(RIDDLES)] == []
    first_lines = [(str(path), text.partition("\n\n")[0]) for path, text in texts]
    assert [(path, line) for path, line in first_lines if not line.rstrip().endswith((".", ":", "?"))] == []
