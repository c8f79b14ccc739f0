"""Keep the files of an archive small, or elsewhere: compact them, move them, write them as standard WARC files.

Only files that no crawl writes to are changed. The new form stands whole beside the old one, or elsewhere, before the
old one goes; where a process dies in between, the next change finishes that.
"""

import hashlib
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from newscorpus.crawl.archive.compact import write_compact, write_standard
from newscorpus.crawl.archive.elsewhere import check_address, is_remote, naming, open_elsewhere, store_of
from newscorpus.crawl.archive.frames import has_frames, read_closing
from newscorpus.crawl.archive.parts import (
    Elsewhere,
    form_here,
    forms,
    open_part,
    part_state,
    read_elsewhere,
    unchanging,
    write_elsewhere,
    written_bytes,
)
from newscorpus.crawl.archive.take_out import take_out
from newscorpus.crawl.archive.values import ArchiveError, ByteRange
from newscorpus.crawl.ledger import Ledger
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, is_held, replacing
from newscorpus.layout import ARCHIVE, CRAWL_LOCK, LEDGER, archived_files, is_adopted, standard_path

MOVING = ".moving"
"""In the folder of the archive while a file is moved: its address."""

BLOCK_BYTES = 2**20
"""What is compared of two files at once."""

Watch = Callable[[Iterable[Path]], Iterable[Path]]
"""Passes files on, to show how far things are."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a file of an archive."""

    name: str  # as the crawl wrote it
    before: int  # bytes
    after: int  # bytes
    address: str = ""  # where it is, if elsewhere


def compact(corpus: Path, watch: Watch = iter) -> list[Kept]:
    """Compact the files of an archive that lie in its corpus as they were written; gives those that were.

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


def move(corpus: Path, to: str, watch: Watch = iter) -> list[Kept]:
    """Move the files of an archive that lie in its corpus to another folder or an object store; gives those that were.

    To the folder of the archive itself, those come back that are elsewhere.

    Raises:
        CorpusError, ArchiveError, OSError: as for `compact`; a file of that name is there already.
        ImportError: the package for the store is not installed.
    """
    to = check_address(to.rstrip("/")) if is_remote(to) else str(Path(to).resolve())
    with changing(corpus):
        files = finished_files(corpus)
        if to == str((corpus / ARCHIVE).resolve()):
            return [_bring_back(corpus, path, there) for path in watch(files) if (there := read_elsewhere(path))]
        here = [form for path in files for form in forms(path)[:2] if form.is_file()]
        return [_move(corpus, form, f"{to}/{form.name}") for form in watch(here)]


def write_out(corpus: Path, folder: Path, watch: Watch = iter) -> list[Kept]:
    """Write all files of an archive to a folder as standard WARC files; the archive stays as it is.

    Raises:
        CorpusError, ArchiveError, OSError, ImportError: as for `move`; the folder is that of the archive.
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
    """List the files of an archive: how long each was as the crawl wrote it and is now, and where it lies.

    Raises:
        ArchiveError: what says where a file is cannot be read.
    """
    found = []
    for path in archived_files(corpus):
        here = form_here(path)
        there = None if here else read_elsewhere(path)
        address = there.address if there else str(here or path)
        found.append(Kept(path.name, written_bytes(path) or 0, part_state(path)[0], address))
    return found


def cut_out(path: Path, gone: Collection[ByteRange], when: str) -> None:
    """Take responses out of a file of an archive that is being changed, in whatever form and wherever it lies.

    Raises:
        ArchiveError, OSError, ImportError: it cannot be read or written.
    """
    written, compact_form, _ = forms(path)
    there = None if written.is_file() or compact_form.is_file() else read_elsewhere(path)
    if written.is_file():
        _cut_in_place(written, gone, when)
    elif there is None:
        with replacing(compact_form) as file:
            write_compact(path, file, gone, when)
    else:
        _rewrite_elsewhere(path, there, gone, when)


def _cut_in_place(path: Path, gone: Collection[ByteRange], when: str) -> None:
    for place in gone:
        take_out(path, place, when)


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
        _remove_orphan(corpus)
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
    written, compact_form, elsewhere = forms(path)
    if written.is_file() and compact_form.is_file():
        with compact_form.open("rb") as file:
            closing = read_closing(file)
        is_whole = closing is not None and int(closing.starts[-1, 0]) == written.stat().st_size
        (written if is_whole else compact_form).unlink()
    here, there = form_here(path), read_elsewhere(path)
    if here and there:
        (here if there.sha256 == _sha256(str(here)) else elsewhere).unlink()


@contextmanager
def _noting(corpus: Path, address: str) -> Iterator[None]:
    """Write down that a file elsewhere comes or goes: where this dies, nothing else might know of it."""
    note = corpus / ARCHIVE / MOVING
    with replacing(note) as file:
        file.write(address.encode())
    yield
    note.unlink()


