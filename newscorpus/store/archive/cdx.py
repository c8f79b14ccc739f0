"""Read the index of somebody else's web archive: CDX, as servers of Common Crawl, the Wayback Machine and pywb give it.

A line names one capture: as a JSON object, as a JSON list below one of names, or as fields with spaces between them.
Of archives without an index, such as CC-NEWS, a list names the files.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from newscorpus.content_encoding import GZIP_MAGIC, gunzip
from newscorpus.store.archive.read import HTML

PLAIN = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
"""Fields of a line without names, in the order of the Wayback Machine's server."""

NAMES = {"original": "url", "mimetype": "mime", "statuscode": "status"}
"""What the Wayback Machine calls the fields of Common Crawl."""

COLLECTION = re.compile(r"CC-[A-Z]+(?:-\d{4}-\d\d)?(?=[/-])")
MAX_LINE_CHARACTERS = 10_000

MAX_PAGES = 100_000
"""Of the index of a domain, each of which is asked for; one has some 10,000 captures and more."""

WARC_PATH = re.compile(r"[\w.=-][\w./=-]*\.warc(?:\.gz)?")
FILE_TIME = re.compile(r"-(\d{8})\d{6}-")
"""The time in the name of a file, such as CC-NEWS-20240501002418-00001.warc.gz."""
MAX_LIST_BYTES = 50_000_000
"""Half a million files; CC-NEWS has some 400 a month."""


@dataclass(frozen=True, slots=True)
class IndexedCapture:
    """A capture that an index names."""

    url: str  # address of the page
    stamp: str  # when it was captured, in UTC: YYYYMMDDhhmmss
    file: str = ""  # WARC file that holds it, relative to the archive; "" where the index names none
    offset: int = 0  # of its record there, bytes
    length: int = 0  # of its record, bytes

    @property
    def time(self) -> str:
        """When it was captured, ISO 8601."""
        return datetime.strptime(self.stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC).isoformat(timespec="seconds")

    @property
    def collection(self) -> str:
        """The part of Common Crawl that it belongs to, such as "CC-MAIN-2024-10"; "" for other archives."""
        found = COLLECTION.search(self.file)
        return found[0] if found else ""


def read_index(text: str) -> Iterator[IndexedCapture | None]:
    """Read the captures of pages that an answer names, in its order; None for each line that names none."""
    names: Sequence[str] = PLAIN
    for line in filter(None, (line.strip(" \r\t,") for line in text.split("\n"))):
        try:
            values = _values(line[:MAX_LINE_CHARACTERS])
        except (ValueError, TypeError, RecursionError):
            yield None
            continue
        if isinstance(values, list) and "urlkey" in values:
            names = values
        else:
            yield _capture(values if isinstance(values, dict) else dict(zip(names, values, strict=False)))


def read_files(body: bytes) -> Iterator[str]:
    """Read the WARC files that a list names, gzip or not, one a line; what is no path of such a file is passed over.

    Raises:
        zlib.error: the list is damaged.
    """
    text = b"".join(gunzip(body, MAX_LIST_BYTES)) if body.startswith(GZIP_MAGIC) else body
    lines = (line.strip() for line in text.decode("ascii", "replace").split("\n"))
    return (line for line in lines if WARC_PATH.fullmatch(line) and ".." not in line)


def file_day(path: str) -> date | None:
    """The day on which the first captures of a file were made, by its name; None where that has no time."""
    found = FILE_TIME.search(path)
    try:
        return datetime.strptime(found[1], "%Y%m%d").replace(tzinfo=UTC).date() if found else None
    except ValueError:
        return None


def count_pages(text: str) -> int:
    """How many pages an index has, as its server answers `showNumPages=true`: a number, or a JSON object.

    A server that does not divide its index, such as pywb's, answers with the captures or with nothing: one page.

    Raises:
        ValueError: neither, or more than `MAX_PAGES`.
    """
    if not text.strip() or any(read_index(text)):
        return 1
    try:
        answer = json.loads(text)
    except RecursionError:
        answer = None
    if isinstance(answer, dict):
        answer = answer.get("pages")
    if not isinstance(answer, int) or not 0 <= answer <= MAX_PAGES:
        raise ValueError(f"no number of pages: {text[:80]!r}")
    return answer


def _values(line: str) -> dict[str, str] | list[str]:
    """The fields of a line, by name or in order."""
    if line.startswith("{"):
        return {str(name): str(value) for name, value in json.loads(line).items()}
    if line.startswith("["):
        return [str(value) for value in json.loads(f"[{line.strip('[]')}]")]
    return line.split(" ")


def _capture(fields: Mapping[str, str]) -> IndexedCapture | None:
    """The capture of a page that was found; None for other answers and types, and where a field is missing."""
    known = {NAMES.get(name, name): value for name, value in fields.items()}
    if known.get("status", "200") != "200" or known.get("mime", "") not in HTML:
        return None
    try:
        stamp = known["timestamp"]
        datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        file = known.get("filename", "")
        place = (int(known["offset"]), int(known["length"])) if file else (0, 0)
        return IndexedCapture(known["url"], stamp, file, *place)
    except (KeyError, ValueError):
        return None
