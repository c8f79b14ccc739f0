"""Revise labels by the four rules of Texttractor (Mrózek 2014, Brno University of Technology), as published."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from newscorpus.config import PostAnalysisConfig
from newscorpus.data import Label
from newscorpus.page.text.post_analysis.headline import Labelled, is_heading, lower_words, relabel


def start(labelled: Labelled, title: str, config: PostAnalysisConfig) -> Labelled:
    """The h1 or h2 most like the title is good with score 1, every block three or more before it bad with score 0."""
    run = _as_run(title)  # of equally long headings whose words stand in the title as a run, the first
    words = {at: lower_words(item.block.text) for at, item in enumerate(labelled) if item.block.tag in ("h1", "h2")}
    contained = [at for at, own in words.items() if own and _as_run(labelled[at].block.text) in run]
    at = max(contained, key=lambda at: len(words[at]), default=None)
    if at is None:
        return labelled
    end = max(at - config.near_blocks + 1, 0)
    rejected = (replace(item, score=0.0, label=Label.BAD) for item in labelled[:end])
    return (*rejected, *labelled[end:at], replace(labelled[at], score=1.0, label=Label.GOOD), *labelled[at + 1 :])


def _as_run(text: str) -> str:
    return f" {' '.join(lower_words(text))} "


def common_parent(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """Where at least three good blocks have the same parent, all blocks with this parent are good."""
    good = Counter(item.block.parent for item in labelled if item.label is Label.GOOD)
    joined = {at for at, item in enumerate(labelled) if good[item.block.parent] >= config.sibling_blocks}
    return relabel(labelled, joined, Label.GOOD)


def lonely_ends(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """From the end back to the first good block with a good one among the five before it, all without one are bad."""
    good = [item.label is Label.GOOD for item in labelled]
    lonely = set()
    for at in reversed(range(len(good))):
        if not any(good[max(at - config.lonely_blocks, 0) : at]):
            lonely.add(at)
        elif good[at]:
            break
    return relabel(labelled, lonely, Label.BAD)


def neighbours(labelled: Labelled, _title: str, config: PostAnalysisConfig) -> Labelled:
    """An almost good block is good or bad as its surroundings are, which count with the labels they came with."""
    labels = [item.label for item in labelled]
    almost = {at for at, label in enumerate(labels) if label is Label.ALMOST}
    keeps = {at: _keeps_heading if is_heading(labelled[at].block) else _keeps_text for at in almost}
    kept = {at for at in almost if keeps[at](labels, at, config.near_blocks)}
    return relabel(relabel(labelled, kept, Label.GOOD), almost - kept, Label.BAD)


def _keeps_heading(labels: Sequence[Label], at: int, near: int) -> bool:
    """Good or almost good blocks near on both sides, or a good one near below."""
    before, after = _around(labels, at, near)
    return Label.GOOD in after or (Label.ALMOST in after and any(label is not Label.BAD for label in before))


def _keeps_text(labels: Sequence[Label], at: int, near: int) -> bool:
    """Good blocks near on both sides, or next to it where the page starts or ends near."""
    before, after = _around(labels, at, near)
    if Label.GOOD in before and Label.GOOD in after:
        return True
    at_start = at < near and after[:1] == [Label.GOOD]
    at_end = at >= len(labels) - near and before[-1:] == [Label.GOOD]
    return at_start or at_end


def _around(labels: Sequence[Label], at: int, near: int) -> tuple[list[Label], list[Label]]:
    return list(labels[max(at - near, 0) : at]), list(labels[at + 1 : at + 1 + near])
