"""The journal of rejections, `CORPUS/rejected.jsonl`: what did not become a document, and why."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from newscorpus.corpus.errors import CorpusError
from newscorpus.corpus.lines import complete_lines, encode_line, writable
from newscorpus.data import Rejected

REJECTIONS = msgspec.json.Decoder(Rejected)


class Journal:
    """Appends rejections to a file, one JSON line each; a line torn by a dying process is cut off first."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        self._file.truncate(_complete_length(path))

    def append(self, rejected: Rejected) -> None:
        """Add a rejection."""
        self._file.write(encode_line(writable(rejected)))

    def commit(self) -> None:
        """Bring all lines to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Commit and close the file; closing again does nothing."""
        if not self._file.closed:
            self.commit()
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_journal(path: Path) -> Iterator[Rejected]:
    """The rejections of a journal, oldest first; a torn last line is left out.

    Raises:
        CorpusError: a line is damaged.
    """
    for number, (_, line) in enumerate(complete_lines(path), 1):
        try:
            yield REJECTIONS.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}, line {number}: {error}") from error


def _complete_length(path: Path) -> int:
    """Bytes up to the last newline."""
    return max((offset + len(line) + 1 for offset, line in complete_lines(path)), default=0)
