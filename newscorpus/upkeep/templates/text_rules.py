"""Find the rules of a template that give the main text of pages whose articles are known."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from newscorpus.arrays import Flags
from newscorpus.portals.portal import NO_RULES, TemplateSection
from newscorpus.upkeep.templates.lessons import Lesson
from newscorpus.upkeep.templates.selectors import TAG, places_of, rules_of

LEAST_SHARE = 0.1
"""Share of the pages on which a rule must find something, and two at least; what is rarer is no part of the design."""
MOST_TRIED, MOST_REFINED, SEEDS = 60, 15, 8
"""Rules that are tried on all pages, those around most of the main text; those of them that are refined; and those that
a template is begun with."""
MISSED = 0.8
"""What a page counts on which no rule finds anything, since the model reads it then; a rule must reach more there."""
GAIN = 0.004
"""Gain in mean F1 against the model below which another rule is not worth its line."""
AGREED = 0.9
"""Mean F1 against the model below which names give way to positions, and both to the model itself: what the evaluation
calls a good text."""
BESIDE = ("ul", "ol", "blockquote", "h2", "h3", "h4", "pre", "dl")
"""What stands beside the paragraphs of an article on some pages."""
WITHIN = frozenset("aside div dl figcaption figure footer form h1 h2 h3 h4 header ol p section span table ul".split())
"""Elements that are removed from the text by their tags alone, if they never belong to it."""
PARAGRAPHS = re.compile(r"(.*[ >/])p")

Rules = tuple[str, ...]
Score = Callable[[Rules], float]


def find_text_rules(lessons: Sequence[Lesson], before: TemplateSection = NO_RULES) -> dict[str, Rules]:
    """Find rules for `text` and `remove`, by names or else by positions; none where the model is better without them.

    Args:
        lessons: pages of one design.
        before: rules that stay where they are as good as others.
    """
    tried = _TriedText(lessons)
    found = tried.best(_by_names(lessons, tried))
    if tried.agreement(found) < AGREED:
        found = tried.best(_by_places(lessons))
    kept = before.text, tuple(rule for rule in before.remove if any(map(np.any, tried.covered(rule))))
    text, remove = kept if tried.score(*kept) >= tried.score(*found) - GAIN else found
    is_good = tried.agreement((text, remove)) >= AGREED
    return {"text": text, "remove": remove} if is_good else {"text": (), "remove": ()}


class _TriedText:
    """Tries rules on pages, and remembers what they cover."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self.lessons = lessons
        self._covered: dict[str, list[Flags]] = {}

    def covered(self, rule: str) -> list[Flags]:
        """Per page, the blocks that a rule covers."""
        if rule not in self._covered:
            self._covered[rule] = [lesson.covered(rule) for lesson in self.lessons]
        return self._covered[rule]

    def score(self, text: Rules, removed: Rules = ()) -> float:
        """Mean F1, in words, of what rules find, against the articles."""
        return float(np.mean([MISSED if one is None else one for one in self._f1s(text, removed)]))

    def agreement(self, rules: tuple[Rules, Rules]) -> float:
        """The same over the pages alone on which they find something; 0 where that is less than half of all."""
        found = [one for one in self._f1s(*rules) if one is not None]
        return float(np.mean(found)) if 2 * len(found) >= len(self.lessons) else 0.0

    def _f1s(self, text: Rules, removed: Rules) -> list[float | None]:
        """Per page; None where nothing is found."""
        pairs = zip(self.lessons, self._union(text), self._union(removed), strict=True)
        return [_f1(lesson, wanted & ~unwanted) for lesson, wanted, unwanted in pairs]

    def best(self, candidates: Iterable[str]) -> tuple[Rules, Rules]:
        """Choose rules, beginning with each of the best ones; of results as good, the one with fewest rules."""
        common = self._common(candidates)
        seeds = sorted(common, key=lambda rule: (-round(self.score((rule,)), 3), len(rule)))[:SEEDS]
        found = [self._begun_with(seed, common) for seed in seeds]
        return max(found, key=self._worth, default=((), ()))

    def _worth(self, rules: tuple[Rules, Rules]) -> tuple[float, int]:
        text, removed = rules
        return round(self.score(text, removed) - GAIN / 2 * len(text + removed), 3), -len("".join(text))

    def _begun_with(self, seed: str, common: Rules) -> tuple[Rules, Rules]:
        text = self._widened(_grown((seed,), common, self.score))
        inside = self._common(_inside(self.lessons, text))
        return text, _grown((), inside, lambda removed: self.score(text, removed))

    def _widened(self, text: Rules) -> Rules:
        """Add the lists, quotations and headings beside the paragraphs, where there are some and all belong."""
        beside = [found[1] + tag for rule in text if (found := PARAGRAPHS.fullmatch(rule)) for tag in BESIDE]
        for rule in dict.fromkeys(beside):
            is_there = rule not in text and any(flags.any() for flags in self.covered(rule))
            if is_there and self.score((*text, rule)) >= self.score(text):
                text = (*text, rule)
        return text

    def _common(self, candidates: Iterable[str]) -> Rules:
        """The rules that find something on enough pages."""
        least = max(2, LEAST_SHARE * len(self.lessons))
        hits = {rule: sum(bool(flags.any()) for flags in self.covered(rule)) for rule in candidates}
        return tuple(rule for rule, n in hits.items() if n >= least)

    def _union(self, rules: Rules) -> list[Flags]:
        found = [np.zeros(len(lesson.at), np.bool_) for lesson in self.lessons]
        for rule in rules:
            found = [before | now for before, now in zip(found, self.covered(rule), strict=True)]
        return found


