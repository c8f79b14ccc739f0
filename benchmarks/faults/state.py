"""Say what lies in a folder, so that two runs of a command can be compared: contents, without times and hashes."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet

from newscorpus.config import BuildConfig
from newscorpus.layout import ARCHIVE, INDEX, INTAKE, LEDGER, REMOVED, archived_files
from newscorpus.lines import unpacked_lines
from newscorpus.page.rows import Row
from newscorpus.store.archive.overwrite import addresses, read_groups
from newscorpus.store.intake import read_intake
from newscorpus.store.ledger.database import reading
from newscorpus.store.removals import removals_of

State = Mapping[str, object]
"""What lies in a folder, by file."""
SKIPPED = re.compile(
    rf"(^|/)({INTAKE}|{ARCHIVE}|{INDEX}|tasks|__pycache__)/|\.(lock|log|sqlite(-\w+)?|lock-journal)$|/\.committed\.json$|crawl-report"
)
"""Caches, locks, logs and statistics; intake, archive and ledger are looked into."""
VARYING = re.compile(
    rb"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?)?|\b[0-9a-f]{32,}\b|shard-[0-9a-f]+|sha256:\w+"
    rb'|"(bytes|generation|seconds)":\s*("\w+"|[\d.]+)'
)
"""Times, and hashes and names of files that hold some."""


def state(folder: Path) -> State:
    """Say what lies in a folder, by file."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and path.name == INTAKE:
            found[name] = _rows(path)
        elif path.is_file() and not SKIPPED.search(name) and path.name != REMOVED:
            found[VARYING.sub(b"*", name.encode()).decode()] = _content(path)
    for ledger in folder.rglob(LEDGER):
        found |= {f"{ledger}: {key}": value for key, value in _crawl(ledger.parent).items()}
    return {key.replace(str(folder), "").lstrip("/"): value for key, value in found.items()}


def _rows(intake: Path) -> object:
    """The newest line of each page: pages may have been judged more than once."""
    newest: dict[tuple[object, str], object] = {}
    for _, line in read_intake(intake, BuildConfig().signature):
        page = (line.page or line.record.url) if isinstance(line, Row) else line.url
        row = replace(line.record, fetched="") if isinstance(line, Row) else line.reason
        newest[line.fetch, page] = (page, str(row))
    return set(newest.values())


def _lines(path: Path) -> list[bytes]:
    return sorted(VARYING.sub(b"*", line.strip()) for line in unpacked_lines(path) if line.strip())


def _content(path: Path) -> object:
    if path.suffix == ".parquet":
        return [VARYING.sub(b"*", str(row).encode()) for row in pyarrow.parquet.read_table(path).to_pylist()]
    if path.suffix in {".zst", ".gz", ".jsonl"}:
        return _lines(path)
    return VARYING.sub(b"*", path.read_bytes())


def _crawl(corpus: Path) -> State:
    """What a ledger says of addresses and counts, what the archive holds, and what was taken out."""
    with reading(corpus) as ledger:
        urls = ledger.execute("SELECT url, portal, kind, state, stage, reason FROM urls ORDER BY url").fetchall()
        counts = ledger.execute("SELECT * FROM counts WHERE name IN ('kept', 'words') ORDER BY 1, 2").fetchall()
    groups = [group for path in archived_files(corpus) for _, group in read_groups(path)]
    archive = {(address, VARYING.sub(b"*", one[0].body)) for one in groups for address in addresses(one) if address}
    removals = removals_of(corpus)
    gone = sorted(url for url, *_ in urls if removals.covers(url))
    return {"urls": urls, "counts": counts, "archive": archive, "removed": (gone, len(removals.lines))}
