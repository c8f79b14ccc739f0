"""Files of JSON lines that grow at their end, and may be torn there when a process dies."""

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
"""Control characters and halves of surrogate pairs: pages hold them, UTF-8, XML and many readers cannot."""


def writable(value: T) -> T:
    """The value with all characters that cannot be stored taken out of its texts, in tuples and dataclasses too."""
    cleaned: Any = value
    if isinstance(value, str):
        cleaned = UNWRITABLE.sub("", value)
    elif isinstance(value, tuple):
        cleaned = tuple(map(writable, value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: writable(getattr(value, field.name)) for field in dataclasses.fields(value)}
        cleaned = dataclasses.replace(value, **fields)
    return cleaned  # type: ignore[no-any-return]


def encode_line(value: object) -> bytes:
    """A value as one line of JSON, the newline included."""
    return msgspec.json.encode(value) + b"\n"


def complete_lines(path: Path, offset: int = 0) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that end in a newline, without it, from `offset` on, and the offset of each in bytes."""
    with path.open("rb") as file:
        file.seek(offset)
        for line in file:
            if line.endswith(b"\n"):
                yield offset, line[:-1]
            offset += len(line)


def is_torn(path: Path) -> bool:
    """Whether the last line lacks its newline: the writer died while it wrote."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
