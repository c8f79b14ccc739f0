"""Find the lines of a corpus' files that name documents."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.layout import DUPLICATES, GOLD, INTAKE, LOW_CONFIDENCE, REJECTED, is_adopted
from newscorpus.urls import document_id, is_web

JOURNALS = (f"{INTAKE}/*.jsonl", f"{GOLD}/*.marks", f"{GOLD}/*.jsonl")
LISTS = (REJECTED, DUPLICATES, LOW_CONFIDENCE)
"""Files of JSON lines that name documents."""

NAMING = ("id", "url", "page", "withdrawn", "duplicate_of", "cluster")
"""Keys of their lines under which the id or the address of a document stands."""

ID = re.compile(r"\b[0-9a-f]{16}\b")
ADDRESS = re.compile(r'https?://[^"\s\\]+')

OBJECTS = msgspec.json.Decoder(dict[str, Any])


def journals(corpus: Path) -> list[Path]:
    """The files of JSON lines that name documents of a corpus."""
    names = (path for pattern in (*JOURNALS, *LISTS) for path in sorted(corpus.glob(pattern)))
    return [path for path in names if not is_adopted(corpus, path.relative_to(corpus).as_posix())]


def row_files(corpus: Path) -> list[Path]:
    """The files of them that hold rows."""
    return [path for path in journals(corpus) if path.parent.name == INTAKE]


def lines_naming(path: Path, documents: Collection[str]) -> Iterator[tuple[int, bytes]]:
    """Read the lines of a file that name one of some documents, torn and damaged ones too; each with its offset."""
    wanted, marks = frozenset(documents), tuple(name.encode() for name in documents)
    is_intake, offset = path.parent.name == INTAKE, 0
    with path.open("rb") as file:
        for line in file:
            # A row holds the id of its document; only where it has another page it must be read to know.
            may_name = not (is_intake and b'"page":""' in line) or any(mark in line for mark in marks)
            if may_name and wanted & ids_in(line):
                yield offset, line.removesuffix(b"\n")
            offset += len(line)


def ids_in(line: bytes) -> frozenset[str]:
    """The ids of the documents and addresses that a line of JSON is about; of a damaged one, all that it holds."""
    try:
        found = OBJECTS.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = line.decode("utf-8", "replace")
        return frozenset((*ID.findall(text), *map(document_id, ADDRESS.findall(text))))
    record = found.get("record")
    parts = (found, record) if isinstance(record, dict) else (found,)
    named = [value for part in parts for key in NAMING if isinstance(value := part.get(key), str) and value]
    ids = (document_id(name) if is_web(name) else name for name in named)
    return frozenset((*ids, *ID.findall(str(found.get("detail", "")))))
