"""Verify a published corpus against its manifest: every file is read, and every record checked."""

import hashlib
import json
from array import array
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from newscorpus.config import BuildConfig
from newscorpus.corpus.manifest import FILES_KEY, Manifest, RecordCounts, generation_of, read_manifest
from newscorpus.corpus.published import Published, Watch, published_folder
from newscorpus.errors import CorpusError
from newscorpus.layout import CARD, INTAKE, MANIFEST
from newscorpus.page.records import column_types
from newscorpus.store.intake import DamagedLine, read_intake

NAMED_IDS = 10
"""Maximum number of repeated ids that are named."""


def verify(corpus: Path, watch: Watch = iter) -> tuple[Manifest, list[str]]:
    """Find all damage of the corpus published in a folder, as lines that name the file.

    Memory: 8 bytes per record.

    Raises:
        CorpusError: the manifest is missing, damaged or of another schema.
    """
    folder = published_folder(corpus)
    manifest = read_manifest(folder)
    published, counts, ids = Published(folder, manifest), RecordCounts(), array("Q")
    shards, shares = manifest.shards, manifest.shares
    contradictions = _differences(
        folder / MANIFEST,
        ("columns", manifest.columns, column_types()),
        ("generation", manifest.generation, generation_of(shards)),
        ("documents", manifest.documents, sum(shard.rows for shard in shards)),
        ("bytes", manifest.bytes, sum(shard.bytes for shard in shards)),
        ("names of shards", len(shards), len({shard.name for shard in shards})),
        ("documents of shares", manifest.documents, sum(share.documents for share in shares)),
        ("words of shares", manifest.words, sum(share.words for share in shares)),
    )
    findings = [*contradictions, *_folder_findings(folder, manifest)]
    broken = []
    for shard in shards:  # report the first fault of each, and count the records
        try:
            ids.extend(_key(record.id) for record in watch(counts.count(published.shard_records(shard, exact=True))))
        except CorpusError as error:
            broken.append(str(error))
    miscounts = _differences(
        folder / MANIFEST,
        ("words", manifest.words, counts.words),
        ("extractors", dict(manifest.extractors), dict(counts.extractors)),
        ("shares", tuple(replace(share, tokens=0) for share in shares), counts.shares),  # tokens are not counted again
    )
    damaged: list[DamagedLine] = []  # lines of a crawl's intake; none of them was published
    deque(read_intake(corpus / INTAKE, BuildConfig().signature, damaged=damaged.append), maxlen=0)
    return manifest, [*findings, *(broken or miscounts), *_id_findings(published, ids), *map(str, damaged)]


def _differences(path: Path, *stated: tuple[str, Any, Any]) -> list[str]:
    """List the statements (name, stated value, actual value) that are wrong."""
    return [f"{path}: {name}: {value} instead of {found}" for name, value, found in stated if value != found]


def _folder_findings(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Find visible files that the manifest does not name, and differences between card and manifest."""
    shards = {shard.name for shard in manifest.shards}
    for path in sorted(folder.iterdir()):
        if path.name not in {MANIFEST, CARD, *shards} and not path.name.startswith("."):
            yield f"{path}: the manifest does not name it"
    try:
        lines = (folder / CARD).read_text("utf-8").splitlines()
        files = [line.partition(":")[2] for line in lines if line.strip().startswith(FILES_KEY)]
        if not files:
            raise ValueError(f"no line {FILES_KEY}")  # noqa: TRY301
        named = set(map(str, json.loads(files[0])))
    except (OSError, ValueError) as error:
        yield f"{folder / CARD}: no names of the shards ({getattr(error, 'strerror', '') or error})"
        return
    if strangers := sorted(named ^ shards):
        yield f"{folder / CARD}: names other files than the manifest: {', '.join(strangers)}"


def _id_findings(published: Published, ids: "array[int]") -> Iterator[str]:
    """Find repeated ids; the ids themselves are compared only if their keys are equal."""
    keys, counts = np.unique(np.frombuffer(ids, np.uint64), return_counts=True)
    suspected = set(keys[counts > 1].tolist())
    if not suspected:
        return
    seen: Counter[str] = Counter()
    for shard in published.manifest.shards:
        try:
            seen.update(record.id for record in published.shard_records(shard) if _key(record.id) in suspected)
        except CorpusError:  # already reported
            continue
    repeated = sorted(name for name, count in seen.items() if count > 1)
    for name in repeated[:NAMED_IDS]:
        yield f"{published.folder}: {seen[name]} records have the id {name}"
    if len(repeated) > NAMED_IDS:
        yield f"{published.folder}: {len(repeated) - NAMED_IDS} more ids stand more than once"


def _key(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest())
