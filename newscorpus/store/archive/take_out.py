"""Take responses out of the files of an archive, so that all others stay where they are.

What goes is overwritten by one record that says so and has the same length in the file: a gzip member holds a comment
of any length. Doing it once more writes the same bytes, so whoever dies at it begins again.
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.content_encoding import ContentError, unpack
from newscorpus.files import sync
from newscorpus.store.archive.encode import encode_notice
from newscorpus.store.archive.read import BESIDE
from newscorpus.store.archive.record import WarcRecord
from newscorpus.store.archive.records import read_records
from newscorpus.store.archive.values import NOTE_TYPE, OWN_URN, ArchiveError, ByteRange

HEAD = b"\x1f\x8b\x08\x10" + bytes(5) + b"\xff"
"""Of a gzip member with a comment, of no time and no system (RFC 1952)."""
BARE = -15
"""Window bits of deflate without a header."""

Group = Sequence[WarcRecord]
"""The records of one response, itself first."""


def read_groups(path: Path, offset: int = 0, limits: Limits = Limits()) -> Iterator[tuple[ByteRange, Group]]:
    """Read the responses of a file of ours from `offset` on, each with what belongs to it and the place of all.

    Damage is passed over.

    Raises:
        ArchiveError: the file cannot be opened or read.
    """
    group: list[WarcRecord] = []
    for record in read_records(path, limits.max_bytes, offset):
        belongs = isinstance(record, WarcRecord) and record.kind in BESIDE and bool(group)
        if group and not belongs:
            yield _range(group), group
            group = []
        if belongs or (isinstance(record, WarcRecord) and record.kind == "response"):
            group.append(record)  # type: ignore[arg-type]  # both say that it is a record
    if group:
        yield _range(group), group


def addresses(group: Group) -> frozenset[str]:
    """The addresses that the records of a response name as their own."""
    return frozenset(record.headers.get("warc-target-uri", "").strip("<>").removeprefix(OWN_URN) for record in group)


def is_page(group: Group) -> bool:
    """Whether the response was handed on as a page; else it was read for its links, or for nothing."""
    return any(record.headers.get("content-type") == NOTE_TYPE for record in group)


def body_of(record: WarcRecord, limits: Limits = Limits()) -> bytes:
    """The unpacked body of a record; empty where it cannot be unpacked."""
    try:
        return unpack(record.body, record.http.get("content-encoding", ""), limits.max_bytes)
    except ContentError:
        return b""


def take_out(path: Path, place: ByteRange, when: str) -> None:
    """Overwrite a part of a file, in which whole records lie, with one that says that they were taken out.

    Raises:
        ArchiveError: the part is too short, which no response is.
        OSError: the file cannot be written.
    """
    content = encode_notice(path.name, place.offset, when)
    packer = zlib.compressobj(zlib.Z_BEST_COMPRESSION, wbits=BARE)
    packed = packer.compress(content) + packer.flush()
    tail = b"\0" + packed + struct.pack("<II", zlib.crc32(content), len(content))
    n_spaces = place.length - len(HEAD) - len(tail)
    if n_spaces < 0:
        raise ArchiveError(f"{path}, offset {place.offset}: {place.length} bytes are too few to say what was here")
    with path.open("r+b", buffering=0) as file:
        file.seek(place.offset)
        file.write(HEAD + b" " * n_spaces + tail)
        sync(file)


def _range(group: Group) -> ByteRange:
    first, last = group[0].place, group[-1].place
    return ByteRange(first.file, first.offset, last.offset + last.length - first.offset)
