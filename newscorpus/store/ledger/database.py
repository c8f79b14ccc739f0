"""The tables of the ledger, and connections to its database."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import TypeVar

from newscorpus.errors import LedgerError
from newscorpus.files import exclusive
from newscorpus.layout import CRAWL_LOCK, LEDGER

T = TypeVar("T")
Execute = Callable[[str, tuple[object, ...]], sqlite3.Cursor]
"""Execute a statement in the open transaction."""

CACHE_KIB = 16_384
"""Cache of a connection: the size of the index of a million addresses."""

MAX_LOG_BYTES = 64_000_000
"""Size of the WAL above which a checkpoint blocks the crawl; checkpoints in other threads never reset it."""

SCHEMA = """
CREATE TABLE urls (
  serial INTEGER PRIMARY KEY,  -- order of discovery, so that new rows are appended to the file
  id INTEGER NOT NULL UNIQUE,
  url TEXT NOT NULL,
  portal TEXT NOT NULL,
  kind TEXT NOT NULL,
  state INTEGER NOT NULL,
  depth INTEGER NOT NULL DEFAULT 0,
  found_on INTEGER NOT NULL DEFAULT 0,
  priority INTEGER NOT NULL DEFAULT 0,
  shape INTEGER NOT NULL DEFAULT 0,
  request BLOB NOT NULL DEFAULT x'',
  attempts INTEGER NOT NULL DEFAULT 0,
  retry_at REAL NOT NULL DEFAULT 0,
  next_visit REAL NOT NULL DEFAULT 0,
  fetched TEXT NOT NULL DEFAULT '',
  status INTEGER NOT NULL DEFAULT 0,
  n_bytes INTEGER NOT NULL DEFAULT 0,
  etag TEXT NOT NULL DEFAULT '',
  last_modified TEXT NOT NULL DEFAULT '',
  signature TEXT NOT NULL DEFAULT '',
  redirected_to TEXT NOT NULL DEFAULT '',
  stage TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  detail TEXT NOT NULL DEFAULT '',
  revision TEXT NOT NULL DEFAULT '',
  line_file TEXT NOT NULL DEFAULT '',
  line_offset INTEGER NOT NULL DEFAULT 0,
  archive_file TEXT NOT NULL DEFAULT '',
  archive_offset INTEGER NOT NULL DEFAULT 0,
  stated TEXT NOT NULL DEFAULT '',
  visit_interval REAL NOT NULL DEFAULT 0,
  from_archive INTEGER NOT NULL DEFAULT 0,
  published TEXT NOT NULL DEFAULT '',
  headlines BLOB NOT NULL DEFAULT x'',  -- hashes of those shown by lists, newest first
  met TEXT NOT NULL DEFAULT '',  -- day of discovery
  brought INTEGER NOT NULL DEFAULT -1  -- whether a list had something new; -1: unknown
);
CREATE INDEX queue ON urls (portal, priority DESC, serial) WHERE state = 1;
CREATE INDEX waiting ON urls (retry_at) WHERE state = 2;
CREATE INDEX under_way ON urls (state) WHERE state IN (0, 3);
CREATE INDEX shapes ON urls (portal, shape) WHERE shape != 0;
CREATE TABLE documents (id INTEGER PRIMARY KEY, serial INTEGER NOT NULL);
CREATE TABLE counts (portal TEXT, name TEXT, n INTEGER NOT NULL, PRIMARY KEY (portal, name)) WITHOUT ROWID;
CREATE TABLE files (name TEXT PRIMARY KEY, length INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rules (
  portal TEXT PRIMARY KEY,
  since TEXT NOT NULL,
  until TEXT NOT NULL,
  portal_file TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE unfinished (file TEXT NOT NULL, offset INTEGER NOT NULL, PRIMARY KEY (file, offset)) WITHOUT ROWID;
CREATE TABLE looks (
  number INTEGER PRIMARY KEY,  -- order of the pages
  portal TEXT NOT NULL,
  url TEXT NOT NULL,
  fetched TEXT NOT NULL,
  template TEXT NOT NULL,
  signs BLOB NOT NULL
);
CREATE INDEX looks_of_portal ON looks (portal, number);
CREATE TABLE alarms (
  portal TEXT NOT NULL,
  url TEXT NOT NULL,
  since TEXT NOT NULL,
  noticed TEXT NOT NULL,
  until TEXT NOT NULL,
  template TEXT NOT NULL,
  sign TEXT NOT NULL,
  had INTEGER NOT NULL,
  of INTEGER NOT NULL,
  has INTEGER NOT NULL,
  of_now INTEGER NOT NULL
);
CREATE TABLE profiles (portal TEXT PRIMARY KEY, sample TEXT NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sites (
  name TEXT PRIMARY KEY,
  delay_seconds REAL NOT NULL,
  rests_until TEXT NOT NULL,
  given_up TEXT NOT NULL,
  why TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE listings (
  shape INTEGER PRIMARY KEY,
  n_barren INTEGER NOT NULL,
  n_earlier INTEGER NOT NULL,
  latest TEXT NOT NULL DEFAULT ''  -- latest day before the crawl's period that they lead to
);
CREATE TABLE named (shape INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (shape, id)) WITHOUT ROWID;
CREATE TABLE changes (
  portal TEXT NOT NULL,
  octave INTEGER NOT NULL,  -- `age_bucket` of articles
  n_changes INTEGER NOT NULL,
  seconds REAL NOT NULL,
  PRIMARY KEY (portal, octave)
) WITHOUT ROWID;
CREATE TABLE refusals (name TEXT PRIMARY KEY, since REAL NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE gone (serial INTEGER PRIMARY KEY, since TEXT NOT NULL, last TEXT NOT NULL, n_visits INTEGER NOT NULL);
"""

DAMAGED = "; newscorpus build {} publishes its articles without it; to crawl on, restore the whole folder from a backup"

VERSION = 1
"""`PRAGMA user_version` of these tables."""


def open_writer(corpus: Path) -> sqlite3.Connection:
    """Open the ledger of a corpus, or create it; the caller holds the lock and runs the checkpoints.

    A commit survives the death of the process, and a power failure only after the next checkpoint (WAL,
    synchronous=NORMAL).

    Raises:
        LedgerError: it is damaged, or of another version.
    """
    path = corpus / LEDGER
    connection = sqlite3.connect(path, isolation_level=None, timeout=10)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {MAX_LOG_BYTES // 4}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        if not _version(connection):
            connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        _check_version(connection, path)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error):
            raise LedgerError(described(corpus, error)) from error
        raise
    return connection


@contextmanager
def reading(corpus: Path) -> Iterator[sqlite3.Connection]:
    """Open the ledger of a corpus read-only, also during a crawl.

    Raises:
        LedgerError: there is none, it cannot be read, or it is of another version.
    """
    path = corpus / LEDGER
    if not path.is_file():
        raise LedgerError(f"{path}: no ledger here; crawl into this corpus first")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
            connection.row_factory = sqlite3.Row
            if not _version(connection):
                raise LedgerError(f"{path}: empty; no crawl began here")
            _check_version(connection, path)
            yield connection
    except sqlite3.Error as error:
        raise LedgerError(described(corpus, error)) from error


def remembered(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Let a function of the ledger of a corpus return its last result while the ledger is unchanged."""
    last: dict[Path, tuple[object, T]] = {}

    @wraps(read)
    def read_changed(corpus: Path) -> T:
        files = [path.stat() for name in (LEDGER, f"{LEDGER}-wal") if (path := corpus / name).is_file()]
        state = [(one.st_ino, one.st_size, one.st_mtime_ns) for one in files]
        if corpus not in last or last[corpus][0] != state:
            last[corpus] = state, read(corpus)
        return last[corpus][1]

    return read_changed


@contextmanager
def at_rest(corpus: Path) -> Iterator[None]:
    """Lock out crawls and checkpoint the WAL, so that the ledger is a single file.

    Raises:
        CorpusError: a crawl is running, or the ledger cannot be used.
    """
    with exclusive(corpus / CRAWL_LOCK, "crawl"):
        open_writer(corpus).close()  # checkpoints the WAL that a killed crawl left
        yield


def described(corpus: Path, error: Exception) -> str:
    """Describe an error of the disk or of the database in one line that names the file, and what to do about damage."""
    if isinstance(error, OSError):
        return f"{error.filename or corpus}: {error.strerror}"
    is_damaged = type(error) is sqlite3.DatabaseError  # its subclasses are for full disks, locks and the like
    return f"{corpus / LEDGER}: {error}" + DAMAGED.format(corpus) * is_damaged


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    if (found := _version(connection)) != VERSION:
        raise LedgerError(f"{path}: version {found}, of another newscorpus; this one reads {VERSION}; crawl elsewhere")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
