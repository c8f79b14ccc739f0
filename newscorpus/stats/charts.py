"""Bar charts: as SVG inside a page, in the colours of the page, and as a picture."""

import io
import warnings
from dataclasses import dataclass
from html import escape
from typing import Any

from newscorpus.stats.count import CorpusStats
from newscorpus.stats.tables import Table, tables

MAX_BARS = 30
"""Most bars of a chart; the table has the rest."""
ROW, LABEL, BAR, NUMBER = 22, 220, 420, 200
"""Height of a bar's row, and widths of label, longest bar and numbers, in pixels."""
LABEL_CHARACTERS = 30
INCHES_A_BAR, INCHES_A_TITLE = 0.2, 0.5
LEAST_ROWS = 3
"""Room for so many bars in any chart of the picture, so that none is drawn thick."""
COLOUR = "#3b6ea5"
"""Of the picture."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a chart: what it is, how long, and what stands at its end."""

    label: str
    length: int
    numbers: str


def svg(table: Table) -> str:
    """The first numbers of a table as horizontal bars; their colours are the page's, light or dark."""
    bars = _bars(table)
    most = max((bar.length for bar in bars), default=0) or 1
    drawn = "".join(_bar(at, bar, BAR * bar.length / most) for at, bar in enumerate(bars))
    width, height = LABEL + BAR + NUMBER, ROW * len(bars)
    name = escape(f"{table.title}: {table.header[1]}")
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{name}">{drawn}</svg>'


def _bar(at: int, bar: Bar, length: float) -> str:
    """One row of a chart."""
    middle = f'y="{ROW * at + ROW / 2}" dominant-baseline="central"'
    return (
        f"<g><title>{escape(bar.label)}: {bar.numbers}</title>"
        f'<text x="{LABEL - 8}" {middle} text-anchor="end">{escape(_short(bar.label))}</text>'
        f'<rect x="{LABEL}" y="{ROW * at + 4}" width="{length:.1f}" height="{ROW - 8}" rx="2"/>'
        f'<text x="{LABEL + length + 6:.1f}" {middle}>{bar.numbers}</text></g>'
    )


def picture(stats: CorpusStats) -> bytes:
    """The charts as one PNG.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 -- an extra, and slow to load
    except ImportError as error:
        raise ImportError(f"the picture needs matplotlib ({error}); pip install 'newscorpus[plot]'") from error
    charts = list(tables(stats))
    heights = [INCHES_A_TITLE + INCHES_A_BAR * _rows(_bars(table)) for table in charts]
    figure = Figure(figsize=(9, sum(heights) + 0.6), layout="constrained")
    figure.suptitle(_plain(stats.name))
    axes = figure.subplots(len(charts), 1, squeeze=False, height_ratios=heights)
    for axis, table in zip(axes[:, 0], charts, strict=True):
        _draw(axis, table)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # no font has all scripts; the page shows what is missing
        figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
    return file.getvalue()


def _draw(axis: Any, table: Table) -> None:
    """One table as horizontal bars, the first row on top."""
    bars = _bars(table)
    drawn = axis.barh(range(len(bars)), [bar.length for bar in bars], color=COLOUR)
    axis.bar_label(drawn, [bar.numbers for bar in bars], padding=3, fontsize=8)
    axis.set_yticks(range(len(bars)), [_plain(_short(bar.label)) for bar in bars], fontsize=8)
    axis.set_ylim(_rows(bars) - 0.5, -0.5)
    axis.margins(x=0.25)
    axis.set_title(f"{table.title}: {table.header[1]}", fontsize=10, loc="left")
    axis.spines[["top", "right"]].set_visible(False)
    axis.xaxis.set_visible(False)


def _bars(table: Table) -> list[Bar]:
    """The rows that are drawn; numbers beside the first stand in brackets, with their names."""
    names = table.header[2:]
    return [
        Bar(label, first, f"{first:,}" + "".join(f" ({one:,} {name})" for one, name in zip(others, names, strict=True)))
        for label, (first, *others) in table.rows[:MAX_BARS]
    ]


def _rows(bars: list[Bar]) -> int:
    return max(len(bars), LEAST_ROWS)


def _short(label: str) -> str:
    return label if len(label) <= LABEL_CHARACTERS else label[: LABEL_CHARACTERS - 1] + "…"


def _plain(text: str) -> str:
    """The text for matplotlib, which takes what stands between dollars for a formula."""
    return text.replace("$", r"\$")