def _grown(chosen: Rules, candidates: Rules, score: Score) -> Rules:
    """Add the rule that gains most, and again, as long as it gains enough."""
    while left := [rule for rule in candidates if rule not in chosen]:
        scores = {rule: score((*chosen, rule)) for rule in left}
        best = max(left, key=lambda rule: (round(scores[rule], 3), -len(rule)))
        if scores[best] < score(chosen) + GAIN:
            break
        chosen = (*chosen, best)
    return chosen


def _f1(lesson: Lesson, found: Flags) -> float | None:
    if not found.any():
        return None
    common = float(lesson.words[found & lesson.good].sum())
    return 2 * common / max(float(lesson.words[found].sum() + lesson.words[lesson.good].sum()), 1.0)


def _around(lesson: Lesson, block: Any) -> Iterator[Any]:
    """The elements around a block, its own first, up to the body."""
    node = lesson.nodes[lesson.at[block]]
    while node is not None and node.tag not in {"body", "html"}:
        yield node
        node = node.getparent()


def _shares(lessons: Sequence[Lesson], names: Callable[[Any], Iterable[str]]) -> list[str]:
    """What `names` calls the elements around the main text; those around most of it first."""
    shares: defaultdict[str, float] = defaultdict(float)
    for lesson in lessons:
        total = max(lesson.words[lesson.good].sum(), 1)
        for block in np.flatnonzero(lesson.good):
            for name in {name for node in _around(lesson, block) for name in names(node)}:
                shares[name] += lesson.words[block] / total
    return [name for name, _ in sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:MOST_TRIED]]


def _by_names(lessons: Sequence[Lesson], tried: _TriedText) -> list[str]:
    """Rules by the names of elements around the main text, and for the elements in these that hold it."""
    around = _shares(lessons, rules_of)
    best = sorted(around, key=lambda rule: -tried.score((rule,)))[:MOST_REFINED]
    found = {lesson.nodes[at].tag for lesson in lessons for at in lesson.at[lesson.good]}
    tags = sorted(filter(TAG.fullmatch, found))
    return [*around, *(f"{rule}{step}{tag}" for rule in best for step in (" > ", " ") for tag in tags)]


def _by_places(lessons: Sequence[Lesson]) -> list[str]:
    """Rules by the positions of elements around the main text."""
    around = _shares(lessons, places_of)
    return [*around, *(f"{rule}/p" for rule in around)]


def _inside(lessons: Sequence[Lesson], text: Rules) -> list[str]:
    """Rules for what stands in the text without a word of the article; those for most words first."""
    shares: defaultdict[str, float] = defaultdict(float)
    scopes = [rule for rule in text if not rule.startswith("/")]
    for lesson in lessons:
        total = max(lesson.words[lesson.good].sum(), 1)
        for node in {node for rule in text for found in lesson.found(rule) for node in found.iterdescendants()}:
            inside = lesson.inside(node)
            if isinstance(node.tag, str) and inside.any() and not (inside & lesson.good).any():
                scoped = {f"{rule} {node.tag}" for rule in scopes} if node.tag in WITHIN else set()
                for rule in {*rules_of(node), *scoped}:
                    shares[rule] += float(lesson.words[inside].sum() / total)
    return [rule for rule, _ in sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:MOST_TRIED]]
