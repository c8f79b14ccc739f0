"""Sketch texts so that they can be compared without reading them again, and store the sketches in an index on disk.

An index consists of append-only columns that are committed atomically and read through memory maps. `index.json` holds
the committed length of each column and the parameters of the sketches. The next writer cuts off bytes beyond the
committed length, so a writer that dies leaves the index at its last commit.
"""

import hashlib
import itertools
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.errors import CorpusError, DamagedIndexError
from newscorpus.files import extend, replace_file, sync
from newscorpus.layout import INTAKE
from newscorpus.page.signature import (
    CONTENT_BYTES,
    HALF,
    STORED,
    content_hash,
    hash_parts,
    hash_runs,
    read_words,
    sign_words,
    stack,
)

DIGEST_BYTES = 8

T = TypeVar("T")
STATE = "index.json"
KEPT = "kept"
"""File of one boolean per document: whether it survived deduplication."""
ROWS = "rows"
"""File of the compressed rows, in an index that does not lie beside an intake."""
VERIFIED = "verified"
"""File of the cached comparisons of texts."""

VERSION = 10
"""Version of the columns."""

COPIED = [
    ("content", f"S{CONTENT_BYTES}"),
    ("digest", f"S{DIGEST_BYTES}"),
    ("published", "<f8"),
    ("fetched", "<f8"),
    ("offset", "<u8"),
    ("length", "<u4"),
    ("file", "<u4"),
    ("space", "<u4"),
    ("page", "<u8"),
    ("n_words", "<u4"),
    ("reextraction", "<u4"),
    ("withdrawn", "?"),
    ("confidence", "<f8"),
    ("is_doubtful", "?"),
    ("is_list", "?"),
    ("url_length", "<u4"),
]
"""Fields copied from attributes of `Sketch` of the same name."""

DOCUMENT = np.dtype([*COPIED, ("source", "<u4"), ("n_runs", "<u4"), ("n_paragraphs", "<u2"), ("id_bytes", "<u2")])
"""A document: `source` indexes the sources of the index; the last three are lengths in the variable-length columns."""

COLUMNS = {
    "documents": DOCUMENT,
    "signatures": STORED,
    "runs": STORED,
    "paragraphs": STORED,
    "ids": np.dtype("u1"),
}
COUNTED = {"runs": "n_runs", "paragraphs": "n_paragraphs", "ids": "id_bytes"}
"""The variable-length columns, each with the field of `DOCUMENT` that holds its length."""

MAX_ID_BYTES = MAX_PARAGRAPHS = np.iinfo("<u2").max

TEXTS_AT_ONCE = 100
"""Texts hashed together, in some 10 MB."""

Layout = Mapping[str, Any]
"""The parameters that sketches depend on; an index made with different ones is refused."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A document without its text."""

    id: str  # equal for all revisions of a document
    source: str  # name of the portal, or ""
    content: bytes  # hash of the words; equal for exact duplicates
    signature: bytes  # MinHash signature, made by `signature.sign`
    runs: NDArray[np.uint32]  # hashes of sampled word n-grams, sorted, for finding excerpts
    paragraphs: NDArray[np.uint32]  # hashes of the paragraphs, in order
    n_words: int  # words of the text
    published: float = math.nan  # seconds since the epoch; NaN if unknown
    fetched: float = math.nan  # seconds since the epoch; NaN if unknown
    digest: bytes = b""  # hash (8 bytes) of the stored row, so that ties never depend on the order of arrival
    page: int = 0  # id of the page it was extracted from, if that differs from the document's id; else 0
    space: int = 0  # namespace of the id; equal ids in two namespaces are two documents
    file: int = 0  # index of the file that holds the row, in `IndexState.covered`
    offset: int = 0  # of the row in that file, in bytes
    length: int = 0  # of the row, in bytes
    reextraction: int = 0  # number of the re-extraction; of the rows of one fetch only the highest counts
    withdrawn: bool = False  # that re-extraction gave no document
    confidence: float = 0.0  # of the extractor in the text, 0..1; 0 if not stated
    is_doubtful: bool = False  # the confidence is below the extractor's threshold
    is_list: bool = False  # the address is that of a listing page
    url_length: int = 0  # characters of the address


