"""Erase documents from every file of a corpus; a killed removal is resumed.

The removal is recorded in `.removing.json` until it is complete; `build` and every crawl resume it. Lines and archived
responses are overwritten in place, so all others keep their offsets.
"""

import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec

from newscorpus.config import Limits
from newscorpus.content_encoding import ContentError, unpack
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.release import forget_rows
from newscorpus.corpus.search_index import index_path, temporary_index
from newscorpus.data import Page
from newscorpus.errors import CorpusError
from newscorpus.files import replace_file
from newscorpus.layout import (
    AGAINST,
    ARCHIVE,
    DUPLICATES,
    GOLD,
    INDEX,
    INTAKE,
    LEDGER,
    LOGS,
    LOW_CONFIDENCE,
    PLAN,
    PROFILES,
    REJECTED,
    REMOVING,
    SUBCORPORA,
    TASKS,
    archived_files,
    inside,
    is_adopted,
)
from newscorpus.lines import blank
from newscorpus.page.parsing.decode import decode
from newscorpus.page.rows import unpacked
from newscorpus.portal.profile import profiles_of, read_profile, write_profile
from newscorpus.store.archive.overwrite import addresses, is_page, overwrite, read_groups
from newscorpus.store.archive.records import WarcRecord
from newscorpus.store.archive.values import ByteRange
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.forget import aliases, forget, list_keys
from newscorpus.store.ledger.portals import UsedProfile
from newscorpus.store.ledger.values import key_of
from newscorpus.store.removals import note_removal, removals_of
from newscorpus.urls import document_id, is_web

JOURNALS = (f"{INTAKE}/*.jsonl", f"{GOLD}/*.marks", f"{GOLD}/*.jsonl", f"{SUBCORPORA}/*.jsonl")
LISTS = (REJECTED, DUPLICATES, LOW_CONFIDENCE)
"""Files of JSON lines that name documents."""

NAMING = ("id", "url", "page", "withdrawn", "duplicate_of", "cluster")
"""Keys of their lines that hold the id or the address of a document."""

ID = re.compile(r"\b[0-9a-f]{16}\b")
ADDRESS = re.compile(r'https?://[^"\s\\]+')

TITLE = re.compile(rb'"title":"((?:[^" \\]+ ){2}(?:[^"\\]|\\.)*)"')
"""A title in a line of the intake; one of fewer than three words may be a phrase of the site."""

OBJECTS = msgspec.json.Decoder(dict[str, Any])


def journals(corpus: Path) -> list[Path]:
    """List the files of JSON lines that name documents of a corpus."""
    names = (path for pattern in (*JOURNALS, *LISTS) for path in sorted(corpus.glob(pattern)))
    return [path for path in names if not is_adopted(corpus, path.relative_to(corpus).as_posix())]


def rows_naming(corpus: Path, documents: Collection[str]) -> list[bytes]:
    """Read the lines of the intake that name one of some documents, as JSON."""
    paths = [path for path in journals(corpus) if path.parent.name == INTAKE]
    return [text for path in paths for _, _, text in lines_naming(path, documents)]


def lines_naming(path: Path, documents: Collection[str]) -> Iterator[tuple[int, int, bytes]]:
    """Read the lines of a file that name one of some documents, torn and damaged ones too: offset, length and JSON."""
    wanted, marks = frozenset(documents), tuple(name.encode() for name in documents)
    is_intake, offset = path.parent.name == INTAKE, 0
    with path.open("rb") as file:
        for ended in file:
            text = line = ended.removesuffix(b"\n")
            with suppress(CorpusError):
                text = unpacked(line)
            # A row contains the id of its document; it must be decoded only if it names another page.
            may_name = not (is_intake and b'"page":""' in text) or any(mark in text for mark in marks)
            if may_name and wanted & ids_in(text):
                yield offset, len(line), text
            offset += len(ended)


def ids_in(line: bytes) -> frozenset[str]:
    """Return the ids of the documents and addresses that a line of JSON names; of a damaged line, all ids in it."""
    try:
        found = OBJECTS.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = line.decode("utf-8", "replace")
        return frozenset((*ID.findall(text), *map(document_id, ADDRESS.findall(text))))
    record = found.get("record")
    parts = (found, record) if isinstance(record, dict) else (found,)
    named = [value for part in parts for key in NAMING if isinstance(value := part.get(key), str) and value]
    ids = (document_id(name) if is_web(name) else name for name in named)
    return frozenset((*ids, *ID.findall(str(found.get("detail", "")))))


