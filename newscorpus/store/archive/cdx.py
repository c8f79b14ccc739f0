"""Parse CDX indexes of Common Crawl, the Wayback Machine and pywb, and lists of WARC files.

A line of an index is a capture: a JSON object, a JSON list below a list of names, or fields separated by spaces. For
archives without an index, such as CC-NEWS, there is a list of files.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from newscorpus.content_encoding import GZIP_MAGIC, gunzip
from newscorpus.store.archive.read import HTML

PLAIN = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
"""Fields of a line without names, in the order of the Wayback Machine."""

NAMES = {"original": "url", "mimetype": "mime", "statuscode": "status"}
"""Fields of the Wayback Machine by their names in Common Crawl."""

COLLECTION = re.compile(r"CC-[A-Z]+(?:-\d{4}-\d\d)?(?=[/-])")
MAX_LINE_CHARACTERS = 10_000

MAX_PAGES = 100_000
"""Most pages of an index requested for a domain; a page has 10,000 captures or more."""

WARC_PATH = re.compile(r"[\w.=-][\w./=-]*\.warc(?:\.gz)?")
FILE_TIME = re.compile(r"-(\d{8})\d{6}-")
"""The time in the name of a file, such as CC-NEWS-20240501002418-00001.warc.gz."""
MAX_LIST_BYTES = 50_000_000
"""Half a million files; CC-NEWS has some 400 a month."""


@dataclass(frozen=True, slots=True)
class IndexedCapture:
    """A capture in an index."""

    url: str  # address of the page
    stamp: str  # time of the capture, in UTC: YYYYMMDDhhmmss
    file: str = ""  # WARC file relative to the archive; "" if the index names none
    offset: int = 0  # of the record in the file, bytes
    length: int = 0  # of the record, bytes

    @property
    def time(self) -> str:
        """Time of the capture, ISO 8601."""
        return datetime.strptime(self.stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC).isoformat(timespec="seconds")

    @property
    def collection(self) -> str:
        """Collection of Common Crawl, such as "CC-MAIN-2024-10"; "" for other archives."""
        found = COLLECTION.search(self.file)
        return found[0] if found else ""


def read_index(text: str) -> Iterator[IndexedCapture | None]:
    """Parse the captures of an index in order; None for each line without a captured page."""
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
    """Parse a list of WARC files, gzipped or not, one per line; other lines are skipped.

    Raises:
        zlib.error: the list is damaged.
    """
    text = b"".join(gunzip(body, MAX_LIST_BYTES)) if body.startswith(GZIP_MAGIC) else body
    lines = (line.strip() for line in text.decode("ascii", "replace").split("\n"))
    return (line for line in lines if WARC_PATH.fullmatch(line) and ".." not in line)


def file_day(path: str) -> date | None:
    """Return the day of the first captures of a file by its name; None if the name has no time."""
    found = FILE_TIME.search(path)
    try:
        return datetime.strptime(found[1], "%Y%m%d").replace(tzinfo=UTC).date() if found else None
    except ValueError:
        return None


def count_pages(text: str) -> int:
    """Parse the response to `showNumPages=true`: a number or a JSON object.

    A server without pages, such as pywb, responds with the captures or with nothing: one page.

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
    """Split a line into fields, by name or in order."""
    if line.startswith("{"):
        return {str(name): str(value) for name, value in json.loads(line).items()}
    if line.startswith("["):
        return [str(value) for value in json.loads(f"[{line.strip('[]')}]")]
    return line.split(" ")


def _capture(fields: Mapping[str, str]) -> IndexedCapture | None:
    """Return the capture of a page; None for other statuses and types, and if a field is missing."""
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
