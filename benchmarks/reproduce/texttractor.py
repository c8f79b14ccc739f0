"""Texttractor (Mrózek 2014): what its post-analysis changes, block by block, jusText and Readability beside it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.reproduce.block_systems import (
    NEWS,
    articles,
    counted_sites,
    fetched,
    fit_artifact,
    large_sites,
    text_of,
)
from benchmarks.reproduce.tables import table
from newscorpus.arrays import Flags, Floats, Matrix
from newscorpus.config import RULE_SETS, Revision
from newscorpus.data import Block, Rejected
from newscorpus.data import Label as Verdict
from newscorpus.lab.gold.align import label_by_alignment
from newscorpus.lab.gold.pages import LICENCES, GoldPage
from newscorpus.lab.systems.blocks import BlockSystem
from newscorpus.lab.systems.texttractor import WEIGHTS, make_system, measure, run
from newscorpus.lab.training.block_learner import LabelledPage
from newscorpus.lab.training.block_systems import TEXTTRACTOR
from newscorpus.page.extractor import Extractor, PreparedPage, read
from newscorpus.page.loading import load
from newscorpus.page.text.post_analysis import is_heading, lower_words, possible_headlines, revise

WITHOUT, WITH, JUSTEXT, READABILITY = "Without post-analysis", "With post-analysis", "jusText", "Readability"
PEERS = {JUSTEXT: "justext", READABILITY: "readability"}
"""The other systems of the thesis, by the names of their extractors; a block is marked if half of it is in the text."""

MROZEK = RULE_SETS["mrozek"]
STEPS = {WITHOUT: (), **{f"... {name}": MROZEK[:at] for at, name in enumerate(MROZEK[:-1], 1)}, WITH: MROZEK}
"""The verdicts of the network, and those after one step more each."""

PUBLISHED_PAGES, PUBLISHED_GOOD = 32, 32 * 12
PER_GOOD = " per good block"
PUBLISHED: dict[str, dict[str, float]] = {
    WITHOUT: {"wrong": 99, "missed": 113, "starts": 16, "ends": 9},
    WITH: {
        "wrong": 90, "missed": 21, "starts": 29, "ends": 19, "success": 0.9445, "failure": 0.3304,
        f"wrong{PER_GOOD}": 90 / PUBLISHED_GOOD, f"missed{PER_GOOD}": 21 / PUBLISHED_GOOD,
    },
    JUSTEXT: {"success": 0.9138, "failure": 0.3434},
    READABILITY: {"success": 0.921},
}  # fmt: skip
"""Sums over the pages, mean shares, and sums per good block."""

TRAINED, DRAWS = 34, 5
"""Pages that the network of the thesis learned from, and how often so many are drawn."""
ALL_INPUTS, OWN_INPUTS = "78: with both neighbours", "26: without neighbours"
LONG = "wcxb"
"""The set whose pages have many more good blocks than those of the thesis."""

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


@dataclass(frozen=True, slots=True)
class Opened:
    """A page, what was read of it, and which of its blocks are good: one at least."""

    page: GoldPage
    prepared: PreparedPage
    good: Flags


def reproduce(data: Path) -> str:
    """The table of the thesis by set, and its sums beside ours."""
    pages = (page for dataset in LICENCES for page in map(_open, articles(data, dataset, "train")) if page)
    network, how = fit_artifact(TEXTTRACTOR, map(partial(_labelled, measure), pages))
    system, peers = make_system(network, Revision(())), {name: load(peer) for name, peer in PEERS.items()}
    by_set = {
        dataset: [_mark(page, system, peers) for page in map(_open, articles(data, dataset)) if page]
        for dataset in NEWS
    }
    every = [page for of_set in by_set.values() for page in of_set]
    tables = []
    for name in (WITHOUT, WITH, *PEERS):
        rows = [(dataset, *astuple(_total([page[name] for page in of_set]))) for dataset, of_set in by_set.items()]
        tables.append(f"## {name}\n\n{table(COLUMNS, rows)}\n")
    steps = [(name, *astuple(_total([page[name] for page in every]))) for name in STEPS]
    rest = [page for dataset, of_set in by_set.items() if dataset != LONG for page in of_set]
    same, drawn = large_sites(data), known_sites(data, peers)
    beside = [
        (name, figure, published, *(_scaled(name, figure, pages) for pages in (drawn[ALL_INPUTS], rest, by_set[LONG])))
        for name, figures in PUBLISHED.items()
        for figure, published in figures.items()
    ]
    inputs = [
        (inputs, *astuple(_total([page[name] for page in pages])))
        for inputs, pages in drawn.items()
        for name in (WITHOUT, WITH)
    ]
    return (
        "# Texttractor (Mrózek 2014)\n\n"
        "Blocks of the development pages, good by alignment with the gold text; the headline is one of them, as in the "
        "thesis. Captions and side text that are marked count as wrong. The network learned from the train split of "
        f"{', '.join(LICENCES)}. {how}\n\n{''.join(tables)}"
        f"## Step by step, all sets\n\n{table(('after', *COLUMNS[1:]), steps)}\n"
        f"## Known sites, {TRAINED} pages to learn from\n\n"
        "As in the thesis, whose network learned from 34 pages (4,519 blocks). Of the "
        f"{len(same)} pages of {counted_sites(same)}, {TRAINED} are drawn to learn from and {PUBLISHED_PAGES} others "
        f"to test on, {DRAWS} times. Without the neighbours the network sees the 26 features of a block alone. Rows in "
        f"pairs: without the rules, and with them.\n\n{table(('inputs', *COLUMNS[1:]), inputs)}\n"
        "## Beside the published figures\n\n"
        f"Sums for {PUBLISHED_PAGES} pages (ours scaled), mean shares, and sums per good block. Known sites: as above, "
        f"78 inputs. Unseen sites: the sets without {LONG}, whose pages have {_good_per_page(by_set[LONG])} good "
        f"blocks (the others {_good_per_page(rest)}, the thesis 12).\n\n"
        f"{table(('system', 'figure', 'published', 'known sites', 'unseen sites', LONG), beside)}"
    )


def known_sites(data: Path, peers: Mapping[str, Extractor]) -> dict[str, list[dict[str, Marks]]]:
    """What networks mark that learned from few pages of the same sites, by their inputs, on the pages of all draws."""
    pages = [page for page in map(_open, large_sites(data)) if page]
    found: dict[str, list[dict[str, Marks]]] = {ALL_INPUTS: [], OWN_INPUTS: []}
    for draw in range(DRAWS):
        order = np.random.default_rng(draw).permutation(len(pages))
        train, test = order[:TRAINED], order[TRAINED : TRAINED + PUBLISHED_PAGES]
        for inputs, marks in found.items():
            learner = TEXTTRACTOR if inputs == ALL_INPUTS else replace(TEXTTRACTOR, measure=_without_neighbours)
            network, _ = fit_artifact(learner, map(partial(_labelled, learner.measure), (pages[at] for at in train)))
            score = partial(_score, network.array(WEIGHTS), learner.measure)
            system = replace(make_system(network, Revision(())), score=score)
            marks += [_mark(pages[at], system, peers if inputs == ALL_INPUTS else {}) for at in test]
    return found


def _score(weights: Matrix, measure: Callable[[Sequence[Block]], Matrix], blocks: Sequence[Block]) -> Floats:
    return run(weights, measure(blocks))


def _labelled(measure: Callable[[Sequence[Block]], Matrix], page: Opened) -> LabelledPage:
    return LabelledPage(page.page.dataset, page.page.domain, measure(page.prepared.blocks), page.good)


def _without_neighbours(blocks: Sequence[Block]) -> Matrix:
    """The inputs of the network, those of the neighbours zero: they leave its weights as they were drawn."""
    rows = measure(blocks)
    rows[:, rows.shape[1] // 3 :] = 0
    return rows


def _scaled(name: str, figure: str, pages: Sequence[Mapping[str, Marks]]) -> float:
    total = _total([page[name] for page in pages])
    if figure.endswith(PER_GOOD):
        return float(getattr(total, figure.removesuffix(PER_GOOD))) / total.good
    value = float(getattr(total, figure))
    return value if figure in {"success", "failure"} else value * PUBLISHED_PAGES / total.pages


def _good_per_page(pages: Sequence[Mapping[str, Marks]]) -> int:
    return round(fmean(page[WITH].good for page in pages))


def _open(page: GoldPage) -> Opened | None:
    prepared = read(fetched(page))
    if isinstance(prepared, Rejected) or not prepared.blocks:
        return None
    headlines = possible_headlines(page.title or prepared.fields.title)
    headline = [is_heading(block) and lower_words(block.text) in headlines for block in prepared.blocks]
    good = label_by_alignment(prepared.blocks, page) | headline
    return Opened(page, prepared, good) if good.any() else None


def _mark(page: Opened, system: BlockSystem, peers: Mapping[str, Extractor]) -> dict[str, Marks]:
    """What each step marked on a page, and each peer."""
    verdicts = system.label(page.prepared)
    marked = {
        name: np.array([item.label is Verdict.GOOD for item in revise(verdicts, page.prepared.head_title, rules)])
        for name, rules in STEPS.items()
    }
    for name, peer in peers.items():
        found = replace(page.page, text=text_of(peer, page.page), title="")
        marked[name] = label_by_alignment(page.prepared.blocks, found)
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
