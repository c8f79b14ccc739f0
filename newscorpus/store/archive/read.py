"""Read pages from WARC files: our own archives, Common Crawl and others."""

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import msgspec

from newscorpus.config import Limits
from newscorpus.content_encoding import ContentError, unpack
from newscorpus.data import ArchiveCapture, Evidence, Page, Rejected
from newscorpus.store.archive.records import Damage, WarcRecord, read_records
from newscorpus.store.archive.values import (
    METADATA_TYPE,
    PERSONAL,
    SOFTWARE,
    ArchiveError,
    ByteRange,
    Capture,
    PageMetadata,
    StoredPage,
)
from newscorpus.tokens import collapse
from newscorpus.urls import host_and_port

METADATA = msgspec.json.Decoder(PageMetadata)

UNKEPT = PERSONAL | {"content-encoding", "x-crawl-content-encoding", "x-crawl-content-length"}
"""Headers not given to pages; the last two describe the transfer of a body stored decompressed."""

MAX_RESOURCES = 50
"""Most resource records of a response; an article has 20 pages at most."""

HTML = ("text/html", "application/xhtml+xml", "")
"""Content types of pages; many old servers send none."""

BESIDE = ("request", "resource", "metadata")
"""Types of the records that follow a response of ours and belong to it."""

MAX_NAME_CHARACTERS = 200
"""Longest name of an archive."""

EMPTY_MEMBER = gzip.compress(b"")
"""Put before a block of a compressed file, which may begin within a record: the beginning tells the compression."""

MAX_BYTES = Limits().max_bytes
"""Longest content of a page."""

STAGE = "archive"
"""Stage of the rejections of unusable records."""


def read_captures(path: Path) -> Iterator[Capture | Rejected]:
    """Read the pages of a WARC file, and rejections of other records.

    From our own archives these are the pages passed to the extractor, from other files all HTML responses with status
    200. Stage "archive" rejects damaged records, repeated ones ("revisit") and those without a web address; stage
    "fetch" rejects other statuses and types, and oversized pages, as in a crawl.

    Raises:
        ArchiveError: the file cannot be opened or read.
    """
    return (found for _, found in read_onwards(path))


def read_onwards(
    path: Path, start: int = 0, end: int | None = None, file: BinaryIO | None = None
) -> Iterator[tuple[int, Capture | Rejected]]:
    """Like `read_captures`, from `start` on, each with the offset from which reading can resume after it.

    With an `end`, only the pages whose records begin before it are read. Slices that join yield each page and rejection
    once: a slice begins with its first record, and ends with the last record of its last page, and damage after it.
    `file` is the file if it is open.
    """
    reader = _Reader(path, next(read_records(path, MAX_BYTES, 0, file), None))
    for record in read_records(path, MAX_BYTES, start, file):
        is_damage, is_after = isinstance(record, Damage), end is not None and record.place.offset >= end
        is_of_page = reader.response is not None and isinstance(record, WarcRecord) and record.kind in BESIDE
        if is_after and not (is_damage or is_of_page):
            break
        begins_before = is_damage and end is not None and record.place.offset == start > 0
        if not begins_before and (found := reader.take(record)) is not None:
            yield record.place.offset + record.place.length, found
        if is_after and is_damage:
            break


def read_block(body: bytes, block: ByteRange, *, is_last: bool) -> Iterator[tuple[int, Capture | Rejected]]:
    """Like `read_onwards`, for a block of a remote file; what may be cut by its end is left out.

    Args:
        body: content of the block. If it does not begin with a record, it begins with damage.
        block: its place; results and offsets refer to the remote file.
        is_last: the file ends with the block, so nothing is left out.
    """
    head = EMPTY_MEMBER if block.file.endswith(".gz") else b""
    path, copy, shift = Path(block.file), BytesIO(head + body), block.offset - len(head)
    reader = _Reader(path, next(read_records(path, MAX_BYTES, 0, copy), None))
    for record in read_records(path, MAX_BYTES, len(head), copy):
        place = replace(record.place, file=block.file, offset=record.place.offset + shift)
        after = place.offset + place.length
        found = reader.take(replace(record, place=place))
        if found is not None and (is_last or after < block.offset + len(body)):
            yield after, replace(found, place=None) if isinstance(found, Capture) else found


def read_capture(path: Path, offset: int) -> Capture | Rejected:
    """Read the page whose records begin at an offset; if it was not passed to the extractor, it has no origin.

    Raises:
        ArchiveError: there is none, or the file cannot be read.
    """
    reader = _Reader(path, next(read_records(path, MAX_BYTES), None))
    for record in read_records(path, MAX_BYTES, offset):
        if reader.response and not (isinstance(record, WarcRecord) and record.kind in BESIDE):
            break
        if (found := reader.take(record)) is not None:
            return found
    if reader.response is None:
        raise ArchiveError(f"{path}: no page at offset {offset}")
    try:
        return Capture(_page(reader.response), place=reader.response.place)
    except ContentError as error:
        return error.rejection(_address(reader.response))


