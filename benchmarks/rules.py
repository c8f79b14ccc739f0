"""Measure what each rule of post-analysis does to the default extractor, by set, on the development pages.

    python benchmarks/rules.py DATA

DATA is the folder of the pages with gold text (docs/data.md). Writes benchmarks/results/rules.md.
"""

import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from newscorpus.artifacts import load_artifact
from newscorpus.config import RULE_SETS, Revision
from newscorpus.data import Page, Rejected
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.lab.gold.pages import has_article, read_pages
from newscorpus.page.extractor import read
from newscorpus.page.text.main_text import INPUTS, MODEL, MainTextSystem
from newscorpus.page.text.post_analysis import DEFAULT_RULES, RULES

SETS = ("fundus", "wcxb", "daniel", "dragnet", "l3s_gn1", "ir_research")
NAMES = tuple(name for name in (*RULE_SETS, *RULES) if name not in DEFAULT_RULES)
RESULTS = Path(__file__).parent / "results" / "rules.md"


def page_f1(path: Path, systems: dict[str, MainTextSystem]) -> dict[str, float]:
    """Return the mean page F1 of each system on the articles of the development split of a set."""
    scores = defaultdict[str, list[float]](list)
    for page in read_pages(path):
        if page.split != "dev" or not has_article(page.page_type):
            continue
        prepared = read(Page.from_html(page.html, page.url))
        for name, system in systems.items():
            found = prepared if isinstance(prepared, Rejected) else system.find(prepared)
            text = "" if isinstance(found, Rejected) else "\n".join(found.paragraphs)
            scores[name].append(ngram_scores(text, page.text).f1)
    return {name: fmean(values) for name, values in scores.items()}


def main(data: Path) -> None:
    """Measure every rule and every set of rules alone."""
    artifact = load_artifact(MODEL, INPUTS)
    systems = {name: MainTextSystem(artifact, revision=Revision((name,))) for name in NAMES}
    scores = [page_f1(data / f"{name}.jsonl.zst", systems) for name in SETS]
    base = [of_set["none"] for of_set in scores]
    lines = [
        f"| rules | {' | '.join(SETS)} | mean |",
        f"|---|{'--:|' * (len(SETS) + 1)}",
        f"| `none` | {' | '.join(f'{value:.4f}' for value in base)} | {fmean(base):.4f} |",
    ]
    for name in NAMES[1:]:
        change = [of_set[name] - before for of_set, before in zip(scores, base, strict=True)]
        lines.append(f"| `{name}` | {' | '.join(f'{c:+.4f}' for c in change)} | {fmean(change):+.4f} |")
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
