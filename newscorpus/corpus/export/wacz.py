"""Export the archived pages of documents as WACZ 1.1.1, which ReplayWeb.page and pywb show: a file `PART.wacz`.

It is a ZIP file of a WARC file, its index (CDXJ in compressed blocks), a list of pages, and a description with hashes;
see https://specs.webrecorder.net/wacz/1.1.1/. Memory: some 1 kB per document.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from newscorpus.config import Limits
from newscorpus.corpus.export.source import ExportPart, ExportSource
from newscorpus.errors import CorpusError
from newscorpus.layout import LEDGER
from newscorpus.lines import encode_indented, encode_line
from newscorpus.store.archive.overwrite import read_groups
from newscorpus.store.archive.read import METADATA
from newscorpus.store.archive.records import WarcRecord, read_records
from newscorpus.store.archive.values import METADATA_TYPE, ByteRange
from newscorpus.store.ledger.forget import aliases
from newscorpus.store.pages import archive_files
from newscorpus.urls import DEFAULT_PORTS, document_id

WARC = "data.warc.gz"
INDEX = "index.cdx.gz"
BLOCK_LINES = 3_000
"""Lines of the index in a compressed block, as in ZipNum and py-wacz."""


def write(source: ExportSource, folder: Path) -> None:
    """Write a file of the pages of each part; a part without documents has none."""
    for part in source.parts:
        path = folder / f"{part.name or 'corpus'}.wacz"
        with ZipFile(path, "x") as file:
            documents = _write_package(source, part, _Package(file))
        if not documents:
            path.unlink()


@dataclass(slots=True)
class _Package:
    """A ZIP file, and the description of what lies in it."""

    file: ZipFile
    resources: list[dict[str, str | int]] = field(default_factory=list)

    def add(self, path: str, chunks: Iterable[bytes], compression: int = ZIP_DEFLATED) -> None:
        """Write a file; without a time, so that equal contents give equal bytes."""
        info, digest, n_bytes = ZipInfo(path), hashlib.sha256(), 0
        info.compress_type = compression
        with self.file.open(info, "w", force_zip64=True) as file:
            for chunk in chunks:
                n_bytes += file.write(chunk)
                digest.update(chunk)
        name = path.rpartition("/")[2]
        self.resources.append({"name": name, "path": path, "hash": f"sha256:{digest.hexdigest()}", "bytes": n_bytes})


def _write_package(source: ExportSource, part: ExportPart, package: _Package) -> int:
    """Write the pages of a part; return its number of documents.

    Raises:
        CorpusError: no page of its documents is in the archive.
    """
    titles, fetches = dict[str, str](), set[tuple[str, str]]()
    for record in part.records():
        titles[record.id] = record.title
        fetches.add((record.source, record.fetched))
    if not titles:
        return 0
    led = aliases(source.corpus, titles) if (source.corpus / LEDGER).is_file() else titles
    index, pages = list[str](), list[dict[str, str]]()

    def copied() -> Iterator[bytes]:
        files = archive_files(source.corpus)
        offset = 0
        for chunk, page in _found(files, frozenset(led), fetches):
            yield chunk
            if page:
                name, url = document_id(page["url"]), page["url"]
                stamp = datetime.fromisoformat(page["date"]).astimezone(UTC)
                about = {**page, "offset": str(offset), "filename": WARC}
                index.append(f"{_sort_key(url)} {stamp:%Y%m%d%H%M%S} {json.dumps(about)}\n")
                pages.append({"id": name, "url": url, "ts": about.pop("date"), "title": titles.get(name, "")})
            offset += len(chunk)

    package.add(f"archive/{WARC}", copied(), ZIP_STORED)
    if not pages:
        raise CorpusError(f"{source.corpus}: no page of these documents is in the archive")
    blocks, places = list[bytes](), [f"!meta 0 {json.dumps({'format': 'cdxj-gzip-1.0', 'filename': INDEX})}\n"]
    index.sort()
    for start in range(0, len(index), BLOCK_LINES):
        lines = index[start : start + BLOCK_LINES]
        blocks.append(gzip.compress("".join(lines).encode(), mtime=0))
        place = {"offset": sum(map(len, blocks[:-1])), "length": len(blocks[-1])}
        places.append(f"{lines[0].partition(' {')[0]} {json.dumps(place)}\n")
    package.add(f"indexes/{INDEX}", blocks, ZIP_STORED)
    package.add("indexes/index.idx", (line.encode() for line in places))
    head = {"format": "json-pages-1.0", "id": "pages", "title": "Pages"}
    package.add("pages/pages.jsonl", map(encode_line, [head, *pages]))
    about = {
        "profile": "data-package",
        "resources": package.resources,
        "title": source.about.name,
        "description": f"{len(pages):,} pages of {len(titles):,} documents, generation {source.manifest.generation}",
        "created": max(page["ts"] for page in pages),
        "wacz_version": "1.1.1",
        "software": f"newscorpus {version('newscorpus')}",
    }
    content = encode_indented(about)
    package.add("datapackage.json", [content])
    digest = {"path": "datapackage.json", "hash": package.resources[-1]["hash"]}
    package.add("datapackage-digest.json", [encode_indented(digest)])
    return len(titles)


def _found(
    files: Iterable[Path], documents: frozenset[str], fetches: set[tuple[str, str]]
) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
    """Yield the records of the wanted pages as they are, each with its entry of the index; first of all one of a file.

    `documents` also has the ids of the addresses that led to them; `fetches` are those of pages that became a document.
    """
    is_first = True
    for path in files:
        if is_first and isinstance(first := next(read_records(path, Limits().max_bytes), None), WarcRecord):
            yield _bytes_of(path, first.place), None
        is_first = False
        for place, group in read_groups(path):
            response, last = group[0], group[-1]
            url = response.headers.get("warc-target-uri", "").strip("<>")
            if last.headers.get("content-type") != METADATA_TYPE or document_id(url) not in documents:
                continue
            note = METADATA.decode(last.body)
            if (note.origin.source, note.pages[0].fetched) in fetches:
                yield (
                    _bytes_of(path, place),
                    {
                        "url": url,
                        "mime": response.http.get("content-type", "").partition(";")[0],
                        "status": str(response.status or int(HTTPStatus.OK)),
                        "digest": response.headers.get("warc-payload-digest", ""),
                        "length": str(response.place.length),
                        "date": response.headers["warc-date"],
                    },
                )


def _bytes_of(path: Path, place: ByteRange) -> bytes:
    with path.open("rb") as file:
        file.seek(place.offset)
        return file.read(place.length)


def _sort_key(url: str) -> str:
    """Return the key of an address in an index: its host reversed, in lower case (SURT)."""
    parts = urlsplit(url.lower())
    host = (parts.hostname or "").removeprefix("www.")
    names = [host] if host.replace(".", "").isdecimal() else reversed(host.split("."))
    port = f":{parts.port}" if parts.port not in {None, DEFAULT_PORTS.get(parts.scheme)} else ""
    query = "&".join(sorted(parts.query.split("&")))
    return f"{','.join(names)}{port}){parts.path or '/'}{f'?{query}' if query else ''}"
