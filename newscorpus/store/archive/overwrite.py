"""Overwrite responses in an archive, each by one record of the same length, so that no other record moves."""

import logging
import struct
import uuid
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.files import sync
from newscorpus.store.archive.read import BESIDE
from newscorpus.store.archive.records import Damage, WarcRecord, read_records
from newscorpus.store.archive.values import METADATA_TYPE, OWN_URN, ArchiveError, ByteRange

logger = logging.getLogger(__name__)

MEMBER_HEAD = b"\x1f\x8b\x08\x10" + bytes(5) + b"\xff"
"""Head of a gzip member with a comment, without time and system (RFC 1952). A comment can have any length."""

RAW_DEFLATE = -15
"""Window bits of zlib for deflate without a header."""

TEXT = "Taken out."
NOTICE = (
    "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:{}>\r\nWARC-Date: {}\r\n"
    f"Content-Type: text/plain\r\nContent-Length: {len(TEXT)}\r\n\r\n{TEXT}\r\n\r\n"
)


def read_groups(path: Path) -> Iterator[tuple[ByteRange, list[WarcRecord]]]:
    """Read the responses of one of our archive files, each with the records that belong to it and their place.

    Damaged records are skipped with a warning: they may hold what is to be overwritten.

    Raises:
        ArchiveError: the file cannot be opened or read.
    """
    group: list[WarcRecord] = []
    for record in read_records(path, Limits().max_bytes):
        if isinstance(record, Damage):
            logger.warning("%s, offset %d: damaged, and not searched for removed pages", path, record.place.offset)
        belongs = isinstance(record, WarcRecord) and record.kind in BESIDE and bool(group)
        if group and not belongs:
            yield _range(group), group
            group = []
        if belongs or (isinstance(record, WarcRecord) and record.kind == "response"):
            group.append(record)  # type: ignore[arg-type]  # both say that it is a record
    if group:
        yield _range(group), group


def _range(group: list[WarcRecord]) -> ByteRange:
    first, last = group[0].place, group[-1].place
    return ByteRange(first.file, first.offset, last.offset + last.length - first.offset)


def addresses(group: Iterable[WarcRecord]) -> frozenset[str]:
    """Return the addresses that the records of a response name as their own."""
    return frozenset(record.headers.get("warc-target-uri", "").strip("<>").removeprefix(OWN_URN) for record in group)


def is_page(group: Iterable[WarcRecord]) -> bool:
    """Return whether the response was passed to the extractor; others were read for links at most."""
    return any(record.headers.get("content-type") == METADATA_TYPE for record in group)


def overwrite(path: Path, place: ByteRange, when: str) -> None:
    """Overwrite whole records by a single one that says "Taken out."; doing it again writes the same bytes.

    Raises:
        ArchiveError: the place is too short, which no response is.
        OSError: the file cannot be written.
    """
    record_id = uuid.uuid5(uuid.NAMESPACE_OID, f"{path.name} {place.offset}")
    content = NOTICE.format(record_id, when).encode()
    packer = zlib.compressobj(zlib.Z_BEST_COMPRESSION, wbits=RAW_DEFLATE)
    packed = packer.compress(content) + packer.flush()
    tail = b"\0" + packed + struct.pack("<II", zlib.crc32(content), len(content))
    n_spaces = place.length - len(MEMBER_HEAD) - len(tail)
    if n_spaces < 0:
        raise ArchiveError(f"{path}, offset {place.offset}: {place.length} bytes are too few to say what was here")
    with path.open("r+b", buffering=0) as file:
        file.seek(place.offset)
        file.write(MEMBER_HEAD + b" " * n_spaces + tail)
        sync(file)