def find_parts(corpus: Path, urls: Collection[str]) -> tuple[tuple[ByteRange, ...], int]:
    """Find the archived pages of removed documents, and the listing pages and feeds that link to them.

    Listing pages and feeds may contain the text, and are needed only for links; pages of other documents stay.

    Returns:
        Byte ranges of files relative to the corpus, and the number of pages of others that link to the documents.

    Raises:
        ArchiveError: a file cannot be read.
    """
    removals = removals_of(corpus)
    lists = list_keys(corpus) if (corpus / LEDGER).is_file() else frozenset()
    # Links to these addresses from the same site; a link ends at "&", which is written in several ways.
    paths = {url.split("/", 3)[-1].partition("&")[0] for url in urls if url.count("/") > 2}
    forms = {re.escape(form) for path in paths for form in (path, unquote(path))}
    is_link = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(filter(None, forms)) or ['(?!)'])})(?![\w-])")
    own = [path for path in archived_files(corpus) if not is_adopted(corpus, f"{ARCHIVE}/{path.name}")]
    parts, n_linking = [], 0
    for path in own:
        for place, group in read_groups(path):
            names = addresses(group)
            is_found = any(map(removals.covers, names))
            if not is_found and any(map(is_link.search, _texts(group))):
                is_found = not is_page(group) or any(key_of(name) in lists for name in names)
                n_linking += not is_found
            if is_found:
                parts.append(ByteRange(f"{ARCHIVE}/{path.name}", place.offset, place.length))
    return tuple(parts), n_linking


def _texts(group: Sequence[WarcRecord]) -> Iterator[str]:
    """Decode a response, and the records that belong to it."""
    headers = group[0].http
    encodings = f"gzip, {headers.get('content-encoding', '')}"  # a sitemap may be a gzip file itself
    with suppress(ContentError):  # what cannot be decompressed has no links
        body = unpack(group[0].body, encodings, Limits().max_bytes)
        text = decode(Page(group[0].headers.get("warc-target-uri", ""), body, headers, ""))
        yield text if isinstance(text, str) else ""
    for record in group[1:]:
        yield record.body.decode("utf-8", "replace")


class Removing(msgspec.Struct, frozen=True):
    """A removal in progress."""

    removed: str  # time of the request, ISO 8601
    documents: tuple[str, ...]  # ids of the documents, and of the addresses that led to them
    urls: tuple[str, ...] = ()  # known addresses
    from_archive: bool = False  # overwrite archived pages too
    # Archived records to overwrite, with files relative to the corpus; None: not searched yet.
    parts: tuple[ByteRange, ...] | None = None
    n_linking: int = 0  # pages of other documents that link to them
    erased: bool = False  # only the files that a build writes are left to do


@dataclass(frozen=True, slots=True)
class Traces:
    """Occurrences of documents in a corpus."""

    documents: frozenset[str]  # ids of the documents, and of the addresses that led to them
    urls: frozenset[str]  # known addresses
    rows: int  # lines or records
    met: frozenset[str]  # the ids that occur anywhere


