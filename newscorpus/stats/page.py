"""The statistics of a corpus as one HTML page that needs nothing else: no script, no other file, all texts escaped."""

from collections.abc import Iterator
from html import escape

from newscorpus.data import Rejected
from newscorpus.stats.charts import svg
from newscorpus.stats.count import CorpusStats, Refusals
from newscorpus.stats.tables import Table, tables

MAX_ROWS = 500
"""Most rows of a table on the page."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{name}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #6a737d; --line: #d8dee4; --bar: #3b6ea5 }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #e6e9ec; --paper: #15181c; --faint: #9aa4ae; --line: #343a41; --bar: #6ea8e0 }}
}}
body {{ font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem }}
h2 {{ margin: 2.5rem 0 .5rem; font-size: 1.2rem }}
svg {{ max-width: 100%; height: auto; font-size: 12px }}
svg text {{ fill: var(--ink) }}
svg rect {{ fill: var(--bar) }}
table {{ border-collapse: collapse; margin: .5rem 0 }}
th, td {{ text-align: left; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid var(--line); vertical-align: top }}
td.number, th.number {{ text-align: right; font-variant-numeric: tabular-nums }}
summary, .detail {{ color: var(--faint) }}
td {{ overflow-wrap: anywhere }}
</style>
</head>
<body>
<h1>{name}</h1>
<p>{summary}</p>
{sections}
</body>
</html>
"""


def page(stats: CorpusStats) -> bytes:
    """The page, as UTF-8."""
    sections = [*map(_section, tables(stats)), *_samples(stats.refusals)]
    filled = PAGE.format(name=escape(stats.name), summary=escape(summary(stats)), sections="\n".join(sections))
    return filled.encode("utf-8", "replace")


def summary(stats: CorpusStats) -> str:
    """The corpus in one line."""
    left_out, refused = sum(stats.duplicates.values()), sum(one.number for one in stats.refusals)
    return (
        f"{stats.total.documents:,} documents, {stats.total.words:,} words, {stats.bytes:,} bytes; "
        f"{left_out:,} left out as duplicates, {refused:,} pages rejected"
    )


def _section(table: Table) -> str:
    """A chart, and its numbers to unfold."""
    head = "".join(_cell("th", name, number=at > 0) for at, name in enumerate(table.header))
    rows = "".join(f"<tr>{_cells(row)}</tr>" for row in table.rows[:MAX_ROWS])
    more = len(table.rows) - MAX_ROWS
    note = f'<p class="detail">and {more:,} more</p>' if more > 0 else ""
    return (
        f"<h2>{escape(table.title)}</h2>\n{svg(table)}\n"
        f"<details><summary>Table</summary><table><tr>{head}</tr>{rows}</table>{note}</details>"
    )


def _cells(row: tuple[str, tuple[int, ...]]) -> str:
    label, numbers = row
    return _cell("td", label) + "".join(_cell("td", f"{number:,}", number=True) for number in numbers)


def _cell(tag: str, text: str, *, number: bool = False) -> str:
    kind = ' class="number"' if number else ""
    return f"<{tag}{kind}>{escape(text)}</{tag}>"


def _samples(refusals: tuple[Refusals, ...]) -> Iterator[str]:
    """Some of what each stage and reason refused, so that a person can judge."""
    if refusals:
        yield "<h2>What was rejected: samples</h2>"
    for one in refusals:
        name, shown = escape(f"{one.stage}/{one.reason}"), f"{len(one.samples)} of {one.number:,}"
        rows = "".join(map(_sample, one.samples))
        yield f"<details><summary>{name}: {shown}</summary><table>{rows}</table></details>"


def _sample(rejected: Rejected) -> str:
    """A rejection: how it begins, why, and its address, which is a link only where it is one of the web."""
    url = escape(rejected.url)
    web = rejected.url.lower().startswith(("http://", "https://"))
    address = f'<a href="{url}" rel="noreferrer nofollow">{url}</a>' if web else url
    quoted = f"{escape(rejected.excerpt)}<br>" if rejected.excerpt else ""
    return f'<tr><td>{quoted}<span class="detail">{escape(rejected.detail)}</span><br>{address}</td></tr>'
