"""Write the tables of the documents that say what the code says: `python -m docs.tables`.

Each stands in its document below a line `<!-- table: NAME -->`. `tests/test_docs.py` says which one is not up to date.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import newscorpus
from newscorpus import settings
from newscorpus.corpus.manifest import COLUMNS
from newscorpus.data import Record
from newscorpus.page.records import column_types
from newscorpus.portal.portal import PolitenessSection, Portal, PortalLimits, TemplateVersion
from newscorpus.store.reasons import known_reasons

DOCS = Path(__file__).parent
PLACE = re.compile(r"(?<=<!-- table: )(\w+)( -->\n\n)(?:\|.*\n)+")
FIELD = re.compile(r"    (\w+): .*?(?:  # (.+))?$")
LINK = re.compile(r"docs/([\w-]+)\.md(#[\w-]+)?")

Rows = Iterator[tuple[str, ...]]


def portal_rows() -> Rows:
    """The keys of a portal's file."""
    yield "key", "meaning"
    tables = {"limits": PortalLimits, "politeness": PolitenessSection, "template": TemplateVersion}
    yield from ((f"`{key}`", said) for key, said in comments(Portal).items() if key not in tables)
    for table, kind in tables.items():
        yield from ((f"`{table}.{key}`", said) for key, said in comments(kind).items())


def comments(kind: type) -> Mapping[str, str]:
    """What stands beside each field of a dataclass, above it or behind it."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__[:-1]):
        above: list[str] = []
        for line in inspect.getsource(each).splitlines():
            if line.startswith("    # "):
                above.append(line[6:])
            elif field := FIELD.match(line):
                found[field[1]] = " ".join(above) or field[2] or ""
                above = []
    return found


def record_rows() -> Rows:
    """The keys of a row."""
    yield "key", "type", "meaning"
    types = column_types()
    yield from ((f"`{name}`", f"`{types[name]}`", meaning) for name, meaning in COLUMNS.items())


def reasons_rows() -> Rows:
    """The reasons of rejection."""
    yield "reason", "what it means", "what to change"
    yield from ((f"`{one.name}`", one.means, one.change) for one in known_reasons().values())


def settings_rows() -> Rows:
    """The settings of a crawl that are ours."""
    yield "setting", "default", "meaning"
    statements = ast.parse(inspect.getsource(settings)).body
    for one, following in pairwise(statements):
        match one, following:
            case ast.Assign(targets=[ast.Name(id=name)], value=given), ast.Expr(value=ast.Constant(value=str(said))):
                written = ast.unparse(given)
                default = written if "os." in written else repr(getattr(settings, name))  # of this machine, or of all
                yield f"`{name}`", f"`{default}`", " ".join(said.split())


def names_rows() -> Rows:
    """The public names."""
    yield "name", "what"
    for name in newscorpus.__all__:
        value: Any = getattr(newscorpus, name)
        said = inspect.getdoc(value).partition("\n\n")[0]  # type: ignore[union-attr]
        yield f"`{_called(name, value)}`", " ".join(said.split()) + _keys(value)


def _called(name: str, value: Any) -> str:
    if inspect.isclass(value):
        return name
    parameters = inspect.signature(value).parameters.values()
    plain = (one for one in parameters if one.default is one.empty or isinstance(one.default, str))
    return f"{name}({', '.join(str(one.replace(annotation=one.empty)) for one in plain)})"


def _keys(value: Any) -> str:
    if not is_dataclass(value):
        return ""
    if value is Record:
        return " [Its keys](corpus.md#rows)."
    return f" It holds {', '.join(f'`{name}`' for name in value.__dataclass_fields__)}."


TABLES: Mapping[str, Callable[[], Rows]] = {
    "names": names_rows,
    "portal": portal_rows,
    "reasons": reasons_rows,
    "record": record_rows,
    "settings": settings_rows,
}


def as_markdown(rows: Rows) -> str:
    """Write a table; what the code calls a document is a link to it."""
    head, *others = (f"| {' | '.join(_cell(one) for one in row)} |\n" for row in rows)
    return head + "|---" * (head.count(" | ") + 1) + "|\n" + "".join(others)


def _cell(text: str) -> str:
    return LINK.sub(r"[\1](\1.md\2)", text).replace("|", "\\|")


def renewed(text: str) -> str:
    """A document with its tables as the code has them."""
    return PLACE.sub(lambda place: f"{place[1]}{place[2]}{as_markdown(TABLES[place[1]]())}", text)


def main() -> None:
    """Renew all documents."""
    for path in sorted(DOCS.glob("*.md")):
        path.write_text(renewed(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
