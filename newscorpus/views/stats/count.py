"""Count the documents of a corpus by portal, time, language, section and length, and the excluded ones by reason."""

import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from operator import attrgetter
from pathlib import Path

from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import Watch, corpus_of, open_corpus
from newscorpus.data import Record
from newscorpus.layout import DUPLICATES
from newscorpus.page.records import excerpt
from newscorpus.store.reasons import Refusals, refusals

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
class CorpusStats:
    """Counts of the documents in one or more corpora, and of the excluded ones."""

    name: str  # of the folders
    total: Size  # all published documents
    bytes: int  # of the published files
    # Size of each group, by kind (`KINDS`): years and months with the latest first, lengths and confidence ascending,
    # others by size.
    groups: Mapping[str, Mapping[str, Size]]
    clusters: Mapping[int, int]  # number of clusters of near-duplicates, by size
    duplicates: Mapping[str, int]  # number of excluded documents, by kind
    kept: Mapping[str, tuple[KeptArticle, ...]]  # samples by portal, the largest first
    refusals: tuple[Refusals, ...]  # by stage and reason, the most frequent first


def corpus_stats(*corpora: Path, watch: Watch = iter, max_groups: int = MAX_GROUPS) -> CorpusStats:
    """Count the contents of corpora: folders of crawls, or published ones, which have no rejections.

    Raises:
        CorpusError: a corpus is incomplete, or a file beside it is damaged.
    """
    published = [open_corpus(corpus) for corpus in corpora]
    documents: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by kind and group
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    clusters: Counter[int] = Counter()
    samples: defaultdict[str, list[KeptArticle]] = defaultdict(list)
    for record in watch(chain.from_iterable(one.records() for one in published)):
        clusters[record.cluster_size] += record.cluster_size > 1
        for kind, name in _groups(record):
            group = name[:MAX_NAME]
            is_full = group not in documents[kind] and len(documents[kind]) >= max_groups
            counted = OTHERS if is_full else group
            documents[kind][counted] += 1
            words[kind][counted] += record.n_words
        portal = (record.source or UNKNOWN)[:MAX_NAME]
        quoted = samples[portal if portal in documents["portal"] else OTHERS]
        if len(quoted) < SAMPLES or record.id < quoted[-1].id:
            stated = f", confidence {record.confidence:.2f}" if record.confidence else ""
            detail = f"{record.n_words:,} words, {record.language or UNKNOWN}, {record.published or 'no date'}{stated}"
            article = KeptArticle(record.id, record.url, excerpt(record.title, record.text), detail[:MAX_NAME])
            insort(quoted, article, key=_id)
            del quoted[SAMPLES:]
    groups: dict[str, dict[str, Size]] = {}
    for kind in KINDS:
        ordered = sorted(documents[kind].items(), key=lambda item: (-item[1], item[0]))
        groups[kind] = {group: Size(count, words[kind][group]) for group, count in ordered}
    for kind in ("year", "month"):  # the latest first, without a date last
        groups[kind] = dict(sorted(groups[kind].items(), reverse=True))
    for kind, classes in (("length", LENGTH_CLASSES), ("confidence", CONFIDENCE_CLASSES)):
        groups[kind] = {name: groups[kind].get(name, Size(0, 0)) for name in classes}
    roots = [corpus_of(one.folder) for one in published]
    lists = [path for root in roots if (path := root / DUPLICATES).exists()]
    duplicates = chain.from_iterable(map(read_duplicates, lists))
    return CorpusStats(
        name=", ".join(root.resolve().name for root in roots),
        total=Size(sum(one.manifest.documents for one in published), sum(one.manifest.words for one in published)),
        bytes=sum(one.manifest.bytes for one in published),
        groups=groups,
        clusters=dict(sorted((+clusters).items())),
        duplicates=dict(Counter(line.kind.value for line in duplicates).most_common()),
        kept={
            portal: tuple(samples[portal]) for portal in islice(groups["portal"], QUOTED_PORTALS) if portal in samples
        },
        refusals=refusals(roots),
    )


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
