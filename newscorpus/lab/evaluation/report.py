"""Show results to people and to programs: tables in the terminal, CSV and JSON files, the pages to open."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Column, Table

from newscorpus.lab.evaluation.compare import PageResult
from newscorpus.lab.evaluation.summary import GOOD_F1, ConfidenceBin, Rejection, Summary
from newscorpus.lab.gold.conventions import has_article

SCOPES = ("set", "language", "all")
COLUMNS = ("extractor", "pages", "P", "R", "F1", "page F1", "95 %", "exact", "< 0.5", "none", "LCS F1", "edits", "ms")
"""What fits a terminal; the files hold the rest."""


@dataclass(frozen=True, slots=True)
class WorstPage:
    """A page to open, with the F1 of each extractor on it."""

    dataset: str
    id: str
    url: str
    f1: dict[str, float]


def print_table(
    console: Console, title: str, columns: Iterable[str | Column], rows: Iterable[Sequence[object]]
) -> None:
    """Print a table, nothing where it has no rows; numbers to three decimals."""
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    if table.row_count:
        console.print(table)


def print_summaries(summaries: Sequence[Summary], console: Console) -> None:
    """Print a table for each set, each language and all pages, the best page F1 first."""
    for scope in SCOPES:
        groups: dict[str, list[Summary]] = defaultdict(list)
        for summary in summaries:
            if summary.scope == scope:
                groups[summary.group].append(summary)
        for group, found in groups.items():
            best_first = sorted(found, key=lambda summary: -summary.page_f1.value)
            print_table(
                console, f"{scope} {group}" if scope != "all" else "all pages", COLUMNS, map(_cells, best_first)
            )


def _cells(row: Summary) -> list[object]:
    return [
        *(row.extractor, row.pages, row.precision, row.recall, row.f1.value, row.page_f1.value),
        f"{row.page_f1.low:.3f}-{row.page_f1.high:.3f}",
        *(f"{share:.1%}" for share in (row.exact, row.poor, row.rejected)),
        row.lcs.f1,
        *(f"{value:.1f}" for value in (row.edits, row.cpu_ms)),
    ]


def print_blocks(summaries: Sequence[Summary], console: Console) -> None:
    """Print the scores of the verdicts on blocks, for each set and the extractors that decide block by block."""
    columns = ("set", "extractor", "blocks", "TP", "FP", "FN", "TN", "accuracy", "P", "R", "F1", "MCC")
    of_sets = [summary for summary in summaries if summary.scope == "set" and summary.blocks.count]
    print_table(
        console, "blocks", columns, [(row.group, row.extractor, *asdict(row.blocks).values()) for row in of_sets]
    )


def print_similarity(summaries: Sequence[Summary], console: Console) -> None:
    """Print how like the texts are to gold in their characters, for each set."""
    rows = [(row.group, row.extractor, *asdict(row.similarity).values()) for row in summaries if row.scope == "set"]
    print_table(console, "similarity in characters", ("set", "extractor", "mean", "least", "greatest"), rows)


def print_rejections(rejections: Sequence[Rejection], console: Console) -> None:
    """Print how well each extractor refuses pages without an article, and the share it refuses of each kind of page."""
    kinds = sorted({kind for rejection in rejections for kind in rejection.shares})
    rows = []
    for row in rejections:
        scores = row.verdicts.scores
        shares = (f"{row.shares[kind]:.1%}" if kind in row.shares else "" for kind in kinds)
        rows.append((row.extractor, scores.precision, scores.recall, scores.f1, row.verdicts.mcc, *shares))
    print_table(console, "pages rejected", ("extractor", "P", "R", "F1", "MCC", *kinds), rows)


def print_confidence(bins: Sequence[ConfidenceBin], console: Console) -> None:
    """Print the share of good texts beside the confidence they were given."""
    rows = [(row.extractor, row.pages, f"{row.confidence:.2f}", f"{row.good:.2f}") for row in bins]
    print_table(console, "confidence", ("extractor", "texts", "confidence", f"F1 ≥ {GOOD_F1}"), rows)


def worst_pages(results: Iterable[PageResult], extractor: str, limit: int = 20) -> list[WorstPage]:
    """The pages on which one extractor does worst, at most `limit`, with what the others make of them.

    Ties are broken by set and id.
    """
    pages: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for result in results:
        if has_article(result.page_type):
            pages[result.dataset, result.id, result.url][result.extractor] = result.f1
    worst = sorted((f1[extractor], key) for key, f1 in pages.items() if extractor in f1)
    return [WorstPage(*key, pages[key]) for _, key in worst[:limit]]


def print_worst(worst: Sequence[WorstPage], console: Console) -> None:
    """Print the pages to open."""
    extractors = list(worst[0].f1) if worst else []
    rows = [(page.dataset, page.id, *(page.f1[name] for name in extractors), page.url) for page in worst]
    print_table(console, "worst pages", ("set", "id", *extractors, Column("url", overflow="fold")), rows)


def write_csv(path: Path, summaries: Sequence[Summary]) -> None:
    """Write a CSV file, one line for each group and extractor; nested figures become `f1_low`, `lcs_recall` ..."""
    rows = [flatten(asdict(summary)) for summary in summaries]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def flatten(row: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """One level of keys, joined by "_"; numbers to 5 decimals. The key "value" is left out of a joined name."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        name = prefix.rstrip("_") if key == "value" else prefix + key
        if isinstance(value, dict):
            flat |= flatten(value, f"{name}_")
        else:
            flat[name] = round(value, 5) if isinstance(value, float) else value
    return flat


def write_json(path: Path, **figures: Sequence[Any]) -> None:
    """Write figures as one JSON object with a list under each name, such as `summaries`, `rejections` and `worst`."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