def make_sketches(given: Sequence[tuple[str, str, str, bytes]], config: BuildConfig) -> Iterator[Sketch]:
    """Sketch texts of one paragraph a line; the caller sets the attributes that have defaults.

    `given` are id, source, text and signature of each; an empty signature is made here. The texts are hashed together,
    in a fifth of the time of one by one.
    """
    for some in grouped(given, TEXTS_AT_ONCE):
        words, ends = read_words("\n".join(text for _, _, text, _ in some))
        bounds = np.append(0, ends[np.cumsum([text.count("\n") + 1 for _, _, text, _ in some]) - 1])
        runs, paragraphs = _sample_runs(words, bounds, config), _hash_paragraphs(words, ends, bounds, config)
        for number, (start, end) in enumerate(itertools.pairwise(bounds.tolist())):
            name, source, _, signature = some[number]
            yield Sketch(
                id=name,
                source=source,
                content=content_hash(words[start:end]),
                signature=signature or sign_words(words[start:end], config.signature),
                runs=runs[number],
                paragraphs=paragraphs[number],
                n_words=end - start,
            )


def _sample_runs(words: NDArray[np.uint64], bounds: NDArray[np.int64], config: BuildConfig) -> list[NDArray[np.uint32]]:
    """Sample the n-grams of each text by value, not by place (Manber 1994)."""
    size, one_of = config.duplicates.excerpt_words, np.uint64(config.duplicates.excerpt_sample)
    runs, owners = hash_runs(words, size), np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    starts = np.flatnonzero(runs % one_of == 0)
    starts = starts[starts + size <= bounds[owners[starts] + 1]]
    found = [owners[starts].astype(np.uint64) << HALF | runs[starts] >> HALF]
    for short in np.flatnonzero((np.diff(bounds) < size) & (np.diff(bounds) > 0)):
        whole = hash_runs(words[bounds[short] : bounds[short + 1]], size)
        found.append(np.uint64(short) << HALF | whole[whole % one_of == 0] >> HALF)
    values = np.unique(np.concatenate(found))
    return np.split(values.astype(np.uint32), np.searchsorted(values >> HALF, np.arange(1, len(bounds) - 1)))


def _hash_paragraphs(
    words: NDArray[np.uint64], ends: NDArray[np.int64], bounds: NDArray[np.int64], config: BuildConfig
) -> list[NDArray[np.uint32]]:
    """Hash the paragraphs of each text that are long enough to count as boilerplate."""
    sizes = np.diff(ends, prepend=0)
    is_counted = sizes[sizes > 0] >= config.duplicates.boilerplate_words
    hashes = (hash_parts(words, ends[sizes > 0]) >> HALF)[is_counted].astype(np.uint32)
    return np.split(hashes, np.searchsorted(ends[sizes > 0][is_counted], bounds[1:-1], "right"))


def digest(stored: bytes) -> bytes:
    """Hash (8 bytes) of a stored row."""
    return hashlib.blake2b(stored, digest_size=DIGEST_BYTES).digest()


def layout_of(config: BuildConfig) -> Layout:
    """Return the layout of an index made with this configuration."""
    duplicates = asdict(config.duplicates)
    named = ("excerpt_words", "excerpt_sample", "boilerplate_words")
    return {**asdict(config.signature), **{name: duplicates[name] for name in named}}


@dataclass(frozen=True, slots=True)
class Covered:
    """A file whose rows are in the index."""

    name: str
    size: int  # how much of it is indexed: bytes of an intake segment, lines of an input file
    check: str  # fingerprint of the indexed part, which shows whether the file has changed
    whole: bool = False  # all of it is indexed


@dataclass(frozen=True, slots=True)
class IndexState:
    """The committed state of an index; the content of `index.json`."""

    layout: Layout
    sizes: Mapping[str, int]  # bytes of each column
    sources: tuple[str, ...] = ()  # names
    covered: tuple[Covered, ...] = ()
    version: int = 1  # of the columns
    checksums: Mapping[str, int] = field(default_factory=dict)  # CRC-32 of each column, and of the rest of the state

    def own_checksum(self) -> int:
        """Return the CRC-32 of the state without its own."""
        others = {name: value for name, value in self.checksums.items() if name != STATE}
        return zlib.crc32(msgspec.json.encode(replace(self, checksums=others)))