def now() -> str:
    """Return the current time in the format of WARC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def read_removing(corpus: Path) -> Removing | None:
    """Read the removal in progress, if there is one.

    Raises:
        CorpusError: its file is damaged.
    """
    path = corpus / REMOVING
    try:
        return msgspec.json.decode(path.read_bytes(), type=Removing) if path.is_file() else None
    except msgspec.DecodeError as error:
        raise CorpusError(f"{path}: {error}") from error


def write_removing(corpus: Path, removing: Removing) -> None:
    """Record a removal in progress."""
    replace_file(corpus / REMOVING, msgspec.json.encode(removing))


def end_removing(corpus: Path) -> None:
    """Record that the removal is complete."""
    if (corpus / REMOVING).exists():
        for path in (temporary_index(corpus), index_path(corpus)):  # in this order: one that is made gets no name now
            path.unlink(missing_ok=True)
        (corpus / REMOVING).unlink()


def erase(corpus: Path, removing: Removing) -> Removing:
    """Erase documents from all files except those that a build writes, and return the updated removal; idempotent.

    Raises:
        CorpusError: a crawl is running, or the ledger or the archive cannot be used.
        OSError: a file cannot be read or written.
    """
    has_ledger = (corpus / LEDGER).is_file()
    if has_ledger:
        Ledger.open(corpus).close()  # truncates files to their committed length: no torn lines
    if removing.from_archive and removing.parts is None:  # record the places before overwriting them
        parts, n_linking = find_parts(corpus, removing.urls)
        removing = msgspec.structs.replace(removing, parts=parts, n_linking=n_linking)
        write_removing(corpus, removing)
    for part in removing.parts or ():
        overwrite(inside(corpus, part.file), part, removing.removed)
    _erase_profiles(corpus, removing.documents, has_ledger=has_ledger)
    _remove_logs(corpus, removing.urls)
    for path in journals(corpus):
        for offset, length, _ in lines_naming(path, removing.documents):
            blank(path, offset, length)
    if has_ledger:
        forget(corpus, removing.documents, removing.urls, [(part.file, part.offset) for part in removing.parts or ()])
    forget_rows(corpus, removing.documents)
    tasks = corpus.glob(f"{TASKS}/*/*") if (corpus / PLAN).is_file() else iter(())
    results = [path for path in tasks if path.name != "completions"]
    scores = corpus.glob(f"{GOLD}/*-scores")  # the worst pages among them
    for path in (corpus / INDEX, corpus / AGAINST, *scores, *results):
        shutil.rmtree(path, ignore_errors=True)
    unfinished = (path for folder in (".", INTAKE, GOLD) for path in corpus.glob(f"{folder}/.*.tmp"))
    for path in (*filter(Path.is_file, results), *unfinished):
        path.unlink(missing_ok=True)
    removing = msgspec.structs.replace(removing, erased=True)
    write_removing(corpus, removing)
    return removing


def _remove_logs(corpus: Path, urls: Iterable[str]) -> None:
    """Remove the logs of crawls that name an address."""
    named = [url.encode() for url in urls]
    for path in corpus.glob(f"{LOGS}/*"):
        content = path.read_bytes()
        if any(url in content for url in named):
            path.unlink()


def resume_erasing(corpus: Path) -> None:
    """Resume a killed removal; errors as for `erase`."""
    removing = read_removing(corpus)
    if removing and not removing.erased:
        erase(corpus, removing)


def erase_returned(corpus: Path, documents: Iterable[str]) -> bool:
    """Erase removed documents that came back by another address, and return whether there were any.

    Errors as for `erase`.
    """
    removals = removals_of(corpus)
    again = {name: removal for name in documents if (removal := removals.of(name))} if removals else {}
    if again:
        found, when = find_named(corpus, again), now()
        for removal in again.values():
            note_removal(corpus, found.documents, removal.reason, when)
        removing = Removing(when, tuple(sorted(found.documents)), tuple(sorted(found.urls)))
        write_removing(corpus, removing)
        erase(corpus, removing)
    return bool(again)


def find_named(corpus: Path, asked: Collection[str]) -> Traces:
    """Find all occurrences of documents in a corpus, and all addresses that led to them."""
    documents, urls, met = frozenset(asked), frozenset[str](), frozenset[str]()
    while True:
        known = documents
        if (corpus / LEDGER).is_file():
            led = aliases(corpus, documents)
            met |= {name for name, url in led.items() if url}
            urls |= set(filter(None, led.values()))
            documents |= led.keys()
        lines = list(map(ids_in, rows_naming(corpus, documents)))
        met = met.union(*lines)
        documents = documents.union(*lines)
        if documents == known:
            records = () if (corpus / INTAKE).is_dir() else open_corpus(corpus).records()
            published = [record.id for record in records if record.id in documents]
            return Traces(documents, urls, len(lines) + len(published), met.union(published))


def _erase_profiles(corpus: Path, documents: Collection[str], *, has_ledger: bool) -> None:
    """Erase the documents' ids and texts from the profiles of portals; a profile that cannot be read is removed whole.

    The ledger notes the new hash of a profile, so that its portal's pages are not judged again.
    """
    gone = frozenset(documents)
    rows = rows_naming(corpus, documents)

    titles = {title for row in rows for title in TITLE.findall(row)}

    def is_theirs(text: str) -> bool:
        encoded = msgspec.json.encode(text.strip())[1:-1]
        return any(encoded in row for row in rows) or any(title in encoded for title in titles)

    folder, profiles = corpus / PROFILES, profiles_of(corpus)
    for path in {*folder.glob("*.json"), *folder.glob(".*.tmp")} - {file.path for file in profiles.values()}:
        path.unlink()
    for source, file in profiles.items():
        there = read_profile(file.path)
        left = msgspec.structs.replace(
            there,
            pages=tuple(page for page in there.pages if page not in gone),
            texts={key: one for key, one in there.texts.items() if not is_theirs(one.text)},
        )
        if left != there:
            new = write_profile(file.path, left)
            if has_ledger:
                with Ledger.open(corpus) as ledger:
                    used = ledger.profiles.of(source)
                    if used and used.hash == there.hash:
                        ledger.profiles.note(source, UsedProfile(used.sample, new.hash))
