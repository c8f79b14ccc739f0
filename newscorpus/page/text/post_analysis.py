"""Revise the labels of a page's blocks by named rules; a block records the names of the rules that changed it.

The headline is the title, never main text. Four rules are those of Texttractor (Mrózek 2014, Brno University of
Technology), as published; the others are filters of Boilerpipe (Kohlschütter et al. 2010), as chosen by Brezovnik
(2021, Ljubljana). A rule is a pure function of blocks, title and configuration; a new one needs an entry in `RULES`, a
name in `config.RuleName`, a test and a line in docs/post-analysis.md.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Final

from msgspec.structs import replace

from newscorpus.config import PostAnalysisConfig, Revision
from newscorpus.data import Block, Label, LabelledBlock
from newscorpus.resources import read_toml
from newscorpus.tokens import count_words, fold, folded_words, words

Labelled = tuple[LabelledBlock, ...]
Rule = Callable[[Labelled, str, PostAnalysisConfig], Labelled]
"""Revises labels and scores of a page's blocks, given in order with the title."""

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

Headlines = frozenset[tuple[str, ...]]
"""Possible headlines, each as case-folded words."""

_SEPARATORS = tuple(map(re.compile, (r"[|»]", r"[|»:]", r"[|»:()]", r"[|»:()]|\s[-–—]\s", r"[|»:(),]|\s[-–—]\s")))
"""Ever larger sets of separators between headline and rest of a title (Boilerpipe, DocumentTitleMatchClassifier)."""

PHRASES: Mapping[str, Sequence[str]] = read_toml(__package__, "end_phrases.toml")
"""Phrases that follow the end of an article, by language."""

DEFAULT_RULES: Final = ("drop_headline", "doubtful_tail")

DEFAULTS: Final = PostAnalysisConfig()


def is_heading(block: Block) -> bool:
    """Tell whether `block` is a heading of any rank."""
    return block.tag in _HEADINGS


def relabel(labelled: Labelled, chosen: Collection[int], label: Label, *reasons: str) -> Labelled:
    """Label the blocks at the `chosen` indices `label`, and add `reasons` to those that change."""
    if not chosen:
        return labelled
    return tuple(
        replace(item, label=label, reasons=(*item.reasons, *reasons))
        if at in chosen and item.label is not label
        else item
        for at, item in enumerate(labelled)
    )


def lower_words(text: str) -> tuple[str, ...]:
    """Return the words of `text`, case folded."""
    return tuple(folded_words(text))


@lru_cache(8)  # several stages ask for those of one page
def possible_headlines(title: str) -> Headlines:
    """Return the title and its longest part for each set of separators, as case-folded words."""
    longest = [max(map(lower_words, separator.split(title)), key=len) for separator in _SEPARATORS]
    return frozenset({lower_words(title), *longest} - {()})


def likeness(words: tuple[str, ...], others: tuple[str, ...]) -> float:
    """Return Dice's coefficient of the words of two texts."""
    if set(words).isdisjoint(others):  # most are, and counting takes ten times as long
        return 0.0
    return 2 * (Counter(words) & Counter(others)).total() / max(len(words) + len(others), 1)


def title_match(labelled: Labelled, title: str, _config: PostAnalysisConfig) -> Labelled:
    """Label a block bad that equals the title or its longest part (Boilerpipe, DocumentTitleMatchClassifier)."""
    headlines = possible_headlines(title)
    equal = {at for at, item in enumerate(labelled) if lower_words(item.block.text) in headlines}
    return relabel(labelled, equal, Label.BAD)


def drop_headline(labelled: Labelled, title: str, config: PostAnalysisConfig) -> Labelled:
    """Label a block bad that has nearly the title's words, if it is a heading or precedes all good text."""
    headline = lower_words(title)
    dropped = set()
    has_begun = False
    for at, item in enumerate(labelled):
        if item.label is Label.BAD or (has_begun and not is_heading(item.block)):
            continue
        if likeness(lower_words(item.block.text), headline) >= config.min_headline_likeness:
            dropped.add(at)
        elif item.is_good:
            has_begun = True
    return relabel(labelled, dropped, Label.BAD)


