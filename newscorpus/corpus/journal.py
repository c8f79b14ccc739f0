"""The journal of rejections, `CORPUS/rejected.jsonl`: what did not become a document, and why."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from newscorpus.corpus.errors import CorpusError
from newscorpus.corpus.lines import complete_lines, encode_line, writable
from newscorpus.data import Rejected

JOURNAL = "rejected.jsonl"
REJECTIONS = msgspec.json.Decoder(Rejected)


def journal_line(rejected: Rejected) -> bytes:
    """A rejection as a line of the journal."""
    return encode_line(writable(rejected))


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
