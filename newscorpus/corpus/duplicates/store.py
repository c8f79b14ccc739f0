"""Sketch texts, to compare them without reading them again, and keep the sketches on disk.

They lie in columns that only grow, committed at one stroke and read through memory maps. `index.json` says how long
each column is and what it was made with; what lies behind that length was never committed, and is cut off by the next
writer. So a writer that dies at any moment leaves the index as it was at its last commit.
"""

import hashlib
import itertools
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.verify import VERIFIED
from newscorpus.errors import DedupError
from newscorpus.files import extend, replacing, sync
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
ROWS = "rows"
"""Files beside the columns: which documents stay, and, where the index does not lie beside an intake, their rows."""

VERSION = 7
"""Of the columns."""

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
]
"""Of a document what its sketch holds under the same name."""

DOCUMENT = np.dtype([*COPIED, ("source", "<u4"), ("n_runs", "<u4"), ("n_paragraphs", "<u2"), ("id_bytes", "<u2")])
"""What is known of a document; `source` counts the index's sources, and the last three say how much is its in the
columns of variable length."""

COLUMNS = {
    "documents": DOCUMENT,
    "signatures": STORED,
    "runs": STORED,
    "paragraphs": STORED,
    "ids": np.dtype("u1"),
}
CHECKED = ("documents", "ids")
"""Columns whose checksums are compared when they are read: a changed byte there would publish other documents."""

COUNTED = {"runs": "n_runs", "paragraphs": "n_paragraphs", "ids": "id_bytes"}
"""The columns of variable length, each with what says in a document how much of it is its."""

MAX_ID_BYTES = MAX_PARAGRAPHS = np.iinfo("<u2").max
Layout = Mapping[str, Any]
"""The parameters that sketches depend on, by name; an index made with others is not read."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is known of a document."""

    id: str  # of the document; equal for all its revisions
    source: str  # who published it: name of a portal, or ""
    content: bytes  # hash of the words; equal for exact duplicates
    signature: bytes  # as `signature.sign` made it
    runs: NDArray[np.uint32]  # sampled runs of words, sorted, for finding excerpts
    paragraphs: NDArray[np.uint32]  # hashes of the paragraphs, in order
    n_words: int  # words of the text
    published: float = math.nan  # seconds since the epoch; NaN where unknown
    fetched: float = math.nan  # seconds since the epoch; NaN where unknown
    digest: bytes = b""  # of everything stored, 8 bytes, so that ties never depend on the order of arrival
    page: int = 0  # id of the page that it was made of, where the document has the address of another; else 0
    space: int = 0  # number of the name space of the id; equal ids in two spaces name two documents
    file: int = 0  # number of the file that holds the row, as the index counts what it covers
    offset: int = 0  # of the row in that file, in bytes
    length: int = 0  # of the row, in bytes
    reextraction: int = 0  # how often the page had been extracted again; of the rows of one fetch the highest counts
    withdrawn: bool = False  # that extraction gave no document
    confidence: float = 0.0  # in the text, as its extractor stated it, 0..1; 0 for none
    is_doubtful: bool = False  # that is less than what its extractor calls enough
    is_list: bool = False  # its address is that of a list


def make_sketch(name: str, source: str, text: str, config: BuildConfig, signature: bytes = b"") -> Sketch:
    """Sketch a text of one paragraph a line; `name` is the document's id, and `signature` that of the text, if known.

    The other attributes are the caller's to replace.
    """
    words, ends = read_words(text)
    sizes = np.diff(ends, prepend=0)
    is_counted = sizes[sizes > 0] >= config.duplicates.boilerplate_words
    runs = hash_runs(words, config.duplicates.excerpt_words)
    is_sampled = runs % np.uint64(config.duplicates.excerpt_sample) == 0  # by value, not by place (Manber 1994)
    return Sketch(
        id=name,
        source=source,
        content=content_hash(words),
        signature=signature or sign_words(words, config.signature),
        runs=np.unique((runs[is_sampled] >> HALF).astype(np.uint32)),
        paragraphs=(hash_parts(words, ends[sizes > 0])[is_counted] >> HALF).astype(np.uint32),
        n_words=len(words),
    )


def digest(stored: bytes) -> bytes:
    """Hash (8 bytes) of all that is stored of a document."""
    return hashlib.blake2b(stored, digest_size=DIGEST_BYTES).digest()


def layout_of(config: BuildConfig) -> Layout:
    """The layout of an index made with this configuration."""
    duplicates = asdict(config.duplicates)
    named = ("excerpt_words", "excerpt_sample", "boilerplate_words")
    return {**asdict(config.signature), **{name: duplicates[name] for name in named}}


