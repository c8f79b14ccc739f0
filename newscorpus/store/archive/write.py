"""Encode responses and pages as WARC/1.1 records (ISO 28500:2017) with warcio, and append them to an archive."""

import io
import zlib
from collections.abc import Callable, Mapping
from http import HTTPStatus
from io import FileIO
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec
from warcio.recordbuilder import RecordBuilder
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from newscorpus.content_encoding import WITH_GZIP_HEADER, ContentError, unpack
from newscorpus.data import Page
from newscorpus.files import extend, sync
from newscorpus.layout import ARCHIVE, WARC_SUFFIX, archived_files, is_adopted
from newscorpus.store.archive.values import (
    METADATA_TYPE,
    OWN_URN,
    PERSONAL,
    ByteRange,
    Capture,
    Exchange,
    Headers,
    Origin,
    PageMetadata,
    StoredPage,
)

VERSION = "WARC/1.1"
LEVEL = 6
"""Level of zlib, its default: 9 takes twice the time for 1 % less."""

BUILDER = RecordBuilder(warc_version=VERSION)


def encode_info(name: str, software: str) -> bytes:
    """Encode the first record of a file."""
    fields = {
        "software": software,
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots": "obeyed",
    }
    return _packed(BUILDER.create_warcinfo_record(name, fields))


def encode(exchange: Exchange, capture: Capture | None, max_bytes: int) -> bytes:
    """Encode the records of a response, each a gzip member: response, request, and the page passed to the extractor.

    A page that is not the decoded response (at most `max_bytes`), since it was changed or joined or its encoding is
    unknown, gets a record of its own.
    """
    common = {"WARC-Date": exchange.date} | ({"WARC-IP-Address": exchange.ip} if exchange.ip else {})
    phrase = HTTPStatus(exchange.status).phrase if exchange.status in set(HTTPStatus) else ""
    # The length is that of the stored body.
    headers = [*_without_personal(exchange.headers), ("Content-Length", str(len(exchange.body)))]
    head = StatusAndHeaders(f"{exchange.status} {phrase}".strip(), headers, protocol=exchange.protocol)
    response = _record("response", exchange.url, exchange.body, common, head=head)
    beside = common | {"WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID")}
    parts = urlsplit(exchange.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    line = f"{exchange.method} {target} {exchange.protocol}"
    headers = [("Host", parts.netloc), *_without_personal(exchange.request_headers)]
    head = StatusAndHeaders(line, headers, is_http_request=True)
    records = [response, _record("request", exchange.url, exchange.request_body, beside, head=head)]
    if capture is not None:
        records += _page_records(exchange, capture, beside, max_bytes)
    return b"".join(map(_packed, records))


def _page_records(exchange: Exchange, capture: Capture, beside: Mapping[str, str], max_bytes: int) -> list[Any]:
    encodings = ", ".join(value for name, value in exchange.headers if name.lower() == "content-encoding")
    try:  # whether the page can be made again of the response
        whole = unpack(exchange.body, encodings, max_bytes) == capture.page.body
    except ContentError:
        whole = False
    stored = (_stored(capture.page, apart=not whole), *(_stored(page, apart=True) for page in capture.following))
    apart = capture.following if whole else (capture.page, *capture.following)
    note = msgspec.json.encode(PageMetadata(stored, capture.origin or Origin()))
    own = OWN_URN + exchange.url
    records = []
    for page in apart:
        place = own if page.url == exchange.url else page.url
        records.append(_record("resource", place, page.body, beside, page.headers.get("content-type", "")))
    return [*records, _record("metadata", own, note, beside, METADATA_TYPE)]


def _stored(page: Page, *, apart: bool) -> StoredPage:
    evidence = tuple((one.field, one.value, one.source) for one in page.evidence)
    return StoredPage(page.url, page.fetched, evidence, dict(page.headers) if apart else None)


def _without_personal(headers: Headers) -> Headers:
    return tuple(one for one in headers if one[0].lower() not in PERSONAL | {"content-length"})


def _record(
    kind: str, url: str, body: bytes, headers: Mapping[str, str], content_type: str = "", head: Any = None
) -> Any:
    return BUILDER.create_warc_record(
        url,
        kind,
        io.BytesIO(body),
        len(body),
        warc_content_type="" if head else content_type or "application/octet-stream",
        warc_headers_dict=dict(headers),
        http_headers=head,
    )


def _packed(record: Any) -> bytes:
    """Encode a record as a gzip member, as the standard requires."""
    plain = io.BytesIO()
    WARCWriter(plain, gzip=False, warc_version=VERSION).write_record(record)
    packer = zlib.compressobj(LEVEL, wbits=WITH_GZIP_HEADER)
    return packer.compress(plain.getvalue()) + packer.flush()


class ArchiveWriter:
    """Appends records to `archive/000001.warc.gz` of a corpus, and to the files after it.

    A file is opened with the first record and truncated after a failed write, so that it always ends with a record.
    After `max_bytes` a new file begins. `software` is "newscorpus/VERSION".

    Attributes:
        announce: called with the name of a file, relative to the corpus, before the file is created.
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
        """Append encoded records; return their place, with the file relative to the corpus.

        Raises:
            OSError: they could not be written.
            LedgerError: `announce` could not write.
        """
        file = self._file or self._open(self._last())
        if self._lengths[self._name] >= self._max_bytes:
            file = self._open(max(self._numbers()) + 1)
        offset = self._lengths[self._name]
        self._lengths[self._name] = extend(file, offset, records)
        return ByteRange(self._name, offset, len(records))

    def lengths(self) -> Mapping[str, int]:
        """Return the length of each file opened by this writer, by path relative to the corpus."""
        return self._lengths

    def close(self) -> None:
        """Fsync and close the file; a later record opens it again."""
        if self._file:
            sync(self._file)
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _last(self) -> int:
        """Return the number of the file to continue: the last one, or a new one if that is adopted."""
        last = max(self._numbers(), default=1)
        return last + is_adopted(self._corpus, f"{ARCHIVE}/{last:06}{WARC_SUFFIX}")

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
