"""Every system, every peer and the default on the development pages, per set and language, with CPU time a page."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.compare import evaluate
from newscorpus.lab.evaluation.summary import Summary, summarise, write_csv
from newscorpus.page.registry import names
from newscorpus.terminal import progress

SETS = ("fundus", "daniel", "wcxb", "dragnet", "l3s_gn1", "ir_research", "cleaneval")
WITHOUT_TEMPLATE = tuple(name for name in names() if name != "template")
"""The pages have no template."""
CSV = Path(__file__).parents[1] / "results" / "systems-dev.csv"
FEW_PAGES = 5
"""Languages with fewer pages are left out of the table; the CSV file has them."""


def reproduce(
    data: Path,
    sets: Sequence[str] = SETS,
    extractors: Sequence[str] = WITHOUT_TEMPLATE,
    few_pages: int = FEW_PAGES,
    csv: Path = CSV,
) -> str:
    """The mean page F1 of each extractor on each set and language; writes all figures to a CSV file."""
    files = [data / f"{name}.jsonl.zst" for name in sets]
    results = list(progress(evaluate(files, extractors), "pages evaluated"))
    summaries = summarise(results)
    write_csv(csv, summaries)
    return (
        "# Side by side on the development pages\n\n"
        "Mean page F1 over word 4-grams; CPU milliseconds a page, measured in one process (they alone differ from run "
        "to run; newspaper4k's scores by some thousandths). All figures: "
        "`benchmarks/results/systems-dev.csv`.\n\n"
        f"## Sets\n\n{_table(summaries, ('all', 'set'), few_pages)}\n"
        f"## Languages\n\n{_table(summaries, ('language',), few_pages)}"
    )


def _table(summaries: Iterable[Summary], scopes: Sequence[str], few_pages: int) -> str:
    """A line for each extractor, the best over all first; a column for each group of the scopes, the largest first."""
    groups: dict[str, dict[str, Summary]] = defaultdict(dict)
    overall = {}
    for row in summaries:
        if row.scope == "all":
            overall[row.extractor] = row
        if row.scope in scopes and row.pages >= few_pages:
            groups[row.group][row.extractor] = row
    names = sorted(overall, key=lambda name: (-overall[name].page_f1.value, name))
    order = sorted(groups, key=lambda group: (-groups[group][names[0]].pages, group))
    columns = ("extractor", *(f"{group} ({groups[group][names[0]].pages})" for group in order), "none", "ms")
    rows = [
        (
            name,
            *(groups[group][name].page_f1.value for group in order),
            *(f"{overall[name].rejected:.1%}", f"{overall[name].cpu_ms:.0f}"),
        )
        for name in names
    ]
    return table(columns, rows)