@dataclass(frozen=True, slots=True)
class Covered:
    """A file whose rows are in the index."""

    name: str  # as the writer calls the file
    size: int  # how much of it was read, as the writer counts
    check: str  # what tells the writer that this much is still the same
    whole: bool = False  # nothing of it is missing


@dataclass(frozen=True, slots=True)
class IndexState:
    """What is committed."""

    layout: Layout
    sizes: Mapping[str, int]  # bytes of each column
    sources: tuple[str, ...] = ()  # names
    covered: tuple[Covered, ...] = ()
    version: int = 1  # of the columns
    checksums: Mapping[str, int] = field(default_factory=dict)  # CRC-32 of the columns that are `CHECKED`


class Store:
    """An index in a folder, at its last commit.

    Raises:
        DedupError: it is damaged.
    """

    def __init__(self, folder: Path, state: IndexState) -> None:
        self.folder = folder
        self.state = state
        self.checked: set[str] = set()  # columns whose checksums were compared
        for name, size in state.sizes.items():
            path = folder / name
            if (path.stat().st_size if path.exists() else 0) < size:
                raise DedupError(f"{path}: shorter than committed; remove {folder}, and it is made anew")

    @classmethod
    def open(cls, folder: Path, layout: Layout) -> Self:
        """Open the index in a folder.

        Raises:
            DedupError: there is none, it is damaged, or it was made by an earlier version or with other parameters.
        """
        store = cls.existing(folder, layout)
        if store is not None:
            return store
        raise DedupError(f"{folder / STATE}: missing, or made by an earlier version; build that corpus again")

    @classmethod
    def existing(cls, folder: Path, layout: Layout) -> Self | None:
        """Open the index in a folder; None where there is none, or one of an earlier version.

        Raises:
            DedupError: it is damaged or was made with other parameters.
        """
        path = folder / STATE
        if not path.exists():
            return None
        try:
            state = msgspec.json.decode(path.read_bytes(), type=IndexState)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DedupError(f"{path}: {error}; remove {folder}, and it is made anew") from error
        if state.version < VERSION:
            return None
        stored = state.layout
        others = [
            f"{name} {stored.get(name)!r} instead of {ours!r}"
            for name, ours in layout.items()
            if stored.get(name) != ours
        ]
        if others:
            raise DedupError(f"{path}: made with other parameters: {', '.join(others)}")
        return cls(folder, state)

    @classmethod
    def create(cls, folder: Path, layout: Layout) -> Self:
        """Make an empty index in a folder, whatever lay there before."""
        folder.mkdir(parents=True, exist_ok=True)
        store = cls(folder, IndexState(layout, dict.fromkeys(COLUMNS, 0), version=VERSION))
        for name in (STATE, *COLUMNS, KEPT, VERIFIED):  # the state first, which says that the others are there
            (folder / name).unlink(missing_ok=True)
        store._write(STATE, msgspec.json.encode(store.state))
        return store

    def __len__(self) -> int:
        return self.state.sizes["documents"] // DOCUMENT.itemsize

    def append(self, sketches: Sequence[Sketch], covered: Sequence[Covered]) -> "Store":
        """Add sketches and commit them; `covered` are all files that the index covers then.

        Raises:
            OSError: the disk is full; the index is as it was.
            DedupError: an id is too long.
        """
        sources = {name: number for number, name in enumerate(self.state.sources)}
        for sketch in sketches:
            sources.setdefault(sketch.source, len(sources))
        columns = _columns(sketches, sources, self.state.layout["permutations"])
        return self._extended(columns, tuple(sources), covered)

    def take(self, other: "Store", first: int, documents: NDArray[np.void], covered: Sequence[Covered]) -> "Store":
        """Add documents of another index of the same layout, and commit them.

        Args:
            other: the index.
            first: the row there of the first of them; the others follow it.
            documents: what is to be said of them here, with `source` as counted there.
            covered: as for `append`.
        """
        names = [other.state.sources[number] for number in documents["source"]]
        sources = {name: number for number, name in enumerate(dict.fromkeys((*self.state.sources, *names)))}
        documents = documents.copy()
        documents["source"] = [sources[name] for name in names]
        end = first + len(documents)
        columns = {"documents": documents.tobytes(), "signatures": other.signatures[first:end].tobytes()}
        for name, count in COUNTED.items():
            ends = np.concatenate([[0], np.cumsum(other.documents[count], dtype=np.int64)])
            columns[name] = other.column(name)[ends[first] : ends[end]].tobytes()
        return self._extended(columns, tuple(sources), covered)

    def _extended(self, columns: Mapping[str, bytes], sources: tuple[str, ...], covered: Sequence[Covered]) -> "Store":
        sizes = {name: _extend(self.folder / name, self.state.sizes[name], columns[name]) for name in COLUMNS}
        checksums = {name: zlib.crc32(columns[name], self.state.checksums.get(name, 0)) for name in CHECKED}
        state = IndexState(self.state.layout, sizes, sources, tuple(covered), VERSION, checksums)
        self._write(STATE, msgspec.json.encode(state))
        return Store(self.folder, state)

    def column(self, name: str) -> NDArray[Any]:
        """A column as it lies on disk: one dimension, read only."""
        dtype = COLUMNS[name]
        length = self.state.sizes[name] // dtype.itemsize
        return np.memmap(self.folder / name, dtype, "r", shape=length) if length else np.empty(0, dtype)

    def _check(self, name: str) -> None:
        """Compare the checksum of a whole column.

        Raises:
            DedupError: it is not that of what was committed.
        """
        if name in self.checked:
            return
        if zlib.crc32(Store.column(self, name).data) != self.state.checksums.get(name, 0):
            raise DedupError(f"{self.folder / name}: damaged; remove {self.folder}, and it is made anew")
        self.checked.add(name)

    @cached_property
    def documents(self) -> NDArray[np.void]:
        """One `DOCUMENT` a row."""
        self._check("documents")
        return np.array(self.column("documents"))

    @cached_property
    def signatures(self) -> NDArray[np.uint32]:
        """Shape (documents, permutations)."""
        return self.column("signatures").reshape(len(self), self.state.layout["permutations"])

    @cached_property
    def ids(self) -> list[str]:
        """The id of each document."""
        ends = np.cumsum(self.documents["id_bytes"], dtype=np.int64).tolist()
        self._check("ids")
        blob = self.column("ids").tobytes()
        return [blob[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]

    @cached_property
    def rows(self) -> Path | None:
        """The file of the rows, where there is one."""
        path = self.folder / ROWS
        return path if path.exists() else None

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which documents stay, as whoever decided last has noted.

        Raises:
            DedupError: nobody has since documents were added.
        """
        path = self.folder / KEPT
        kept = np.fromfile(path, bool) if path.exists() else np.empty(0, bool)
        if len(kept) != len(self):
            raise DedupError(f"{path}: does not belong to the rest of the index; build that corpus again")
        return kept

    def note_kept(self, rows: NDArray[np.int64]) -> None:
        """Note which documents stay, by row."""
        kept = np.zeros(len(self), bool)
        kept[rows] = True
        self._write(KEPT, kept.tobytes())

    def _write(self, name: str, data: bytes) -> None:
        with replacing(self.folder / name) as file:
            file.write(data)


class Selection(Store):
    """Some rows of an index, ascending, read as if they were an index of their own."""

    def __init__(self, store: Store, rows: NDArray[np.int64]) -> None:
        super().__init__(store.folder, store.state)
        self.checked = store.checked
        self._selected = rows

    def __len__(self) -> int:
        return len(self._selected)

    def column(self, name: str) -> NDArray[Any]:
        """What a column holds of the rows, in memory."""
        whole = super().column(name)
        if name not in COUNTED:
            rows: NDArray[Any] = whole.reshape(super().__len__(), -1)[self._selected].reshape(-1)
            return rows
        counts = super().column("documents")[COUNTED[name]].astype(np.int64)
        starts = np.cumsum(counts) - counts
        values: NDArray[Any] = whole[spans(starts[self._selected], counts[self._selected])]
        return values


def spans(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places `start` to `start + length - 1` of each span, one span behind the other."""
    shifts = np.cumsum(lengths) - lengths
    places: NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(starts - shifts, lengths)
    return places


def _columns(sketches: Sequence[Sketch], sources: Mapping[str, int], permutations: int) -> dict[str, bytes]:
    ids = [sketch.id.encode() for sketch in sketches]
    if longest := max((name for name in ids if len(name) > MAX_ID_BYTES), key=len, default=b""):
        raise DedupError(
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
    return {
        "documents": documents.tobytes(),
        "signatures": stack([sketch.signature for sketch in sketches], permutations).tobytes(),
        "runs": b"".join(sketch.runs.astype("<u4").tobytes() for sketch in sketches),
        "paragraphs": b"".join(hashes.astype("<u4").tobytes() for hashes in paragraphs),
        "ids": b"".join(ids),
    }


def _extend(path: Path, committed: int, data: bytes) -> int:
    """Write `data` behind the committed bytes of a file, bring it to the disk, and give the new size."""
    path.touch()
    with path.open("r+b", buffering=0) as file:
        size = extend(file, committed, data)
        sync(file)
    return size


def grouped(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`; the last one may be shorter."""
    iterator = iter(items)
    while group := list(itertools.islice(iterator, size)):
        yield group
