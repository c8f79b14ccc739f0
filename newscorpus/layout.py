"""Name the files and folders of a corpus, and tell its own files from others."""

import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from newscorpus.errors import CorpusError
from newscorpus.files import replacing

LEDGER = "ledger.sqlite"
ARCHIVE = "archive"
WARC_SUFFIX = ".warc.gz"
INTAKE = "intake"
INTAKE_SEGMENT = "intake/{:06}.jsonl"
INDEX = "index"
AGAINST = "against"
"""Indexes of the `--against` inputs of a merge that have none themselves."""
PUBLISHED = "corpus"
REJECTED = "rejected.jsonl"
DUPLICATES = "duplicates.jsonl"
LOW_CONFIDENCE = "low-confidence.jsonl"
CRAWL_REPORT = "crawl-report.json"
LOGS = "crawl-logs"
PROFILES = "profiles"
GOLD = "gold"
RELEASES = "releases"
SUBCORPORA = "subcorpora"
REMOVED = "removed.jsonl"
"""Hashed ids of removed documents; the file stays when the corpus is started over."""
COPIES = ".copies"
"""Folders and addresses that documents were copied to, one per line; a removal names them."""
TASKS = "tasks"
"""Results of the tasks of a batch, by stage."""
PLAN = f"{TASKS}/plan.json"
"""The plan of a batch; only the corpus of one has it."""
REMOVING = ".removing.json"
"""The documents to be removed, while a removal runs."""

MANIFEST = "manifest.json"
CARD = "README.md"
CONTENTS = ".contents.json"
"""Counts of the published documents, for statistics; without it they are counted anew."""
STAGING = ".building"
UNFINISHED = ".unfinished"
"""In the published folder beside the shards: the new shards of a running build, and the names of all files that it adds
or removes."""

CRAWL_LOCK = ".crawl.lock"
BUILD_LOCK = ".build.lock"
"""Held while a crawl or a build writes to the corpus."""
LOG_LOCK = ".crawl-log.lock"
"""Held while a crawl writes its log, until it has published and reported."""

COMMITTED = ".committed.json"
"""Committed length of each file when the ledger was last synced; an older ledger has less."""

ADOPTED = ".adopted"
"""Names, one per line, of links and files of others that are used but never removed or truncated."""

OWN: Mapping[str, re.Pattern[str]] = {
    INTAKE: re.compile(r"\d{6,}\.jsonl"),
    ARCHIVE: re.compile(r"\d{6,}\.warc\.gz"),
    PUBLISHED: re.compile(r"manifest\.json|README\.md|\.contents\.json|shard-[0-9a-f]+\.(jsonl(\.zst|\.gz)?|parquet)"),
    LOGS: re.compile(r"\d{8}T\d{6}Z\.log(\.1)?"),
    PROFILES: re.compile(r"[^/]+\.json"),
    INDEX: re.compile(r"index\.json|documents|signatures|runs|paragraphs|ids|kept|verified|rows"),
}
"""The folders that a crawl and its build write, with the names of their files."""

FILES = (REJECTED, DUPLICATES, LOW_CONFIDENCE, CRAWL_REPORT, COMMITTED, LEDGER)
"""The files that they write; the ledger last, since it tells which others belong to the corpus."""


def check_corpus(folder: Path) -> Path:
    """Return `folder` if it holds a corpus.

    Raises:
        CorpusError: it does not; the message names corpora in its subfolders and their usual place.
    """
    if not _holds_corpus(check_folder(folder)):
        near = (path for pattern in ("*", "corpora/*") for path in folder.glob(pattern))
        # Common names of folders alone, such as `corpus` and `index`, are no sign here.
        within = sorted(str(path) for path in near if any((path / name).is_file() for name in (*FILES, MANIFEST)))
        raise CorpusError(f"{folder}: no corpus here{'; there is one in ' if within else ''}{', '.join(within)}")
    return folder


def check_folder(folder: Path) -> Path:
    """Return `folder` if it exists.

    Raises:
        CorpusError: it does not.
    """
    if not folder.is_dir():
        where = "" if folder.is_absolute() else f" in {Path.cwd()}"
        usual = Path("corpora") / folder.name
        hint = f"; there is one in {usual}" if usual != folder and usual.is_dir() else ""
        what = "a file; name the folder of a corpus" if folder.exists() else f"no such folder{where}{hint}"
        raise CorpusError(f"{folder}: {what}")
    return folder


def _holds_corpus(folder: Path) -> bool:
    return any((folder / name).exists() for name in (*OWN, *FILES, MANIFEST))


def archived_files(corpus: Path) -> list[Path]:
    """List the WARC files of the corpus's archive, oldest first."""
    return sorted((corpus / ARCHIVE).glob("*" + WARC_SUFFIX))


