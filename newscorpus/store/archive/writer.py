"""Append records to the files of an archive."""

from collections.abc import Callable, Mapping
from io import FileIO
from pathlib import Path
from typing import Self

from newscorpus.files import extend, sync
from newscorpus.layout import ARCHIVE, WARC_SUFFIX, archived_files, is_adopted
from newscorpus.store.archive.encode import encode_info
from newscorpus.store.archive.parts import forms
from newscorpus.store.archive.values import ByteRange


class ArchiveWriter:
    """Appends records to `archive/000001.warc.gz` of a corpus, and to the files after it.

    A file is opened with the first record. After a failed write it is cut back, so that it always ends with a record.
    From `max_bytes` on the next records go to a new file. `software` says who writes: "newscorpus/VERSION".

    Attributes:
        announce: is told the name of a file, relative to the corpus, before it is made.
    """

    def __init__(self, corpus: Path, max_bytes: int, software: str) -> None:
        self.announce: Callable[[str], None] = lambda _: None
        self._corpus = corpus
        self._folder = corpus / ARCHIVE
        self._max_bytes = max_bytes
        self._software = software
        self._file: FileIO | None = None
        self._name = ""
        self._lengths: dict[str, int] = {}

    def append(self, records: bytes) -> ByteRange:
        """Add encoded records; the range names the file relative to the corpus.

        Raises:
            OSError: they could not be written.
            LedgerError: by `announce`, for the same reason.
        """
        file = self._file or self._open(self._last())
        if self._lengths[self._name] >= self._max_bytes:
            file = self._open(max(self._numbers()) + 1)
        offset = self._lengths[self._name]
        self._lengths[self._name] = extend(file, offset, records)
        return ByteRange(self._name, offset, len(records))

    def lengths(self) -> Mapping[str, int]:
        """Bytes of each file that this writer opened, by its path relative to the corpus."""
        return self._lengths

    def close(self) -> None:
        """Bring all to the disk and close the file; the next record would open it again."""
        if self._file:
            sync(self._file)
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _last(self) -> int:
        """The number of the file to go on with: the last one, unless it is somebody else's, or compacted."""
        last = max(self._numbers(), default=1)
        name = f"{ARCHIVE}/{last:06}{WARC_SUFFIX}"
        is_closed = is_adopted(self._corpus, name) or forms(self._corpus / name)[1].exists()
        return last + is_closed

    def _numbers(self) -> list[int]:
        names = (path.name.removesuffix(WARC_SUFFIX) for path in archived_files(self._corpus))
        return [int(name) for name in names if name.isdecimal()]

    def _open(self, number: int) -> FileIO:
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{number:06}{WARC_SUFFIX}"
        if not path.exists():
            self.announce(f"{ARCHIVE}/{path.name}")
        path.touch()
        file = path.open("r+b", buffering=0)
        try:
            length = path.stat().st_size or extend(file, 0, encode_info(path.name, self._software))
        except OSError:
            file.close()
            raise
        self._file, self._name = file, f"{ARCHIVE}/{path.name}"
        self._lengths[self._name] = length
        return file
