"""Revise the labels of a page's blocks by named rules; a block keeps the names of those that changed it.

A rule is a pure function of the blocks, the title and the configuration. To add one: a function, an entry in `RULES`,
its name in `config.RuleName`, a test and a line in docs/post-analysis.md.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from newscorpus.config import PostAnalysisConfig, Revision
from newscorpus.data import LabelledBlock
from newscorpus.page.text.post_analysis import boilerpipe, headline, mrozek
from newscorpus.page.text.post_analysis.headline import Labelled, Rule

RULES: Final[Mapping[str, Rule]] = {
    "start": mrozek.start,
    "common_parent": mrozek.common_parent,
    "lonely_ends": mrozek.lonely_ends,
    "neighbours": mrozek.neighbours,
    "terminating_phrases": boilerpipe.terminating_phrases,
    "title_match": headline.title_match,
    "heading_to_content": boilerpipe.heading_to_content,
    "ignore_after_content": boilerpipe.ignore_after_content,
    "trailing_headlines": boilerpipe.trailing_headlines,
    "expand_title_to_content": boilerpipe.expand_title_to_content,
    "drop_headline": headline.drop_headline,
}
"""The rules by name."""

MROZEK: Final = ("start", "common_parent", "lonely_ends", "neighbours")
"""In the order of Texttractor (Mrózek 2014)."""

BREZOVNIK: Final = (
    "terminating_phrases", "title_match", "heading_to_content", "ignore_after_content", "trailing_headlines",
    "expand_title_to_content",
)  # fmt: skip
"""In the order of Brezovnik (2021); there the first two come before the classification."""

DEFAULT_RULES: Final = ("drop_headline",)


DEFAULTS: Final = PostAnalysisConfig()


def revise(
    labelled: Labelled, title: str, rules: Sequence[str] = DEFAULT_RULES, config: PostAnalysisConfig = DEFAULTS
) -> Labelled:
    """`labelled` after `rules`, one by one; a block that a rule changes carries its name in `reasons`.

    Args:
        labelled: the blocks of a page, in order.
        title: the headline, or the page's `<title>`; "" where there is none.
        rules: names of `RULES`, in the order in which they apply.
        config: the rules' numbers.

    Raises:
        ValueError: a rule is unknown; one line.
    """
    for name in Revision(tuple(rules)).checked().post_analysis or ():
        revised = RULES[name](labelled, title, config)
        if revised is not labelled:
            pairs = zip(labelled, revised, strict=True)
            labelled = tuple(_with_reason(before, after, name) for before, after in pairs)
    return labelled


def _with_reason(before: LabelledBlock, after: LabelledBlock, rule: str) -> LabelledBlock:
    is_changed = (after.label, after.score) != (before.label, before.score)
    given = before.score if before.given is None and after.score != before.score else before.given
    return replace(after, reasons=(*before.reasons, rule), given=given) if is_changed else before
