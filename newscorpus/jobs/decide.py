"""Decides on the duplicates in a collection, for `build` and `dedup` alike."""

from newscorpus.config import BuildConfig
from newscorpus.dedup.collection import Collection
from newscorpus.dedup.duplicates import Duplicate, Watch, find_duplicates, unwatched
from newscorpus.dedup.verify import VERIFIED, Verifier
from newscorpus.jobs.rows import text_of

LOCK = ".build.lock"
"""Held in the folder of a corpus while something writes it."""


def decide(collection: Collection, config: BuildConfig, watch: Watch = unwatched) -> list[Duplicate]:
    """The duplicates in a collection; what is found by comparing texts is kept beside its own index.

    Args:
        collection: all documents.
        config: what counts as a duplicate.
        watch: shows the progress.
    """
    verifier = Verifier(
        collection.documents["content"],
        lambda position: text_of(collection, position),
        config.duplicates,
        config.signature,
        collection.stores[-1].folder / VERIFIED,
    )
    duplicates = find_duplicates(collection, verifier, config.duplicates, watch)
    verifier.save()
    return duplicates