class _Reader:
    """Joins the records of each response to a page.

    Attributes:
        response: in an archive of ours, the last response if its metadata record has not come yet.
    """

    def __init__(self, path: Path, first: WarcRecord | Damage | None) -> None:
        self._begin(path, first)

    def _begin(self, path: Path, first: WarcRecord | Damage | None) -> None:
        """Begin a file, or a part of one, with its first record."""
        self.response: WarcRecord | None = None
        self._resources: list[WarcRecord] = []
        about: dict[str, str] = {}
        if isinstance(first, WarcRecord) and first.kind == "warcinfo":
            lines = (line.partition(":") for line in first.body.decode("utf-8", "replace").splitlines())
            about = {name.strip().lower(): collapse(value)[:MAX_NAME_CHARACTERS] for name, _, value in lines}
        software = about.get("software", "")
        self._is_ours = software.startswith(SOFTWARE)
        # The collection of the file, else its publisher, else the program that wrote it.
        collection = about.get("ispartof") or ("CC-NEWS" if path.name.startswith("CC-NEWS-") else "")
        self._archive = collection or about.get("publisher") or software

    def take(self, record: WarcRecord | Damage) -> Capture | Rejected | None:
        """Add the next record; return the page or rejection completed by it."""
        if isinstance(record, Damage):
            self.response, self._resources = None, []
            return Rejected(STAGE, "broken_record", record.why, _written(record.place))
        if record.kind == "warcinfo":
            self._begin(Path(record.place.file), record)
        elif not self._is_ours:
            return _foreign(record, self._archive) if record.kind in {"response", "revisit"} else None
        elif record.kind == "response":
            self.response, self._resources = record, []
        elif record.kind == "resource" and len(self._resources) < MAX_RESOURCES:
            self._resources.append(record)
        elif record.kind == "metadata" and self.response and record.headers.get("content-type") == METADATA_TYPE:
            response, resources = self.response, self._resources
            self.response, self._resources = None, []
            return _own(response, resources, record)
        return None


def _foreign(record: WarcRecord, archive: str) -> Capture | Rejected:
    """Return the page in a record of a foreign archive, or the reason why there is none."""
    url = _address(record)
    kind = record.http.get("content-type", "").partition(";")[0].strip().lower()
    if record.kind == "revisit":
        return Rejected(STAGE, "revisit", "the same content is archived elsewhere", url)
    if not host_and_port(url):
        return Rejected(STAGE, "no_web_address", _written(record.place), url)
    if record.status != HTTPStatus.OK:
        return Rejected("fetch", f"http_{record.status}", "", url)
    if kind not in HTML:
        return Rejected("fetch", "not_html", f"content type {kind!r}", url)
    try:
        page = _page(record)
    except ContentError as error:
        return error.rejection(url)
    return Capture(replace(page, capture=ArchiveCapture(archive, page.fetched)), place=record.place)


def _own(response: WarcRecord, resources: Iterable[WarcRecord], metadata: WarcRecord) -> Capture | Rejected:
    place = response.place
    whole = replace(place, length=metadata.place.offset + metadata.place.length - place.offset)
    left = iter(resources)
    try:
        note = METADATA.decode(metadata.body)
        pages = tuple(_stored(one, response if one.headers is None else next(left)) for one in note.pages)
        return Capture(pages[0], pages[1:], note.origin, whole)
    except ContentError as error:
        return error.rejection(_address(response))
    except (msgspec.DecodeError, StopIteration, RuntimeError, IndexError) as error:
        detail = f"{_written(metadata.place)}: {str(error) or 'a record is missing'}"
        return Rejected(STAGE, "broken_record", detail, _address(response))


def _stored(stored: StoredPage, record: WarcRecord) -> Page:
    """Return a page of ours with its data from the metadata record."""
    page = _page(record)
    evidence = tuple(Evidence(*one) for one in stored.evidence)
    headers = page.headers if stored.headers is None else stored.headers
    return Page(stored.url, page.body, headers, stored.fetched, evidence)


def _page(record: WarcRecord) -> Page:
    """Return the page in a record; a ContentError is raised if it is truncated or too large."""
    if record.fault:
        raise ContentError(record.fault, f"the record at {_written(record.place)}")
    if cut := record.headers.get("warc-truncated"):
        raise ContentError("truncated", f"by the writer of {_written(record.place)}: {cut}")
    body = unpack(record.body, record.http.get("content-encoding", ""), MAX_BYTES)
    headers = {name: value for name, value in record.http.items() if name not in UNKEPT}
    if length := record.http.get("x-crawl-content-length"):
        headers["content-length"] = length
    return Page(_address(record), body, headers, _date(record.headers.get("warc-date", "")))


def _address(record: WarcRecord) -> str:
    return record.headers.get("warc-target-uri", "").strip("<>")


def _written(place: ByteRange) -> str:
    """Format a place, which stands for a missing address."""
    return f"{place.file}@{place.offset}"


def _date(text: str) -> str:
    """Convert a WARC date, in UTC, to the format of pages; "" if it is invalid."""
    try:
        date = datetime.fromisoformat(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):  # the latter at the ends of time
        return ""
