"""Find the headline among the blocks: it is the title, never main text. What all rules share stands here, too."""

import re
from collections import Counter
from collections.abc import Callable, Collection

from msgspec.structs import replace

from newscorpus.config import PostAnalysisConfig
from newscorpus.data import Block, Label, LabelledBlock
from newscorpus.tokens import folded_words

Labelled = tuple[LabelledBlock, ...]
Rule = Callable[[Labelled, str, PostAnalysisConfig], Labelled]
"""From the labelled blocks of a page, in order, and its title to the same blocks with revised labels and scores."""

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def is_heading(block: Block) -> bool:
    """Whether `block` is a heading of any rank."""
    return block.tag in _HEADINGS


def relabel(labelled: Labelled, chosen: Collection[int], label: Label) -> Labelled:
    """`labelled` with the blocks at the `chosen` indices labelled `label`."""
    if not chosen:
        return labelled
    return tuple(
        replace(item, label=label) if at in chosen and item.label is not label else item
        for at, item in enumerate(labelled)
    )


Headlines = frozenset[tuple[str, ...]]
"""What the headline may be, each as its words, case folded."""

_SEPARATORS = tuple(map(re.compile, (r"[|»]", r"[|»:]", r"[|»:()]", r"[|»:()]|\s[-–—]\s", r"[|»:(),]|\s[-–—]\s")))
"""What may part a headline from the rest of the title, ever more of it (Boilerpipe, DocumentTitleMatchClassifier)."""


def lower_words(text: str) -> tuple[str, ...]:
    """The words of `text`, case folded."""
    return tuple(folded_words(text))


def possible_headlines(title: str) -> Headlines:
    """What the headline may be: the title, and its longest part at each set of separators; words, case folded."""
    longest = [max(map(lower_words, separator.split(title)), key=len) for separator in _SEPARATORS]
    return frozenset({lower_words(title), *longest} - {()})


def is_headline(block: Block, headlines: Headlines) -> bool:
    """Whether `block` says one of `headlines` and nothing else."""
    return lower_words(block.text) in headlines


def likeness(words: tuple[str, ...], others: tuple[str, ...]) -> float:
    """How far two texts have the same words: Dice's coefficient of both lists of words."""
    if set(words).isdisjoint(others):  # most are, and to count the words takes ten times as long
        return 0.0
    return 2 * (Counter(words) & Counter(others)).total() / max(len(words) + len(others), 1)


def title_match(labelled: Labelled, title: str, _config: PostAnalysisConfig) -> Labelled:
    """A block that says what the title says, or its longest part, is bad (Boilerpipe, DocumentTitleMatchClassifier)."""
    headlines = possible_headlines(title)
    return relabel(labelled, {at for at, item in enumerate(labelled) if is_headline(item.block, headlines)}, Label.BAD)


def drop_headline(labelled: Labelled, title: str, config: PostAnalysisConfig) -> Labelled:
    """A block of nearly the title's words is bad, if it is a heading or no good text stands before it."""
    headline = lower_words(title)
    dropped = set()
    has_begun = False
    for at, item in enumerate(labelled):
        if item.label is Label.BAD or (has_begun and not is_heading(item.block)):
            continue
        if likeness(lower_words(item.block.text), headline) >= config.min_headline_likeness:
            dropped.add(at)
        elif item.label is Label.GOOD:
            has_begun = True
    return relabel(labelled, dropped, Label.BAD)
