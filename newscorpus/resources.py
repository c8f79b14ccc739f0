"""Find the data files of the package (models, portals, word lists), and read TOML files of users."""

import difflib
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from newscorpus.errors import ArgumentError

T = TypeVar("T")

PACKAGE = Path(__file__).parent

WHEEL_FOLDERS = {"models": PACKAGE / "models", "portals": PACKAGE / "portal" / "files"}
"""Places in the wheel of the top-level folders of the checkout (pyproject.toml, `package-dir`)."""


def data_folder(name: str) -> Path:
    """Return the folder `models` or `portals`: inside the installed package, else at the top of the checkout."""
    installed = WHEEL_FOLDERS[name]
    return installed if installed.is_dir() else PACKAGE.parent / name


def project_folder() -> Path | None:
    """Return the nearest folder with a `scrapy.cfg`, from the current one upwards; None outside a Scrapy project."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "scrapy.cfg").is_file()), None)


def read_toml(package: str, name: str) -> Mapping[str, Any]:
    """Read a TOML file beside the modules of `package`."""
    return tomllib.loads((files(package) / name).read_text("utf-8"))


def read_text(path: Path, error_kind: type[ArgumentError] = ArgumentError) -> str:
    """Read a text file of the user.

    Raises:
        ArgumentError: of the kind given; the file cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise error_kind(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise error_kind(f"{path}: not UTF-8; save it in this encoding") from error


def read_config(
    path: Path,
    kind: type[T],
    text: str | None = None,
    error_kind: type[ArgumentError] = ArgumentError,
    expected: Mapping[str, str] = {},
) -> T:
    """Read a TOML file of the user, or its `text`, into a dataclass, with its defaults for missing keys.

    `expected` describes the values of keys that are checked by a regular expression or an enumeration.

    Raises:
        ArgumentError: of the kind given; the file cannot be read, a key is unknown or missing, or a value is wrong; the
            message names file and key.
    """
    text = read_text(path, error_kind) if text is None else text
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise error_kind(f"{path}: not valid TOML: {error}") from error
    for prefix, section, of in _sections(table, kind):
        known = {field.name: field for field in fields(of)}
        if unknown := sorted(section.keys() - known.keys()):
            raise error_kind(f"{path}: unknown key {prefix}{unknown[0]}; {near_or_all(unknown[0], known)}")
        required = (one for one in known.values() if one.default is MISSING and one.default_factory is MISSING)
        if missing := [one.name for one in required if one.name not in section]:
            raise error_kind(f"{path}: missing key {prefix}{missing[0]}; known: {', '.join(known)}")
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        key, _, position = where.rstrip("]`").partition("[")
        if "regex" in what:
            what = f"{table[key][int(position)] if position else table[key]!r}; expected {expected[key]}"
        elif "enum" in what and key in expected:
            what = f"{what}; known: {expected[key]}"
        place = f"{where.rstrip('`')}: " if where else ""
        raise error_kind(f"{path}: {place}{what}") from error


def refuse_unknown(path: Path, what: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise ArgumentError for the first of `names` that is not in `known`."""
    if unknown := [name for name in names if name not in known]:
        raise ArgumentError(f"{path}: unknown {what} {unknown[0]}; {near_or_all(unknown[0], known)}")


def near_or_all(name: str, known: Collection[str]) -> str:
    """Return the end of a message on an unknown name: the known ones like it, else all known ones."""
    near = difflib.get_close_matches(name, known, 2, 0.7)
    return f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"


def _sections(table: dict[str, Any], kind: Any, prefix: str = "") -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Return the tables of a file, each with the prefix of its keys in messages and its dataclass."""
    yield prefix, table, kind
    for name, hint in get_type_hints(kind).items():
        inner = next(filter(is_dataclass, (hint, *get_args(hint), *chain(*map(get_args, get_args(hint))))), None)
        found = table.get(name)
        if inner and isinstance(found, dict):
            yield from _sections(found, inner, f"{prefix}{name}.")
        for position, one in enumerate(found if inner and isinstance(found, list) else ()):
            if isinstance(one, dict):
                yield from _sections(one, inner, f"{prefix}{name}[{position}].")
