"""Write templates into portal files, and leave all else there as it stands."""

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, String, Table

from newscorpus.errors import PortalError
from newscorpus.files import replacing
from newscorpus.portals.portal import TemplateSection

Notes = Mapping[tuple[str, str], str]
"""What is said of the rules, by key and rule; of a key itself by the rule ""."""
NO_NOTES: Notes = {}


def template_table(rules: TemplateSection, notes: Notes = NO_NOTES, since: date | None = None) -> Table:
    """Write rules as the table of a portal file, a rule a line, with what is noted of each as a comment."""
    table = tomlkit.table()
    if since:
        table.add("since", since)
    for key in TemplateSection.__slots__:
        if found := getattr(rules, key):
            if note := notes.get((key, "")):
                table.add(tomlkit.comment(note))
            table.add(key, _array((rule, notes.get((key, rule), "")) for rule in found))
    return table


def as_toml(comments: Iterable[str], table: Table, *, is_version: bool = False) -> str:
    """Write a template by itself, below some comments; as one of several versions in double brackets."""
    document = tomlkit.document()
    for line in comments:
        document.add(tomlkit.comment(line))
    document.append("template", tomlkit.aot() if is_version else table)
    if is_version:
        document["template"].append(table)
    return tomlkit.dumps(document)


def add_template(path: Path, table: Table) -> None:
    """Add a template to a portal file that has none.

    Raises:
        PortalError: it has one, which is never overwritten.
        OSError: the file cannot be written.
    """
    document = _read(path, end="\n\n")
    if "template" in document:
        raise PortalError(f"{path}: it has a template, which is not overwritten; print the new one, and compare")
    document.add("template", table)
    _write(path, document)


def add_version(path: Path, table: Table, since: date) -> None:
    """Add a version to the template of a portal file that holds from a day on, and end the one before it on that day.

    Raises:
        PortalError: no version holds on the day before, or one that begins later is there.
        OSError: the file cannot be written.
    """
    document = _read(path)
    versions = document["template"]
    if not isinstance(versions, AoT):
        old, versions = document["template"], tomlkit.aot()
        versions.append(old if isinstance(old, Table) else _table(old))
        document["template"] = versions
    ending = [one for one in versions if "until" not in one]
    if len(ending) != 1 or ending[0].get("since", date.min) >= since:
        raise PortalError(f"{path}: no version of its template without `until` holds before {since}")
    ending[0].add("until", since)
    versions.append(table)
    _write(path, document)


def with_rule(text: str, key: str, rule: str) -> str:
    """Add a rule to the template that stands in the text of a portal file, or to its version that holds still.

    Raises:
        PortalError: the text is no TOML, or all versions have ended.
    """
    document = _parsed(text, "the file")
    found = document.get("template")
    versions = found if isinstance(found, AoT) else [document.setdefault("template", tomlkit.table())]
    current = next((one for one in versions if "until" not in one), None)
    if current is None:
        raise PortalError("every version of the template has ended; add one without `until`")
    rules = [*current.get(key, ())]
    current[key] = _array((one, "") for one in dict.fromkeys([*rules, rule]))
    return tomlkit.dumps(document)


def with_value(text: str, key: str, value: str) -> str:
    """Set a text at the top of what stands in a portal file.

    Raises:
        PortalError: it is no TOML.
    """
    document = _parsed(text, "the file")
    document[key] = string_item(value)
    return tomlkit.dumps(document)


def _table(inline: Any) -> Table:
    """Write a table in braces as one below a heading."""
    table = tomlkit.table()
    table.update(inline.unwrap())
    return table


def _read(path: Path, end: str = "\n") -> tomlkit.TOMLDocument:
    try:
        return _parsed(path.read_text("utf-8").rstrip("\n") + end, str(path))
    except UnicodeDecodeError as error:
        raise PortalError(f"{path}: not valid TOML: {error}") from error


def _parsed(text: str, where: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise PortalError(f"{where}: not valid TOML: {error}") from error


def _write(path: Path, document: tomlkit.TOMLDocument) -> None:
    with replacing(path) as file:
        file.write(tomlkit.dumps(document).encode())


def _array(rules: Iterable[tuple[str, str]]) -> Array:
    array = tomlkit.array()
    for rule, note in rules:
        array.add_line(string_item(rule), indent="  ", comment=note or None)
    array.add_line(indent="")
    return array


def string_item(text: str) -> String:
    """Write a string between single quotes, which leave backslashes alone, where that can be."""
    return tomlkit.string(text, literal="'" not in text and text.isprintable())
