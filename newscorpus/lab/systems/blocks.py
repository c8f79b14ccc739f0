"""Features of neighbours, verdicts by thresholds and the extractor, shared by the published block systems."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from newscorpus.arrays import Floats, Matrix
from newscorpus.config import Revision
from newscorpus.data import Block, Label, LabelledBlock, Rejected
from newscorpus.page.extractor import NO_MAIN_TEXT, BlockSystemExtractor, FoundText, PreparedPage, good_paragraphs
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.post_analysis import revise


def with_neighbours(own: Matrix) -> Matrix:
    """Extend `own` (blocks, features) to (blocks, 3 x features): of the block, the previous and the next one.

    The features of a missing neighbour are zero.
    """
    none = np.zeros_like(own[:1])
    return np.hstack((own, np.vstack((none, own))[: len(own)], np.vstack((own[1:], none))[: len(own)]))


def neighbour_names(own: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of `with_neighbours`."""
    return (*own, *(f"{name}@-1" for name in own), *(f"{name}@+1" for name in own))


@dataclass(frozen=True, slots=True)
class BlockSystem:
    """A system that scores the blocks of a page, and labels them by one or two thresholds."""

    name: str  # identifies it in articles
    cut: Callable[[PreparedPage], tuple[Block, ...]]  # the blocks of a page
    score: Callable[[Sequence[Block]], Floats]  # of each block of a page, at least one
    revision: Revision  # rules that follow, and thresholds in place of the system's
    good_above: float
    almost_above: float = np.inf

    def label(self, prepared: PreparedPage) -> tuple[LabelledBlock, ...]:
        """Return the blocks of a parsed page with their final labels."""
        blocks = self.cut(prepared)
        if not blocks:
            return ()
        upper = self.good_above if self.revision.upper is None else self.revision.upper
        lower = self.almost_above if self.revision.lower is None else self.revision.lower
        labelled = tuple(
            LabelledBlock(block, score, Label.GOOD if score > upper else Label.ALMOST if score > lower else Label.BAD)
            for block, score in zip(blocks, self.score(blocks).tolist(), strict=True)
        )
        return revise(labelled, prepared.head_title, self.revision.rules, self.revision.config)


def keep_good(
    system: BlockSystem, template: TemplateRules | None = None, classified: str = "text"
) -> BlockSystemExtractor:
    """Make an extractor of the blocks that `system` labels good, except the headline, which is the title.

    A page without what is `classified` is rejected with a detail that says so.
    """

    def label(prepared: PreparedPage) -> tuple[LabelledBlock, ...]:
        return revise(system.label(prepared), prepared.fields.title, ("drop_headline",))

    def find(prepared: PreparedPage) -> FoundText | Rejected:
        labelled = label(prepared)
        if labelled:
            return FoundText(good_paragraphs(labelled), system.name)
        return Rejected("extract", NO_MAIN_TEXT, f"no {classified} to classify", prepared.page.url)

    return BlockSystemExtractor(find=find, template=template, label_blocks=label)
