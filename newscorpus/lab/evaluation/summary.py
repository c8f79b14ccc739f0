"""Summarise results of pages: figures by set, by language and over all, rejections, and confidence.

A confidence is calibrated if about nine in ten of the texts given 0.9 are good.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Column, Table

from newscorpus.arrays import Floats
from newscorpus.lab.evaluation.compare import PageResult
from newscorpus.lab.evaluation.scores import Confusion, Estimate, Overlap, Scores, estimate
from newscorpus.lab.gold.pages import ARTICLE, NO_ARTICLE, has_article

GOOD_F1 = 0.9
"""Minimum page F1 of a good text."""
POOR = 0.5
"""Pages with a lower F1 count as poor."""
BINS = 10

Group = tuple[str, str, str]
"""Scope ("set", "language" or "all"), name of the group ("all" for all), name of the extractor."""

SCOPES = ("set", "language", "all")
COLUMNS = ("extractor", "pages", "P", "R", "F1", "page F1", "95 %", "exact", "< 0.5", "none", "LCS F1", "edits", "ms")
"""Columns that fit a terminal; the files hold the rest."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of a figure over pages."""

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
    blocks: Mapping[str, float]  # verdicts on blocks (good is positive), summed over the group; all 0 without any
    cpu_ms: float  # CPU milliseconds a page, mean
    cpu_ms_median: float


