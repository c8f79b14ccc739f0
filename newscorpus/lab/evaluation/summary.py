"""Sum up results page by page: figures by set, by language and over all, rejections, and confidence.

A confidence means what it says when of the texts given 0.9 about nine in ten are good.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from statistics import fmean, median

import numpy as np

from newscorpus.arrays import Floats
from newscorpus.lab.evaluation.compare import PageResult
from newscorpus.lab.evaluation.scores import Confusion, Estimate, Overlap, Scores, estimate
from newscorpus.lab.gold.conventions import ARTICLE, NO_ARTICLE, has_article

GOOD_F1 = 0.9
"""A text is good from this page F1 on."""
POOR = 0.5
"""Pages with a lower F1 count as poor."""
BINS = 10

Group = tuple[str, str, str]
"""Scope ("set", "language" or "all"), name of the group ("all" for all), name of the extractor."""


@dataclass(frozen=True, slots=True)
class BlockScores:
    """Scores of the verdicts on the blocks of a group, good is positive; all 0 where there were none."""

    count: int = 0
    true_positive: int = 0  # good, and found
    false_positive: int = 0
    false_negative: int = 0
    true_negative: int = 0
    accuracy: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    mcc: float = 0.0


@dataclass(frozen=True, slots=True)
class Spread:
    """What a figure is over some pages."""

    mean: float
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures of one extractor on one group of pages (see `Group`). Shares and scores are 0..1."""

    scope: str
    group: str
    extractor: str
    pages: int
    rejected: float  # share of pages without a text
    precision: float  # mean over the pages with a text (article-extraction-benchmark)
    recall: float  # mean over the pages with gold text
    f1: Estimate  # harmonic mean of the two
    page_f1: Estimate  # mean of the pages' own F1; a page without a text counts 0
    exact: float  # share of pages with F1 1
    poor: float  # share of pages with F1 under `POOR`
    lcs: Scores  # longest common subsequence of words, lengths summed over the group (Bakić 2012)
    lcs_page_f1: float  # mean of the pages' own F1 of it
    edits: float  # words to edit a page, mean (Novotný 2016)
    similarity: Spread  # of the texts' characters to gold (Brezovnik 2021)
    blocks: BlockScores  # verdicts on blocks, summed over the group
    cpu_ms: float  # CPU milliseconds a page, mean
    cpu_ms_median: float


def summarise(results: Iterable[PageResult], by_domain: bool = False) -> list[Summary]:
    """Figures per set, per language and over all, of the pages that hold an article; sorted.

    With `by_domain` the bootstrap draws whole domains, not pages.
    """
    groups: dict[Group, list[PageResult]] = defaultdict(list)
    for result in results:
        if has_article(result.page_type):
            for scope, group in (("set", result.dataset), ("language", result.language), ("all", "all")):
                groups[scope, group, result.extractor].append(result)
    return [_summarise_group(key, groups[key], by_domain) for key in sorted(groups)]


def _summarise_group(key: Group, results: Sequence[PageResult], by_domain: bool) -> Summary:
    columns = np.array([_columns(result) for result in results])
    of_group = partial(estimate, columns, groups=[result.domain for result in results] if by_domain else None)
    f1s = [result.f1 for result in results]
    similar = [result.similarity for result in results]
    milliseconds = [1_000 * result.seconds for result in results]
    return Summary(
        *key,
        pages=len(results),
        rejected=fmean(bool(result.rejected) for result in results),
        precision=float(_precision(columns.sum(axis=0, keepdims=True))[0]),
        recall=float(_recall(columns.sum(axis=0, keepdims=True))[0]),
        f1=of_group(_f1),
        page_f1=of_group(lambda sums: sums[:, 1] / sums[:, 0]),
        exact=fmean(f1 == 1 for f1 in f1s),
        poor=fmean(f1 < POOR for f1 in f1s),
        lcs=sum((result.lcs for result in results), Overlap()).scores,
        lcs_page_f1=fmean(result.lcs.scores.f1 for result in results),
        edits=fmean(result.edits for result in results),
        similarity=Spread(fmean(similar), min(similar), max(similar)),
        blocks=_block_scores(sum((result.blocks for result in results), Confusion())),
        cpu_ms=fmean(milliseconds),
        cpu_ms_median=median(milliseconds),
    )


def _block_scores(verdicts: Confusion) -> BlockScores:
    if not verdicts.total:
        return BlockScores()
    return BlockScores(
        verdicts.total,
        **asdict(verdicts),
        accuracy=verdicts.accuracy,
        **asdict(verdicts.scores),
        mcc=verdicts.mcc,
    )


def _columns(result: PageResult) -> tuple[float, ...]:
    """What a page adds to the sums: its F1, its precision where it has a text, its recall where it has gold text."""
    scores, ngrams = result.ngrams.scores, result.ngrams
    extracted, wanted = ngrams.predicted > 0, ngrams.gold > 0
    return 1, scores.f1, extracted, extracted * scores.precision, wanted, wanted * scores.recall


def _precision(sums: Floats) -> Floats:
    return sums[:, 3] / np.maximum(sums[:, 2], 1)


def _recall(sums: Floats) -> Floats:
    return sums[:, 5] / np.maximum(sums[:, 4], 1)


def _f1(sums: Floats) -> Floats:
    precision, recall = _precision(sums), _recall(sums)
    total = precision + recall
    return 2 * precision * recall / np.where(total > 0, total, 1)


@dataclass(frozen=True, slots=True)
class Rejection:
    """How one extractor tells pages without an article from articles."""

    extractor: str
    # positive: rejected; positive in gold: the kinds of `NO_ARTICLE`; forum and documentation pages are left out
    verdicts: Confusion
    shares: Mapping[str, float]  # share of pages rejected, by kind of page


def summarise_rejections(results: Iterable[PageResult]) -> list[Rejection]:
    """Rejection of pages without an article, for each extractor; sets that tell no kinds of page apart are left out."""
    kinds: dict[str, dict[str, Counter[bool]]] = defaultdict(lambda: defaultdict(Counter))
    for result in results:
        if result.page_type:
            kinds[result.extractor][result.page_type][bool(result.rejected)] += 1
    rejections = []
    for extractor, found in sorted(kinds.items()):
        without: Counter[bool] = sum((found[kind] for kind in NO_ARTICLE & found.keys()), Counter())
        articles = found.get(ARTICLE, Counter())
        verdicts = Confusion(without[True], articles[True], without[False], articles[False])
        shares = {kind: counts[True] / counts.total() for kind, counts in sorted(found.items())}
        rejections.append(Rejection(extractor, verdicts, shares))
    return rejections


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Texts of one extractor whose confidence lies in one tenth of 0..1: their number and mean confidence.

    `good` is the share of them that are good; it equals `confidence` where that is calibrated.
    """

    extractor: str
    pages: int
    confidence: float
    good: float


def summarise_confidence(results: Iterable[PageResult]) -> list[ConfidenceBin]:
    """Bins of each extractor that states a confidence, lowest first, over its texts of pages with an article."""
    bins: dict[tuple[str, int], list[PageResult]] = defaultdict(list)
    for result in results:
        if result.confidence > 0 and has_article(result.page_type):
            bins[result.extractor, min(int(result.confidence * BINS), BINS - 1)].append(result)
    return [
        ConfidenceBin(
            extractor,
            len(found),
            fmean(result.confidence for result in found),
            fmean(result.f1 >= GOOD_F1 for result in found),
        )
        for (extractor, _), found in sorted(bins.items(), key=lambda of_bin: of_bin[0])
    ]
