"""Write the records of a file of an archive again: as frames of zstd, with what its pages have in common as dictionary.

Bodies that came compressed are unpacked first, since nothing could be gained on them; `frames` has the form.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import zstandard
from zstandard import ZstdCompressionDict, ZstdCompressor, ZstdError

from newscorpus.config import Limits
from newscorpus.content_encoding import gunzip
from newscorpus.layout import standard_path
from newscorpus.store.archive.frames import (
    CLOSING_START,
    DICTIONARY_START,
    FOOTER,
    HEAD,
    INDEX_TYPE,
    MARK,
    Frames,
    has_frames,
    read_closing,
)
from newscorpus.store.archive.record import Damage, WarcRecord
from newscorpus.store.archive.records import open_part, read_records
from newscorpus.store.archive.values import ArchiveError, ByteRange
from newscorpus.store.archive.write import TAKEN_OUT, compress_record, encode_bare, encode_notice

LEVEL = 12
"""Of zstd: 19 takes ten times the time for 5 % less (benchmarks/results/compact.md)."""
DICTIONARY_LEVEL = 19

MAX_DICTIONARY_BYTES = 1_000_000
"""A page of news is 100 to 300 kB of markup, most of it the same on every page of the portal: a dictionary of 110 kB,
the usual size, leaves up to three times as much."""
SAMPLED_SHARE = 8
"""Bytes of pages for each byte of a dictionary."""
LEAST_SAMPLES = 8
"""Of fewer responses no dictionary is made."""
SEGMENT_BYTES, MATCH_BYTES = 1024, 8
"""Of the algorithm that chooses what is in a dictionary (COVER, `k` and `d`): markup repeats in long runs."""
DAMAGED = "Damaged."
"""What stands in place of records that cannot be read."""
SEED = 1
"""Of the choice of the sample."""


def write_compact(
    path: Path, file: BinaryIO, gone: Collection[ByteRange] = (), when: str = "", limits: Limits = Limits()
) -> None:
    """Write a file of an archive compacted; places in it stay what they are.

    Args:
        path: the file, in any form.
        file: a new file on the disk, which is read again to see that all is there.
        gone: places of responses that a notice replaces.
        when: time in the notices.
        limits: of pages.

    Raises:
        ArchiveError: the file cannot be read, or is damaged; or it was not written as it is. Where something is cut,
            only damage of the index counts: records that are damaged are replaced, too.
    """
    name = standard_path(path).name
    left = [
        (place, kind)
        for place, kind in _places(path, limits, spoils=not gone)
        if not any(one.offset <= place.offset < one.offset + one.length for one in gone)
    ]
    with open_part(path) as source:
        content = _reader(source, limits)

        def new(place: ByteRange, kind: str = "") -> bytes:
            if kind in {TAKEN_OUT, DAMAGED}:
                return encode_notice(name, place.offset, when, kind)
            return encode_bare(content(place), limits.max_bytes)

        dictionary, packed = train_dictionary([place for place, kind in left if kind == "response"], new)
        whole = sorted([*left, *((place, TAKEN_OUT) for place in gone)], key=lambda one: one[0].offset)
        digest = _write(file, dictionary, packed, ((place.length, new(place, kind)) for place, kind in whole))
    file.flush()
    read_back = hashlib.sha256()
    with Path(file.name).open("rb") as written:
        frames = Frames(written)
        for frame in frames.frames():
            read_back.update(frames.content(frame).read())
    if read_back.digest() != digest:
        raise ArchiveError(f"{file.name}: another content than was written; is the disk in order?")


def write_standard(path: Path, file: BinaryIO, limits: Limits = Limits()) -> None:
    """Write a file of an archive as a standard WARC file, every record a gzip member of its own.

    Raises:
        ArchiveError: the file cannot be read, or is damaged anywhere.
    """
    with open_part(path) as source:
        content = _reader(source, limits)
        places = (place for place, _ in _places(path, limits))
        file.writelines(compress_record(content(place)) for place in places)


def _places(path: Path, limits: Limits, *, spoils: bool = True) -> Iterator[tuple[ByteRange, str]]:
    """List the places of the records of a file, each with its type; damage spoils all, or is listed as `DAMAGED`.

    Raises:
        ArchiveError: the file is damaged, or cannot be read.
    """
    end = 0
    for record in read_records(path, limits.max_bytes):
        why = record.why if isinstance(record, Damage) else record.fault
        place = record.place
        if why and (spoils or not _has_index(path)):
            raise ArchiveError(f"{path}, offset {place.offset}: damaged ({why}); the file stays as it is")
        if place.offset >= end:  # else something ails the file, which is written anew
            yield place, record.kind if isinstance(record, WarcRecord) and not why else DAMAGED
            end = place.offset + place.length


def _has_index(path: Path) -> bool:
    with open_part(path) as file:
        return read_closing(file) is not None


def _reader(source: BinaryIO, limits: Limits) -> Callable[[ByteRange], bytes]:
    """Give what reads the record at a place of an open file, unpacked."""
    most = 2 * limits.max_bytes  # what `_places` lists is shorter, but for headers
    if has_frames(source):
        frames = Frames(source)
        return lambda place: frames.content(next(frames.frames(place.offset))).read(most)

    def member(place: ByteRange) -> bytes:
        source.seek(place.offset)
        return b"".join(gunzip(source.read(place.length), most))

    return member


def train_dictionary(
    places: Sequence[ByteRange], read: Callable[[ByteRange], bytes]
) -> tuple[ZstdCompressionDict | None, bytes]:
    """Make a dictionary of responses from all over a file; gives it, and packed as it stands in the file.

    Gives None and b"" where there are too few responses, or it would gain nothing.
    """
    samples: list[bytes | bytearray | memoryview] = []
    n_bytes = 0
    for number in np.random.default_rng(SEED).permutation(len(places)):
        if n_bytes >= SAMPLED_SHARE * MAX_DICTIONARY_BYTES:
            break
        samples.append(read(places[number])[:MAX_DICTIONARY_BYTES])
        n_bytes += len(samples[-1])
    if len(samples) < LEAST_SAMPLES:
        return None, b""
    size = min(MAX_DICTIONARY_BYTES, n_bytes // SAMPLED_SHARE)
    try:
        made = zstandard.train_dictionary(size, samples, k=SEGMENT_BYTES, d=MATCH_BYTES, level=LEVEL)
    except ZstdError:  # they are too short, or too much alike
        return None, b""
    made.precompute_compress(level=LEVEL)
    packed = ZstdCompressor(level=DICTIONARY_LEVEL, write_checksum=True).compress(made.as_bytes())
    gained = _packed_bytes(samples, None) - _packed_bytes(samples, made)
    pays = gained * len(places) > 2 * len(packed) * len(samples)  # it stands in the file twice
    return (made, packed) if pays else (None, b"")


def _packed_bytes(samples: Iterable[bytes | bytearray | memoryview], dictionary: ZstdCompressionDict | None) -> int:
    packer = ZstdCompressor(level=LEVEL, dict_data=dictionary)
    return sum(len(packer.compress(sample)) for sample in samples)


def _write(
    file: BinaryIO, dictionary: ZstdCompressionDict | None, packed: bytes, records: Iterable[tuple[int, bytes]]
) -> bytes:
    """Write a dictionary and records, each given with its length as the crawl wrote it; gives the hash of these."""
    if packed:
        file.write(HEAD.pack(DICTIONARY_START, len(packed)) + packed)
    packer = ZstdCompressor(level=LEVEL, dict_data=dictionary, write_checksum=True)
    digest, lengths = hashlib.sha256(), []
    for written, record in records:
        digest.update(record)
        lengths += [written, file.write(packer.compress(record))]
    index = ZstdCompressor(write_checksum=True).compress(np.array(lengths, INDEX_TYPE).tobytes())
    content = index + packed + FOOTER.pack(len(index), len(packed), MARK)
    file.write(HEAD.pack(CLOSING_START, len(content)) + content)
    return digest.digest()
