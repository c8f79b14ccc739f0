"""Keep what a page became as a line of JSON with a checksum: a row, or the withdrawal of one."""

import zlib
from dataclasses import dataclass, replace

import msgspec

from newscorpus.data import Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.page.records import current

Fetch = tuple[str, str]
"""Name of the portal and time (ISO 8601) of the fetch of a page."""


@dataclass(frozen=True, slots=True)
class Row:
    """An accepted record as it was extracted: what `process_page` returns and the intake holds."""

    record: Record
    signature: bytes  # of its text; base64 in the file
    recipe: str = ""  # version of the recipe that made it; "" where unknown
    page: str = ""  # address of the page, where the record has another; else ""
    reextraction: int = 0  # how often the page had been extracted again; of the rows of one fetch the highest counts

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
    """A page that, extracted again, is no document, or another; its line is a rejection with more keys."""

    withdrawn: str  # id of the document that an earlier row made of the page; "" for none
    stage: str
    reason: str
    detail: str
    url: str
    excerpt: str
    source: str  # name of the portal
    fetched: str  # when the page was fetched
    recipe: str  # version of the recipe
    reextraction: int  # how often the page had been extracted again

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
        """Why the page is not that document."""
        return Rejected(self.stage, self.reason, self.detail, self.url, self.excerpt)


ROWS = msgspec.json.Decoder(Row)
WITHDRAWALS = msgspec.json.Decoder(Withdrawal)
WITHDRAWN = b'{"withdrawn":'
"""How the line of a withdrawal begins."""

CHECKSUM = "crc32"
"""Key of the checksum: CRC-32 (ISO 3309) of the line without the key, as 8 hex digits; 2 microseconds a row of 5 kB."""
SEAL_BYTES = len(',"crc32":"00000000"}')


def encode_row(row: Row | Withdrawal) -> bytes:
    """Encode a row or a withdrawal as a line of a segment."""
    return sealed(row)


def sealed(value: object) -> bytes:
    """Encode a value as one line of JSON, with its checksum and its newline."""
    line = msgspec.json.encode(value)
    return line[:-1] + _seal(line) + b"\n"


def _seal(line: bytes) -> bytes:
    return b',"%s":"%08x"}' % (CHECKSUM.encode(), zlib.crc32(line))


def refuse_altered(line: bytes) -> None:
    """Refuse a line whose checksum is missing or is another."""
    if line[-SEAL_BYTES:] != _seal(line[:-SEAL_BYTES] + b"}"):
        raise CorpusError("altered since it was written, by its checksum")


def decode_line(line: bytes) -> Row | Withdrawal:
    """Decode a line, of whatever schema, to a row or a withdrawal.

    Raises:
        CorpusError: the line is neither, of a later schema, or not what its checksum says.
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
        CorpusError: the line is none, or of a later schema.
    """
    row = decode_line(line)
    if isinstance(row, Withdrawal):
        raise CorpusError("a withdrawal in place of a row")
    return row
