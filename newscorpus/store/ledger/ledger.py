"""Write the ledger of a crawl: the queue, the outcome of each address, and the committed length of each file.

A page, its links, its row or rejection, its documents and counts are committed in one transaction. If the process dies,
the next start resumes at the last commit and requests the pages in progress again. A power failure loses the seconds
since the last `checkpoint`: the database stays whole and files are truncated to their committed length. If a file lost
more than the database, the pages whose lines are missing are requested again.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Self

from newscorpus.errors import LedgerError
from newscorpus.files import exclusive
from newscorpus.layout import CRAWL_LOCK
from newscorpus.store.ledger.database import described, open_writer
from newscorpus.store.ledger.portals import Looks, PortalCounts, Sites, UsedProfiles
from newscorpus.store.ledger.queue import Listings, Queue
from newscorpus.store.ledger.recover import FilePart, recover
from newscorpus.store.ledger.revisits import Changes, Revisits
from newscorpus.store.ledger.transaction import Series, Transaction
from newscorpus.store.ledger.values import TOO_DEEP, Fetched, Link, UrlOutcome, UrlState, key_of
from newscorpus.store.removals import removals_of

INSERT = """INSERT INTO urls (url, portal, kind, state, depth, found_on, priority, request, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
UPDATE = """UPDATE urls SET url = ?, portal = ?, kind = ?, state = ?, depth = ?, found_on = ?, priority = ?,
    request = ? WHERE id = ?"""


class Ledger:
    """The state of a crawl; one process at a time opens it, by `with Ledger.open(corpus) as ledger`.

    Nothing is permanent before `commit`. Every method that writes may raise `LedgerError`, for example if the disk is
    full; after that the ledger refuses further writes and the last commit stands.

    Attributes:
        transaction: commits the database and the files of the corpus together.
        queue: addresses to request.
        counts: outcomes of addresses, by portal.
        revisits: earlier visits and the next ones.
        changes: how often articles change.
        listings: addresses named by listing pages.
        looks: markup of the last pages, and redesigns.
        profiles: the profile that judged each portal's pages.
        sites: delays and rests of each site.
        removals: documents removed from the corpus, which are not requested again.
    """

    def __init__(self, corpus: Path, connection: sqlite3.Connection, lengths: dict[str, int], held: ExitStack) -> None:
        self.transaction = Transaction(corpus, connection, lengths)
        self._read, self._write = self.transaction.read, self.transaction.write
        self._held = held
        self.removals = removals_of(corpus)
        self.queue = Queue(self._read, self._write)
        self.counts = PortalCounts(self._read, self._write)
        self.revisits = Revisits(self._write, self.queue.ready)
        self.changes = Changes(self._write)
        self.listings = Listings(self._write, self.queue.ready)
        self.looks = Looks(self._write)
        self.profiles = UsedProfiles(self._write)
        self.sites = Sites(self._write)

    @classmethod
    def open(cls, corpus: Path, *, adopts: bool = False, damaged: Iterable[FilePart] = ()) -> Self:
        """Open the ledger of a corpus, or create it, and restore the last commit of ledger and files.

        `adopts` uses foreign links and files in the corpus instead of refusing them. The pages whose lines lie in
        `damaged` parts of files are queued again.

        Raises:
            CorpusError: another crawl is running, the ledger cannot be used, or the corpus holds foreign files.
        """
        with ExitStack() as stack:
            try:
                corpus.mkdir(parents=True, exist_ok=True)
                stack.enter_context(exclusive(corpus / CRAWL_LOCK, "crawl"))
                connection = stack.enter_context(closing(open_writer(corpus)))
                lengths = recover(connection, corpus, adopts=adopts, damaged=damaged)
                return cls(corpus, connection, lengths, stack.pop_all())
            except (OSError, sqlite3.Error) as error:
                raise LedgerError(described(corpus, error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(commits=kind is not KeyboardInterrupt)  # which may interrupt the writes of a page

    # ---- addresses --------------------------------------------------------------------------------------------------

    def knows(self, url: str, asked: str = "") -> bool:
        """Return whether the document at `url` was seen before or removed.

        A document reached only by a redirect from `asked` was not.
        """
        if self.removals.covers(url):
            return True
        row = self._read("SELECT reason, found_on FROM urls WHERE id = ?", (key_of(url),)).fetchone()
        if row is None:
            return False
        return not (asked and row[0] == "redirect_target" and row[1] == self.serial(asked))

    def serial(self, url: str) -> int:
        """Return the serial of the document at `url`; 0 if it is unknown."""
        row = self._read("SELECT serial FROM urls WHERE id = ?", (key_of(url),)).fetchone()
        return row[0] if row else 0

    def reserve(self, url: str, portal: str, kind: str = "", shape: int = 0, *, is_near: bool = False) -> bool:
        """Register an unknown `url`, or if it `is_near` now, one refused as too deep; its page queues or refuses it."""
        if self.removals.covers(url):
            return False
        values = (key_of(url), url, portal, kind, UrlState.RESERVED, shape)
        sql = """INSERT OR IGNORE INTO urls (id, url, portal, kind, state, shape, met)
            VALUES (?, ?, ?, ?, ?, ?, date('now'))"""
        if self._write(sql, values).rowcount:
            return True
        if not (is_near and self.counts.of(TOO_DEEP, portal)):
            return False
        sql = """UPDATE urls SET state = ?, kind = ?, shape = ?, stage = '', reason = '', detail = ''
            WHERE id = ? AND state = ? AND stage = 'discovery' AND reason = 'too_deep'"""
        is_found = self._write(sql, (UrlState.RESERVED, kind, shape, key_of(url), UrlState.DONE)).rowcount > 0
        if is_found:
            self.counts.add(portal, TOO_DEEP, -1)
        return is_found

    def expect(self, url: str, serial: int) -> None:
        """Reserve an unknown `url` for the visit that is redirected to it: links to it are not queued meanwhile."""
        sql = """INSERT OR IGNORE INTO urls (id, url, portal, kind, state, reason, found_on)
            SELECT ?, ?, portal, '', 0, 'redirect_target', serial FROM urls WHERE serial = ?"""
        self._write(sql, (key_of(url), url, serial))

    def add(self, link: Link, *, again: bool = False) -> bool:
        """Queue a request if its address is new or reserved, with `again` also if it is done or failed.

        Removed documents are never queued.
        """
        if self.removals.covers(link.url):
            return False
        row = self._read("SELECT state FROM urls WHERE id = ?", (link.key,)).fetchone()
        known = UrlState(row[0]) if row else None
        if known not in {None, UrlState.RESERVED} and not (again and known in {UrlState.DONE, UrlState.FAILED}):
            return False
        values = (link.url, link.portal, link.kind, UrlState.QUEUED, link.depth, link.found_on, link.priority)
        self._write(INSERT if known is None else UPDATE, (*values, link.request, link.key))
        if known is UrlState.RESERVED:
            self.counts.add(link.portal, "admitted")
        self.queue.ready[link.portal] += 1
        return True

    def refuse(
        self, url: str, outcome: UrlOutcome, series: Series, line: bytes, portal: str = "", found_on: int = 0
    ) -> bool:
        """Record why `url` is not requested, and append its rejection; False if it has an outcome already."""
        if self.removals.covers(url):
            return False
        sql = """INSERT INTO urls (id, url, portal, kind, state) VALUES (?, ?, ?, '', 0) ON CONFLICT (id) DO UPDATE
            SET state = 0 WHERE state = 0 RETURNING serial, portal"""
        row = self._write(sql, (key_of(url), url, portal)).fetchone()
        if row is None:
            return False
        self._write("UPDATE urls SET found_on = ? WHERE serial = ?", (found_on, row[0]))
        self._record_outcome(row[0], replace(outcome, line=self.append(series, line)))
        self.counts.tally(row[1], outcome)
        return True

    def finish(self, serial: int, outcomes: Sequence[UrlOutcome] = (), fetched: Fetched | None = None) -> None:
        """Record the outcome of a leased address, the first of several, and the target of its redirect."""
        sql = "SELECT portal, id, stage, reason FROM urls WHERE serial = ?"
        portal, key, stage, reason = self._read(sql, (serial,)).fetchone()
        if fetched:
            moved = key_of(fetched.url) != key
            sql = """UPDATE urls SET fetched = ?, status = ?, n_bytes = ?, etag = ?, last_modified = ?, signature = ?,
                archive_file = ?, archive_offset = ?, redirected_to = ? WHERE serial = ?"""
            validators = (fetched.etag, fetched.last_modified, fetched.signature)
            values = (fetched.time, fetched.status, fetched.n_bytes, *validators, *fetched.archived)
            self._write(sql, (*values, fetched.url if moved else "", serial))
            if moved and not self.removals.covers(fetched.url):
                sql = "SELECT portal, serial FROM urls WHERE id = ? AND state = 1 AND fetched = ''"
                for queued in self._read(sql, (key_of(fetched.url),)).fetchall():  # by a page that links to it
                    self.revisits.withdraw(*queued)
                sql = """INSERT INTO urls (id, url, portal, kind, state, reason, found_on)
                    VALUES (?, ?, ?, '', 4, 'redirect_target', ?) ON CONFLICT (id) DO UPDATE
                    SET state = 4, reason = 'redirect_target', found_on = excluded.found_on WHERE state = 0"""
                self._write(sql, (key_of(fetched.url), fetched.url, portal, serial))
            if not fetched.is_stored:
                self.counts.add(portal, "fetched")
                self.counts.add(portal, "bytes", fetched.n_bytes)
        if fetched and not outcomes and reason == "section":  # judged at an earlier visit, whose outcome is kept
            self._write("UPDATE urls SET state = ? WHERE serial = ?", (UrlState.DONE, serial))
        outcomes = outcomes or (UrlOutcome(reason="read" if fetched else "no_response"),)
        if outcomes[0].reason != "read" or reason != "section":
            if stage:  # only the latest outcome of an address is counted
                self.counts.add(portal, UrlOutcome(stage, reason).counter, -1)
            self._record_outcome(serial, outcomes[0])
        for outcome in outcomes:
            self.counts.tally(portal, outcome)

    def mark_unchanged(self, serial: int, fetched: Fetched | None) -> None:
        """Mark a leased address as unchanged; its earlier outcome is kept. `fetched` is None without a response."""
        sql = "UPDATE urls SET state = 4, from_archive = 0 WHERE serial = ? RETURNING portal"
        (portal,) = self._write(sql, (serial,)).fetchone()
        if fetched and not fetched.is_stored:
            sql = """UPDATE urls SET fetched = ?, etag = iif(? = '', etag, ?),
                last_modified = iif(? = '', last_modified, ?) WHERE serial = ?"""
            etag, last_modified = fetched.etag, fetched.last_modified
            self._write(sql, (fetched.time, etag, etag, last_modified, last_modified, serial))
            self.counts.add(portal, "unchanged")
            self.counts.add(portal, "bytes", fetched.n_bytes)

    def replace_outcome(self, url: str, outcome: UrlOutcome, words_before: int = 0) -> None:
        """Record and count the outcome of re-extracting the page at `url`, in place of the earlier one."""
        sql = "SELECT iif(reason = 'redirect_target', found_on, serial) FROM urls WHERE id = ?"
        serial = (self._read(sql, (key_of(url),)).fetchone() or (0,))[0]
        sql = "SELECT portal, stage, reason FROM urls WHERE serial = ? AND state = 4"
        if row := self._read(sql, (serial,)).fetchone():
            self.counts.tally(row[0], UrlOutcome(row[1], row[2], n_words=words_before), -1)
            self.counts.tally(row[0], outcome)
            sql = """UPDATE urls SET stage = ?, reason = ?, detail = ?, revision = ?, line_file = ?, line_offset = ?
                WHERE serial = ?"""
            values = (outcome.stage, outcome.reason, outcome.detail, outcome.revision, *outcome.line)
            self._write(sql, (*values, serial))

    # ---- files and commits ------------------------------------------------------------------------------------------

    def append(self, series: Series, data: bytes) -> tuple[str, int]:
        """Append to the file of a series in the current transaction; return file and offset."""
        return self.transaction.append(series, data)

    def announce(self, name: str) -> None:
        """Commit, and announce a file that another writer is about to create."""
        self.commit()
        self.transaction.announce(name)

    def begin_capture(self, file: str, offset: int) -> None:
        """Mark an archived page as part of an unfinished visit, until `end_capture`."""
        self._write("INSERT OR IGNORE INTO unfinished VALUES (?, ?)", (file, offset))

    def end_capture(self, file: str, offset: int) -> None:
        """Unmark an archived page whose outcome is recorded."""
        self._write("DELETE FROM unfinished WHERE file = ? AND offset = ?", (file, offset))

    def commit(self) -> None:
        """Commit all writes since the last commit."""
        self.counts.write()
        self.transaction.commit()

    def close(self, *, commits: bool = True) -> None:
        """Commit or roll back, checkpoint, and release the lock of the corpus."""
        with self._held, closing(self.transaction):
            if commits and not self.transaction.failed:
                self._write("DELETE FROM files WHERE length = 0", ())  # announced and never created
                self.commit()
                self.transaction.compact_journal()

    def _record_outcome(self, serial: int, outcome: UrlOutcome) -> None:
        sql = """UPDATE urls SET state = ?, stage = ?, reason = ?, detail = ?, revision = ?, line_file = ?,
            line_offset = ?, published = ?, from_archive = 0 WHERE serial = ?"""
        values = (outcome.state, outcome.stage, outcome.reason, outcome.detail, outcome.revision)
        self._write(sql, (*values, *outcome.line, outcome.published, serial))
        if outcome.document and not self.removals.covers(outcome.document):
            self._write("INSERT OR IGNORE INTO documents VALUES (?, ?)", (key_of(outcome.document), serial))
