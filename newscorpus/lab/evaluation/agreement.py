"""Measure how far two people agree on which blocks of the same pages are main text."""

from collections.abc import Iterable
from dataclasses import dataclass

from newscorpus.lab.evaluation.scores import Confusion, confusion
from newscorpus.lab.gold.marking import MAIN_TEXT, PageMarks


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree."""

    first: str  # their names
    second: str
    pages: int  # that both are done with
    blocks: Confusion  # the verdicts of the second, held against those of the first
    differing: tuple[tuple[str, str], ...]  # list and address of the pages on which they differ


def agreement(marks: Iterable[PageMarks], first: str, second: str) -> Agreement:
    """Compare two people on the pages that both are done with; a block that is not marked is no main text."""
    done = {(one.who, one.list, one.page): one for one in marks if one.place}
    blocks, differing, pages = Confusion(), [], 0
    for (who, name, page), ours in done.items():
        theirs = done.get((second, name, page)) if who == first else None
        if theirs is None:
            continue
        pages += 1
        n_blocks = max(ours.n_blocks, theirs.n_blocks)
        verdicts = [[_is_text(one, at) for at in range(n_blocks)] for one in (theirs, ours)]
        blocks += confusion(*verdicts)
        if verdicts[0] != verdicts[1]:
            differing.append((name, page))
    return Agreement(first, second, pages, blocks, tuple(differing))


def _is_text(marks: PageMarks, position: int) -> bool:
    return position in marks.blocks and marks.blocks[position].kind in MAIN_TEXT