def summarise(results: Iterable[PageResult], by_domain: bool = False) -> list[Summary]:
    """Summarise the pages with an article per set, per language and over all, sorted.

    With `by_domain` the bootstrap draws whole domains instead of pages.
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
    verdicts = sum((result.blocks for result in results), Confusion())
    measures = {name: value if verdicts.total else 0.0 for name, value in verdicts.measures.items()}
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
        blocks={"count": verdicts.total, **asdict(verdicts), **measures},
        cpu_ms=fmean(milliseconds),
        cpu_ms_median=median(milliseconds),
    )


def _columns(result: PageResult) -> tuple[float, ...]:
    """Return what a page adds to the sums: F1, precision if it has a text, recall if it has gold text."""
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
    """How well one extractor distinguishes pages without an article."""

    extractor: str
    # positive: rejected; positive in gold: the kinds of `NO_ARTICLE`; forum and documentation pages are left out
    verdicts: Confusion
    shares: Mapping[str, float]  # share of pages rejected, by kind of page


def summarise_rejections(results: Iterable[PageResult]) -> list[Rejection]:
    """Summarise how each extractor rejects pages without an article; sets without kinds of page are left out."""
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
    """Texts of one extractor whose confidence lies in one tenth of 0..1."""

    extractor: str
    pages: int
    confidence: float  # mean
    good: float  # share of good texts; equals `confidence` if that is calibrated


def summarise_confidence(results: Iterable[PageResult]) -> list[ConfidenceBin]:
    """Bin the texts of articles by the confidence of each extractor that states one, lowest first."""
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


@dataclass(frozen=True, slots=True)
class WorstPage:
    """A page to open, with the F1 of each extractor on it."""

    dataset: str
    id: str
    url: str
    f1: dict[str, float]


def worst_pages(results: Iterable[PageResult], extractor: str, limit: int = 20) -> list[WorstPage]:
    """Return the pages with the lowest F1 of one extractor, at most `limit`; ties are broken by set and id."""
    pages: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for result in results:
        if has_article(result.page_type):
            pages[result.dataset, result.id, result.url][result.extractor] = result.f1
    worst = sorted((f1[extractor], key) for key, f1 in pages.items() if extractor in f1)
    return [WorstPage(*key, pages[key]) for _, key in worst[:limit]]


@dataclass(frozen=True, slots=True)
class Report:
    """Figures of extractors on pages."""

    summaries: Sequence[Summary] = ()
    rejections: Sequence[Rejection] = ()
    confidence: Sequence[ConfidenceBin] = ()
    worst: Sequence[WorstPage] = ()


def print_table(
    console: Console, title: str, columns: Iterable[str | Column], rows: Iterable[Sequence[object]]
) -> None:
    """Print a table with numbers to three decimals, or nothing if it has no rows."""
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    if table.row_count:
        console.print(table)


def make_report(results: Sequence[PageResult], extractor: str) -> Report:
    """Summarise results, with the worst pages of one extractor."""
    confidence, worst = summarise_confidence(results), worst_pages(results, extractor)
    return Report(summarise(results), summarise_rejections(results), confidence, worst)


def print_report(report: Report, console: Console) -> None:
    """Print the tables of a report; those of sets, languages and all pages have the best page F1 first."""
    groups: dict[tuple[str, str], list[Summary]] = defaultdict(list)
    for summary in sorted(report.summaries, key=lambda summary: SCOPES.index(summary.scope)):
        groups[summary.scope, summary.group].append(summary)
    for (scope, group), found in groups.items():
        title = f"{scope} {group}" if scope != "all" else "all pages"
        best_first = sorted(found, key=lambda summary: -summary.page_f1.value)
        print_table(console, title, COLUMNS, map(_cells, best_first))
    of_sets = [row for row in report.summaries if row.scope == "set"]
    similar = [(row.group, row.extractor, *asdict(row.similarity).values()) for row in of_sets]
    print_table(console, "similarity in characters", ("set", "extractor", "mean", "least", "greatest"), similar)
    columns = ("set", "extractor", "blocks", "TP", "FP", "FN", "TN", "accuracy", "P", "R", "F1", "MCC")
    blocks = [(row.group, row.extractor, *row.blocks.values()) for row in of_sets if row.blocks["count"]]
    print_table(console, "blocks", columns, blocks)
    kinds = sorted({kind for rejection in report.rejections for kind in rejection.shares})
    rejected = [
        (
            *(row.extractor, *asdict(row.verdicts.scores).values(), row.verdicts.mcc),
            *(f"{row.shares[kind]:.1%}" if kind in row.shares else "" for kind in kinds),
        )
        for row in report.rejections
    ]
    print_table(console, "pages rejected", ("extractor", "P", "R", "F1", "MCC", *kinds), rejected)
    sure = [(row.extractor, row.pages, f"{row.confidence:.2f}", f"{row.good:.2f}") for row in report.confidence]
    print_table(console, "confidence", ("extractor", "texts", "confidence", f"F1 ≥ {GOOD_F1}"), sure)
    names = list(report.worst[0].f1) if report.worst else []
    worst = [(page.dataset, page.id, *(page.f1[name] for name in names), page.url) for page in report.worst]
    print_table(console, "worst pages", ("set", "id", *names, Column("url", overflow="fold")), worst)


def _cells(row: Summary) -> list[object]:
    return [
        *(row.extractor, row.pages, row.precision, row.recall, row.f1.value, row.page_f1.value),
        f"{row.page_f1.low:.3f}-{row.page_f1.high:.3f}",
        *(f"{share:.1%}" for share in (row.exact, row.poor, row.rejected)),
        row.lcs.f1,
        *(f"{value:.1f}" for value in (row.edits, row.cpu_ms)),
    ]


def write_csv(path: Path, summaries: Sequence[Summary]) -> None:
    """Write a CSV file with one line for each group and extractor; nested figures become `f1_low`, `lcs_recall`."""
    rows = [flatten(asdict(summary)) for summary in summaries]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def flatten(row: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten nested keys, joined by "_" (without "value"); numbers to 5 decimals."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        name = prefix.rstrip("_") if key == "value" else prefix + key
        if isinstance(value, dict):
            flat |= flatten(value, f"{name}_")
        else:
            flat[name] = round(value, 5) if isinstance(value, float) else value
    return flat


def write_json(path: Path, figures: object) -> None:
    """Write figures as one JSON object with a list under each name."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
