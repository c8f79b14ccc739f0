"""Links and groups of many documents, from made signatures without texts: `python -m benchmarks.keys`.

A value of a signature is that of the original with the probability of the similarity, as in MinHash, else one of the
document's own: the least of some 150 random numbers of 32 bits. The kinds of documents are those of `benchmarks.batch`.
"""

import argparse
import platform
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.batch import KINDS, ONE_TEXT, PARTS, TEMPLATE, TEMPLATES, Cost, alone, kind_of, measured, original_of
from newscorpus.batch.duplicates import LINKS, DuplicateTask, link_entries
from newscorpus.batch.engine import Stage, tasks_of
from newscorpus.batch.plan import Plan
from newscorpus.config import BuildConfig
from newscorpus.corpus.duplicates.store import DOCUMENT, Covered, IndexState, Store, layout_of
from newscorpus.layout import INDEX
from newscorpus.page.recipe import Recipe
from newscorpus.page.signature import mixed

RESULTS = Path(__file__).parent / "results" / "batch"
SHINGLES = 150
SIMILARITY = {"one text, again and again": 1.0, "copy": 1.0, "weather and odds, 0.66": 0.66**0.5}
"""Values kept of the original: of 0.66 two documents of one template have in common 0.66."""
PLACES = np.arange(128, dtype=np.uint64)
ALIKE = np.uint64(1 << 50)
"""Originals of no number: the one text, and templates."""


class Made(Store):
    """An index in memory."""

    def __init__(self, columns: dict[str, NDArray[Any]], state: IndexState) -> None:
        super().__init__(Path(), state)
        self._columns = columns

    def column(self, name: str) -> NDArray[Any]:
        """A column."""
        return self._columns[name].reshape(-1)


def similarity_of(name: str) -> float:
    """The similarity of a kind to its original, which stands in its name."""
    return SIMILARITY.get(name) or (float(name.rpartition(" ")[2]) if name[-1].isdigit() else 0.0)


