"""Measure what ten pages of one's own are worth to the default model, by host.

    python -m benchmarks.own_pages DATA

DATA is the folder of the pages with gold text (docs/data.md). For each host with enough pages of which the shipped
model learned from none: ten pages are drawn, trees are added to the shipped model (`newscorpus train main-text
--start-from main-text`), and the rest is read before and after. Writes benchmarks/results/own_pages.md.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.reproduce.tables import table
from newscorpus.artifacts import Artifact, Metadata
from newscorpus.evaluation.scores import estimate
from newscorpus.extraction.extractor import Extractor, SystemExtractor
from newscorpus.extraction.main_text import INPUTS, MODEL, MainTextSystem
from newscorpus.gold.conventions import TEXT_LICENCES, has_article
from newscorpus.gold.pages import GoldPage, read_pages
from newscorpus.learning.own import score_pages
from newscorpus.learning.own_trees import train_own_trees
from newscorpus.learning.sources import TrainingPages
from newscorpus.published.registry import load_whole
from newscorpus.terminal import progress

SETS = ("fundus", "daniel", "wcxb", "dragnet", "article_extraction", "misinformation", "l3s_gn1", "ir_research")
FEWEST, DRAWN, DRAWS = 20, 10, 3
RESULTS = Path(__file__).parent / "results" / "own_pages.md"

HEAD = f"""# What ten pages of one's own are worth

By `python -m benchmarks.own_pages DATA`: hosts with {FEWEST} pages and more of which the shipped `main-text` learned
from none; {DRAWN} pages are drawn {DRAWS} times, trees are added, the rest is read before and after. Mean page F1 over
word 4-grams; the gain with its 95 % interval, by a bootstrap over pages (of `all`, over hosts).

"""


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    rows = list(measure(parser.parse_args().data))
    columns = ("host", "pages tested", "before", "after", "gain", "low", "high")
    RESULTS.write_text(HEAD + table(columns, rows))


def measure(data: Path) -> Iterator[tuple[object, ...]]:
    """One row for each host, and one over all."""
    shipped = load_whole(MODEL)
    of_hosts: dict[str, list[tuple[float, float]]] = {}
    for host, pages in progress(unseen_hosts(data).items(), "hosts"):
        of_hosts[host] = list(_compare(pages, shipped))
        yield _row(host, of_hosts[host], [str(at) for at in range(len(of_hosts[host]))])
    pairs = [pair for of_host in of_hosts.values() for pair in of_host]
    yield _row("all", pairs, [host for host, of_host in of_hosts.items() for _ in of_host])


def unseen_hosts(data: Path) -> Mapping[str, list[GoldPage]]:
    """The pages of the hosts that have enough, of which none is in the train split of a set that is learned from."""
    pages: dict[str, list[GoldPage]] = defaultdict(list)
    known = set()
    for name in SETS:
        for page in read_pages(data / f"{name}.jsonl.zst"):
            if name in TEXT_LICENCES and page.split == "train":
                known.add(page.domain)
            elif page.domain and page.text and has_article(page.page_type):
                pages[page.domain].append(page)
    return {host: found for host, found in sorted(pages.items()) if len(found) >= FEWEST and host not in known}


def _compare(pages: Sequence[GoldPage], shipped: Extractor) -> Iterator[tuple[float, float]]:
    """F1 before and after, of each page that was not drawn, in each draw."""
    before = score_pages(shipped, pages)
    for seed in range(DRAWS):
        order = np.random.default_rng(seed).permutation(len(pages)).tolist()
        drawn = [replace(pages[at], domain="") for at in order[:DRAWN]]  # of one site: each page stands by itself
        own = train_own_trees(TrainingPages(drawn, lambda _: {}), lambda _: None, start=True)
        metadata = Metadata(MODEL, "own", INPUTS, dict(own.parameters), {}, {}, {}, {})
        system = MainTextSystem(Artifact(metadata, own.weights))
        rest = order[DRAWN:]
        after = score_pages(SystemExtractor(system.find, respect_paywall=False), [pages[at] for at in rest])
        yield from zip([before[at] for at in rest], after, strict=True)


def _row(host: str, pairs: Sequence[tuple[float, float]], groups: Sequence[str]) -> tuple[object, ...]:
    sums = np.array([(1.0, *pair) for pair in pairs])
    gain = estimate(sums, lambda drawn: (drawn[:, 2] - drawn[:, 1]) / np.maximum(drawn[:, 0], 1), groups)
    before, after = sums[:, 1].mean(), sums[:, 2].mean()
    return host, len(pairs) // DRAWS, float(before), float(after), gain.value, gain.low, gain.high


if __name__ == "__main__":
    main()
