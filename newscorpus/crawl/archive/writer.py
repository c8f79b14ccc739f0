"""The files of an archive, which grow at their end."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from newscorpus.crawl.archive.encode import encode_info
from newscorpus.crawl.archive.values import ByteRange
from newscorpus.layout import ARCHIVE, WARC_SUFFIX


class ArchiveWriter:
    """Appends records to `archive/000001.warc.gz` of a corpus, and to the files after it.

    A file is opened with the first record. After a failed write it is cut back, so that it always ends with a record.

    Args:
        corpus: folder of the corpus.
        max_bytes: size from which on the next records go to a new file.
        software: who writes: "newscorpus/VERSION".
    """

    def __init__(self, corpus: Path, max_bytes: int, software: str) -> None:
        self._folder = corpus / ARCHIVE
        self._max_bytes = max_bytes
        self._software = software
        self._files: list[_File] = []

    def append(self, records: bytes) -> ByteRange:
        """Add encoded records; the place names the file relative to the corpus.

        Raises:
            OSError: they could not be written.
        """
        if not self._files:
            self._open(max(self._numbers(), default=1))
        if self._files[-1].length >= self._max_bytes:
            self._open(max(self._numbers()) + 1)
        file = self._files[-1]
        return ByteRange(file.name, file.append(records), len(records))

    def lengths(self) -> Mapping[str, int]:
        """Bytes of each file that this writer opened, by its path relative to the corpus."""
        return {file.name: file.length for file in self._files}

    def sync(self) -> None:
        """Bring all to the disk."""
        if self._files:
            self._files[-1].sync()

    def close(self) -> None:
        """Bring all to the disk and close the file; the next record would open it again."""
        if self._files:
            self._files[-1].close()
            self._files = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _numbers(self) -> list[int]:
        names = (path.name.removesuffix(WARC_SUFFIX) for path in self._folder.glob("*" + WARC_SUFFIX))
        return [int(name) for name in names if name.isdecimal()]

    def _open(self, number: int) -> None:
        if self._files:
            self._files[-1].close()
        self._folder.mkdir(parents=True, exist_ok=True)
        file = _File(self._folder / f"{number:06}{WARC_SUFFIX}")
        if not file.length:
            file.append(encode_info(Path(file.name).name, self._software))
        self._files.append(file)


class _File:
    """One file of the archive; what is appended is with the operating system at once."""

    def __init__(self, path: Path) -> None:
        self.name = f"{ARCHIVE}/{path.name}"
        self._file = path.open("ab", buffering=0)
        self.length = path.stat().st_size

    def append(self, data: bytes) -> int:
        """Add `data`, whole or not at all; gives its offset."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(self.length)
            raise
        self.length += len(data)
        return self.length - len(data)

    def sync(self) -> None:
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self.sync()
        self._file.close()
