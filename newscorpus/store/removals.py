"""Recognise documents removed from a corpus without storing their addresses.

`removed.jsonl` has a line per removal: time, reason, and a keyed hash of the id of each address that led to the
document. Whoever knows an address can check whether it was removed; nobody can list the removed addresses.
"""

import hashlib
import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from newscorpus.errors import CorpusError
from newscorpus.files import replace_file
from newscorpus.layout import REMOVED
from newscorpus.lines import encode_line
from newscorpus.urls import document_id

KEY_BYTES = 16
"""Length of the random key of a corpus; a keyed BLAKE2b is a message authentication code (RFC 7693)."""
HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class Removal:
    """A line of `removed.jsonl`."""

    removed: str  # when, ISO 8601
    reason: str  # as given by the user
    key: str  # of the hashes, in hex; each corpus has its own
    hashes: tuple[str, ...]  # of the ids of documents and of the addresses that led to them, in hex


LINES = msgspec.json.Decoder(Removal)


class Removals:
    """The removals of one or more corpora."""

    def __init__(self, lines: Iterable[Removal] = ()) -> None:
        self.lines = tuple(dict.fromkeys(lines))
        self._by_key: defaultdict[str, dict[str, Removal]] = defaultdict(dict)
        for line in self.lines:
            self._by_key[line.key].update(dict.fromkeys(line.hashes, line))

    def __bool__(self) -> bool:
        return bool(self.lines)

    @property
    def name(self) -> str:
        """Hash that identifies these removals; "" for none."""
        return hashlib.sha256(b"".join(map(encode_line, self.lines))).hexdigest()[:HASH_BYTES] if self else ""

    def of(self, document: str) -> Removal | None:
        """Return the removal of a document id; None if it was not removed."""
        found = (lines.get(_hash(key, document)) for key, lines in self._by_key.items())
        return next(filter(None, found), None)

    def covers(self, url: str) -> bool:
        """Return whether the document at an address was removed."""
        return bool(self.lines) and self.of(document_id(url)) is not None


NOTHING = Removals()


def removals_of(*corpora: Path) -> Removals:
    """Read the removals of corpora.

    Raises:
        CorpusError: a list is damaged.
    """
    lines: list[Removal] = []
    for path in (corpus / REMOVED for corpus in corpora):
        try:
            lines += LINES.decode_lines(path.read_bytes()) if path.is_file() else ()
        except msgspec.DecodeError as error:
            raise CorpusError(f"{path}: {error}") from error
    return Removals(lines)


def note_removal(corpus: Path, documents: Collection[str], reason: str, when: str) -> None:
    """Record the removal of documents, by their ids, from a corpus; earlier removals are kept."""
    known = removals_of(corpus)
    new = sorted(name for name in documents if not known.of(name))
    if new:
        key = next((line.key for line in known.lines), secrets.token_hex(KEY_BYTES))
        line = Removal(when, reason, key, tuple(_hash(key, name) for name in new))
        keep_removals(corpus, Removals((*known.lines, line)))


def keep_removals(corpus: Path, removals: Removals) -> None:
    """Write the removals of a corpus."""
    if removals:
        replace_file(corpus / REMOVED, b"".join(map(encode_line, removals.lines)))


def _hash(key: str, document: str) -> str:
    return hashlib.blake2b(document.encode(), key=bytes.fromhex(key), digest_size=HASH_BYTES).hexdigest()
