"""Keep the files of an archive small, write them as standard WARC files, and take responses out of them.

Only files that no crawl writes to are changed. A new form stands whole beside the old one before the old one goes;
where a process dies in between, the next change finishes that. A response that is taken out is overwritten by one
record that says so and has the same length in the file: a gzip member holds a comment of any length. Doing it once more
writes the same bytes.
"""

import shutil
import struct
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.content_encoding import ContentError, unpack
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, is_held, replacing, sync
from newscorpus.layout import ARCHIVE, CRAWL_LOCK, LEDGER, archived_files, is_adopted
from newscorpus.store.archive.compact import write_compact, write_standard
from newscorpus.store.archive.frames import has_frames, read_closing
from newscorpus.store.archive.read import BESIDE
from newscorpus.store.archive.record import WarcRecord
from newscorpus.store.archive.records import (
    form_here,
    forms,
    open_part,
    part_state,
    read_records,
    unchanging,
    written_bytes,
)
from newscorpus.store.archive.values import NOTE_TYPE, OWN_URN, ArchiveError, ByteRange
from newscorpus.store.archive.write import encode_notice
from newscorpus.store.ledger import Ledger

HEAD = b"\x1f\x8b\x08\x10" + bytes(5) + b"\xff"
"""Of a gzip member with a comment, of no time and no system (RFC 1952)."""

BARE = -15
"""Window bits of deflate without a header."""

Group = Sequence[WarcRecord]
"""The records of one response, itself first."""

Watch = Callable[[Iterable[Path]], Iterable[Path]]
"""Passes files on, to show how far things are."""


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


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """What became of a file of an archive."""

    name: str
    before: int  # bytes
    after: int  # bytes


def compact(corpus: Path, watch: Watch = iter) -> list[ArchiveFile]:
    """Compact the files of an archive that are as the crawl wrote them; gives those that were.

    Raises:
        CorpusError: another change is at work, or a crawl has begun to write to the last file.
        ArchiveError: a file is damaged; those before it are compacted.
        OSError: the disk is full, for one.
    """
    done = []
    with changing(corpus):
        for path in watch([path for path in finished_files(corpus) if path.is_file() and path.stat().st_size]):
            target, before = forms(path)[1], path.stat().st_size
            with ExitStack() as held:
                with replacing(target) as file:
                    write_compact(path, file)
                    # Let no crawl go on with a file that is about to be replaced, if it is the last one, and has this
                    # length.
                    if path == archived_files(corpus)[-1]:
                        held.enter_context(exclusive(corpus / CRAWL_LOCK, "crawl"))
                        if path.stat().st_size != before:
                            raise CorpusError(f"{path}: a crawl has written to it meanwhile; it stays as it is")
                path.unlink()
            done.append(ArchiveFile(path.name, before, target.stat().st_size))
    return done


def write_out(corpus: Path, folder: Path, watch: Watch = iter) -> list[ArchiveFile]:
    """Write all files of an archive to a folder as standard WARC files; the archive stays as it is.

    Raises:
        CorpusError, ArchiveError, OSError: as for `compact`; the folder is that of the archive.
    """
    if folder.resolve() == (corpus / ARCHIVE).resolve():
        raise CorpusError(f"{folder}: the folder of the archive itself; name another one")
    folder.mkdir(parents=True, exist_ok=True)
    done = []
    with changing(corpus):
        for path in watch(archived_files(corpus)):
            target = folder / path.name
            with replacing(target) as file, open_part(path) as source:
                if has_frames(source):
                    write_standard(path, file)
                else:
                    source.seek(0)
                    shutil.copyfileobj(source, file)
            done.append(ArchiveFile(path.name, part_state(path)[0], target.stat().st_size))
    return done


def list_parts(corpus: Path) -> list[ArchiveFile]:
    """List the files of an archive as they lie there: how long each was as the crawl wrote it, and is now."""
    return [
        ArchiveFile(form_here(path).name, written_bytes(path) or 0, part_state(path)[0])
        for path in archived_files(corpus)
    ]


def cut_out(path: Path, gone: Collection[ByteRange], when: str) -> None:
    """Take responses out of a file of an archive that is being changed, in whatever form it lies there.

    Raises:
        ArchiveError, OSError: it cannot be read or written.
    """
    written, compact_form = forms(path)
    if written.is_file():
        for place in gone:
            take_out(written, place, when)
    else:
        with replacing(compact_form) as file:
            write_compact(path, file, gone, when)


@contextmanager
def changing(corpus: Path) -> Iterator[None]:
    """Keep other changes of an archive away, and finish one that was broken off.

    Raises:
        CorpusError: another one is at work.
    """
    with unchanging(corpus):
        for path in (corpus / ARCHIVE).glob(".*.tmp"):
            path.unlink()
        for path in archived_files(corpus):
            # Leave one form of a file of an archive: the newer one, if it holds what the other one does.
            written, compact_form = forms(path)
            if written.is_file() and compact_form.is_file():
                with compact_form.open("rb") as file:
                    closing = read_closing(file)
                is_whole = closing is not None and int(closing.starts[-1, 0]) == written.stat().st_size
                (written if is_whole else compact_form).unlink()
        yield


def finished_files(corpus: Path) -> list[Path]:
    """List the files of an archive that no crawl writes to, without those of others that the corpus uses."""
    files = [path for path in archived_files(corpus) if not is_adopted(corpus, f"{ARCHIVE}/{path.name}")]
    if is_held(corpus / CRAWL_LOCK):
        return files[:-1]
    if (corpus / LEDGER).is_file():
        Ledger.open(corpus).close()  # which cuts off what a crawl that was killed has not committed
    return files
