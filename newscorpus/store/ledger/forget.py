"""Delete removed documents from the ledger, so that no byte of its file names them."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from newscorpus.errors import LedgerError
from newscorpus.files import exclusive
from newscorpus.layout import CRAWL_LOCK
from newscorpus.store.ledger.database import open_writer
from newscorpus.store.ledger.recover import count_again
from newscorpus.store.ledger.values import UrlOutcome, id_of_key, key_of, key_of_id
from newscorpus.urls import document_id

MET = """
SELECT url, CASE reason WHEN 'redirect_to_known' THEN substr(detail, 4) ELSE redirected_to END, reason, urls.id,
    documents.id
FROM urls LEFT JOIN documents USING (serial)"""
"""The detail of a redirect to a known address is "to URL"."""
OF_PLACE = (
    "UPDATE urls SET archive_file = '', archive_offset = 0 WHERE archive_file = ? AND archive_offset = ?",
    "DELETE FROM unfinished WHERE file = ? AND offset = ?",
)
OF_SERIAL = (
    "UPDATE urls SET found_on = 0 WHERE found_on = ?",
    "DELETE FROM documents WHERE serial = ?",
    "DELETE FROM gone WHERE serial = ?",
    "DELETE FROM urls WHERE serial = ?",
)
WITHOUT_REFERRER = """UPDATE urls SET request = CAST(replace(CAST(request AS TEXT), ?, '""') AS BLOB)
    WHERE instr(request, ?)"""
OF_KEY = (
    "DELETE FROM documents WHERE id = ?",
    "DELETE FROM named WHERE id = ?",
)


def list_keys(corpus: Path) -> frozenset[int]:
    """Return the keys of the addresses of listing pages, feeds and sitemaps that were not kept as articles.

    Raises:
        CorpusError: a crawl is running, or the ledger cannot be used.
    """
    sql = "SELECT url, redirected_to FROM urls WHERE kind NOT IN ('', 'article') AND reason != 'kept'"
    with _alone(corpus) as connection:
        return frozenset(key_of(url) for row in connection.execute(sql) for url in row if url)


def aliases(corpus: Path, documents: Collection[str]) -> dict[str, str]:
    """Return the addresses that led to some documents, and the documents these addresses led to, by id.

    An address that the ledger does not hold is "".

    Raises:
        CorpusError: a crawl is running, or the ledger cannot be used.
    """
    keys = set(map(key_of_id, documents))
    found = dict.fromkeys(documents, "")
    with _alone(corpus) as connection:
        for url, target, reason, key, document in connection.execute(MET):
            if keys & {key, document} or (target and key_of(target) in keys):
                found[id_of_key(key)] = url
            if key in keys and document is not None:
                found.setdefault(id_of_key(document), "")
            if key in keys and target and reason == "kept":  # other redirects may lead to the front page
                found.setdefault(document_id(target), target)
    return found


def forget(corpus: Path, documents: Collection[str], urls: Iterable[str], places: Iterable[tuple[str, int]]) -> None:
    """Delete documents and places in the archive from a ledger, count the rows again, and rewrite its file.

    Requests name the addresses in `urls` as their referrer. `places` have the file, relative to the corpus, and the
    offset of each response that was overwritten.

    Raises:
        CorpusError: a crawl is running, or the ledger cannot be used.
    """
    keys = frozenset(map(key_of_id, documents))
    with _alone(corpus) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.create_function("is_gone", 1, lambda url: key_of(url) in keys, deterministic=True)
        connection.execute("BEGIN IMMEDIATE")
        for key in sorted(keys):
            sql = "SELECT serial, portal, stage, reason FROM urls WHERE id = ?"
            for serial, portal, stage, reason in connection.execute(sql, (key,)).fetchall():
                if stage:  # counts of kept documents follow from the rows
                    values = (portal, UrlOutcome(stage, reason).counter)
                    connection.execute("UPDATE counts SET n = n - 1 WHERE portal = ? AND name = ?", values)
                for sql in OF_SERIAL:
                    connection.execute(sql, (serial,))
            for sql in OF_KEY:
                connection.execute(sql, (key,))
        connection.execute("DELETE FROM looks WHERE is_gone(url)")
        connection.execute("UPDATE alarms SET url = '' WHERE is_gone(url)")
        for name in documents:
            connection.execute("UPDATE urls SET detail = '' WHERE instr(detail, ?)", (name,))
        for url in map(json.dumps, urls):
            connection.execute(WITHOUT_REFERRER, (url, url.encode()))
        for place in places:
            for sql in OF_PLACE:
                connection.execute(sql, place)
        count_again(connection.execute, corpus)
        connection.execute("COMMIT")
        connection.execute("VACUUM")  # free pages may hold earlier content
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _alone(corpus: Path) -> Iterator[sqlite3.Connection]:
    """Lock out crawls and open the ledger."""
    try:
        with exclusive(corpus / CRAWL_LOCK, "crawl"), closing(open_writer(corpus)) as connection:
            yield connection
    except sqlite3.Error as error:  # such as a full disk
        raise LedgerError(f"{corpus}: {error}") from error