def _remove_orphan(corpus: Path) -> None:
    """Remove the file elsewhere that came or went when a change was broken off, unless the archive names it."""
    note = corpus / ARCHIVE / MOVING
    if note.is_file():
        address = note.read_text()
        is_named = any((there := read_elsewhere(path)) and there.address == address for path in archived_files(corpus))
        if not is_named and _is_there(address):
            # A corpus that came from others may name any file: only what lies here, too, is removed there.
            if not _is_copy(address, corpus / ARCHIVE / Path(address).name):
                raise ArchiveError(f"{note}: {address} is no copy of a file of this archive; remove one of the two")
            _remove(address)
        note.unlink()


def _is_copy(address: str, here: Path) -> bool:
    """Whether a file elsewhere holds what one here begins with, to which a crawl may have added since."""
    if not here.is_file():
        return False
    with open_elsewhere(address) as there, here.open("rb") as own:
        return all(own.read(len(block)) == block for block in iter(partial(there.read, BLOCK_BYTES), b""))


def _keep_crawls_out(held: ExitStack, corpus: Path, path: Path, n_bytes: int) -> None:
    """Let no crawl go on with a file that is about to be replaced, if it is the last one, and has this length."""
    if path == archived_files(corpus)[-1]:
        held.enter_context(exclusive(corpus / CRAWL_LOCK, "crawl"))
        if path.stat().st_size != n_bytes:
            raise CorpusError(f"{path}: a crawl has written to it meanwhile; it stays as it is")


def _move(corpus: Path, form: Path, address: str) -> Kept:
    """Move a file, compacted or not, to an address that ends in its name."""
    there = Elsewhere(address, form.stat().st_size, _sha256(str(form)), written_bytes(form) or 0)
    if _is_there(address):
        raise CorpusError(f"{address}: a file is there already; every corpus needs a folder of its own")
    with _noting(corpus, address), ExitStack() as held:
        _put(form, there)
        if form == standard_path(form):
            _keep_crawls_out(held, corpus, form, there.n_bytes)
        write_elsewhere(form, there)
        form.unlink()
    return Kept(standard_path(form).name, there.n_bytes, there.n_bytes, address)


def _bring_back(corpus: Path, path: Path, there: Elsewhere) -> Kept:
    """Bring a file back from elsewhere, where it then goes."""
    target = path.with_name(Path(there.address).name)
    if target not in forms(path)[:2]:
        raise ArchiveError(f"{forms(path)[2]}: {there.address} is no file of an archive")
    with replacing(target) as file, open_elsewhere(there.address) as source:
        shutil.copyfileobj(source, file)
    if _sha256(str(target)) != there.sha256:
        raise ArchiveError(f"{there.address}: not the file that was moved there; the copy here is {target}")
    with _noting(corpus, there.address):
        forms(path)[2].unlink()
        _remove(there.address)
    return Kept(path.name, there.n_bytes, there.n_bytes)


def _rewrite_elsewhere(path: Path, there: Elsewhere, gone: Collection[ByteRange], when: str) -> None:
    """Take responses out of a file that is elsewhere: a copy is changed, and takes its place."""
    copy = path.with_name(f".{path.name}.tmp")
    try:
        with copy.open("wb") as file, open_part(path) as source:
            if is_compact := has_frames(source):
                write_compact(path, file, gone, when)
            else:
                source.seek(0)
                shutil.copyfileobj(source, file)
        if not is_compact:
            _cut_in_place(copy, gone, when)
        new = msgspec.structs.replace(there, n_bytes=copy.stat().st_size, sha256=_sha256(str(copy)))
        _put(copy, new)
        write_elsewhere(path, new)
    finally:
        copy.unlink(missing_ok=True)


def _put(path: Path, there: Elsewhere) -> None:
    """Copy a file to where it is to be, in place of what is there; it is read again to see that it came whole."""
    if is_remote(there.address):
        with naming(there.address):
            system, target = store_of(there.address)
            system.put_file(str(path), target)
    else:
        Path(there.address).parent.mkdir(parents=True, exist_ok=True)
        with replacing(Path(there.address)) as file, path.open("rb") as source:
            shutil.copyfileobj(source, file)
    if _sha256(there.address) != there.sha256:
        raise OSError(f"{there.address}: another content came there than was sent")


def _is_there(address: str) -> bool:
    if not is_remote(address):
        return Path(address).exists()
    with naming(check_address(address)):
        system, target = store_of(address)
        return bool(system.exists(target))


def _remove(address: str) -> None:
    if not is_remote(address):
        Path(address).unlink(missing_ok=True)
        return
    with naming(address):
        system, target = store_of(address)
        with suppress(FileNotFoundError):
            system.rm_file(target)


def _sha256(address: str) -> str:
    with open_elsewhere(address) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
