"""The intake: every accepted article as it came, with its signature, in segments that only grow.

A segment `intake/000001.jsonl` is what one run wrote: a first line with the schema and the signature's parameters, then
a line for each record. A run never appends to the segment of another, so that a line torn by a dying process stays
the last of its file.

The journal of rejections, `CORPUS/rejected.jsonl`: what did not become a document, and why.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from newscorpus.config import SignatureParameters
from newscorpus.corpus.lines import complete_lines, decoded_lines, encode_line, is_torn, writable
from newscorpus.corpus.records import check_schema, current
from newscorpus.data import SCHEMA, Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.files import sync, sync_folder
from newscorpus.layout import INTAKE_SEGMENT

SIGNATURE_VALUE_BYTES = 4

Fetch = tuple[str, str]
"""Name of the portal and time (ISO 8601) of the fetch of a page."""


@dataclass(frozen=True, slots=True)
class Header:
    """First line of a segment."""

    schema: int
    signature: SignatureParameters


@dataclass(frozen=True, slots=True)
class Row:
    """An accepted record with the signature of its text (base64 in the file).

    Attributes:
        record: as it came.
        signature: of its text.
        recipe: version of the recipe that made it; "" where unknown.
        page: address of the page, where the record has another; else "".
        reextraction: how often the page had been extracted again; of the rows of one fetch the highest counts.
    """

    record: Record
    signature: bytes
    recipe: str = ""
    page: str = ""
    reextraction: int = 0

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
    """A page that is no document, or another one, when it is extracted again; its line is a rejection with more keys.

    Attributes:
        withdrawn: id of the document that an earlier row made of the page; "" for none.
        stage: of the rejection.
        reason: of the rejection.
        detail: of the rejection.
        url: address of the page.
        excerpt: of the rejection.
        source: name of the portal.
        fetched: when the page was fetched.
        recipe: version of the recipe.
        reextraction: how often the page had been extracted again.
    """

    withdrawn: str
    stage: str
    reason: str
    detail: str
    url: str
    excerpt: str
    source: str
    fetched: str
    recipe: str
    reextraction: int

    @property
    def fetch(self) -> Fetch:
        """Source and time of the fetch of the page."""
        return self.source, self.fetched

    @property
    def document(self) -> str:
        """Id of the document that is withdrawn; "" for none."""
        return self.withdrawn


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row lies: segment, and offset and length of its line in bytes."""

    segment: Path
    offset: int
    length: int


def encode_header(parameters: SignatureParameters) -> bytes:
    """The first line of a segment."""
    return encode_line(Header(SCHEMA, parameters))


def decode_row(line: bytes) -> Row:
    """The row of a line, of whatever schema.

    Raises:
        CorpusError: the line is no row, or one of a later schema.
    """
    try:
        row = ROWS.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(str(error)) from error
    return replace(row, record=current(row.record))


HEADERS = msgspec.json.Decoder(Header)
ROWS = msgspec.json.Decoder(Row)
WITHDRAWALS = msgspec.json.Decoder(Withdrawal)
WITHDRAWN = b'{"withdrawn":'
"""How the line of a withdrawal begins."""


class IntakeWriter:
    """Appends rows to a segment of its own, which it creates with the first of them.

    Args:
        folder: `CORPUS/intake`; made where it is missing.
        parameters: how the signatures are made.
    """

    def __init__(self, folder: Path, parameters: SignatureParameters) -> None:
        self._folder = folder
        self._parameters = parameters
        self._file: BinaryIO | None = None

    def append(self, record: Record, signature: bytes) -> None:
        """Add a row; it is safe after the next `commit`."""
        if self._file is None:
            self._file = _new_segment(self._folder, self._parameters)
        self._file.write(encode_line(Row(record, signature)))

    def commit(self) -> None:
        """Bring all rows to the disk."""
        if self._file is not None:
            sync(self._file)

    def close(self) -> None:
        """Commit and close the segment; the next row would open another."""
        if self._file is not None:
            self.commit()
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def segments(folder: Path) -> list[Path]:
    """The segments of an intake, oldest first.

    Raises:
        CorpusError: there is no such folder.
    """
    if not folder.is_dir():
        raise CorpusError(f"{folder}: no intake here; crawl into this corpus first")
    return sorted(folder.glob("*.jsonl"))


