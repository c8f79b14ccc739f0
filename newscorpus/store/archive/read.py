"""Read pages from WARC files: our own archives, those of Common Crawl and of others."""

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from newscorpus.config import Limits
from newscorpus.content_encoding import ContentError, unpack
from newscorpus.data import ArchiveCapture, Evidence, Page, Rejected
from newscorpus.store.archive.records import Damage, WarcRecord, read_records
from newscorpus.store.archive.values import (
    NOTE_TYPE,
    PERSONAL,
    SOFTWARE,
    ArchiveError,
    ByteRange,
    Capture,
    Note,
    StoredPage,
)
from newscorpus.tokens import collapse
from newscorpus.urls import host_and_port

NOTES = msgspec.json.Decoder(Note)

UNKEPT = PERSONAL | {"content-encoding", "x-crawl-content-encoding", "x-crawl-content-length"}
"""Headers that pages do not have; the last two say how a body came that was unpacked in the archive."""

MAX_RESOURCES = 50
"""Records of pages that belong to one response; an article has 20 pages at most."""

HTML = ("text/html", "application/xhtml+xml", "")
"""Content types of pages; many old servers name none."""

BESIDE = ("request", "resource", "metadata")
"""Types of the records that follow a response of ours and belong to it."""

MAX_NAME_CHARACTERS = 200
"""Of what a file says of itself."""

EMPTY_MEMBER = gzip.compress(b"")
"""Before a block of a packed file, which may begin within a record: a file is taken for packed if it begins so."""

STAGE = "archive"
"""Stage of what is rejected since the file does not hold it whole."""


def read_captures(path: Path, offset: int = 0, limits: Limits = Limits()) -> Iterator[Capture | Rejected]:
    """The pages of a WARC file from `offset` on, and why others are none.

    Of our own archives these are the pages that the spider handed on; of other files all responses that are HTML with
    status 200. Damaged and repeated records ("revisit") and those of no web address are rejected, stage "archive";
    other statuses and types, and what is too large, stage "fetch", as in a crawl.

    Raises:
        ArchiveError: the file cannot be opened or read.
    """
    for _, found in read_onwards(path, offset, limits):
        yield found


def read_onwards(path: Path, offset: int = 0, limits: Limits = Limits()) -> Iterator[tuple[int, Capture | Rejected]]:
    """As `read_captures`, each with the offset at which reading can go on after it."""
    group = _group_of(path, next(read_records(path, limits.max_bytes), None))
    yield from _pages(group, read_records(path, limits.max_bytes, offset), limits)


def read_block(body: bytes, block: ByteRange, *, is_last: bool) -> Iterator[tuple[int, Capture | Rejected]]:
    """As `read_onwards`, for a block of a file that lies elsewhere; what its end may cut is left out.

    Args:
        body: of the block. One that does not begin with a record begins with damage.
        block: where it lies; results, and the offsets that come with them, name places of that file.
        is_last: the file ends with it; nothing is left out then.

    Raises:
        ArchiveError, OSError: there is no room for a copy.
    """
    head, limits = EMPTY_MEMBER if block.file.endswith(".gz") else b"", Limits()
    with NamedTemporaryFile(prefix="newscorpus-") as copy:
        copy.write(head + body)
        copy.flush()
        group = _group_of(Path(block.file), next(read_records(Path(copy.name), limits.max_bytes), None))
        records = read_records(Path(copy.name), limits.max_bytes, len(head))
        shift = block.offset - len(head)
        there = (
            replace(record, place=replace(record.place, file=block.file, offset=record.place.offset + shift))
            for record in records
        )
        for after, found in _pages(group, there, limits):
            if is_last or after < block.offset + len(body):
                yield after, replace(found, place=None) if isinstance(found, Capture) else found


def read_capture(path: Path, offset: int, limits: Limits = Limits()) -> Capture | Rejected:
    """The page whose records begin at an offset of a file; one that was not handed on has no origin.

    Raises:
        ArchiveError: there is none, or the file cannot be read.
    """
    group = _group_of(path, next(read_records(path, limits.max_bytes), None))
    for record in read_records(path, limits.max_bytes, offset):
        if group.response and not (isinstance(record, WarcRecord) and record.kind in BESIDE):
            break
        group, found = _step(group, record, limits)
        if found is not None:
            return found
    if group.response is None:
        raise ArchiveError(f"{path}: no page at offset {offset}")
    try:
        return Capture(_page(group.response, limits), place=group.response.place)
    except ContentError as error:
        return error.rejection(_address(group.response))


@dataclass(frozen=True, slots=True)
class _Group:
    """The records that were read of one response."""

    ours: bool  # the file is one of our archives
    archive: str = ""  # whose archive it is, where it is not ours
    response: WarcRecord | None = None
    resources: tuple[WarcRecord, ...] = ()


def _pages(
    group: _Group, records: Iterable[WarcRecord | Damage], limits: Limits
) -> Iterator[tuple[int, Capture | Rejected]]:
    """The pages that records hold, each with the offset of the end of its last record."""
    for record in records:
        group, found = _step(group, record, limits)
        if found is not None:
            yield record.place.offset + record.place.length, found


