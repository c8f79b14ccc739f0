"""Measure what ten pages of one's own are worth to the default model, by host.

    python -m benchmarks.own_pages DATA

DATA is the folder of the pages with gold text (docs/data.md). The model is trained as `newscorpus train main-text` does
it, without the hosts that have enough pages. For each of these hosts ten pages are drawn, trees are added to the model
(`--start-from main-text`), and the rest is read before and after. Writes benchmarks/results/own_pages.md.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.reproduce.tables import table
from newscorpus.artifacts import Artifact, Metadata
from newscorpus.evaluation.scores import estimate
from newscorpus.extraction.extractor import SystemExtractor
from newscorpus.extraction.main_text import INPUTS, MODEL, MainTextSystem
from newscorpus.gold.conventions import ARCHIVE_DOMAINS, PLATFORMS, TEXT_LICENCES, has_article
from newscorpus.gold.pages import GoldPage, read_pages
from newscorpus.learning.main_text import learn_trees, read_examples
from newscorpus.learning.own import score_pages
from newscorpus.learning.own_trees import train_own_trees
from newscorpus.learning.sources import TrainingPages, training_pages
from newscorpus.terminal import progress

SETS = ("fundus", "daniel", "wcxb", "dragnet", "article_extraction", "misinformation", "l3s_gn1", "ir_research")
SHARED = {"blogspot.com", *PLATFORMS, *ARCHIVE_DOMAINS}
"""Domains on which many sites lie."""
FEWEST, DRAWN, DRAWS = 20, 10, 10
RESULTS = Path(__file__).parent / "results" / "own_pages.md"

HEAD = f"""# What ten pages of one's own are worth

By `python -m benchmarks.own_pages DATA`: `main-text` is trained without the pages of all hosts that have {FEWEST} and
more. Of each of these hosts {DRAWN} pages are drawn {DRAWS} times, trees are added, the rest is read before and after.
Mean page F1 over word 4-grams; the gain with its 95 % interval, by a bootstrap over pages, or over hosts.

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
    hosts = large_hosts(data)
    base = train_without(hosts, data)
    of_hosts: dict[str, list[tuple[str, float, float]]] = {}
    for host, pages in progress(hosts.items(), "hosts"):
        of_hosts[host] = list(_compare(pages, base))
        yield _row(host, of_hosts[host], [page for page, _, _ in of_hosts[host]])
    for name, chosen in (("of one site", of_hosts.keys() - SHARED), ("all", of_hosts.keys())):
        found = [(host, one) for host in sorted(chosen) for one in of_hosts[host]]
        yield _row(name, [one for _, one in found], [host for host, _ in found])


def large_hosts(data: Path) -> Mapping[str, list[GoldPage]]:
    """The articles of the hosts that have enough."""
    pages: dict[str, list[GoldPage]] = defaultdict(list)
    for name in SETS:
        for page in read_pages(data / f"{name}.jsonl.zst"):
            if page.domain and page.text and has_article(page.page_type):
                pages[page.domain].append(page)
    return {host: found for host, found in sorted(pages.items()) if len(found) >= FEWEST}


def train_without(hosts: Container[str], data: Path) -> Artifact:
    """The default model, trained on the pages of all other hosts."""
    tell = partial(print, file=sys.stderr)
    pages = (page for page in training_pages(data, tell, TEXT_LICENCES) if page.domain not in hosts)
    learned = learn_trees(read_examples(pages), tell).model()
    return _artifact(learned.parameters, learned.weights)


def _artifact(parameters: Mapping[str, float | list[float]], weights: Mapping[str, bytes]) -> Artifact:
    return Artifact(Metadata(MODEL, "own", INPUTS, dict(parameters), {}, {}, {}, {}), weights)


def _score(artifact: Artifact, pages: Sequence[GoldPage]) -> list[float]:
    return score_pages(SystemExtractor(MainTextSystem(artifact).find, respect_paywall=False), pages)


def _compare(pages: Sequence[GoldPage], base: Artifact) -> Iterator[tuple[str, float, float]]:
    """Id and F1 before and after, of each page that was not drawn, in each draw."""
    before = _score(base, pages)
    for seed in range(DRAWS):
        order = np.random.default_rng(seed).permutation(len(pages)).tolist()
        drawn = [replace(pages[at], domain="") for at in order[:DRAWN]]  # of one site: each page stands by itself
        own = train_own_trees(TrainingPages(drawn, lambda _: {}), lambda _: None, start=True, base=base)
        rest = order[DRAWN:]
        after = _score(_artifact(own.parameters, own.weights), [pages[at] for at in rest])
        yield from ((pages[at].id, before[at], f1) for at, f1 in zip(rest, after, strict=True))


def _row(host: str, found: Sequence[tuple[str, float, float]], groups: Sequence[str]) -> tuple[object, ...]:
    sums = np.array([(1.0, before, after) for _, before, after in found])
    gain = estimate(sums, lambda drawn: (drawn[:, 2] - drawn[:, 1]) / np.maximum(drawn[:, 0], 1), groups)
    before, after = sums[:, 1].mean(), sums[:, 2].mean()
    return host, len(found) // DRAWS, float(before), float(after), gain.value, gain.low, gain.high


if __name__ == "__main__":
    main()
