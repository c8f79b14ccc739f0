"""The types of a record's columns, in words that people and programs read alike."""

import dataclasses
from typing import Any, get_args, get_origin, get_type_hints

from newscorpus.data import Record

VALUES = {str: "string", int: "int64", float: "float64", bool: "bool"}


def column_types() -> dict[str, str]:
    """Type of each column: "string", "list<string>", "struct<robots: string, ...>" ..., in the notation of Arrow."""
    return _types(Record)


def _types(of: Any) -> dict[str, str]:
    """The types of a dataclass's fields."""
    hints = get_type_hints(of)
    return {field.name: _type(hints[field.name]) for field in dataclasses.fields(of)}


def _type(kind: Any) -> str:
    """The type of a value, of a tuple of values, or of a dataclass."""
    if get_origin(kind) is tuple:
        return f"list<{_type(get_args(kind)[0])}>"
    if dataclasses.is_dataclass(kind):
        return f"struct<{', '.join(f'{name}: {word}' for name, word in _types(kind).items())}>"
    return VALUES[kind]
