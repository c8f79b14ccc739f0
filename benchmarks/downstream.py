"""Train the same small language model on the texts of three systems, and test it on clean texts of other sites.

    python -m benchmarks.downstream DATA

DATA is the folder of the pages with gold text (docs/data.md). The model and the test are those of
`examples.language_model`: trigrams with modified Kneser-Ney smoothing, trained on pages of the split `train`, tested on
gold texts of `dev`, without paragraphs that both have. Each of three seeds draws three quarters of the pages; then the
texts of all systems are cut to the tokens of the shortest. Writes benchmarks/results/downstream.md.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean

from examples.language_model.compare import Row, compare, cut_to_equal
from examples.language_model.pages import GOLD, RAW, Example, gold_examples, training_texts
from newscorpus.page.loading import load
from newscorpus.page.registry import DEFAULT

SETS = ("l3s_gn1", "ir_research")
"""English sets of which the shipped model saw no page."""
SYSTEMS = (DEFAULT, "trafilatura", "trafilatura-no-comments")
SEEDS = (1, 2, 3)
RESULTS = Path(__file__).parent / "results" / "downstream.md"

HEAD = """# What a language model learns from the texts

By `python -m benchmarks.downstream DATA`: a trigram model (`examples/language_model`) trained on the same pages as each
system gives them, three seeds, tested on gold texts of other sites: {0} pages to train on and {1} texts to test on,
English, of {2}, of which {3} saw no page. All systems' texts are cut to equal tokens, of which then those paragraphs go
that share 8 words with a test text. "More bits" are bits per character beyond those of {3}: the mean of the seeds, and
the outermost ends of their 95 % intervals, by a bootstrap over test texts.

| texts of | tokens | perplexity, seeds {4} | mean | unseen words | bits | more bits |
|---|--:|---|--:|--:|--:|---|"""


def report(examples: Sequence[Example]) -> Iterator[str]:
    """Compare the systems by each seed, and write the lines of the result."""
    training = [example for example in examples if not example.held_out]
    held_out = [example.gold for example in examples if example.held_out]
    texts = training_texts(training, {name: load(name) for name in SYSTEMS})
    rows: dict[str, list[Row]] = {}
    for seed in SEEDS:
        drawn = random.Random(seed).sample(range(len(training)), 3 * len(training) // 4)
        chosen = cut_to_equal({name: [texts[name][at] for at in drawn] for name in (*SYSTEMS, RAW, GOLD)})
        for row in compare("", chosen, held_out, DEFAULT):
            rows.setdefault(row.system, []).append(row)
    yield HEAD.format(len(training), len(held_out), " and ".join(SETS), DEFAULT, ", ".join(map(str, SEEDS)))
    yield from map(line, rows.values())


def line(rows: Sequence[Row]) -> str:
    """Write the row of a system, from those of the seeds."""
    perplexities = [row.perplexity for row in rows]
    value, low, high = zip(*(row.more or (0.0, 0.0, 0.0) for row in rows), strict=True)
    cells = (
        rows[0].system,
        f"{fmean(row.tokens for row in rows):,.0f}",
        ", ".join(f"{one:,.0f}" for one in perplexities),
        f"{fmean(perplexities):,.0f}",
        f"{fmean(row.unseen for row in rows):.1%}",
        f"{fmean(row.bits for row in rows):.3f}",
        f"{fmean(value):+.3f} ({min(low):+.3f} to {max(high):+.3f})" if rows[0].more else "",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Compare, and write the result."""
    data = Path(sys.argv[1])
    examples = list(chain.from_iterable(gold_examples(data / f"{name}.jsonl.zst") for name in SETS))
    RESULTS.write_text("\n".join((*report(examples), "")), "utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    main()
