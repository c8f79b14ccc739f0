"""Texttractor (Mrózek 2014): what its post-analysis changes, block by block, jusText and Readability beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.reproduce.block_systems import NEWS, articles, fetched, fit_artifact, text_of
from benchmarks.reproduce.tables import table
from newscorpus.arrays import Flags
from newscorpus.config import RULE_SETS, Revision
from newscorpus.data import Label as Verdict
from newscorpus.data import Rejected
from newscorpus.lab.gold.align import label_by_alignment
from newscorpus.lab.gold.pages import LICENCES, GoldPage
from newscorpus.lab.systems.texttractor import Texttractor, measure
from newscorpus.lab.training.block_learner import LabelledPage
from newscorpus.lab.training.block_systems import TEXTTRACTOR
from newscorpus.page.extractor import Extractor, Reading, read
from newscorpus.page.registry import load
from newscorpus.page.text.post_analysis import is_heading, lower_words, possible_headlines, revise

WITHOUT, WITH, JUSTEXT = "Without post-analysis", "With post-analysis", "jusText"
PEERS = {JUSTEXT: "justext", "Readability": "readability"}
"""The other systems of the thesis, by the names of their extractors; a block is marked if half of it is in the text."""

MROZEK = RULE_SETS["mrozek"]
STEPS = {WITHOUT: (), **{f"... {name}": MROZEK[:at] for at, name in enumerate(MROZEK[:-1], 1)}, WITH: MROZEK}
"""The verdicts of the network, and those after one step more each."""

PUBLISHED_PAGES = 32
PUBLISHED: dict[str, dict[str, float]] = {
    WITHOUT: {"wrong": 99, "missed": 113, "starts": 16, "ends": 9},
    WITH: {"wrong": 90, "missed": 21, "starts": 29, "ends": 19, "success": 0.9445, "failure": 0.3304},
    JUSTEXT: {"success": 0.9138, "failure": 0.3434},
}
"""Sums over the pages, and mean shares."""

COLUMNS = (
    "set", "pages", "blocks", "good", "marked", "wrong", "missed", "starts", "distance", "ends", "success", "failure"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Marks:
    """What a system marked on one page, or the sums over pages, of which the shares are means."""

    pages: int  # their number
    blocks: int  # on the page
    good: int  # of them
    marked: int  # as good
    wrong: int  # marked, but not good
    missed: int  # good, but not marked
    starts: int  # whether the first marked block is the first good one
    distance: float  # blocks between the two; those of the page where nothing was marked
    ends: int  # whether the last marked block is the last good one
    success: float  # correctly marked, of the good
    failure: float  # wrongly marked, of the good


def reproduce(data: Path) -> str:
    """The table of the thesis by set, and its sums beside ours."""
    pages = (page for dataset in LICENCES for page in map(_open, articles(data, dataset, "train")) if page)
    network, how = fit_artifact(
        TEXTTRACTOR,
        (LabelledPage(one.page.dataset, one.page.domain, measure(one.reading.blocks), one.good) for one in pages),
    )
    system, peers = Texttractor(network, Revision(())), {name: load(peer) for name, peer in PEERS.items()}
    by_set = {
        dataset: [_mark(page, system, peers) for page in map(_open, articles(data, dataset)) if page]
        for dataset in NEWS
    }
    every = [page for of_set in by_set.values() for page in of_set]
    tables = []
    for name in (WITHOUT, WITH, *PEERS):
        rows = [(dataset, *astuple(_total([page[name] for page in of_set]))) for dataset, of_set in by_set.items()]
        tables.append(f"## {name}\n\n{table(COLUMNS, rows)}\n")
    totals = {name: _total([page[name] for page in every]) for name in (*STEPS, *PEERS)}
    steps = [(name, *astuple(totals[name])) for name in STEPS]
    beside = []
    for name, figures in PUBLISHED.items():
        for figure, published in figures.items():
            scale = 1.0 if figure in {"success", "failure"} else PUBLISHED_PAGES / totals[name].pages
            beside.append((name, figure, published, getattr(totals[name], figure) * scale))
    return (
        "# Texttractor (Mrózek 2014)\n\n"
        "Blocks of the development pages, good by alignment with the gold text; the headline is one of them, as in the "
        "thesis. Captions and side text that are marked count as wrong. The network learned from the train split of "
        f"{', '.join(LICENCES)}. {how}\n\n{''.join(tables)}"
        f"## Step by step, all sets\n\n{table(('after', *COLUMNS[1:]), steps)}\n"
        "## Beside the published figures\n\n"
        f"Sums for {PUBLISHED_PAGES} pages (ours over all sets, scaled), and mean shares.\n\n"
        f"{table(('system', 'figure', 'published', 'ours'), beside)}"
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """A page, what was read of it, and which of its blocks are good: one at least."""

    page: GoldPage
    reading: Reading
    good: Flags


def _open(page: GoldPage) -> Opened | None:
    reading = read(fetched(page))
    if isinstance(reading, Rejected) or not reading.blocks:
        return None
    headlines = possible_headlines(page.title or reading.fields.title)
    headline = [is_heading(block) and lower_words(block.text) in headlines for block in reading.blocks]
    good = label_by_alignment(reading.blocks, page) | headline
    return Opened(page, reading, good) if good.any() else None


def _mark(page: Opened, system: Texttractor, peers: Mapping[str, Extractor]) -> dict[str, Marks]:
    """What each step marked on a page, and each peer."""
    verdicts = system.label(page.reading)
    marked = {
        name: np.array([item.label is Verdict.GOOD for item in revise(verdicts, page.reading.head_title, rules)])
        for name, rules in STEPS.items()
    }
    for name, peer in peers.items():
        found = replace(page.page, text=text_of(peer, page.page), title="")
        marked[name] = label_by_alignment(page.reading.blocks, found)
    return {name: count(flags, page.good) for name, flags in marked.items()}


def count(marked: Flags, good: Flags) -> Marks:
    """The marks on one page, of which a block at least is good."""
    (first, *_), (last, *_) = np.flatnonzero(good), np.flatnonzero(good)[::-1]
    found = np.flatnonzero(marked)
    wrong, hits = int((marked & ~good).sum()), int((marked & good).sum())
    return Marks(
        pages=1,
        blocks=len(good),
        good=int(good.sum()),
        marked=int(marked.sum()),
        wrong=wrong,
        missed=int(good.sum()) - hits,
        starts=int(found.size > 0 and found[0] == first),
        distance=float(abs(found[0] - first)) if found.size else float(len(good)),
        ends=int(found.size > 0 and found[-1] == last),
        success=hits / int(good.sum()),
        failure=wrong / int(good.sum()),
    )


def _total(marks: Sequence[Marks]) -> Marks:
    sums = [sum(column) for column in zip(*map(astuple, marks), strict=True)]
    total = Marks(*sums)
    return replace(
        total,
        distance=total.distance / total.pages,
        success=total.success / total.pages,
        failure=total.failure / total.pages,
    )
