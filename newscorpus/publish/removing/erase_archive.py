"""Find what of an archive goes with documents that are taken out, and overwrite it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import chain
from pathlib import Path
from re import compile as compiled

from newscorpus.crawl.archive.read import read_capture
from newscorpus.crawl.archive.take_out import Group, addresses, body_of, is_page, read_groups, take_out
from newscorpus.crawl.archive.values import ByteRange, Capture
from newscorpus.data import Page, Rejected
from newscorpus.extraction.decode import decode
from newscorpus.layout import ARCHIVE, archived_files, inside, is_adopted
from newscorpus.removals import removals_of
from newscorpus.tokens import folded_words

QUOTED_WORDS = 8
"""Words in a row that make a quotation; fewer are found in texts that have nothing to do with each other."""

TAG = compiled(r"<[^>]*>")


class Quotes:
    """Finds what is quoted of some texts: so many of their words in a row. False without a text."""

    def __init__(self, texts: Collection[str]) -> None:
        self._runs = frozenset(chain.from_iterable(map(_runs, texts)))

    def __bool__(self) -> bool:
        return bool(self._runs)

    def are_in(self, text: str) -> bool:
        """Whether a text holds one of the quotations."""
        return any(run in self._runs for run in _runs(text))


def _runs(text: str) -> Iterator[str]:
    words = folded_words(text)
    return (" ".join(words[at : at + QUOTED_WORDS]) for at in range(len(words) - QUOTED_WORDS + 1))


@dataclass(frozen=True, slots=True)
class ArchivedParts:
    """What an archive holds of documents."""

    parts: tuple[ByteRange, ...]  # what goes: their pages, and lists that quote them; files relative to the corpus
    n_quoting: int  # pages of other documents that quote them, and stay


def find_parts(corpus: Path, urls: Collection[str], quotes: Quotes) -> ArchivedParts:
    """Look through the archive of a corpus for all pages that were taken out of it, and for lists that quote these.

    Args:
        corpus: its folder.
        urls: addresses of what is taken out now; a list that quotes it leads to one of them.
        quotes: of its texts; without any they are extracted from the pages.

    Raises:
        ArchiveError: a file cannot be read.
    """
    removals, paths = removals_of(corpus), [path for url in urls if (path := _path(url))]
    own = [path for path in archived_files(corpus) if not is_adopted(corpus, f"{ARCHIVE}/{path.name}")]
    named: list[ByteRange] = []
    leading: list[tuple[ByteRange, bool, str]] = []
    for place, group in chain.from_iterable(map(read_groups, own)):
        if any(map(removals.covers, addresses(group))):
            named.append(place)
        elif any(path in (body := body_of(group)) for path in paths):
            leading.append((place, is_page(group), _shown(body, group)))
    quotes = quotes or Quotes([text for place in named if (text := _text_at(place))])
    quoting = [(place, is_article) for place, is_article, text in leading if quotes.are_in(text)]
    lists = [place for place, is_article in quoting if not is_article]
    parts = (ByteRange(f"{ARCHIVE}/{Path(one.file).name}", one.offset, one.length) for one in (*named, *lists))
    return ArchivedParts(tuple(parts), len(quoting) - len(lists))


def take_out_parts(corpus: Path, parts: Collection[ByteRange], when: str) -> None:
    """Overwrite parts of an archive, whose files are named relative to the corpus.

    Raises:
        ArchiveError, OSError: a file cannot be written.
    """
    for part in parts:
        take_out(inside(corpus, part.file), part, when)


def _path(url: str) -> bytes:
    """How a page of the same site may lead to an address; "&" is written in several ways."""
    return url.split("/", 3)[-1].partition("&")[0].encode()


def _shown(body: bytes, group: Group) -> str:
    """The text of a page or feed, which may hold markup as text, without its markup."""
    text = decode(Page("", body, dict(group[0].http)))
    return "" if isinstance(text, Rejected) else TAG.sub(" ", unescape(TAG.sub(" ", text)))


def _text_at(place: ByteRange) -> str:
    """The text of an archived page; "" where it is no article."""
    from newscorpus.corpus.rows import Row  # noqa: PLC0415 -- what reads pages takes a second to load
    from newscorpus.published.registry import DEFAULT  # noqa: PLC0415
    from newscorpus.recipe import Recipe, process_page  # noqa: PLC0415
    from newscorpus.stored.archives import page_of_capture  # noqa: PLC0415

    found = read_capture(Path(place.file), place.offset)
    row = process_page(Recipe(DEFAULT), page_of_capture(found, ())) if isinstance(found, Capture) else found
    return f"{row.record.title}\n{row.record.text}" if isinstance(row, Row) else ""
