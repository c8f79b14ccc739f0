"""Measure what ten pages of one's own are worth to the default model, by host.

    python -m benchmarks.own_pages DATA [--draws N]

DATA is the folder of the pages with gold text (docs/data.md). The trees of the model are grown as `newscorpus train
main-text` does it, without the hosts that have enough pages. For each of these hosts ten pages are drawn, trees are
added (`--start-from main-text`), and the rest is read before and after. Writes benchmarks/results/own_pages.md.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.reproduce.tables import table
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.lab.gold.pages import ARCHIVE_DOMAINS, PLATFORMS, TEXT_LICENCES, GoldPage, has_article, read_pages
from newscorpus.lab.training.boosting import fit, out_of_fold
from newscorpus.lab.training.main_text import FOLDS, PASSES, read_examples
from newscorpus.lab.training.onnx import trees_to_onnx
from newscorpus.lab.training.own import estimate_gain, score_pages, train_own_trees
from newscorpus.lab.training.sources import TrainingPages, gold_source
from newscorpus.page.extractor import WHOLE, SystemExtractor
from newscorpus.page.text.classify import FIRST, SECOND, add_context
from newscorpus.page.text.main_text import INPUTS, MODEL, MainTextSystem
from newscorpus.terminal import progress

SETS = ("fundus", "daniel", "wcxb", "dragnet", "article_extraction", "misinformation", "l3s_gn1", "ir_research")
SHARED = {"blogspot.com", *PLATFORMS, *ARCHIVE_DOMAINS}
"""Domains on which many sites lie."""
FEWEST, DRAWN, DRAWS = 20, 10, 5
RESULTS = Path(__file__).parent / "results" / "own_pages.md"

HEAD = """# What ten pages of one's own are worth

By `python -m benchmarks.own_pages DATA`: the trees of `main-text` are grown without the pages of all hosts that have
{fewest} and more. Of each of these hosts {drawn} pages are drawn {draws} times, trees are added, and the rest is read
before and after. Mean page F1 over word 4-grams; the gain with its 95 % interval, by a bootstrap over pages, or over
hosts.

"""


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=DRAWS, help="of ten pages of each host")
    arguments = parser.parse_args()
    rows = list(measure(arguments.data, arguments.draws))
    columns = ("host", "pages tested", "before", "after", "gain", "low", "high")
    head = HEAD.format(fewest=FEWEST, drawn=DRAWN, draws=arguments.draws)
    RESULTS.write_text(head + table(columns, rows))


def measure(data: Path, draws: int) -> Iterator[tuple[object, ...]]:
    """One row for each host, and one over all."""
    found_pages: dict[str, list[GoldPage]] = defaultdict(list)
    for dataset in SETS:
        for page in read_pages(data / f"{dataset}.jsonl.zst"):
            if page.domain and page.text and has_article(page.page_type):
                found_pages[page.domain].append(page)
    hosts = {host: of_host for host, of_host in sorted(found_pages.items()) if len(of_host) >= FEWEST}
    base = train_without(hosts, data)
    of_hosts: dict[str, list[tuple[str, float, float]]] = {}
    for host, pages in progress(hosts.items(), "hosts"):
        of_hosts[host] = list(_compare(pages, base, draws))
        yield _row(host, draws, of_hosts[host], [page for page, _, _ in of_hosts[host]])
    for name, chosen in (("of one site", of_hosts.keys() - SHARED), ("all", of_hosts.keys())):
        found = [(host, one) for host in sorted(chosen) for one in of_hosts[host]]
        yield _row(name, draws, [one for _, one in found], [host for host, _ in found])


def train_without(hosts: Container[str], data: Path) -> Artifact:
    """The default model, its trees grown on the pages of all other hosts; the verdict on a page is the shipped one."""
    tell = partial(print, file=sys.stderr)
    pages = (page for page in gold_source(data, tell, TEXT_LICENCES).pages if page.domain not in hosts)
    examples = read_examples(pages)
    matrices = [example.features.matrix for example in examples]
    _, seen = out_of_fold(examples, matrices, PASSES[0], FOLDS, lambda: tell("first pass, one fold more"))
    joined = [add_context(example.features, p) for example, p in zip(examples, seen, strict=True)]
    trees = {FIRST: fit(examples, matrices, PASSES[0]), SECOND: fit(examples, joined, PASSES[1])}
    shipped = load_artifact(MODEL, INPUTS)
    return Artifact(
        shipped.metadata, {**shipped.weights, **{file: trees_to_onnx(grown) for file, grown in trees.items()}}
    )


def _score(artifact: Artifact, pages: Sequence[GoldPage]) -> list[float]:
    return score_pages(SystemExtractor(MainTextSystem(artifact).find, options=WHOLE), pages)


def _compare(pages: Sequence[GoldPage], base: Artifact, draws: int) -> Iterator[tuple[str, float, float]]:
    """Id and F1 before and after, of each page that was not drawn, in each draw."""
    before = _score(base, pages)
    for seed in range(draws):
        order = np.random.default_rng(seed).permutation(len(pages)).tolist()
        drawn = [replace(pages[at], domain="") for at in order[:DRAWN]]  # of one site: each page stands by itself
        own = train_own_trees(TrainingPages(drawn, lambda _: {}), lambda _: None, start=True, base=base)
        rest = order[DRAWN:]
        after = _score(replace(base, weights=own.weights), [pages[at] for at in rest])
        yield from ((pages[at].id, before[at], f1) for at, f1 in zip(rest, after, strict=True))


def _row(host: str, draws: int, found: Sequence[tuple[str, float, float]], groups: Sequence[str]) -> tuple[object, ...]:
    before, after = [one[1] for one in found], [one[2] for one in found]
    gain = estimate_gain(before, after, groups)
    return host, len(found) // draws, float(np.mean(before)), float(np.mean(after)), gain.value, gain.low, gain.high


if __name__ == "__main__":
    main()
