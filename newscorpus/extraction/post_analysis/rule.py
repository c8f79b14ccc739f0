"""What a rule is, and what the rules share."""

from collections.abc import Callable, Collection

from msgspec.structs import replace

from newscorpus.config import PostAnalysisConfig
from newscorpus.data import Block, Label, LabelledBlock

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
