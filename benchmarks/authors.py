"""Count the pages whose authors are wrong, by cause: `python -m benchmarks.authors DATA`.

DATA is the folder of the pages with gold text (docs/data.md); every page counts whose gold names a person. The rules
for authors learned from no page, but were written from those of the train split. Prints the lines of the table in
benchmarks/results/authors.md.
"""

import argparse
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import fmean

from newscorpus.lab.evaluation.fields import evaluate_fields, normal_names
from newscorpus.lab.gold.pages import ALL_SPLITS
from newscorpus.page.fields.people import is_personal_name

SETS = ("wcxb", "misinformation", "fundus", "article_extraction")
NOBODY = "site, department, product or role"
MIN_SHARED = 3
"""Minimum number of letters of a word that two forms of a name share."""


def cause(gold: Sequence[str], claimed: Sequence[str]) -> str:
    """Name what is wrong with the authors claimed for a page."""
    right, found = set(normal_names(gold)), set(normal_names(claimed))
    missing, extra = right - found, found - right
    if not found:
        return "no author found"
    if any(_are_alike(name, other) for name in missing for other in extra):
        return "another form of the name"
    if not extra:
        return "some of several authors missing"
    is_person = all(is_personal_name(name) for name in claimed if extra.intersection(normal_names([name])))
    if missing:
        return "another person" if is_person else f"{NOBODY} in place of the author"
    return "a person too many" if is_person else f"{NOBODY} too many"


def _are_alike(name: str, other: str) -> bool:
    """Tell whether two names share a word, accents left out."""
    one, two = (_plain(each).split() for each in (name, other))
    return any(len(word) >= MIN_SHARED and word in two for word in one)


def _plain(name: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))


def table(counted: dict[str, Counter[str]], scores: dict[str, list[float]], sets: Collection[str]) -> str:
    """Return the lines of the table: pages and F1 a set, then pages a cause, the most frequent first."""
    total = sum(counted.values(), Counter[str]())
    lines = [
        f"| | {' | '.join(sets)} | all |\n|---|{'---|' * (len(sets) + 1)}",
        f"| pages | {' | '.join(str(len(scores[name])) for name in sets)} | {sum(map(len, scores.values()))} |",
        f"| F1 | {' | '.join(f'{fmean(scores[name]):.3f}' for name in sets)} | |",
        f"| wrong | {' | '.join(str(counted[name].total()) for name in sets)} | {total.total()} |",
    ]
    lines += (
        f"| {why} | {' | '.join(str(counted[name][why]) for name in sets)} | {n} |" for why, n in total.most_common()
    )
    return "\n".join(lines)


def main(data: Path) -> None:
    """Count, and print the table."""
    counted, scores = {name: Counter[str]() for name in SETS}, {name: list[float]() for name in SETS}
    paths = [data / f"{name}.jsonl.zst" for name in SETS]
    for result in evaluate_fields(paths, ["newscorpus"], ALL_SPLITS):
        if result.authors_f1 is not None:
            scores[result.page.dataset].append(result.authors_f1)
            if result.authors_f1 < 1:
                counted[result.page.dataset][cause(result.page.authors, result.claim.authors)] += 1
    print(table(counted, scores, SETS))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="wrong authors by cause")
    parser.add_argument("data", type=Path, help="folder of the pages with gold text (docs/data.md)")
    main(parser.parse_args().data)
