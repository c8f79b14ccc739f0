"""Encode rows and withdrawals of rows as lines of JSON with a checksum."""

import zlib
from dataclasses import dataclass, replace

import msgspec

from newscorpus.data import Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.page.records import current

Fetch = tuple[str, str]
"""Name of the portal and time (ISO 8601) of a fetch."""


@dataclass(frozen=True, slots=True)
class Row:
    """An accepted record, as returned by `process_page` and stored in the intake."""

    record: Record
    signature: bytes  # of its text; base64 in the file
    recipe: str = ""  # version of the recipe that made it; "" where unknown
    page: str = ""  # address of the page if the record has another; else ""
    reextraction: int = 0  # reextractions of the page so far; of the rows of a fetch the highest counts

    @property
    def fetch(self) -> Fetch:
        """Source and time of the fetch of the page."""
        return self.record.source, self.record.fetched

    @property
    def document(self) -> str:
        """Id of the document."""
        return self.record.id


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A page whose reextraction yields no document, or another; its line is a rejection with more keys."""

    withdrawn: str  # id of the document that an earlier row made of the page; "" for none
    stage: str
    reason: str
    detail: str
    url: str
    excerpt: str
    source: str  # name of the portal
    fetched: str  # when the page was fetched
    recipe: str  # version of the recipe
    reextraction: int  # reextractions of the page so far

    @property
    def fetch(self) -> Fetch:
        """Source and time of the fetch of the page."""
        return self.source, self.fetched

    @property
    def document(self) -> str:
        """Id of the document that is withdrawn; "" for none."""
        return self.withdrawn

    @property
    def rejected(self) -> Rejected:
        """Return why the page is not that document."""
        return Rejected(self.stage, self.reason, self.detail, self.url, self.excerpt)


ROWS = msgspec.json.Decoder(Row)
WITHDRAWALS = msgspec.json.Decoder(Withdrawal)
WITHDRAWN = b'{"withdrawn":'
"""Beginning of a withdrawal's line."""

CHECKSUM = "crc32"
"""Key of the checksum: CRC-32 (ISO 3309) of the line without the key, as 8 hex digits; 2 microseconds a row of 5 kB."""
SEAL_BYTES = len(',"crc32":"00000000"}')


def encode_row(value: object) -> bytes:
    """Encode a row, a withdrawal or the header of a segment as a line of JSON, with checksum and newline."""
    line = msgspec.json.encode(value)
    return line[:-1] + _seal(line) + b"\n"


def _seal(line: bytes) -> bytes:
    return b',"%s":"%08x"}' % (CHECKSUM.encode(), zlib.crc32(line))


def refuse_altered(line: bytes) -> None:
    """Refuse a line whose checksum is missing or wrong."""
    if line[-SEAL_BYTES:] != _seal(line[:-SEAL_BYTES] + b"}"):
        raise CorpusError("altered since it was written, by its checksum")


def decode_line(line: bytes) -> Row | Withdrawal:
    """Decode a line of this or an older schema to a row or a withdrawal.

    Raises:
        CorpusError: the line is neither, has a later schema, or fails its checksum.
    """
    refuse_altered(line)
    try:
        if line.startswith(WITHDRAWN):
            return WITHDRAWALS.decode(line)
        row = ROWS.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(str(error)) from error
    return replace(row, record=current(row.record))


def decode_row(line: bytes) -> Row:
    """Decode the line of a row.

    Raises:
        CorpusError: the line is no row, or has a later schema.
    """
    row = decode_line(line)
    if isinstance(row, Withdrawal):
        raise CorpusError("a withdrawal in place of a row")
    return row
