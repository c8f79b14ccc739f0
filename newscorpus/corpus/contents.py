"""Count the contents of published corpora: documents and words by portal, time, language, section and length.

`publish` counts while it writes and keeps the counts beside the shards, so that no view reads all documents.
"""

import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import attrgetter
from pathlib import Path

import msgspec

from newscorpus.data import Record
from newscorpus.files import replace_file
from newscorpus.layout import CONTENTS
from newscorpus.page.records import excerpt

MONTH = re.compile(r"(?P<year>\d{4})-(?:0[1-9]|1[0-2])")
UNKNOWN, OTHERS = "(unknown)", "(others)"
KINDS = ("portal", "year", "month", "language", "section", "length", "confidence", "flag")
_id = attrgetter("id")

LENGTHS = (0, 25, 50, 100, 200, 400, 800, 1600, 3200)
"""Lower bounds of the length classes, in words; each class is twice as wide as its predecessor."""
LENGTH_CLASSES = (*(f"{start} to {end - 1}" for start, end in pairwise(LENGTHS)), f"{LENGTHS[-1]} and more")
CONFIDENCE_CLASSES = tuple(f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}" for tenth in range(10))

MAX_GROUPS = 5_000
"""Maximum groups of a kind, which bounds the memory if a portal names a section per page."""
MAX_NAME = 200
"""Maximum characters of a group's name, and of the details of a quoted article: a section may be a whole text."""
SAMPLES = 5
"""Articles quoted per portal: those with the smallest ids, a random sample."""
QUOTED_PORTALS = 30
"""Maximum portals whose articles are quoted: those with the most articles."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number of documents, and the words in them."""

    documents: int
    words: int


@dataclass(frozen=True, slots=True)
class KeptArticle:
    """Quotation of a published document."""

    id: str
    url: str
    excerpt: str  # headline and first words
    detail: str  # words, language, date and confidence


@dataclass(frozen=True, slots=True)
class Contents:
    """Counts of the documents of a corpus, or of several."""

    # Size of each group, by kind (`KINDS`): years and months with the latest first, lengths and confidence ascending,
    # others by size.
    groups: Mapping[str, Mapping[str, Size]]
    clusters: Mapping[int, int]  # number of clusters of near-duplicates, by size
    kept: Mapping[str, tuple[KeptArticle, ...]]  # samples by portal, the largest first


class ContentCounts:
    """Count the documents of corpora."""

    def __init__(self, max_groups: int = MAX_GROUPS) -> None:
        self._max_groups = max_groups
        self._documents: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by kind and group
        self._words: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._clusters: Counter[int] = Counter()
        self._samples: defaultdict[str, list[KeptArticle]] = defaultdict(list)

    def count(self, records: Iterable[Record]) -> Iterator[Record]:
        """Count records and pass them on."""
        for record in records:
            self._clusters[record.cluster_size] += record.cluster_size > 1
            size = Size(1, record.n_words)
            for kind, name in _groups(record):
                self._add(kind, name[:MAX_NAME], size)
            quoted = self._quoted((record.source or UNKNOWN)[:MAX_NAME])
            if len(quoted) < SAMPLES or record.id < quoted[-1].id:
                stated = f", confidence {record.confidence:.2f}" if record.confidence else ""
                date = record.published or "no date"
                detail = f"{record.n_words:,} words, {record.language or UNKNOWN}, {date}{stated}"[:MAX_NAME]
                article = KeptArticle(record.id, record.url, excerpt(record.title, record.text), detail)
                insort(quoted, article, key=_id)
                del quoted[SAMPLES:]
            yield record

    def add(self, contents: Contents) -> None:
        """Add the counts of a corpus."""
        self._clusters.update(contents.clusters)
        for kind, groups in contents.groups.items():
            for name, size in groups.items():
                if size.documents:  # all classes of length and confidence are named
                    self._add(kind, name, size)
        for portal, articles in contents.kept.items():
            quoted = self._quoted(portal)
            quoted[:] = sorted([*quoted, *articles], key=_id)[:SAMPLES]

    def _add(self, kind: str, name: str, size: Size) -> None:
        known = self._documents[kind]
        group = OTHERS if name not in known and len(known) >= self._max_groups else name
        known[group] += size.documents
        self._words[kind][group] += size.words

    def _quoted(self, portal: str) -> list[KeptArticle]:
        return self._samples[portal if portal in self._documents["portal"] else OTHERS]

    def contents(self) -> Contents:
        """Return the counts so far."""
        groups: dict[str, dict[str, Size]] = {}
        for kind in KINDS:
            ordered = sorted(self._documents[kind].items(), key=lambda item: (-item[1], item[0]))
            groups[kind] = {group: Size(count, self._words[kind][group]) for group, count in ordered}
        for kind in ("year", "month"):  # the latest first, without a date last
            groups[kind] = dict(sorted(groups[kind].items(), reverse=True))
        for kind, classes in (("length", LENGTH_CLASSES), ("confidence", CONFIDENCE_CLASSES)):
            groups[kind] = {name: groups[kind].get(name, Size(0, 0)) for name in classes}
        portals = (portal for portal in islice(groups["portal"], QUOTED_PORTALS) if portal in self._samples)
        kept = {portal: tuple(self._samples[portal]) for portal in portals}
        return Contents(groups, dict(sorted((+self._clusters).items())), kept)


@dataclass(frozen=True, slots=True)
class _Kept:
    generation: str  # as in the manifest
    contents: Contents


def write_contents(folder: Path, generation: str, contents: Contents) -> None:
    """Keep the counts of a generation of the corpus published in a folder."""
    replace_file(folder / CONTENTS, msgspec.json.encode(_Kept(generation, contents)))


def read_contents(folder: Path, generation: str) -> Contents | None:
    """Return the counts kept of a generation of the corpus published in a folder; None if there are none."""
    try:
        found = msgspec.json.decode((folder / CONTENTS).read_bytes(), type=_Kept)
    except (OSError, ValueError):  # of an older version, or damaged
        return None
    return found.contents if found.generation == generation else None


def _groups(record: Record) -> Iterator[tuple[str, str]]:
    """Return kind and name of each group of a record."""
    month = MONTH.match(record.published)
    yield "portal", record.source or UNKNOWN
    yield "year", month["year"] if month else UNKNOWN
    yield "month", month[0] if month else UNKNOWN
    yield "language", record.language or UNKNOWN
    yield "section", record.section or UNKNOWN
    yield "length", LENGTH_CLASSES[sum(record.n_words >= start for start in LENGTHS) - 1]
    yield "confidence", CONFIDENCE_CLASSES[min(int(record.confidence * 10), 9)]
    for flag in record.flags:
        yield "flag", flag.partition(":")[0]