def torn_segments(folder: Path) -> list[Path]:
    """The segments whose last line was cut off by the death of their writer; that line is not read."""
    return [segment for segment in segments(folder) if is_torn(segment)]


def read_intake(
    folder: Path, parameters: SignatureParameters, after: Mapping[str, int] | None = None
) -> Iterator[tuple[Place, Row | Withdrawal]]:
    """All lines, segment by segment.

    Args:
        folder: `CORPUS/intake`.
        parameters: how the signatures must have been made.
        after: by name of a segment the end of the last row that is not wanted, in bytes.

    Raises:
        CorpusError: the folder is missing, a line is damaged, or a segment was signed with other parameters.
    """
    for segment in segments(folder):
        yield from _read_segment(segment, parameters, (after or {}).get(segment.name, 0))


def read_row(place: Place) -> Row:
    """The row at a place that `read_intake` gave."""
    with place.segment.open("rb") as file:
        file.seek(place.offset)
        return decode_row(file.read(place.length))


def _new_segment(folder: Path, parameters: SignatureParameters) -> BinaryIO:
    """Create the segment after the last one, with its header."""
    folder.mkdir(parents=True, exist_ok=True)
    number = max((int(path.stem) for path in segments(folder) if path.stem.isdecimal()), default=0) + 1
    file = (folder / Path(INTAKE_SEGMENT.format(number)).name).open("xb")
    file.write(encode_header(parameters))
    sync_folder(folder)
    return file


def _read_segment(
    segment: Path, parameters: SignatureParameters, after: int
) -> Iterator[tuple[Place, Row | Withdrawal]]:
    """The lines of one segment that begin at `after` or later."""
    for offset, line in _header_and_rows(segment, after):
        try:
            if offset == 0:
                _check_header(HEADERS.decode(line), parameters)
            else:
                yield Place(segment, offset, len(line)), _decode_row(line, parameters)
        except (msgspec.DecodeError, UnicodeDecodeError, CorpusError) as error:
            raise CorpusError(f"{segment}, line {_line_number(segment, offset)}: {error}") from error


def _header_and_rows(segment: Path, after: int) -> Iterator[tuple[int, bytes]]:
    """The first line of a segment, and those that begin at `after` or later."""
    yield from islice(complete_lines(segment), 1 if after else None)
    if after:
        yield from complete_lines(segment, after)


def _line_number(path: Path, offset: int) -> int:
    """Number of the line that begins at `offset`."""
    with path.open("rb") as file:
        return file.read(offset).count(b"\n") + 1


def _decode_row(line: bytes, parameters: SignatureParameters) -> Row | Withdrawal:
    if line.startswith(WITHDRAWN):
        return WITHDRAWALS.decode(line)
    row = decode_row(line)
    if len(row.signature) != SIGNATURE_VALUE_BYTES * parameters.permutations:
        raise CorpusError(f"a signature of {len(row.signature)} bytes")
    return row


def _check_header(header: Header, parameters: SignatureParameters) -> None:
    """Refuse a segment of a later schema or with signatures that do not compare with ours."""
    check_schema(header.schema)
    stored, ours = asdict(header.signature), asdict(parameters)
    if stored != ours:
        names = [name for name in ours if stored[name] != ours[name]]
        described = ", ".join(f"{name} {stored[name]!r} instead of {ours[name]!r}" for name in names)
        raise CorpusError(f"signed with other parameters: {described}")


REJECTIONS = msgspec.json.Decoder(Rejected)


def journal_line(rejected: Rejected) -> bytes:
    """A rejection as a line of the journal."""
    return encode_line(writable(rejected))


def read_journal(path: Path) -> Iterator[Rejected]:
    """The rejections of a journal, oldest first; a torn last line is left out.

    Raises:
        CorpusError: a line is damaged.
    """
    return decoded_lines(path, REJECTIONS)
