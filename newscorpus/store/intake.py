"""The intake: accepted articles with their signatures, in append-only segments; and the journal of rejections.

Each run writes a new segment `intake/000001.jsonl`: a header with schema and signature parameters, then a line per row,
compressed and with a checksum (`page.rows`). So a line torn by a dying process is always the last of its file. The
journal `rejected.jsonl` has a line per rejected page.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path

import msgspec

from newscorpus.config import BuildConfig, SignatureParameters
from newscorpus.data import SCHEMA, Rejected
from newscorpus.errors import CorpusError
from newscorpus.files import replacing
from newscorpus.lines import complete_lines, decoded_lines, encode_line, is_torn, writable
from newscorpus.page.records import check_schema
from newscorpus.page.rows import Row, Withdrawal, decode_line, decode_row, encode_row, unpacked

SIGNATURE_VALUE_BYTES = 4


@dataclass(frozen=True, slots=True)
class SegmentHeader:
    """First line of a segment."""

    schema: int
    signature: SignatureParameters


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Place of a row: segment, offset and length of its line in bytes."""

    segment: Path
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A damaged line of the intake."""

    segment: Path
    number: int  # of the line, from 1
    offset: int  # of its first byte
    length: int  # bytes, without the newline
    why: str  # one line

    def __str__(self) -> str:
        return f"{self.segment}, line {self.number}: {self.why}"


class OtherSegmentError(CorpusError):
    """A segment is intact, but of another schema or signed with other parameters."""


class DamagedRowError(CorpusError):
    """A row was damaged after it was indexed; the message names the segment."""


HEADERS = msgspec.json.Decoder(SegmentHeader)
REJECTIONS = msgspec.json.Decoder(Rejected)


@contextmanager
def write_segment(path: Path, parameters: SignatureParameters) -> Iterator[Callable[[Row | Withdrawal], object]]:
    """Write a segment with the rows passed to the yielded function; it appears when complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(encode_header(parameters))
        yield lambda row: file.write(encode_row(row))


def encode_header(parameters: SignatureParameters) -> bytes:
    """Encode the first line of a segment."""
    return encode_row(SegmentHeader(SCHEMA, parameters))


def segments(folder: Path) -> list[Path]:
    """List the segments of an intake, oldest first."""
    return sorted(folder.glob("*.jsonl"))


def torn_segments(folder: Path) -> list[Path]:
    """List the segments with a torn last line, which is not read."""
    return [segment for segment in segments(folder) if is_torn(segment)]


def read_intake(
    folder: Path,
    parameters: SignatureParameters,
    after: Mapping[str, int] | None = None,
    damaged: Callable[[DamagedLine], None] | None = None,
) -> Iterator[tuple[RowPlace, Row | Withdrawal]]:
    """Read all lines of `CORPUS/intake`, segment by segment.

    Args:
        folder: the intake.
        parameters: required parameters of the signatures.
        after: offset at which to begin, by name of segment.
        damaged: receives damaged lines, which are then skipped; None: they raise an error.

    Raises:
        CorpusError: a line is damaged, or a segment was signed with other parameters.
    """
    for segment in segments(folder):
        start = (after or {}).get(segment.name, 0)
        header = islice(complete_lines(segment), 1 if start else 0)
        for offset, line in chain(header, complete_lines(segment, start)):
            try:
                if offset == 0:
                    _check_header(line, parameters)
                else:
                    yield RowPlace(segment, offset, len(line)), _checked_row(line, parameters)
            except (msgspec.DecodeError, UnicodeDecodeError, CorpusError) as error:
                with segment.open("rb") as file:
                    number = file.read(offset).count(b"\n") + 1
                found = DamagedLine(segment, number, offset, len(line), str(error))
                if damaged is None or isinstance(error, OtherSegmentError):
                    raise CorpusError(str(found)) from error
                damaged(found)


def count_rows(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Count the page fetches with an intact row in an intake, and the words of their first rows, by source."""
    seen: set[int] = set()  # hashes
    kept, words = Counter[str](), Counter[str]()
    for _, row in read_intake(folder, BuildConfig().signature, damaged=lambda _: None):
        if isinstance(row, Row) and (name := hash((row.fetch, row.page or row.record.url))) not in seen:
            seen.add(name)
            kept[row.record.source] += 1
            words[row.record.source] += row.record.n_words
    return {source: (n, words[source]) for source, n in kept.items()}


def read_row(place: RowPlace) -> Row:
    """Read the row at a place from `read_intake`.

    Raises:
        DamagedRowError: it was altered since.
    """
    try:
        with place.segment.open("rb") as file:
            file.seek(place.offset)
            return decode_row(file.read(place.length))
    except CorpusError as error:
        raise DamagedRowError(f"{place.segment}, at offset {place.offset}: {error}") from error


def _checked_row(line: bytes, parameters: SignatureParameters) -> Row | Withdrawal:
    row = decode_line(line)
    if isinstance(row, Row) and len(row.signature) != SIGNATURE_VALUE_BYTES * parameters.permutations:
        raise CorpusError(f"a signature of {len(row.signature)} bytes")
    return row


def _check_header(line: bytes, parameters: SignatureParameters) -> None:
    """Refuse a segment of another schema or with other signature parameters."""
    header = HEADERS.decode(unpacked(line))
    stored, ours = asdict(header.signature), asdict(parameters)
    others = [f"{name} {stored[name]!r} instead of {ours[name]!r}" for name in ours if stored[name] != ours[name]]
    try:
        check_schema(header.schema)
    except CorpusError as error:
        raise OtherSegmentError(str(error)) from error
    if others:
        raise OtherSegmentError(f"signed with other parameters: {', '.join(others)}")


def journal_line(rejected: Rejected) -> bytes:
    """Encode a rejection as a line of the journal."""
    return encode_line(writable(rejected))


def read_journal(path: Path) -> Iterator[Rejected]:
    """Read the rejections of a journal, oldest first; a torn last line is left out.

    Raises:
        CorpusError: a line is damaged.
    """
    return decoded_lines(path, REJECTIONS)
