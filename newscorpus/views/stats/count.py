"""Count the documents of a corpus by portal, time, language, section and length, and what was left out and why."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path

from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import corpus_of, open_corpus
from newscorpus.data import Record
from newscorpus.layout import DUPLICATES
from newscorpus.page.records import excerpt
from newscorpus.store.reasons import Refusals, refusals

MONTH = re.compile(r"(?P<year>\d{4})-(?:0[1-9]|1[0-2])")
UNKNOWN, OTHERS = "(unknown)", "(others)"

LENGTHS = (0, 25, 50, 100, 200, 400, 800, 1600, 3200)
"""Lower bounds of the length classes, in words; each class is twice as wide as the one before."""
LENGTH_CLASSES = (*(f"{start} to {end - 1}" for start, end in pairwise(LENGTHS)), f"{LENGTHS[-1]} and more")
CONFIDENCE_CLASSES = tuple(f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}" for tenth in range(10))

MAX_GROUPS = 5_000
"""Most groups of a kind that are counted apart, so that a portal that names a section a page fills no memory."""
SAMPLES = 5
"""Articles quoted of each portal: those with the least ids, a fair choice of any order."""
QUOTED_PORTALS = 30
"""Maximum portals whose articles are quoted: those with the most articles."""

Watch = Callable[[Iterable[Record]], Iterable[Record]]
"""Passes records on, and shows progress."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number of documents, and the words in them."""

    documents: int
    words: int


@dataclass(frozen=True, slots=True)
class KeptArticle:
    """What is quoted of a published document."""

    id: str
    url: str
    excerpt: str  # headline and first words
    detail: str  # words, language, date and confidence


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Counts of the documents in one or more corpora, and of the excluded ones."""

    name: str  # of the folders
    total: Size  # all published documents
    bytes: int  # of the published files
    # By "portal", "year", "month", "language", "section", "length", "confidence" and "flag": size of each group; years
    # and months with the latest first, lengths and confidence ascending, others by size.
    groups: Mapping[str, Mapping[str, Size]]
    # Number of documents that stand for near-duplicates too, by how many documents each stands for.
    clusters: Mapping[int, int]
    duplicates: Mapping[str, int]  # number of documents left out, by kind
    kept: Mapping[str, tuple[KeptArticle, ...]]  # some documents of each portal, the largest first
    refusals: tuple[Refusals, ...]  # by stage and reason, the most frequent first


class Sizes:
    """Adds up documents and words by group."""

    def __init__(self) -> None:
        self._documents: Counter[str] = Counter()
        self._words: Counter[str] = Counter()

    def add(self, group: str, words: int) -> None:
        """Count a document of so many words."""
        if group not in self._documents and len(self._documents) >= MAX_GROUPS:
            group = OTHERS
        self._documents[group] += 1
        self._words[group] += words

    def largest_first(self) -> dict[str, Size]:
        """The groups by number of documents, ties by name."""
        ordered = sorted(self._documents.items(), key=lambda item: (-item[1], item[0]))
        return {group: Size(count, self._words[group]) for group, count in ordered}

    def latest_first(self) -> dict[str, Size]:
        """The groups by name, which is a time; documents without a time come last."""
        return dict(sorted(self.largest_first().items(), reverse=True))

    def of(self, groups: Iterable[str]) -> dict[str, Size]:
        """These groups, with or without documents."""
        return {group: Size(self._documents[group], self._words[group]) for group in groups}


def corpus_stats(*corpora: Path, watch: Watch = iter) -> CorpusStats:
    """Count what is in corpora: folders of crawls, or published ones, which have no rejections.

    Raises:
        CorpusError: a corpus is not whole, or a file beside it is damaged.
    """
    published = [open_corpus(corpus) for corpus in corpora]
    sizes: defaultdict[str, Sizes] = defaultdict(Sizes)
    clusters: Counter[int] = Counter()
    samples: defaultdict[str, list[KeptArticle]] = defaultdict(list)
    for record in watch(chain.from_iterable(one.records() for one in published)):
        clusters[record.cluster_size] += record.cluster_size > 1
        for kind, group in _groups(record):
            sizes[kind].add(group, record.n_words)
        _choose(samples[record.source or UNKNOWN], record)
    roots = [corpus_of(one.folder) for one in published]
    lists = [path for root in roots if (path := root / DUPLICATES).exists()]
    duplicates = chain.from_iterable(map(read_duplicates, lists))
    portals = sizes["portal"].largest_first()
    return CorpusStats(
        name=", ".join(root.resolve().name for root in roots),
        total=Size(sum(one.manifest.documents for one in published), sum(one.manifest.words for one in published)),
        bytes=sum(one.manifest.bytes for one in published),
        groups={
            "portal": portals,
            "year": sizes["year"].latest_first(),
            "month": sizes["month"].latest_first(),
            "language": sizes["language"].largest_first(),
            "section": sizes["section"].largest_first(),
            "length": sizes["length"].of(LENGTH_CLASSES),
            "confidence": sizes["confidence"].of(CONFIDENCE_CLASSES),
            "flag": sizes["flag"].largest_first(),
        },
        clusters=dict(sorted((+clusters).items())),
        duplicates=dict(Counter(line.kind.value for line in duplicates).most_common()),
        kept={portal: tuple(samples[portal]) for portal in islice(portals, QUOTED_PORTALS) if portal in samples},
        refusals=refusals(roots),
    )


def _choose(samples: list[KeptArticle], record: Record) -> None:
    """Add a record to the samples of its portal if its id is among the least, in order."""
    if len(samples) == SAMPLES and record.id >= samples[-1].id:
        return
    stated = f", confidence {record.confidence:.2f}" if record.confidence else ""
    detail = f"{record.n_words:,} words, {record.language or UNKNOWN}, {record.published or 'no date'}{stated}"
    samples.append(KeptArticle(record.id, record.url, excerpt(record.title, record.text), detail))
    samples.sort(key=lambda sample: sample.id)
    del samples[SAMPLES:]


def _groups(record: Record) -> Iterator[tuple[str, str]]:
    """The kind and name of each group that a record belongs to."""
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
