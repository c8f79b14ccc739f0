"""Find what of an archive goes with documents that are taken out, and overwrite it."""

import re
from collections.abc import Collection
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path

from newscorpus.layout import ARCHIVE, archived_files, inside, is_adopted
from newscorpus.store.archive.keeping import changing, cut_out
from newscorpus.store.archive.take_out import addresses, body_of, is_page, read_groups
from newscorpus.store.archive.values import ByteRange
from newscorpus.store.removals import removals_of


def find_parts(corpus: Path, urls: Collection[str]) -> tuple[ByteRange, ...]:
    """Find the pages in an archive that were taken out of its corpus, and the lists and feeds that link to them.

    Lists and feeds are only read for their links, and may hold the text; pages of other documents stay.

    Args:
        corpus: its folder.
        urls: addresses of the documents that are taken out now.

    Returns:
        the parts, their files relative to the corpus.

    Raises:
        ArchiveError: a file cannot be read.
    """
    removals, is_link = removals_of(corpus), _link_pattern(urls)
    own = [path for path in archived_files(corpus) if not is_adopted(corpus, f"{ARCHIVE}/{path.name}")]
    return tuple(
        ByteRange(f"{ARCHIVE}/{Path(place.file).name}", place.offset, place.length)
        for place, group in chain.from_iterable(map(read_groups, own))
        if any(map(removals.covers, addresses(group))) or (not is_page(group) and is_link.search(body_of(group[0])))
    )


def take_out_parts(corpus: Path, parts: Collection[ByteRange], when: str) -> None:
    """Overwrite parts of an archive, whose files are named relative to the corpus, wherever these lie.

    Raises:
        CorpusError: the archive is being changed.
        ArchiveError, OSError, ImportError: a file cannot be read or written.
    """
    ordered = sorted(parts, key=attrgetter("file", "offset"))
    with changing(corpus):
        for name, group in groupby(ordered, attrgetter("file")):
            cut_out(inside(corpus, name), list(group), when)


def _link_pattern(urls: Collection[str]) -> re.Pattern[bytes]:
    """Match links to some addresses from the same site; "&" is written in several ways, so it ends a link."""
    paths = {re.escape(url.split("/", 3)[-1].partition("&")[0].encode()) for url in urls if url.count("/") > 2}
    return re.compile(rb"(?<![\w-])(?:%s)(?![\w-])" % b"|".join(sorted(filter(None, paths)) or [b"(?!)"]))
