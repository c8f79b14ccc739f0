"""Take documents out of every file of a corpus, so that a death at any moment is followed by the rest of it.

What is to go stands in `.removing.json` until all of it is gone; `build` and every crawl go on with it. Lines are
overwritten in place, and responses of the archive as well: nothing else moves.
"""

import shutil
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.release import forget_rows
from newscorpus.corpus.removing.erase_archive import find_parts, take_out_parts
from newscorpus.corpus.removing.lines import ids_in, journals, lines_naming, row_files
from newscorpus.corpus.search import index_path
from newscorpus.errors import CorpusError
from newscorpus.files import replacing
from newscorpus.layout import AGAINST, GOLD, INDEX, INTAKE, LEDGER, PROFILES, REMOVING
from newscorpus.lines import blank
from newscorpus.portal.profile import profiles_of, read_profile, write_profile
from newscorpus.store.archive.values import ByteRange
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.forget import aliases, forget
from newscorpus.store.ledger.profiles import UsedProfile
from newscorpus.store.removals import note_removal, removals_of


class Removing(msgspec.Struct, frozen=True):
    """A removal under way."""

    removed: str  # when it was asked for, ISO 8601
    documents: tuple[str, ...]  # ids of what goes, and of the addresses that led there
    urls: tuple[str, ...] = ()  # addresses, as far as they are known
    from_archive: bool = False  # the archive is rewritten, too
    # Parts of its files that are overwritten, each with its file relative to the corpus; None: not looked for yet.
    parts: tuple[ByteRange, ...] | None = None
    erased: bool = False  # all that a build does not write anew is gone


@dataclass(frozen=True, slots=True)
class Traces:
    """What a corpus holds of the documents that are to go."""

    documents: frozenset[str]  # their ids, and those of the addresses that led there
    urls: frozenset[str]  # these addresses, as far as they are known
    rows: int  # lines or records
    met: frozenset[str]  # those of the ids that stand anywhere


