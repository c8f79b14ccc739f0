"""Find the data files of the package (models, portals, word lists), and read TOML files of users."""

import difflib
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

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


def read_config(path: Path, kind: type[T]) -> T:
    """Read a TOML file of the user into a dataclass, with its defaults for missing keys.

    Raises:
        ArgumentError: the file cannot be read, has an unknown key or a wrong value; the message names file and key.
    """
    try:
        table = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path}: not UTF-8; save it in this encoding") from error
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"{path}: not valid TOML: {error}") from error
    _check_keys(path, table, kind, "")
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        what, is_placed, where = str(error).partition(" - at `$.")
        raise ArgumentError(f"{path}: {where.rstrip('`')}: {what}" if is_placed else f"{path}: {what}") from error


def refuse_unknown(path: Path, what: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise ArgumentError, as in `read_config`, for the first of `names` that is not in `known`."""
    if unknown := [name for name in names if name not in known]:
        raise ArgumentError(f"{path}: unknown {what} {unknown[0]}; {near_or_all(unknown[0], known)}")


def near_or_all(name: str, known: Collection[str], all_are: str = "known") -> str:
    """Return the end of a message on an unknown name: the known ones like it, else all known ones."""
    near = difflib.get_close_matches(name, known, 2, 0.7)
    return f"did you mean {' or '.join(near)}?" if near else f"{all_are}: {', '.join(known)}"


def _check_keys(path: Path, table: Mapping[str, Any], kind: type, section: str) -> None:
    hints = get_type_hints(kind)
    refuse_unknown(path, f"key in [{section}]:" if section else "key", table, hints)
    for name, value in table.items():
        if is_dataclass(hints[name]) and isinstance(value, dict):
            _check_keys(path, value, hints[name], name)
