"""Pages of archives, as the steps of a page take them."""

import glob
from collections.abc import Sequence
from pathlib import Path

from newscorpus.crawl.archive.values import ArchiveError, Capture, Origin
from newscorpus.crawl.archive.writer import FOLDER, SUFFIX
from newscorpus.portals.fetched import FetchedPage, of_portal, template_of
from newscorpus.portals.schema import Portal
from newscorpus.urls import site_key


def fetched_page(capture: Capture, portals: Sequence[Portal]) -> FetchedPage:
    """The page of `capture`, with what `portals` say of it now.

    A portal is meant by its name where the archive names the one that was crawled, else by its domains. Where none is
    meant, the archive's own word on languages and rules counts, and the source is the name of the site if need be.
    """
    origin, page = capture.origin or Origin(), capture.page
    meant = (one for one in portals if (one.name == origin.source if origin.source else one.covers(page.url)))
    if portal := next(meant, None):
        return of_portal(page, portal, capture.following)
    source = origin.source or site_key(page.url)
    return FetchedPage(page, source, origin.languages, template_of(origin.template), capture.following)


def archive_files(corpus: Path) -> list[Path]:
    """The files of a corpus' own archive, oldest first.

    Raises:
        ArchiveError: there are none.
    """
    files = sorted((corpus / FOLDER).glob("*" + SUFFIX))
    if not files:
        raise ArchiveError(f"{corpus / FOLDER}: no archive here; crawl with NEWSCORPUS_ARCHIVE on, or name WARC files")
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
