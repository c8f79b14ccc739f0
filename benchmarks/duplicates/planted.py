"""What is found of planted duplicates: `python -m benchmarks.duplicates.planted`."""

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.duplicates.texts import as_text, excerpt, make_words, rewritten, similarity
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.corpus.merge import dedup
from newscorpus.layout import DUPLICATES
from newscorpus.lines import encode_line

RESULT = Path(__file__).parents[1] / "results" / "duplicates" / "planted.md"

NEAR = {0.95: 1, 0.9: 2, 0.8: 3, 0.7: 3}
"""Similarities of near-duplicates, and in how many passages they differ."""
HARD, HARD_SPOTS = (0.3, 0.5), 5
EXCERPT_SHARE, EXCERPT_OWN_WORDS, BRIEF_WORDS = 0.6, 10, 45
HEADLINE_WORDS, CHANGED_WORDS = 8, 2
"""Of a headline, and of one that another portal has rewritten a little."""
LENGTHS = (200, 700)
HARD_NAME = "hard negative, 0.3 to 0.5"
EXCERPTS = {
    "excerpt, its headline, one portal": (True, True, 0),
    "excerpt, its headline, another portal": (True, False, 0),
    "excerpt, another headline, another portal": (False, False, 0),
    f"excerpt of {BRIEF_WORDS} words, its headline, another portal": (True, False, BRIEF_WORDS),
    "given up: excerpt, another headline, one portal": (False, True, 0),
    f"given up: excerpt of {BRIEF_WORDS} words, another headline, another portal": (False, False, BRIEF_WORDS),
}
"""Of each whether its headline shares words with that of the longer text, whether that is of the same portal, and how
many words it has; 0: `EXCERPT_SHARE` of the longer text."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and what was made of it."""

    name: str  # what kind of pair it is
    original: Sequence[str]  # words of the text
    copy: Sequence[str]  # words of what was made of it
    headlines: tuple[str, str]  # of both
    is_elsewhere: bool = False  # the copy is of another portal


@dataclass(frozen=True, slots=True)
class Found:
    """What became of the pairs of one kind."""

    pairs: int  # their number
    mean_similarity: float  # exact Jaccard similarity, the mean
    kinds: Mapping[str, int]  # of the copies found as duplicates of their originals how many as what
    others: int  # documents that were taken for duplicates of something else

    @property
    def recall(self) -> float:
        """Share of the copies that were found."""
        return sum(self.kinds.values()) / self.pairs


def main() -> None:
    """Plant, look for them, and write the results."""
    parser = argparse.ArgumentParser(description="planted duplicates")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    found = find(list(plant(arguments.documents)), arguments.jobs)
    RESULT.write_text(render(found, arguments.documents), encoding="utf-8")
    print(RESULT.read_text("utf-8"))


def plant(documents: int) -> Iterator[Pair]:
    """Pairs: a tenth of the documents in hard negatives, a tenth in excerpts, the others in near-duplicates."""
    others = documents // 20
    near = (documents // 2 - 2 * others) // len(NEAR)
    for seed in range(documents // 2):
        choose = random.Random(seed)
        words = make_words(choose, choose.randint(*LENGTHS))
        headline = make_words(choose, HEADLINE_WORDS)
        retold = [*headline[CHANGED_WORDS:], *make_words(choose, CHANGED_WORDS)]
        headlines = " ".join(headline), " ".join(retold)
        if seed < others:
            yield Pair(HARD_NAME, words, rewritten(words, choose.uniform(*HARD), HARD_SPOTS, choose), headlines)
        elif seed < 2 * others:
            name, (is_same, is_one_portal, size) = [*EXCERPTS.items()][seed % len(EXCERPTS)]
            copy = excerpt(words, EXCERPT_SHARE, EXCERPT_OWN_WORDS, choose)[EXCERPT_OWN_WORDS if size else 0 :]
            headlines = headlines if is_same else (headlines[0], " ".join(make_words(choose, HEADLINE_WORDS)))
            yield Pair(name, words, copy[:size] if size else copy, headlines, not is_one_portal)
        else:
            target = list(NEAR)[min((seed - 2 * others) // near, len(NEAR) - 1)]
            copy = rewritten(words, target, NEAR[target], choose)
            yield Pair(f"near-duplicate, {target}", words, copy, headlines)


def find(pairs: Sequence[Pair], jobs: int) -> dict[str, Found]:
    """Deduplicate all documents together; what was found, by kind of pair."""
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder) / "planted.jsonl"
        with documents.open("wb") as file:
            file.writelines(lines(pairs))
        dedup([documents], Path(folder) / "out", jobs=jobs)
        with (Path(folder) / "out" / DUPLICATES).open("rb") as file:
            gone = [msgspec.json.decode(line, type=DuplicateLine) for line in file]
    return {name: judge(name, pairs, gone) for name in sorted({pair.name for pair in pairs}, reverse=True)}


def lines(pairs: Sequence[Pair]) -> Iterator[bytes]:
    """The documents, in an order in which pairs do not stand side by side."""
    documents = [
        {
            "id": f"{number} {role}",
            "text": as_text(words),
            "title": pair.headlines[day - 1],
            "source": "another" if day > 1 and pair.is_elsewhere else "one",
            "published": f"2026-01-0{day}",
        }
        for number, pair in enumerate(pairs)
        for day, role, words in ((1, "original", pair.original), (2, "copy", pair.copy))
    ]
    return map(encode_line, random.Random(0).sample(documents, len(documents)))


def judge(name: str, pairs: Sequence[Pair], gone: Sequence[DuplicateLine]) -> Found:
    """What became of the pairs of one name."""
    numbers = {str(number) for number, pair in enumerate(pairs) if pair.name == name}
    here = [
        (line, line.id.split()[0] == line.duplicate_of.split()[0]) for line in gone if line.id.split()[0] in numbers
    ]
    similarities = [similarity(pairs[int(number)].original, pairs[int(number)].copy) for number in numbers]
    return Found(
        pairs=len(numbers),
        mean_similarity=sum(similarities) / len(similarities),
        kinds=Counter(line.kind.value for line, is_own in here if is_own),
        others=sum(not is_own for _, is_own in here),
    )


def render(found: Mapping[str, Found], documents: int) -> str:
    """The results as Markdown."""
    what = (
        f"Made by `python -m benchmarks.duplicates.planted`: {documents:,} documents of {LENGTHS[0]} to {LENGTHS[1]} "
        "random words, words as frequent as Zipf's law says; of each text something was made, in one to five passages "
        f"of other words. An excerpt is {EXCERPT_SHARE:.0%} of a text behind {EXCERPT_OWN_WORDS} words of its own, or "
        f"its first {BRIEF_WORDS} words. Of a headline of {HEADLINE_WORDS} words it keeps all but {CHANGED_WORDS}, or "
        "none. An excerpt that is given up may be a short item of its own, which a longer text quotes."
    )
    rows = [
        f"| {name} | {one.pairs:,} | {one.mean_similarity:.3f} | {one.kinds.get('near', 0):,} "
        f"| {one.kinds.get('excerpt', 0):,} | {one.recall:.4f} | {one.others} |"
        for name, one in found.items()
    ]
    head = "| planted | pairs | mean Jaccard | found as near | as excerpt | share found | taken for something else |"
    return "\n".join(["# Planted duplicates", "", what, "", head, "|---|--:|--:|--:|--:|--:|--:|", *rows, ""])


if __name__ == "__main__":
    main()
