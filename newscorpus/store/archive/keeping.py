"""Keep the files of an archive small: compact them, or write them as standard WARC files.

Only files that no crawl writes to are changed. The new form stands whole beside the old one before the old one goes;
where a process dies in between, the next change finishes that.
"""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, is_held, replacing
from newscorpus.layout import ARCHIVE, CRAWL_LOCK, LEDGER, archived_files, is_adopted
from newscorpus.store.archive.compact import write_compact, write_standard
from newscorpus.store.archive.frames import has_frames, read_closing
from newscorpus.store.archive.parts import form_here, forms, open_part, part_state, unchanging, written_bytes
from newscorpus.store.archive.take_out import take_out
from newscorpus.store.archive.values import ByteRange
from newscorpus.store.ledger import Ledger

Watch = Callable[[Iterable[Path]], Iterable[Path]]
"""Passes files on, to show how far things are."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a file of an archive."""

    name: str
    before: int  # bytes
    after: int  # bytes


def compact(corpus: Path, watch: Watch = iter) -> list[Kept]:
    """Compact the files of an archive that are as the crawl wrote them; gives those that were.

    Raises:
        CorpusError: another change is at work, or a crawl has begun to write to the last file.
        ArchiveError: a file is damaged; those before it are compacted.
        OSError: the disk is full, for one.
    """
    done = []
    with changing(corpus):
        for path in watch([path for path in finished_files(corpus) if path.is_file() and path.stat().st_size]):
            target, before = forms(path)[1], path.stat().st_size
            with ExitStack() as held:
                with replacing(target) as file:
                    write_compact(path, file)
                    _keep_crawls_out(held, corpus, path, before)
                path.unlink()
            done.append(Kept(path.name, before, target.stat().st_size))
    return done


def write_out(corpus: Path, folder: Path, watch: Watch = iter) -> list[Kept]:
    """Write all files of an archive to a folder as standard WARC files; the archive stays as it is.

    Raises:
        CorpusError, ArchiveError, OSError: as for `compact`; the folder is that of the archive.
    """
    if folder.resolve() == (corpus / ARCHIVE).resolve():
        raise CorpusError(f"{folder}: the folder of the archive itself; name another one")
    folder.mkdir(parents=True, exist_ok=True)
    done = []
    with changing(corpus):
        for path in watch(archived_files(corpus)):
            target = folder / path.name
            with replacing(target) as file, open_part(path) as source:
                if has_frames(source):
                    write_standard(path, file)
                else:
                    source.seek(0)
                    shutil.copyfileobj(source, file)
            done.append(Kept(path.name, part_state(path)[0], target.stat().st_size))
    return done


def list_parts(corpus: Path) -> list[Kept]:
    """List the files of an archive as they lie there: how long each was as the crawl wrote it, and is now."""
    return [
        Kept(form_here(path).name, written_bytes(path) or 0, part_state(path)[0]) for path in archived_files(corpus)
    ]


def cut_out(path: Path, gone: Collection[ByteRange], when: str) -> None:
    """Take responses out of a file of an archive that is being changed, in whatever form it lies there.

    Raises:
        ArchiveError, OSError: it cannot be read or written.
    """
    written, compact_form = forms(path)
    if written.is_file():
        for place in gone:
            take_out(written, place, when)
    else:
        with replacing(compact_form) as file:
            write_compact(path, file, gone, when)


@contextmanager
def changing(corpus: Path) -> Iterator[None]:
    """Keep other changes of an archive away, and finish one that was broken off.

    Raises:
        CorpusError: another one is at work.
    """
    with unchanging(corpus):
        for path in (corpus / ARCHIVE).glob(".*.tmp"):
            path.unlink()
        for path in archived_files(corpus):
            _finish(path)
        yield


def finished_files(corpus: Path) -> list[Path]:
    """List the files of an archive that no crawl writes to, without those of others that the corpus uses."""
    files = [path for path in archived_files(corpus) if not is_adopted(corpus, f"{ARCHIVE}/{path.name}")]
    if is_held(corpus / CRAWL_LOCK):
        return files[:-1]
    if (corpus / LEDGER).is_file():
        Ledger.open(corpus).close()  # which cuts off what a crawl that was killed has not committed
    return files


def _finish(path: Path) -> None:
    """Leave one form of a file of an archive: the newer one, if it holds what the other one does."""
    written, compact_form = forms(path)
    if written.is_file() and compact_form.is_file():
        with compact_form.open("rb") as file:
            closing = read_closing(file)
        is_whole = closing is not None and int(closing.starts[-1, 0]) == written.stat().st_size
        (written if is_whole else compact_form).unlink()


def _keep_crawls_out(held: ExitStack, corpus: Path, path: Path, n_bytes: int) -> None:
    """Let no crawl go on with a file that is about to be replaced, if it is the last one, and has this length."""
    if path == archived_files(corpus)[-1]:
        held.enter_context(exclusive(corpus / CRAWL_LOCK, "crawl"))
        if path.stat().st_size != n_bytes:
            raise CorpusError(f"{path}: a crawl has written to it meanwhile; it stays as it is")
