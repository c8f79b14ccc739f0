"""Train a small language model on the text of each extractor, and compare how well they predict clean text.

python -m examples.language_model                                    pages of the demo portal
python -m examples.language_model --dataset fundus.jsonl.zst         pages with gold text (docs/data.md)
python -m examples.language_model --corpus corpora/vesti             a corpus alone, by its own splits
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from examples.language_model.compare import Row, compare, cut_to_equal
from examples.language_model.pages import Example, demo_examples, gold_examples, installed_systems, training_texts
from newscorpus.config import SplitConfig, SplitRule
from newscorpus.corpus.export.source import SplitName, by_cluster
from newscorpus.corpus.published import open_corpus
from newscorpus.page.registry import DEFAULT
from newscorpus.terminal import complain, describe, progress

FEWEST_HELD_OUT = 5
"""A language of a set with fewer held-out texts is left out, but for the demo: its figures would be chance."""

HEAD = """\
| trained on : tested on | texts of | tokens | unseen | perplexity | bits | more bits (95 %) |
|---|---|--:|--:|--:|--:|--:|"""


def compare_pages(examples: Iterable[Example], fewest: int) -> Iterator[Row]:
    """Compare the systems in each language of each set that has enough held-out texts."""
    tasks: dict[str, list[Example]] = {}
    for example in examples:
        tasks.setdefault(f"{example.dataset} {example.language}", []).append(example)
    systems = installed_systems()
    for task, found in sorted(tasks.items()):
        training = [example for example in found if not example.held_out]
        held_out = [example.gold for example in found if example.held_out]
        if training and len(held_out) >= fewest:
            sizes = f"{task}, {len(training)} : {len(held_out)}"
            texts = training_texts(training, systems)
            yield from compare(sizes, texts, held_out, DEFAULT)
            yield from compare(f"{sizes}, equal amounts", cut_to_equal(texts), held_out, DEFAULT)


def try_corpus(folder: Path) -> Iterator[Row]:
    """Train a model for each language of a corpus, and test it on the test split.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    assign = by_cluster(SplitConfig(SplitRule.CLUSTER, validation=0, test=0.1))
    texts: dict[str, dict[SplitName, list[str]]] = {}
    for record in progress(open_corpus(folder).records(), "documents"):
        texts.setdefault(record.language, {}).setdefault(assign(record), []).append(record.text)
    for language, found in sorted(texts.items()):
        if len(found) == 2:
            task = f"{folder.name} {language}, {len(found[SplitName.TRAIN])} : {len(found[SplitName.TEST])}"
            yield from compare(task, {"corpus": found[SplitName.TRAIN]}, found[SplitName.TEST], "corpus")


def line(row: Row) -> str:
    """Write a row of the table."""
    more = "{:+.3f} ({:+.3f} to {:+.3f})".format(*row.more) if row.more else ""
    figures = f"{row.tokens:,} | {row.unseen:.1%} | {row.perplexity:,.0f} | {row.bits:.3f} | {more}"
    return f"| {row.task} | {row.system} | {figures} |"


def main() -> None:
    """Read the arguments, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--dataset", type=Path, action="append", help="file of pages with gold text; may be repeated")
    source.add_argument("--corpus", type=Path, help="folder of a corpus")
    given = parser.parse_args()
    if given.corpus:
        rows = try_corpus(given.corpus)
    elif given.dataset:
        rows = compare_pages(chain.from_iterable(map(gold_examples, given.dataset)), FEWEST_HELD_OUT)
    else:
        rows = compare_pages(demo_examples(), 1)
    try:
        print(HEAD)
        for row in progress(rows, "models"):
            print(line(row), flush=True)
    except (ValueError, OSError) as error:
        complain(describe(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