def drawn(numbers: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """128 random numbers for each number (Steele, Lea and Flood 2014, SplitMix)."""
    values = (numbers[:, None] * np.uint64(256) + PLACES + np.uint64(seed * 128)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values


def make_index(plan: Plan, part: int, documents: int) -> None:
    """Write the index of a part."""
    numbers = np.arange(part, documents, PARTS, dtype=np.uint64)
    originals, shares = numbers.copy(), np.ones(len(numbers))
    for row, number in enumerate(numbers.tolist()):
        if (kind := kind_of(number)) and (share := similarity_of(kind.name)):
            shares[row] = share
            originals[row] = (
                ALIKE
                if kind is ONE_TEXT
                else original_of(number)
                if kind is not TEMPLATE
                else int(ALIKE) + 1 + number // 100 % TEMPLATES
            )
    own, first = (drawn(each, 0) // np.uint64(SHINGLES << 32) for each in (numbers, originals))
    is_kept = drawn(numbers, 1) < (shares * 2.0**63).astype(np.uint64)[:, None] * np.uint64(2)
    signatures = np.where(is_kept, first, own).astype("<u4")
    table = np.zeros(len(numbers), DOCUMENT)
    texts = mixed(np.where(shares == 1.0, originals, numbers) * np.uint64(2) + np.uint64(1))
    table["content"] = np.column_stack([texts, mixed(texts)]).view("S16").reshape(-1)
    table["n_words"], table["id_bytes"] = 100, 16
    ids = np.frombuffer(b"".join(b"%016x" % number for number in numbers.tolist()), "u1")
    empty = np.empty(0, "<u4")
    columns = {"documents": table, "signatures": signatures, "runs": empty, "paragraphs": empty, "ids": ids}
    state = IndexState(layout_of(plan.build), dict.fromkeys(columns, 0), ("made",))
    folder = plan.parts[part]
    Store.create(folder / INDEX, state.layout).append_index(Made(columns, state), 0, [Covered("made", 0, "")])


def make_entries(plan: Plan, part: int) -> None:
    """Write the entries of a part, as the first stage does."""
    store = Store.open(plan.parts[part] / INDEX, layout_of(plan.build))
    np.save(plan.parts[part] / LINKS, link_entries(store, plan.build.duplicates), allow_pickle=False)


def main() -> None:
    """Make indexes, link and group their documents, and write the results."""
    parser = argparse.ArgumentParser(description="links and groups of many documents")
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="where indexes are made; else a temporary folder")
    arguments = parser.parse_args()
    documents = arguments.documents
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        plan = Plan(f"{name}/ours", ((),) * PARTS, Recipe(), (), BuildConfig(), 1.0, (), {}, "")
        costs = {
            "signatures made": measured([partial(make_index, plan, number, documents) for number in range(PARTS)]),
            "entries": measured([partial(make_entries, plan, number) for number in range(PARTS)]),
        }
        for stage in (Stage.LINK, Stage.GROUP):
            tasks = [DuplicateTask(plan, number) for number in range(tasks_of(plan, stage))]
            costs[stage] = measured([getattr(task, stage) for task in tasks])
        disk = sum(path.stat().st_size for path in plan.file.parent.rglob("*") if path.is_file())
        links = sum(len(np.load(path, mmap_mode="r")) for path in plan.made(Stage.LINK, 0).parent.glob("*.npy"))
        grouped = np.concatenate([np.load(path) for path in plan.made(Stage.GROUP, 0).parent.glob("*.npy")])
        starts = np.cumsum([0, *(len(range(part, documents, PARTS)) for part in range(PARTS))])
    text = render(documents, costs, disk, links, grouped.astype(np.int64), starts)
    (RESULTS / f"keys-{documents}.md").write_text(text, encoding="utf-8")
    print(text)


def render(
    documents: int, costs: dict[str, Cost], disk: int, links: int, grouped: NDArray[np.int64], starts: NDArray[np.int64]
) -> str:
    """The results as Markdown."""
    sizes = np.bincount(grouped[:, 1])
    part = np.searchsorted(starts, grouped[:, 0], "right") - 1
    group = np.full(documents, -1)
    group[part + (grouped[:, 0] - starts[part]) * PARTS] = grouped[:, 1]
    found, planted = Counter[str](), Counter[str]()
    joined: dict[str, Counter[int]] = {ONE_TEXT.name: Counter(), TEMPLATE.name: Counter()}
    for number, own in enumerate(group.tolist()):
        if kind := kind_of(number) or alone(number):
            planted[kind.name] += 1
            if kind.name in joined:
                joined[kind.name][own] += own >= 0
            else:
                found[kind.name] += own >= 0 and (kind not in KINDS or own == group[original_of(number)])
    found |= {name: sum(size for size in counts.values() if size > 1) for name, counts in joined.items()}
    what = (
        f"Made by `python -m benchmarks.keys --documents {documents}`: signatures of {documents:,} documents in "
        f"{PARTS} parts, `memory_gb = 1`. Seconds of the processor, without the start of processes. Python "
        f"{platform.python_version()}. Index, entries, links and groups: {disk / 1e9:.1f} GB. {links:,} links, "
        f"of which {np.count_nonzero(sizes):,} groups come. The largest have "
        f"{', '.join(f'{size:,}' for size in np.sort(sizes)[:-6:-1].tolist())} documents."
    )
    lines = ["# Links and groups", "", what, "", "| stage | seconds | longest task | µs a document | memory, MB |"]
    lines.append("|---|--:|--:|--:|--:|")
    for stage, cost in costs.items():
        micros = cost.seconds / documents * 1e6
        lines.append(f"| {stage} | {cost.seconds:,.0f} | {cost.longest:.1f} | {micros:.2f} | {cost.peak_mb:,.0f} |")
    lines += ["", "| planted | documents | in a group with the original, or any other of the kind |", "|---|--:|--:|"]
    lines += [f"| {name} | {count:,} | {found[name] / count:.6f} |" for name, count in planted.items()]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
