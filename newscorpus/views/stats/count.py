"""Sum up corpora: the counts of their published documents, and the excluded ones by kind and reason."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from newscorpus.corpus.contents import ContentCounts, KeptArticle, Size
from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import Watch, corpus_of, open_corpus
from newscorpus.layout import DUPLICATES
from newscorpus.store.reasons import Refusals, refusals


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Counts of the documents in one or more corpora, and of the excluded ones."""

    name: str  # of the folders
    total: Size  # all published documents
    bytes: int  # of the published files
    groups: Mapping[str, Mapping[str, Size]]  # as in `Contents`, like the next
    clusters: Mapping[int, int]
    duplicates: Mapping[str, int]  # number of excluded documents, by kind
    kept: Mapping[str, tuple[KeptArticle, ...]]
    refusals: tuple[Refusals, ...]  # by stage and reason, the most frequent first


def corpus_stats(*corpora: Path, watch: Watch | None = None) -> CorpusStats:
    """Count the contents of corpora: folders of crawls, or published ones, which have no rejections.

    With `watch` every document is read, and the files are checked; else counts kept at publication are taken.

    Raises:
        CorpusError: a corpus is incomplete, or a file beside it is damaged.
    """
    published, counts = [open_corpus(corpus) for corpus in corpora], ContentCounts()
    for one in published:
        kept = None if watch else one.contents()
        if kept:
            counts.add(kept)
        else:
            deque(counts.count((watch or iter)(one.records())), maxlen=0)
    contents = counts.contents()
    roots = [corpus_of(one.folder) for one in published]
    lists = [path for root in roots if (path := root / DUPLICATES).exists()]
    duplicates = chain.from_iterable(map(read_duplicates, lists))
    return CorpusStats(
        name=", ".join(root.resolve().name for root in roots),
        total=Size(sum(one.manifest.documents for one in published), sum(one.manifest.words for one in published)),
        bytes=sum(one.manifest.bytes for one in published),
        groups=contents.groups,
        clusters=contents.clusters,
        duplicates=dict(Counter(line.kind.value for line in duplicates).most_common()),
        kept=contents.kept,
        refusals=refusals(roots),
    )
