"""Measure what each rule of post-analysis does to the default extractor, by set, on the development pages.

    python benchmarks/rules.py DATA

DATA is the folder of the pages with gold text (docs/data.md). Blocks with a probability of 0.3 to 0.5 count as almost
good here, so that the rules that decide on those have something to do. Writes benchmarks/results/rules.md.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from msgspec.structs import replace

from newscorpus.artifacts import load_artifact
from newscorpus.data import Label, LabelledBlock, Page, Rejected
from newscorpus.lab.evaluation.scores import harmonic_mean, ngram_scores
from newscorpus.lab.gold.pages import has_article, read_pages
from newscorpus.page.extractor import good_paragraphs, read
from newscorpus.page.text.classify import Classifier, label_by
from newscorpus.page.text.features import Hints, measure
from newscorpus.page.text.main_text import INPUTS, MODEL
from newscorpus.page.text.post_analysis import RULES, revise

SETS = ("fundus", "wcxb", "daniel", "dragnet", "l3s_gn1", "ir_research")
LEAST_ALMOST = 0.3
KEPT = "drop_headline"  # the headline never is main text, whatever the scores say
RESULTS = Path(__file__).parent / "results" / "rules.md"


@dataclass(frozen=True, slots=True)
class Judged:
    """A page after the classifier."""

    gold: str
    title: str
    labelled: tuple[LabelledBlock, ...]


def judged_pages(path: Path, classifier: Classifier) -> Iterator[Judged]:
    """Classify the articles of the development split of a set."""
    for page in read_pages(path):
        if page.split != "dev" or not has_article(page.page_type):
            continue
        reading = read(Page.from_html(page.html, page.url))
        if isinstance(reading, Rejected) or not reading.blocks:
            continue
        fields = reading.fields
        features = measure(reading.blocks, Hints(fields.title, fields.description, reading.article_body))
        labelled = (
            replace(item, label=Label.ALMOST) if item.label is Label.BAD and item.score > LEAST_ALMOST else item
            for item in label_by(classifier(features), features, reading.blocks)
        )
        yield Judged(page.text, fields.title, tuple(labelled))


def f1(pages: Sequence[Judged], rules: Sequence[str]) -> float:
    """Compute F1 of mean precision and mean recall after `rules`."""
    scores = [
        ngram_scores("\n".join(good_paragraphs(revise(page.labelled, page.title, rules))), page.gold) for page in pages
    ]
    return harmonic_mean(fmean(score.precision for score in scores), fmean(score.recall for score in scores))


def main(data: Path) -> None:
    """Measure every rule alone, and all published ones together."""
    classifier = Classifier(load_artifact(MODEL, INPUTS))
    pages = {name: list(judged_pages(data / f"{name}.jsonl.zst", classifier)) for name in SETS}
    base = {name: f1(of_set, (KEPT,)) for name, of_set in pages.items()}
    lines = [
        f"| rule | {' | '.join(SETS)} | mean |",
        f"|---|{'--:|' * (len(SETS) + 1)}",
        f"| `{KEPT}` alone | {' | '.join(f'{base[name]:.4f}' for name in SETS)} | {fmean(base.values()):.4f} |",
    ]
    for rule in RULES:
        if rule != KEPT:
            change = [f1(pages[name], (rule, KEPT)) - base[name] for name in SETS]
            lines.append(f"| `{rule}` | {' | '.join(f'{c:+.4f}' for c in change)} | {fmean(change):+.4f} |")
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
