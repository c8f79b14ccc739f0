"""Pages of archives, as the steps of a page take them.

Extract without crawling: one page, or a file of pages, line by line.

The one page that `extract` is asked for: from a file or from standard input.
"""

import glob
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import msgspec
import zstandard

from newscorpus.corpus.language import judge_language
from newscorpus.corpus.lines import encode_line, unpacked_lines, writable
from newscorpus.corpus.records import make_record
from newscorpus.crawl.archive.values import ArchiveError, Capture, Origin
from newscorpus.data import Page, Record, Rejected
from newscorpus.errors import PortalError
from newscorpus.extraction.extractor import Extractor
from newscorpus.layout import ARCHIVE, WARC_SUFFIX
from newscorpus.portals.portal import Portal
from newscorpus.portals.schema import load_portal
from newscorpus.portals.template import TemplateRules, load_plain_template
from newscorpus.published import registry
from newscorpus.recipe import SourcePage, page_of_portal, template_of
from newscorpus.tokens import collapse
from newscorpus.urls import site_key
from newscorpus.workers import Lost, in_order


def page_of_capture(capture: Capture, portals: Sequence[Portal]) -> SourcePage:
    """The page of `capture`, with what `portals` say of it now.

    A portal is meant by its name where the archive names the one that was crawled, else by its domains. Where none is
    meant, the archive's own word on languages and rules counts, and the source is the name of the site if need be.
    """
    origin, page = capture.origin or Origin(), capture.page
    meant = (one for one in portals if (one.name == origin.source if origin.source else one.covers(page.url)))
    if portal := next(meant, None):
        return page_of_portal(page, portal, capture.following)
    source = origin.source or site_key(page.url)
    return SourcePage(page, source, origin.languages, template_of(origin.template), capture.following)


def archive_files(corpus: Path) -> list[Path]:
    """The files of a corpus' own archive, oldest first.

    Raises:
        ArchiveError: there are none.
    """
    files = sorted((corpus / ARCHIVE).glob("*" + WARC_SUFFIX))
    if not files:
        raise ArchiveError(f"{corpus / ARCHIVE}: no archive here; crawl with NEWSCORPUS_ARCHIVE on, or name WARC files")
    return files


def named_files(names: str) -> list[Path]:
    """The files that a list of names and patterns means, parted by commas; each once, in order.

    Raises:
        ArchiveError: a file is missing, or a pattern finds none.
    """
    found: dict[Path, None] = {}
    for name in filter(None, (part.strip() for part in names.split(","))):
        paths = [Path(name)] if Path(name).is_file() else sorted(map(Path, glob.glob(name, recursive=True)))  # noqa: PTH207 -- Path.glob takes no absolute pattern
        if not (files := [path for path in paths if path.is_file()]):
            raise ArchiveError(f"{name}: no such file")
        found |= dict.fromkeys(files)
    return list(found)


PAGE_SECONDS = 30.0
"""Longest time for one page, as in a crawl."""

PAGES_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")


@dataclass(frozen=True, slots=True)
class Setup:
    """What extracts: name of the extractor, and file of the template, a plain one or a portal's; None for none."""

    extractor: str = registry.DEFAULT
    template: Path | None = None


@dataclass(frozen=True, slots=True)
class GivenPage:
    """A line of a file of pages; other keys are passed over."""

    id: str | int
    html: str
    url: str | None = None