def _step(group: _Group, record: WarcRecord | Damage, limits: Limits) -> tuple[_Group, Capture | Rejected | None]:
    """What a record makes of the group before it, and the page or rejection that is ready with it."""
    if isinstance(record, Damage):
        return _Group(group.ours, group.archive), Rejected(STAGE, "broken_record", record.why, _written(record.place))
    if record.kind == "warcinfo":
        return _group_of(Path(record.place.file), record), None
    return _step_in_ours(group, record, limits) if group.ours else (group, _foreign(record, group.archive, limits))


def _step_in_ours(group: _Group, record: WarcRecord, limits: Limits) -> tuple[_Group, Capture | Rejected | None]:
    if record.kind == "response":
        return _Group(ours=True, response=record), None
    if record.kind == "resource" and len(group.resources) < MAX_RESOURCES:
        return replace(group, resources=(*group.resources, record)), None
    if record.kind == "metadata" and group.response and record.headers.get("content-type") == NOTE_TYPE:
        return _Group(ours=True), _own(group.response, group.resources, record, limits)
    return group, None


def _group_of(path: Path, record: WarcRecord | Damage | None) -> _Group:
    """Begin with a file, or a part of it, that has this first record."""
    about: dict[str, str] = {}
    if isinstance(record, WarcRecord) and record.kind == "warcinfo":
        lines = (line.partition(":") for line in record.body.decode("utf-8", "replace").splitlines())
        about = {name.strip().lower(): collapse(value)[:MAX_NAME_CHARACTERS] for name, _, value in lines}
    software = about.get("software", "")
    if software.startswith(SOFTWARE):
        return _Group(ours=True)
    # The collection that a file belongs to, else its publisher, else the program that wrote it.
    collection = about.get("ispartof") or ("CC-NEWS" if path.name.startswith("CC-NEWS-") else "")
    return _Group(ours=False, archive=collection or about.get("publisher") or software)


def _foreign(record: WarcRecord, archive: str, limits: Limits) -> Capture | Rejected | None:
    if record.kind not in {"response", "revisit"}:
        return None
    if refusal := _refusal(record):
        return refusal
    try:
        page = _page(record, limits)
        return Capture(replace(page, capture=ArchiveCapture(archive, page.fetched)), place=record.place)
    except ContentError as error:
        return error.rejection(_address(record))


def _refusal(record: WarcRecord) -> Rejected | None:
    """Why a record of others holds no page."""
    url = _address(record)
    kind = record.http.get("content-type", "").partition(";")[0].strip().lower()
    if record.kind == "revisit":
        return Rejected(STAGE, "revisit", "the same content is archived elsewhere", url)
    if not host_and_port(url):
        return Rejected(STAGE, "no_web_address", _written(record.place), url)
    if record.status != HTTPStatus.OK:
        return Rejected("fetch", f"http_{record.status}", "", url)
    return None if kind in HTML else Rejected("fetch", "not_html", f"content type {kind!r}", url)


def _own(
    response: WarcRecord, resources: tuple[WarcRecord, ...], metadata: WarcRecord, limits: Limits
) -> Capture | Rejected:
    place = response.place
    whole = replace(place, length=metadata.place.offset + metadata.place.length - place.offset)
    left = iter(resources)
    try:
        note = NOTES.decode(metadata.body)
        pages = tuple(_stored(one, response if one.headers is None else next(left), limits) for one in note.pages)
        return Capture(pages[0], pages[1:], note.origin, whole)
    except ContentError as error:
        return error.rejection(_address(response))
    except (msgspec.DecodeError, StopIteration, RuntimeError, IndexError) as error:
        detail = f"{_written(metadata.place)}: {str(error) or 'a record is missing'}"
        return Rejected(STAGE, "broken_record", detail, _address(response))


def _stored(stored: StoredPage, record: WarcRecord, limits: Limits) -> Page:
    """A page of ours, with what the metadata record says of it."""
    page = _page(record, limits)
    evidence = tuple(Evidence(*one) for one in stored.evidence)
    headers = page.headers if stored.headers is None else stored.headers
    return Page(stored.url, page.body, headers, stored.fetched, evidence)


def _page(record: WarcRecord, limits: Limits) -> Page:
    """The page that a record holds; a ContentError is raised where it is not whole or too large."""
    if record.fault:
        raise ContentError(record.fault, f"the record at {_written(record.place)}")
    if cut := record.headers.get("warc-truncated"):
        raise ContentError("truncated", f"by the writer of {_written(record.place)}: {cut}")
    body = unpack(record.body, record.http.get("content-encoding", ""), limits.max_bytes)
    headers = {name: value for name, value in record.http.items() if name not in UNKEPT}
    if length := record.http.get("x-crawl-content-length"):
        headers["content-length"] = length
    return Page(_address(record), body, headers, _date(record.headers.get("warc-date", "")))


def _address(record: WarcRecord) -> str:
    return record.headers.get("warc-target-uri", "").strip("<>")


def _written(place: ByteRange) -> str:
    """A place as a text; it stands for the address where there is none."""
    return f"{place.file}@{place.offset}"


def _date(text: str) -> str:
    """A date of WARC, which is in UTC, to the second, as pages carry it; "" for none."""
    try:
        date = datetime.fromisoformat(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):  # the latter at the ends of time
        return ""
