"""Deduplication on many machines: what runs keep is a reference for later ones, through an index in a Redis server."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.dedup.collection import Collection
from newscorpus.dedup.shared import SharedIndex, shown
from newscorpus.dedup.sketch import digest
from newscorpus.dedup.store import Store
from newscorpus.errors import DedupError
from newscorpus.files import replacing
from newscorpus.publish.documents import Part
from newscorpus.publish.index import line_of

RUN = "redis.json"
"""Name of the file in the output that tells under which name the run has entered what it keeps."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the shared index knows it: its name, and a hash of its inputs."""

    name: str
    inputs: str


def run_of(output: Path, parts: Sequence[Part], against: Sequence[Path], shared: SharedIndex) -> str:
    """The name of the run in a folder; a new one where it has none or has not entered its documents.

    Args:
        output: the folder.
        parts: the inputs.
        against: what else they are compared with.
        shared: the index.

    Raises:
        DedupError: the folder holds a run that has entered other documents, which are thus kept there; or its file is
            damaged.
    """
    path = output / RUN
    given = [*(f"{part.name} {part.check}" for part in parts), *map(str, against)]
    inputs = digest("\n".join(given).encode()).hex()
    run = _read(path) if path.exists() else Run("", "")
    if shared.is_committed(run.name):
        if run.inputs != inputs:
            raise DedupError(
                f"{path}: the shared index has what this folder kept of other inputs; give another --output"
            )
        return run.name
    run = Run(secrets.token_hex(8), inputs)
    with replacing(path) as file:
        file.write(msgspec.json.encode(run))
    return run.name


def _read(path: Path) -> Run:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Run)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DedupError(f"{path}: {error}") from error


def earlier_documents(shared: SharedIndex, run: str, store: Store, url: str) -> Part:
    """What earlier runs have entered and may be much like documents of this index, as a file of documents."""
    rows = shared.alike(store.signatures, run)
    return Part(shown(url), digest("\n".join(rows).encode()).hex(), False, lambda: iter(rows.values()))


def enter(shared: SharedIndex, run: str, collection: Collection, own: NDArray[np.int64]) -> None:
    """Enter the documents that stay, by position; nothing where the run has done so before."""
    if shared.is_committed(run):
        return
    first = collection.n_references
    signatures = collection.stores[-1].signatures
    shared.enter(run, ((at - first, signatures[at - first], line_of(collection, at)) for at in own.tolist()))
