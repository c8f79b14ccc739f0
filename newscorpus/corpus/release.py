"""Freeze versions of a corpus, and compare two versions.

`releases/TAG/` holds a copy of the manifest and the card, `release.json`, and lists of the rows that were added,
changed and removed since the previous release (ids and hashes), so that the rows of a release follow from its lists and
those before it. Texts are not stored; the manifest names the shards by their hashes. Memory: some 0.2 kB per document.
"""

import logging
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import msgspec

from newscorpus.corpus.duplicates.store import digest
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replace_file, replacing, sync_folder
from newscorpus.layout import BUILD_LOCK, CARD, MANIFEST, RELEASES
from newscorpus.lines import encode_indented, encode_line, read_lines, write_lines
from newscorpus.page.records import encode

logger = logging.getLogger(__name__)

TAG = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")
NOTE = "release.json"
KINDS = ("added", "changed", "removed")
SUFFIX = ".jsonl.zst"

Rows = Mapping[str, str]
"""Hashes of rows, in hex, by id."""

Version = tuple[Rows, int]
"""Rows of a version that its lists still name, and its number of documents."""


@dataclass(frozen=True, slots=True)
class ReleaseNote:
    """The content of `release.json`."""

    tag: str
    number: int  # from 1
    released: str  # time, ISO 8601
    previous: str  # tag of the previous release; "" for the first
    generation: str  # of the corpus
    documents: int
    added: int  # rows since the previous release
    changed: int
    removed: int
    taken_out: int = 0  # rows erased by `newscorpus remove`, which no list names any more


class ListedRow(msgspec.Struct, frozen=True):
    """A line of a list."""

    id: str
    row: str  # hash in hex; of a removed row, its last hash


NOTES = msgspec.json.Decoder(ReleaseNote)
LISTED = msgspec.json.Decoder(ListedRow)


@dataclass(frozen=True, slots=True)
class RowChanges:
    """The differences between two versions, by id."""

    added: Rows
    changed: Rows  # new hashes
    removed: Rows  # old hashes
    taken_out: int = 0  # rows of one version that `newscorpus remove` erased, which no list names any more


def release(corpus: Path, tag: str) -> ReleaseNote:
    """Freeze the published corpus as a version.

    Raises:
        CorpusError: the tag is invalid or taken, nothing is published, or a build is running.
    """
    if not TAG.fullmatch(tag):
        raise CorpusError(f"{tag!r} is no tag: letters, digits, '.', '_' and '-', a letter or a digit first")
    folder = corpus / RELEASES / tag
    with exclusive(corpus / BUILD_LOCK):
        if folder.exists():
            raise CorpusError(f"{folder}: there is such a release already")
        published, before = open_corpus(corpus), releases(corpus)
        changes = _compare(_version(corpus / RELEASES, before), _read_version(published.records()))
        note = ReleaseNote(
            tag,
            len(before) + 1,
            datetime.now(UTC).isoformat(timespec="seconds"),
            before[-1].tag if before else "",
            published.manifest.generation,
            published.manifest.documents,
            len(changes.added),
            len(changes.changed),
            len(changes.removed),
            changes.taken_out,
        )
        unfinished = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for name in (MANIFEST, CARD):
            replace_file(unfinished / name, (published.folder / name).read_bytes())
        for kind in KINDS:
            rows = sorted(getattr(changes, kind).items())
            _write_list(unfinished / f"{kind}{SUFFIX}", (ListedRow(*row) for row in rows))
        replace_file(unfinished / NOTE, encode_indented(note))
        unfinished.rename(folder)
        sync_folder(folder.parent)
    return note


def releases(corpus: Path) -> list[ReleaseNote]:
    """Return the releases of a corpus, oldest first.

    Raises:
        CorpusError: one is damaged.
    """
    found = [_note(path.parent) for path in (corpus / RELEASES).glob(f"[!.]*/{NOTE}")]
    return sorted(found, key=lambda note: note.number)


def diff(old: str, new: str, corpus: Path | None = None) -> RowChanges:
    """Compare two versions, each a tag of `corpus`, the folder of a release, or the folder of a corpus.

    Raises:
        CorpusError: a version is none of these, or is damaged.
    """
    return _compare(*(find_version(name, corpus) for name in (old, new)))


def _compare(old: Version, new: Version) -> RowChanges:
    (before, n_before), (after, n_after) = old, new
    return RowChanges(
        {name: row for name, row in after.items() if name not in before},
        {name: row for name, row in after.items() if before.get(name, row) != row},
        {name: row for name, row in before.items() if name not in after},
        abs(n_before - len(before) - (n_after - len(after))),
    )


def _read_version(records: Iterable[Record]) -> Version:
    rows = {record.id: digest(encode(record)).hex() for record in records}
    return rows, len(rows)


def forget_rows(corpus: Path, documents: Collection[str]) -> None:
    """Remove documents from the lists of all releases; a damaged list is deleted, because it may name them."""
    gone = frozenset(documents)
    for path in sorted((corpus / RELEASES).glob(f"*/*{SUFFIX}")):
        try:
            lines = list(_listed(path))
        except CorpusError as error:
            if isinstance(error.__cause__, OSError):  # it may be whole
                raise
            logger.warning("%s: damaged, and removed, since it may name what is taken out", path)
            path.unlink()
            continue
        left = [line for line in lines if line.id not in gone]
        if len(left) < len(lines):
            _write_list(path, left)


def find_version(name: str, corpus: Path | None = None) -> Version:
    """Find a version, as for `diff`."""
    tagged = corpus / RELEASES / name if corpus and TAG.fullmatch(name) else None
    folder = tagged if tagged and tagged.is_dir() else Path(name)
    if not folder.is_dir():
        tags = ", ".join(note.tag for note in releases(corpus)) if corpus else ""
        where = f" of {corpus}, which has {tags or 'none'}" if corpus else "; a tag needs --corpus"
        raise CorpusError(f"{name}: neither a folder nor a release{where}")
    if not (folder / NOTE).is_file():
        return _read_version(open_corpus(folder).records())
    number = _note(folder).number
    return _version(folder.parent, [one for one in releases(folder.parent.parent) if one.number <= number])


def _version(folder: Path, notes: Iterable[ReleaseNote]) -> Version:
    """Compute the last of some consecutive releases, which begin with the first."""
    rows: dict[str, str] = {}
    documents = 0
    for note in notes:
        documents = note.documents
        added, changed, removed = (_listed(folder / note.tag / f"{kind}{SUFFIX}") for kind in KINDS)
        rows |= {line.id: line.row for line in chain(added, changed)}
        for line in removed:
            rows.pop(line.id, None)
    return rows, documents


def _listed(path: Path) -> Iterator[ListedRow]:
    try:
        yield from map(LISTED.decode, read_lines(path))
    except (CorpusError, msgspec.DecodeError) as error:
        where = "" if isinstance(error, CorpusError) else f"{path}: "
        message = f"{where}{error}; remove {path.parent}, and later releases can be made"
        raise CorpusError(message) from (error.__cause__ or error)


def _note(folder: Path) -> ReleaseNote:
    try:
        return NOTES.decode((folder / NOTE).read_bytes())
    except msgspec.DecodeError as error:
        raise CorpusError(f"{folder / NOTE}: {error}") from error


def _write_list(path: Path, lines: Iterable[ListedRow]) -> None:
    with replacing(path) as file:
        write_lines(file, map(encode_line, lines), path.suffix)