def doubtful_tail(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """Label the good blocks bad below the last sure one and a gap that stand elsewhere in the tree than those above."""
    good = [at for at, item in enumerate(labelled) if item.is_good]
    sure = next((at for at in reversed(good) if labelled[at].score >= config.min_sure_score), len(labelled))
    gaps = (below for above, below in pairwise(good) if above >= sure and below - above > config.min_gap_blocks)
    end = next(gaps, len(labelled))
    if end == len(labelled):  # as on most pages
        return labelled
    tags = {at: tuple(each.tag for each in labelled[at].block.element.ancestry) for at in good}
    above_end = {tags[at] for at in good if at < end}
    return relabel(labelled, {at for at in good if at >= end and tags[at] not in above_end}, Label.BAD)


def start(labelled: Labelled, title: str, config: PostAnalysisConfig) -> Labelled:
    """Label the h1 or h2 most like the title good with score 1, blocks three or more before it bad with score 0."""
    run = f" {' '.join(lower_words(title))} "
    words = {at: lower_words(item.block.text) for at, item in enumerate(labelled) if item.block.tag in ("h1", "h2")}
    contained = [at for at, own in words.items() if own and f" {' '.join(own)} " in run]
    at = max(contained, key=lambda at: len(words[at]), default=None)  # of equally long ones the first
    if at is None:
        return labelled
    end = max(at - config.near_blocks + 1, 0)
    rejected = (replace(item, score=0.0, label=Label.BAD) for item in labelled[:end])
    return (*rejected, *labelled[end:at], replace(labelled[at], score=1.0, label=Label.GOOD), *labelled[at + 1 :])


def common_parent(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """Label all blocks good whose parents have the same path of tags and classes, if at least three of them are."""
    parents = {item.block.parent for item in labelled}
    paths = {parent: tuple((each.tag, each.classes) for each in parent.ancestry) for parent in parents}
    good = Counter(paths[item.block.parent] for item in labelled if item.is_good)
    joined = {at for at, item in enumerate(labelled) if good[paths[item.block.parent]] >= config.sibling_blocks}
    return relabel(labelled, joined, Label.GOOD)


def lonely_ends(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """Label blocks at the end bad, up to a good block with another among the five before it."""
    good = [item.is_good for item in labelled]
    lonely = set()
    for at in reversed(range(len(good))):
        if not any(good[max(at - config.lonely_blocks, 0) : at]):
            lonely.add(at)
        elif good[at]:
            break
    return relabel(labelled, lonely, Label.BAD)


def neighbours(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """Label almost good blocks good or bad by the original labels of their surroundings."""
    labels, near = [item.label for item in labelled], config.near_blocks
    kept, dropped = set[int](), set[int]()
    for at, item in enumerate(labelled):
        if item.label is not Label.ALMOST:
            continue
        before, after = labels[max(at - near, 0) : at], labels[at + 1 : at + 1 + near]
        if is_heading(item.block):  # good or almost good blocks near on both sides, or a good one near below
            is_kept = Label.GOOD in after or (Label.ALMOST in after and any(label is not Label.BAD for label in before))
        else:  # good blocks near on both sides or, close to the start or end of the page, adjacent
            is_at_start = at < near and after[:1] == [Label.GOOD]
            is_at_end = at >= len(labels) - near and before[-1:] == [Label.GOOD]
            is_kept = (Label.GOOD in before and Label.GOOD in after) or is_at_start or is_at_end
        (kept if is_kept else dropped).add(at)
    return relabel(relabel(labelled, kept, Label.GOOD), dropped, Label.BAD)


def opens_with_phrase(text: str, more: tuple[str, ...] = ()) -> bool:
    """Tell whether `text` begins with a phrase of several words, or is a phrase, alone or before a colon.

    Case, accents and numbers are ignored: "12 Comments" and "ΣΧΟΛΙΑ (3)" match. `more` adds phrases.
    """
    whole, before_colon = phrase_key(text), phrase_key(text.partition(":")[0])
    keys, longest = _keys(more)
    return before_colon in keys or any(whole[:length] in keys for length in range(2, longest + 1))


def is_phrase(text: str, more: tuple[str, ...] = ()) -> bool:
    """Tell whether `text` is one of the phrases, as for `opens_with_phrase`."""
    return phrase_key(text) in _keys(more)[0]


def phrase_key(text: str) -> tuple[str, ...]:
    """Return the words of a text without case, accents and numbers; Turkish ı and i, whose capitals differ, as i."""
    return tuple(word for word in words(fold(text).replace("ı", "i")) if not word.isdigit())


@cache
def _keys(more: tuple[str, ...]) -> tuple[frozenset[tuple[str, ...]], int]:
    """Return the phrases as words, and the number of words of the longest."""
    keys = frozenset(map(phrase_key, chain(more, *PHRASES.values()))) - {()}
    return keys, max(map(len, keys))


def terminating_phrases(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """Label a short block bad that begins with "read also", "comments" or the like (TerminatingBlocksFinder)."""
    ends = {at for at, item in enumerate(labelled) if _ends_article(item.block, config)}
    return relabel(labelled, ends, Label.BAD)


def _ends_article(block: Block, config: PostAnalysisConfig) -> bool:
    return count_words(block.text) <= config.max_phrase_words and opens_with_phrase(block.text, config.end_phrases)


def ignore_after_content(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """Label everything bad from the first terminating block after 60 words of running text.

    Boilerpipe's IgnoreBlocksAfterContentFilter counts the words of good blocks with nine tokens per line or more; this
    rule counts those of good blocks with nine words or more.
    """
    words_so_far = 0
    for at, item in enumerate(labelled):
        if words_so_far >= config.min_words_before_end and _ends_article(item.block, config):
            return relabel(labelled, range(at, len(labelled)), Label.BAD)
        n_words = count_words(item.block.text) if item.is_good else 0
        words_so_far += n_words if n_words >= config.min_running_words else 0
    return labelled


def heading_to_content(labelled: Labelled, title: str, _config: PostAnalysisConfig) -> Labelled:
    """Label headings directly before a good block good, except the headline (Brezovnik 2021)."""
    headlines = possible_headlines(title)
    joined = set()
    is_before_good = False
    for at, item in reversed(list(enumerate(labelled))):
        if is_before_good and is_heading(item.block) and lower_words(item.block.text) not in headlines:
            joined.add(at)
        is_before_good = item.is_good or at in joined
    return relabel(labelled, joined, Label.GOOD)


def trailing_headlines(labelled: Labelled, _title: str, _config: PostAnalysisConfig) -> Labelled:
    """Label good headings below all other good blocks bad (TrailingHeadlineToBoilerplateFilter)."""
    content = [at for at, item in enumerate(labelled) if item.is_good and not is_heading(item.block)]
    end = content[-1] if content else -1
    trailing = {at for at, item in enumerate(labelled) if at > end and item.is_good}
    return relabel(labelled, trailing, Label.BAD)


def expand_title_to_content(labelled: Labelled, title: str, config: PostAnalysisConfig) -> Labelled:
    """Label possible content between headline and first good block good (ExpandTitleToContentFilter)."""
    headlines = possible_headlines(title)
    begin = next((at for at, item in enumerate(labelled) if item.is_good), 0)
    found = [at for at, item in enumerate(labelled[: begin + 1]) if lower_words(item.block.text) in headlines]
    if not found:
        return labelled
    lead = set()  # almost good or running text; Boilerpipe uses an earlier step's content flag
    for at in range(found[-1] + 1, begin):
        block, n_words = labelled[at].block, count_words(labelled[at].block.text)
        is_running = (
            n_words >= config.min_running_words and count_words(block.link_text) <= config.max_link_share * n_words
        )
        if is_running or labelled[at].label is Label.ALMOST:
            lead.add(at)
    return relabel(labelled, lead, Label.GOOD)


RULES: Final[Mapping[str, Rule]] = {
    "start": start,
    "common_parent": common_parent,
    "lonely_ends": lonely_ends,
    "neighbours": neighbours,
    "terminating_phrases": terminating_phrases,
    "title_match": title_match,
    "heading_to_content": heading_to_content,
    "ignore_after_content": ignore_after_content,
    "trailing_headlines": trailing_headlines,
    "expand_title_to_content": expand_title_to_content,
    "drop_headline": drop_headline,
    "doubtful_tail": doubtful_tail,
}
"""The rules by name."""


def revise(
    labelled: Labelled, title: str, rules: Sequence[str] = DEFAULT_RULES, config: PostAnalysisConfig = DEFAULTS
) -> Labelled:
    """Apply `rules` to `labelled` one by one; a changed block has the rule's name in `reasons`.

    The title is the headline, or the page's `<title>`; "" where there is none.

    Raises:
        ValueError: a rule is unknown; one line.
    """
    for name in Revision(tuple(rules)).checked().rules:
        revised = RULES[name](labelled, title, config)
        if revised is not labelled:
            changed = []
            for before, after in zip(labelled, revised, strict=True):
                if (after.label, after.score) == (before.label, before.score):
                    changed.append(before)
                    continue
                given = before.score if before.given is None and after.score != before.score else before.given
                changed.append(replace(after, reasons=(*before.reasons, name), given=given))
            labelled = tuple(changed)
    return labelled