def now() -> str:
    """The time of a removal, as WARC writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def read_removing(corpus: Path) -> Removing | None:
    """Read what is to go; None where no removal is under way.

    Raises:
        CorpusError: it is damaged.
    """
    path = corpus / REMOVING
    try:
        return msgspec.json.decode(path.read_bytes(), type=Removing) if path.is_file() else None
    except msgspec.DecodeError as error:
        raise CorpusError(f"{path}: {error}") from error


def write_removing(corpus: Path, removing: Removing) -> None:
    """Write down what is to go, before anything does."""
    with replacing(corpus / REMOVING) as file:
        file.write(msgspec.json.encode(removing))


def end_removing(corpus: Path) -> None:
    """Note that all of it is gone."""
    (corpus / REMOVING).unlink(missing_ok=True)


def erase(corpus: Path, removing: Removing) -> Removing:
    """Take what is to go out of all files but those that a build writes; once more does no harm.

    Gives the removal as it stands then.

    Raises:
        LedgerError: a crawl is at work, or the ledger cannot be used.
        ArchiveError, OSError: a file cannot be read or written.
    """
    has_ledger = (corpus / LEDGER).is_file()
    if has_ledger:
        Ledger.open(corpus).close()  # files end with what was committed: a torn line is no line
    if removing.from_archive:
        removing = _erase_archive(corpus, removing)
    _erase_profiles(corpus, removing.documents, has_ledger=has_ledger)
    for path in journals(corpus):
        for offset, line in lines_naming(path, removing.documents):
            blank(path, offset, len(line))
    if has_ledger:
        forget(corpus, removing.documents, [(part.file, part.offset) for part in removing.parts or ()])
        _recount(corpus)
    forget_rows(corpus, removing.documents)
    for folder in (INDEX, AGAINST):
        shutil.rmtree(corpus / folder, ignore_errors=True)
    for path in (index_path(corpus), *corpus.glob(".*.tmp"), *corpus.glob(f"{GOLD}/.*.tmp")):
        path.unlink(missing_ok=True)
    removing = msgspec.structs.replace(removing, erased=True)
    write_removing(corpus, removing)
    return removing


def resume_erasing(corpus: Path) -> None:
    """Go on with what was broken off; errors as for `erase`."""
    removing = read_removing(corpus)
    if removing and not removing.erased:
        erase(corpus, removing)


def erase_returned(corpus: Path, documents: Iterable[str]) -> bool:
    """Erase those of some documents that were taken out, and came again by an address not known to lead there.

    Gives whether there are any; errors as for `erase`.
    """
    removals = removals_of(corpus)
    again = {name: removal for name in documents if (removal := removals.of(name))} if removals else {}
    if again:
        found, when = find_named(corpus, again), now()
        for removal in again.values():
            note_removal(corpus, found.documents, removal.reason, when)
        removing = Removing(when, tuple(sorted(found.documents)), tuple(sorted(found.urls)))
        write_removing(corpus, removing)
        erase(corpus, removing)
    return bool(again)


def find_named(corpus: Path, asked: Collection[str]) -> Traces:
    """Find what a corpus holds of documents, and all addresses by which it came."""
    documents, urls, met = frozenset(asked), frozenset[str](), frozenset[str]()
    while True:
        known = documents
        if (corpus / LEDGER).is_file():
            led = aliases(corpus, documents)
            met |= {name for name, url in led.items() if url}
            urls |= set(filter(None, led.values()))
            documents |= led.keys()
        lines = [ids_in(line) for path in row_files(corpus) for _, line in lines_naming(path, documents)]
        met = met.union(*lines)
        documents = documents.union(*lines)
        if documents == known:
            published = [] if (corpus / INTAKE).is_dir() else _published(corpus, documents)
            return Traces(documents, urls, len(lines) + len(published), met.union(published))


def _published(corpus: Path, documents: Collection[str]) -> list[str]:
    """The ids of those documents that a corpus has published."""
    return [record.id for record in open_corpus(corpus).records() if record.id in documents]


def _recount(corpus: Path) -> None:
    """Let the ledger count the rows that are left."""
    from newscorpus.corpus.restore import count_rows  # noqa: PLC0415 -- what reads pages takes a second to load

    with Ledger.open(corpus) as ledger:
        if not ledger.losses:  # else the next crawl counts them
            ledger.settle_losses(count_rows(corpus, ledger.portal_names()))


def _erase_archive(corpus: Path, removing: Removing) -> Removing:
    """Overwrite what the archive holds of what goes; the places are noted before."""
    if removing.parts is None:
        removing = msgspec.structs.replace(removing, parts=find_parts(corpus, removing.urls))
        write_removing(corpus, removing)
    take_out_parts(corpus, removing.parts or (), removing.removed)
    return removing


def _erase_profiles(corpus: Path, documents: Collection[str], *, has_ledger: bool) -> None:
    """Take out of the profiles of portals which pages they were learned from, and all blocks that their rows hold.

    Portals whose pages were all judged by the profile are not judged again for that.
    """
    gone = frozenset(documents)
    rows = [line for path in row_files(corpus) for _, line in lines_naming(path, documents)]
    for path in (corpus / PROFILES).glob(".*.tmp"):
        path.unlink()
    for source, file in profiles_of(corpus).items():
        there = read_profile(file.path)
        left = msgspec.structs.replace(
            there,
            pages=tuple(page for page in there.pages if page not in gone),
            texts={key: one for key, one in there.texts.items() if not _is_in(rows, one.text)},
            openings={key: one for key, one in there.openings.items() if not _is_in(rows, one.text)},
        )
        if left != there:
            new = write_profile(file.path, left)
            if has_ledger:
                with Ledger.open(corpus) as ledger:
                    used = ledger.profiles.of(source)
                    if used and used.hash == there.hash:
                        ledger.profiles.note(source, UsedProfile(used.sample, new.hash))


def _is_in(rows: list[bytes], text: str) -> bool:
    encoded = msgspec.json.encode(text)[1:-1]
    return any(encoded in row for row in rows)