def inside(corpus: Path, name: str) -> Path:
    """Return the path of a file named in the data of a corpus, which may be hostile.

    Raises:
        CorpusError: the file lies outside the corpus.
    """
    path = corpus / name
    roots = [corpus, *(corpus / folder for folder in _adopted(corpus) & OWN.keys())]
    if "\0" in name or not any(path.resolve().is_relative_to(root.resolve()) for root in roots):
        raise CorpusError(f"{corpus}: names a file outside the corpus: {name!r}")
    return path


def refuse_strangers(
    corpus: Path,
    folders: Collection[str] = tuple(OWN),
    known: Collection[str] | None = None,
    *,
    adopts: bool = False,
) -> None:
    """Refuse links in place of a corpus's files and folders, and files in its folders that are not its own.

    `known` are the files of intake and archive, relative to the corpus; None accepts every file with a matching name.
    `adopts` records the links and files found in `ADOPTED` instead of refusing them.

    Raises:
        CorpusError: there are some; the message is one line.
    """
    links = [name for name in (*OWN, *FILES) if (corpus / name).is_symlink()]
    others = [name for folder in folders for name in _entries(corpus, folder) if not _is_own(corpus, name, known)]
    used = _adopted(corpus)
    found = [name for name in (*links, *others) if name not in used]
    if found and adopts:
        with replacing(corpus / ADOPTED) as file:
            file.writelines(f"{name}\n".encode() for name in sorted(used | set(found)))
    elif found:
        what = "a link" if found[0] in links else "no file of this corpus"
        more = f", nor are {len(found) - 1} more" if len(found) > 1 else ""
        raise CorpusError(
            f"{corpus / found[0]}: {what}{more}; move it away, or let it be used and never removed:"
            " -s NEWSCORPUS_ADOPT=1 in a crawl, --adopt in a build"
        )


def corpus_files(folder: Path) -> list[str]:
    """List the files of a corpus or an export, relative to its folder, without logs and the index, built again.

    The list of removed documents comes first; manifest and card come last, since they name other files.

    Raises:
        CorpusError: the corpus holds files or links of others.
    """
    if any((folder / name).exists() for name in (LEDGER, INTAKE, f"{PUBLISHED}/{MANIFEST}")):
        refuse_strangers(folder)
        inner = [name for part in OWN if part not in {INDEX, LOGS} for name in _entries(folder, part)]
        by_hand = [
            path.relative_to(folder).as_posix()
            for part in (GOLD, RELEASES, SUBCORPORA)
            for path in _visible(folder / part)
        ]
        names = [*inner, *by_hand, *(name for name in (REMOVED, *FILES) if (folder / name).exists())]
    else:
        names = [path.relative_to(folder).as_posix() for path in _visible(folder)]
    return sorted(names, key=lambda name: (name != REMOVED, name.endswith(MANIFEST), name.endswith(CARD), name))


def _visible(folder: Path) -> Iterator[Path]:
    """List the files below a folder that are not hidden."""
    for path in folder.rglob("*"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def remove_own(corpus: Path, known: Collection[str] | None = None) -> None:
    """Remove the files of a corpus, its ledger last, and its folders if they are empty."""
    used = _adopted(corpus)
    for folder in OWN:
        for name in _entries(corpus, folder, hidden=True):
            if name not in used and (_is_own(corpus, name, known) or _is_temporary(name)):
                path = corpus / name
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()
        if folder not in used and (corpus / folder).is_dir() and not any((corpus / folder).iterdir()):
            (corpus / folder).rmdir()
    for path in [corpus / name for name in FILES if name not in used] + list(corpus.glob(f"{LEDGER}-*")):
        path.unlink(missing_ok=True)


def is_adopted(corpus: Path, name: str) -> bool:
    """Whether `name` is a file or link of others that is used but never changed."""
    return name in _adopted(corpus)


def _entries(corpus: Path, folder: str, *, hidden: bool = False) -> Iterator[str]:
    """List the entries of a folder of a corpus, relative to the corpus."""
    paths = sorted((corpus / folder).iterdir()) if (corpus / folder).is_dir() else ()
    return (f"{folder}/{path.name}" for path in paths if hidden or not path.name.startswith("."))


def _is_own(corpus: Path, name: str, known: Collection[str] | None) -> bool:
    folder, _, file = name.partition("/")
    if known is not None and folder in {INTAKE, ARCHIVE}:
        return name in known
    return OWN[folder].fullmatch(file) is not None and (corpus / name).is_file() and not (corpus / name).is_symlink()


def _is_temporary(name: str) -> bool:
    """Whether `name` is a temporary file or folder of ours."""
    folder, _, file = name.partition("/")
    inner = file.removeprefix(".").removesuffix(".tmp")
    is_hidden_own = file == f".{inner}.tmp" and OWN[folder].fullmatch(inner)
    return bool(is_hidden_own) or (folder == PUBLISHED and file in {STAGING, UNFINISHED, f".{UNFINISHED}.tmp"})


def _adopted(corpus: Path) -> frozenset[str]:
    path = corpus / ADOPTED
    return frozenset(path.read_text("utf-8").splitlines()) if path.is_file() else frozenset()