class Store:
    """An index in a folder, at its last commit.

    Raises:
        CorpusError: it is damaged.
    """

    def __init__(self, folder: Path, state: IndexState) -> None:
        self.folder = folder
        self.state = state
        self.checked: set[str] = set()  # columns whose checksums were compared
        for name, size in state.sizes.items():
            path = folder / name
            if (path.stat().st_size if path.exists() else 0) < size:
                raise DamagedIndexError(f"{path}: shorter than committed; remove {folder}, and it is made anew")

    @classmethod
    def open(cls, folder: Path, layout: Layout) -> Self:
        """Open the index in a folder.

        Raises:
            CorpusError: it is missing, damaged, of an earlier version, or made with different parameters.
        """
        store = cls.existing(folder, layout)
        if store is not None:
            return store
        raise CorpusError(f"{folder / STATE}: missing, or made by an earlier version; build that corpus again")

    @classmethod
    def existing(cls, folder: Path, layout: Layout) -> Self | None:
        """Open the index in a folder; None if it is missing or of an earlier version.

        Raises:
            CorpusError: it is damaged or was made with different parameters.
        """
        path = folder / STATE
        if not path.exists():
            return None
        try:
            state = msgspec.json.decode(path.read_bytes(), type=IndexState)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DamagedIndexError(f"{path}: {error}; remove {folder}, and it is made anew") from error
        if state.version < VERSION:
            return None
        if state.checksums.get(STATE) != state.own_checksum():
            raise DamagedIndexError(f"{path}: damaged; remove {folder}, and it is made anew")
        stored = state.layout
        others = [
            f"{name} {stored.get(name)!r} instead of {ours!r}"
            for name, ours in layout.items()
            if stored.get(name) != ours
        ]
        if others:
            raise CorpusError(f"{path}: made with other parameters: {', '.join(others)}")
        return cls(folder, state)

    @classmethod
    def create(cls, folder: Path, layout: Layout) -> Self:
        """Create an empty index in a folder; an existing index is deleted."""
        folder.mkdir(parents=True, exist_ok=True)
        store = cls(folder, IndexState(layout, dict.fromkeys(COLUMNS, 0), version=VERSION))
        for name in (STATE, *COLUMNS, KEPT, ROWS, VERIFIED):  # the state first: without it there is no index
            (folder / name).unlink(missing_ok=True)
        store._commit()
        return store

    def __len__(self) -> int:
        return self.state.sizes["documents"] // DOCUMENT.itemsize

    def append(self, sketches: Sequence[Sketch], covered: Sequence[Covered]) -> "Store":
        """Add sketches and commit them; `covered` are all files that are in the index afterwards.

        Raises:
            OSError: the disk is full; the index is unchanged.
            CorpusError: an id is too long.
        """
        sources = {name: number for number, name in enumerate(self.state.sources)}
        for sketch in sketches:
            sources.setdefault(sketch.source, len(sources))
        ids = [sketch.id.encode() for sketch in sketches]
        if longest := max((name for name in ids if len(name) > MAX_ID_BYTES), key=len, default=b""):
            raise CorpusError(
                f"an id of {len(longest)} bytes, which begins {longest[:40].decode()!r}; {MAX_ID_BYTES} are allowed"
            )
        paragraphs = [sketch.paragraphs[:MAX_PARAGRAPHS] for sketch in sketches]
        documents = np.empty(len(sketches), DOCUMENT)
        for name, _ in COPIED:
            documents[name] = [getattr(sketch, name) for sketch in sketches]
        documents["source"] = [sources[sketch.source] for sketch in sketches]
        documents["n_runs"] = [len(sketch.runs) for sketch in sketches]
        documents["n_paragraphs"] = list(map(len, paragraphs))
        documents["id_bytes"] = list(map(len, ids))
        signatures = stack([sketch.signature for sketch in sketches], self.state.layout["permutations"])
        columns = {
            "documents": documents.tobytes(),
            "signatures": signatures.tobytes(),
            "runs": b"".join(sketch.runs.astype("<u4").tobytes() for sketch in sketches),
            "paragraphs": b"".join(hashes.astype("<u4").tobytes() for hashes in paragraphs),
            "ids": b"".join(ids),
        }
        return self._extended(columns, tuple(sources), covered)

    def append_index(self, other: "Store", file: int, covered: Sequence[Covered]) -> "Store":
        """Add all documents of another index of the same layout, whose rows all lie in one file, and commit them.

        Args:
            other: the index.
            file: index of that file in `covered`.
            covered: as for `append`.
        """
        sources = {
            name: number for number, name in enumerate(dict.fromkeys((*self.state.sources, *other.state.sources)))
        }
        documents = other.documents.copy()
        documents["source"] = np.array([sources[name] for name in other.state.sources], "<u4")[documents["source"]]
        documents["file"] = file
        columns = {name: other.column(name).tobytes() for name in COLUMNS} | {"documents": documents.tobytes()}
        return self._extended(columns, tuple(sources), covered)

    def _extended(self, columns: Mapping[str, bytes], sources: tuple[str, ...], covered: Sequence[Covered]) -> "Store":
        sizes = {name: append_bytes(self.folder / name, self.state.sizes[name], columns[name]) for name in COLUMNS}
        checksums = {name: zlib.crc32(columns[name], self.state.checksums.get(name, 0)) for name in COLUMNS}
        longer = Store(self.folder, IndexState(self.state.layout, sizes, sources, tuple(covered), VERSION, checksums))
        longer.checked |= self.checked
        longer._commit()
        return longer

    def _commit(self) -> None:
        """Write the state, with its checksum."""
        state = self.state
        checked = replace(state, checksums={**state.checksums, STATE: state.own_checksum()})
        replace_file(self.folder / STATE, msgspec.json.encode(checked))

    def column(self, name: str) -> NDArray[Any]:
        """Map a column into memory, verified by its checksum: one dimension, read-only.

        A changed byte would change which documents are published.

        Raises:
            DamagedIndexError: it is not what was committed.
        """
        dtype = COLUMNS[name]
        length = self.state.sizes[name] // dtype.itemsize
        column = np.memmap(self.folder / name, dtype, "r", shape=length) if length else np.empty(0, dtype)
        if name not in self.checked and zlib.crc32(column.data) != self.state.checksums.get(name, 0):
            raise DamagedIndexError(f"{self.folder / name}: damaged; remove {self.folder}, and it is made anew")
        self.checked.add(name)
        return column

    @cached_property
    def documents(self) -> NDArray[np.void]:
        """The documents, of dtype `DOCUMENT`."""
        return np.asarray(self.column("documents"))

    @cached_property
    def signatures(self) -> NDArray[np.uint32]:
        """Shape (documents, permutations)."""
        return self.column("signatures").reshape(len(self), self.state.layout["permutations"])

    @cached_property
    def ids(self) -> list[str]:
        """The id of each document."""
        ends = np.cumsum(self.documents["id_bytes"], dtype=np.int64).tolist()
        blob = self.column("ids").tobytes()
        return [blob[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]

    @cached_property
    def files(self) -> list[Path]:
        """The segments of the intake beside the index that hold the rows."""
        return [self.folder.parent / INTAKE / covered.name for covered in self.state.covered]

    @cached_property
    def rows(self) -> Path | None:
        """The file of the rows, if there is one."""
        path = self.folder / ROWS
        return path if path.exists() else None

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which documents survived the last deduplication.

        Raises:
            CorpusError: documents were added since.
        """
        path = self.folder / KEPT
        kept = np.fromfile(path, bool) if path.exists() else np.empty(0, bool)
        if len(kept) != len(self):
            raise CorpusError(f"{path}: does not belong to the rest of the index; build that corpus again")
        return kept

    def note_kept(self, rows: NDArray[np.int64]) -> None:
        """Store which documents survived, by row."""
        kept = np.zeros(len(self), bool)
        kept[rows] = True
        replace_file(self.folder / KEPT, kept.tobytes())


class Selection(Store):
    """A view of some rows of an index, in ascending order."""

    def __init__(self, store: Store, rows: NDArray[np.int64]) -> None:
        super().__init__(store.folder, store.state)
        self.checked = store.checked
        self._selected = rows

    def __len__(self) -> int:
        return len(self._selected)

    @property
    def kept(self) -> NDArray[np.bool_]:
        """All of them: they were selected."""
        return np.ones(len(self), bool)

    def column(self, name: str) -> NDArray[Any]:
        """Load the selected part of a column."""
        whole = super().column(name)
        if name not in COUNTED:
            rows: NDArray[Any] = whole.reshape(super().__len__(), -1)[self._selected].reshape(-1)
            return rows
        counts = super().column("documents")[COUNTED[name]].astype(np.int64)
        starts = np.cumsum(counts) - counts
        values: NDArray[Any] = whole[spans(starts[self._selected], counts[self._selected])]
        return values


def spans(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices `start` to `start + length - 1` of each span, concatenated."""
    shifts = np.cumsum(lengths) - lengths
    places: NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(starts - shifts, lengths)
    return places


def append_bytes(path: Path, committed: int, data: bytes) -> int:
    """Write `data` after the committed bytes of a file, sync it, and return the new size."""
    path.touch()
    with path.open("r+b", buffering=0) as file:
        size = extend(file, committed, data)
        sync(file)
    return size


def grouped(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`; the last one may be shorter."""
    iterator = iter(items)
    while group := list(itertools.islice(iterator, size)):
        yield group
