"""Find what of an archive goes with documents that are taken out, and overwrite it."""

from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path

from newscorpus.crawl.archive.compact import Cuts
from newscorpus.crawl.archive.read import read_capture
from newscorpus.crawl.archive.record import WarcRecord
from newscorpus.crawl.archive.take_out import PAGES, Group, addresses, body_of, is_page, read_groups
from newscorpus.crawl.archive.values import ByteRange, Capture
from newscorpus.data import Page, Rejected
from newscorpus.extraction.decode import decode
from newscorpus.layout import ARCHIVE, archived_files, inside, is_adopted
from newscorpus.publish.removing.quotes import Quotes, shown_text
from newscorpus.removals import removals_of
from newscorpus.stored.keeping import changing, cut_out
from newscorpus.urls import document_id


@dataclass(frozen=True, slots=True)
class ArchivedParts:
    """What an archive holds of documents; files relative to the corpus."""

    parts: tuple[ByteRange, ...]  # what goes: their pages, and lists that quote them
    quoting: tuple[tuple[ByteRange, frozenset[str]], ...]  # pages of others that quote them, each with its ids
    quotes: Quotes  # of their texts


def find_parts(corpus: Path, urls: Collection[str], quotes: Quotes) -> ArchivedParts:
    """Look through the archive of a corpus for all pages that were taken out of it, and for what quotes these.

    Args:
        corpus: its folder.
        urls: addresses of what is taken out now; a page that quotes it leads to one of them.
        quotes: of its texts; without any they are extracted from the pages.

    Raises:
        ArchiveError: a file cannot be read.
    """
    removals, paths = removals_of(corpus), [path for url in urls if (path := _path(url))]
    own = [path for path in archived_files(corpus) if not is_adopted(corpus, f"{ARCHIVE}/{path.name}")]
    named: list[ByteRange] = []
    is_known = bool(quotes)
    leading: list[tuple[ByteRange, frozenset[str], str]] = []
    for place, group in chain.from_iterable(map(read_groups, own)):
        if any(map(removals.covers, addresses(group))):
            named.append(place)
        elif any(path in body_of(group[0]) for path in paths):
            ids = frozenset(map(document_id, addresses(group))) if is_page(group) else frozenset()
            text = _text(group)
            if not is_known or quotes.are_in(text):
                leading.append((place, ids, "" if is_known else text))
    quotes = quotes or Quotes([text for place in named if (text := _text_at(place))])
    quoting = [(_inside(place), ids) for place, ids, text in leading if is_known or quotes.are_in(text)]
    lists = [place for place, ids in quoting if not ids]
    pages = tuple((place, ids) for place, ids in quoting if ids)
    return ArchivedParts((*map(_inside, named), *lists), pages, quotes)


def hide_quotes(corpus: Path, found: ArchivedParts, sharing: Set[str], when: str) -> int:
    """Put spaces for what pages quote beside their own texts; a page with which that cannot be done goes.

    Args:
        corpus: its folder.
        found: what its archive holds.
        sharing: ids of the documents whose own texts quote it; their pages stay as they are.
        when: the time.

    Returns:
        the number of pages.

    Raises:
        ArchiveError, OSError: a file cannot be written.
    """
    places = [place for place, ids in found.quoting if sharing.isdisjoint(ids)]
    with changing(corpus):
        for path, group in _by_file(corpus, places):
            cut_out(path, Cuts(edited=group, edit=partial(_without, found.quotes), when=when))
            still = [place for place in group if _is_quoting(path, place, found.quotes)]  # in a way that nobody reads
            if still:
                cut_out(path, Cuts(still, when=when))
    return len(places)


def take_out_parts(corpus: Path, parts: Collection[ByteRange], when: str) -> None:
    """Overwrite parts of an archive, whose files are named relative to the corpus, wherever these lie.

    Raises:
        CorpusError: the archive is being changed.
        ArchiveError, OSError, ImportError: a file cannot be read or written.
    """
    with changing(corpus):
        for path, group in _by_file(corpus, parts):
            cut_out(path, Cuts(group, when=when))


def _by_file(corpus: Path, places: Collection[ByteRange]) -> Iterator[tuple[Path, list[ByteRange]]]:
    ordered = sorted(places, key=attrgetter("file", "offset"))
    return ((inside(corpus, name), list(group)) for name, group in groupby(ordered, attrgetter("file")))


def _is_quoting(path: Path, place: ByteRange, quotes: Quotes) -> bool:
    at, group = next(read_groups(path, place.offset), (place, ()))
    return at.offset == place.offset and quotes.are_in(_text(group))


def _path(url: str) -> bytes:
    """How a page of the same site may lead to an address; "&" is written in several ways."""
    return url.split("/", 3)[-1].partition("&")[0].encode()


def _inside(place: ByteRange) -> ByteRange:
    return ByteRange(f"{ARCHIVE}/{Path(place.file).name}", place.offset, place.length)


def _decoded(record: WarcRecord) -> str:
    """A page or feed as text; "" where it is none."""
    text = decode(Page("", body_of(record), dict(record.http))) if record.kind in PAGES else ""
    return "" if isinstance(text, Rejected) else text


def _text(group: Group) -> str:
    """All that a page or feed says: shown, and in its attributes and scripts."""
    markups = [*map(_decoded, group)]
    return "\n".join((*map(shown_text, markups), *markups))


def _without(quotes: Quotes, record: WarcRecord) -> bytes | None:
    """The body of a page without some quotations, in UTF-8, as which it is then decoded, whatever it declares."""
    markup = _decoded(record)
    hidden = quotes.hide_in(markup)
    return None if hidden == markup else hidden.encode("utf-8", "replace")


def _text_at(place: ByteRange) -> str:
    """The text of an archived page; "" where it is no article."""
    from newscorpus.corpus.rows import Row  # noqa: PLC0415 -- what reads pages takes a second to load
    from newscorpus.published.registry import DEFAULT  # noqa: PLC0415
    from newscorpus.recipe import Recipe, process_page  # noqa: PLC0415
    from newscorpus.stored.archives import page_of_capture  # noqa: PLC0415

    found = read_capture(Path(place.file), place.offset)
    row = process_page(Recipe(DEFAULT), page_of_capture(found, ())) if isinstance(found, Capture) else found
    return f"{row.record.title}\n{row.record.text}" if isinstance(row, Row) else ""
