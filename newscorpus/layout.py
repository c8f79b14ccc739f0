"""Name the files and folders of a corpus, and say what belongs to it."""

from pathlib import Path

from newscorpus.errors import CorpusError

LEDGER = "ledger.sqlite"
ARCHIVE = "archive"
WARC_SUFFIX = ".warc.gz"
INTAKE = "intake"
INTAKE_SEGMENT = "intake/{:06}.jsonl"
INDEX = "index"
PUBLISHED = "corpus"
REJECTED = "rejected.jsonl"
DUPLICATES = "duplicates.jsonl"
LOW_CONFIDENCE = "low-confidence.jsonl"
CRAWL_REPORT = "crawl-report.json"
PROFILES = "profiles"
GOLD = "gold"

MANIFEST = "manifest.json"
CARD = "README.md"
"""Beside the shards in the published folder."""

CRAWL_LOCK = ".crawl.lock"
BUILD_LOCK = ".build.lock"
"""Held while a crawl or a build writes to the corpus."""


def inside(corpus: Path, name: str, error: type[ValueError] = CorpusError) -> Path:
    """Give the path of a file that something stored in a corpus names; one outside of the corpus is refused.

    Raises:
        ValueError: an `error`, since the corpus may be somebody else's.
    """
    path = corpus / name
    if "\0" in name or not path.resolve().is_relative_to(corpus.resolve()):
        raise error(f"{corpus}: names a file outside the corpus: {name!r}")
    return path
