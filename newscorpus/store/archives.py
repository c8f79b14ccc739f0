"""Read the pages of archives: those of crawled corpora, and WARC files by name."""

import glob
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from newscorpus.config import Limits
from newscorpus.data import Rejected
from newscorpus.layout import ARCHIVE, archived_files
from newscorpus.page.source_page import SourcePage, page_of_portal, template_of
from newscorpus.portal.addresses import find_trust
from newscorpus.portal.portal import Portal
from newscorpus.store.archive.parts import part_fault
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.record import Damage
from newscorpus.store.archive.records import read_records
from newscorpus.store.archive.values import ArchiveError, Capture, Origin
from newscorpus.store.removals import removals_of
from newscorpus.terminal import describe
from newscorpus.urls import site_key


def page_of_capture(capture: Capture, portals: Sequence[Portal]) -> SourcePage:
    """Join an archived page with what `portals` say of it now.

    A portal is found by its name where the archive names the one that was crawled, else by its domains. Without a
    portal, the languages and rules in the archive count, and the source is at least the name of the site.
    """
    origin, page = capture.origin or Origin(), capture.page
    fitting = (one for one in portals if (one.name == origin.source if origin.source else one.covers(page.url)))
    if portal := next(fitting, None):
        trust = find_trust(page.url, portal, page.evidence)
        return page_of_portal(page, portal, capture.following, trust)
    source = origin.source or site_key(page.url)
    return SourcePage(page, source, origin.languages, template_of(origin.template), capture.following)


def archive_files(corpus: Path) -> list[Path]:
    """List the files of a corpus' own archive, oldest first.

    Raises:
        ArchiveError: there are none.
    """
    files = archived_files(corpus)
    if not files:
        raise ArchiveError(f"{corpus / ARCHIVE}: no archive here; crawl with NEWSCORPUS_ARCHIVE on, or name WARC files")
    return files


def archive_findings(corpus: Path, watch: Callable[[Iterable[Path]], Iterable[Path]], *, whole: bool) -> Iterator[str]:
    """Find what is wrong with the files of an archive, as lines that name the file.

    Args:
        corpus: its folder.
        watch: passes the files on, to show how far things are.
        whole: read every record; else see only whether the files are there, and begin and end as they should.
    """
    for path in watch(archived_files(corpus)):
        try:
            if whole:
                found = (one for one in read_records(path, Limits().max_bytes) if isinstance(one, Damage))
                yield from (f"{path}, offset {one.place.offset}: {one.why}" for one in found)
            elif fault := part_fault(path):
                yield fault
        except (ArchiveError, OSError) as error:
            yield describe(error)


def finished_captures(
    files: Iterable[Path], unfinished: Collection[tuple[str, int]] = ()
) -> Iterator[Capture | Rejected]:
    """Read the captures of WARC files, in order, but for those that `unfinished_captures` names.

    What was taken out of the corpus of an archive is passed over, too.
    """
    for path in files:
        removals = removals_of(path.parent.parent)
        for found in read_captures(path):
            place = found.place if isinstance(found, Capture) else None
            if place and (f"{ARCHIVE}/{Path(place.file).name}", place.offset) in unfinished:
                continue
            if not removals.covers(found.page.url if isinstance(found, Capture) else found.url):
                yield found


def named_files(names: str) -> list[Path]:
    """List the files that comma-separated names and patterns match, each once, in order.

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
