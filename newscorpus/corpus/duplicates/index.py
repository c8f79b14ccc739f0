"""Index the intake of a corpus.

The index, `CORPUS/index/`, lets `build` decide about rows without reading them again. It is derived from the intake and
grows with it. It is rebuilt if the indexed part of the intake was truncated, as a resumed crawl does with uncommitted
rows.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.find import Watch, unwatched
from newscorpus.corpus.duplicates.store import Covered, Sketch, Store, digest, grouped, layout_of, make_sketches
from newscorpus.data import LOW_CONFIDENCE, SCHEMA
from newscorpus.layout import INDEX, INTAKE
from newscorpus.page.records import encode
from newscorpus.page.rows import Row, Withdrawal
from newscorpus.portal.addresses import is_front, is_listing
from newscorpus.store.intake import DamagedLine, RowPlace, read_intake, segments
from newscorpus.urls import document_id

ROWS_AT_ONCE = 10_000
"""Rows between two commits: some 30 MB of sketches."""

CHECKED_BYTES = 4096
"""Bytes at the end of the indexed part of a segment whose hash shows that it is unchanged: the last row or most of it,
which includes its fetch time."""


def update_index(
    corpus: Path,
    config: BuildConfig,
    watch: Watch = unwatched,
    damaged: Callable[[DamagedLine], None] = lambda _: None,
) -> Store:
    """Open the index of a corpus and add the rows of the intake that it lacks; `damaged` gets each unreadable line.

    Raises:
        CorpusError: there is no intake, its signatures or the index were made with different parameters, or the index
            is damaged.
        OSError: the disk is full.
    """
    folder, intake = corpus / INDEX, corpus / INTAKE
    layout = layout_of(config)
    store = Store.existing(folder, layout)
    known = {covered.name: covered for covered in store.state.covered} if store else {}
    there = {path.name for path in segments(intake)}  # a foreign index may name any file
    if not all(name in there and _check(intake / name, known[name].size) == known[name].check for name in known):
        store, known = None, {}
    rows = read_intake(intake, config.signature, {name: covered.size for name, covered in known.items()}, damaged)
    for batch in grouped(watch(rows, "rows read"), ROWS_AT_ONCE):
        store = store or Store.create(folder, layout)
        ends = {place.segment: place.offset + place.length + 1 for place, _ in batch}
        known |= {path.name: Covered(path.name, end, _check(path, end)) for path, end in ends.items()}
        numbers = {name: number for number, name in enumerate(known)}
        store = store.append(list(_sketches(batch, numbers, config)), tuple(known.values()))
    return store or Store.create(folder, layout)


def is_list(url: str) -> bool:
    """Check whether an address is that of a front page or a listing page (tag, author, pagination)."""
    try:
        return bool(url) and (is_front(url) or is_listing(url))
    except ValueError:  # a file of JSON lines may hold anything
        return False


def seconds(date: str) -> float:
    """Convert an ISO 8601 date to seconds since the epoch, UTC if it has no offset; NaN for anything else."""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:
        return math.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _sketches(
    batch: Sequence[tuple[RowPlace, Row | Withdrawal]], numbers: Mapping[str, int], config: BuildConfig
) -> Iterator[Sketch]:
    """Sketch the rows of a batch; `numbers` are those of the segments."""
    counted = [(place, row) for place, row in batch if isinstance(row, Row) or row.withdrawn]
    given = [
        (row.record.id, row.record.source, row.record.text, row.signature)
        if isinstance(row, Row)
        else (row.withdrawn, row.source, "", b"")
        for _, row in counted
    ]
    for made, (place, row) in zip(make_sketches(given, config), counted, strict=True):
        at = partial(
            replace,
            made,
            file=numbers[place.segment.name],
            offset=place.offset,
            length=place.length,
            reextraction=row.reextraction,
        )
        if isinstance(row, Withdrawal):
            yield at(fetched=seconds(row.fetched), withdrawn=True)
            continue
        record = row.record
        page = document_id(row.page) if row.page else record.id
        yield at(
            page=int(page, 16) if page != record.id else 0,
            published=seconds(record.published),
            fetched=seconds(record.fetched),
            digest=digest(encode(record)),
            confidence=record.confidence,
            is_doubtful=LOW_CONFIDENCE in record.flags,
            is_list=is_list(record.url),
            url_length=len(record.url),
        )


def _check(path: Path, size: int) -> str:
    """Hash the schema version and the end of the first `size` bytes of a file; "" if the file is shorter."""
    if not path.exists() or path.stat().st_size < size:
        return ""
    with path.open("rb") as file:
        start = max(0, size - CHECKED_BYTES)
        file.seek(start)
        return digest(b"%d " % SCHEMA + file.read(size - start)).hex()