PAGES = msgspec.json.Decoder(GivenPage)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a line of a file of pages came to.

    Attributes:
        line: JSON with the keys of the record, or with `url` and `rejected`; `id` is the one given. b"" on an error.
        rejected: "stage/reason", or "".
        error: what is wrong with the line or the file, named; or "".
    """

    line: bytes = b""
    rejected: str = ""
    error: str = ""


def load(setup: Setup) -> Extractor:
    """The extractor with its template.

    Raises:
        ValueError: one of them is unknown, wrong, or the two do not go together; one line.
        ImportError: the extractor needs a package that is not here; likewise.
    """
    return registry.load(setup.extractor, load_template(setup.template) if setup.template else None)


def load_template(path: Path) -> TemplateRules:
    """The template of a portal file (`.toml`), or of a plain template file.

    Raises:
        PortalError: the file is missing or wrong, or the portal has no template.
    """
    if path.suffix != ".toml":
        return load_plain_template(path)
    portal = load_portal(path)
    if portal.template is None:
        raise PortalError(f"{path}: no section [template] in it")
    return TemplateRules(portal.name, portal.template)


def extract_page(extractor: Extractor, page: Page) -> Record | Rejected:
    """The record of one page, without portal, or why there is none.

    The language is the one that the page states where the text bears it out, else the detector's.
    """
    article = extractor(page)
    if isinstance(article, Rejected):
        return article
    stated = article.fields.language
    verdict = judge_language(article.text, (stated,) if stated else ())
    return make_record(article, "", verdict.language, verdict.score)


def extract_file(source: Path, setup: Setup, jobs: int) -> Iterator[Answer]:
    """Extract the pages of a JSON lines file, plain, gzip or zstd: an answer for each, in order.

    A line has at least `id` and `html`, perhaps `url`. One that has not, and a file that is cut off, are answers too.

    Raises:
        ValueError: the setup is wrong.
        ImportError: the extractor needs a package that is not here.
    """
    load(setup)
    faults: list[str] = []
    for (number, line), found in in_order(partial(_answer, setup), _lines(source, faults), jobs, PAGE_SECONDS):
        answer = _lost(line, found) if isinstance(found, Lost) else found
        yield Answer(error=f"{source}, line {number}: {answer.error}") if answer.error else answer
    for fault in faults:
        yield Answer(error=f"{source}, {fault}")


def _lines(source: Path, faults: list[str]) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers, empty ones left out; what keeps from reading on is added to `faults`."""
    number = 0
    try:
        for number, line in enumerate(unpacked_lines(source), 1):
            if not line.isspace():
                yield number, line
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        faults.append(f"after line {number}: cannot read: {error}")


def _answer(setup: Setup, numbered: tuple[int, bytes]) -> Answer:
    """What becomes of a line; runs in a process of its own."""
    given = _read(numbered[1])
    if isinstance(given, Answer):
        return given
    try:
        found = extract_page(_loaded(setup), Page.from_html(given.html, given.url or ""))
    except Exception as error:  # noqa: BLE001 -- a fault of ours, whatever it is: the page is lost, the others are not
        found = Rejected("extract", "worker_failed", collapse(f"{type(error).__name__}: {error}"))
    return _tell(given, found)


@cache
def _loaded(setup: Setup) -> Extractor:
    return load(setup)


def _lost(line: bytes, lost: Lost) -> Answer:
    given = _read(line)
    return given if isinstance(given, Answer) else _tell(given, Rejected("extract", lost.reason, lost.detail))


def _read(line: bytes) -> GivenPage | Answer:
    try:
        given = _decode(line)
    except (ValueError, RecursionError) as error:  # also all that msgspec and json say of a line
        return Answer(error=str(error))
    return replace(given, id=writable(given.id), url=writable(given.url or ""))


def _decode(line: bytes) -> GivenPage:
    try:
        return PAGES.decode(line)
    except msgspec.DecodeError as error:
        if "surrogate" not in str(error):
            raise
    # Programs that cut texts write halves of surrogate pairs; Python's own reader takes them.
    return msgspec.convert(json.loads(line), GivenPage)


def _tell(given: GivenPage, found: Record | Rejected) -> Answer:
    if isinstance(found, Record):
        return Answer(encode_line(msgspec.to_builtins(found) | {"id": given.id}))
    return Answer(rejection_line(given.id, given.url or "", found), f"{found.stage}/{found.reason}")


def rejection_line(page_id: str | int, url: str, rejected: Rejected) -> bytes:
    """The line of JSON that stands in place of a record: `id`, `url`, and `rejected` with stage, reason and detail."""
    clean = writable(rejected)
    reasons = {"stage": clean.stage, "reason": clean.reason, "detail": clean.detail}
    return encode_line({"id": page_id, "url": url, "rejected": reasons})


STDIN = "-"


def is_web(source: str) -> bool:
    """Whether `source` is an address of the web rather than a file."""
    return source.lower().startswith(("http://", "https://"))


def read_source(source: str, url: str) -> Page:
    """The page in the file `source`, or on standard input if it is "-", with the address `url`.

    Raises:
        OSError: the file cannot be read.
    """
    return Page(url, sys.stdin.buffer.read() if source == STDIN else Path(source).read_bytes())
