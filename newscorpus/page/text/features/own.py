"""Measure a block alone: its size, characters and words, beginning and end, inline elements."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from newscorpus import code_points as kinds
from newscorpus.arrays import Floats, Integers
from newscorpus.data import Block
from newscorpus.page.text.features.characters import Characters

Columns = dict[str, NDArray[Any] | float]
"""Features by name: a value per block, or one for all blocks of the page."""

TAG_CODES: Final = {
    "p": 1, "div": 2, "li": 3, "h1": 4, "h2": 5, "h3": 6, "h4": 7, "h5": 7, "h6": 7, "td": 8, "th": 8, "blockquote": 9,
    "figcaption": 10, "caption": 10, "figure": 10, "section": 11, "article": 11, "main": 11, "dt": 12, "dd": 12,
    "pre": 13,
}  # fmt: skip

PROSE_WORDS: Final = 10
PROSE_LINK_DENSITY: Final = 0.3

LINE_CHARACTERS: Final = 80

POSITIVE_INLINE: Final = ("abbr", "cite", "code", "dfn", "kbd", "mark", "q", "samp", "sub", "sup", "var")
"""Inline elements of running text."""

_INLINE = ("links", "images", "emphasis", "positive_inline", "controls", "has_time", "all_bold", "inline")
_INLINE_TAGS = (
    ("a",), ("img",), ("b", "strong", "em", "i", "u"), POSITIVE_INLINE, ("button", "input", "label", "select"),
    ("time",),
)  # fmt: skip
"""Tags counted by the first features of `_INLINE`."""

_INLINE_COLUMN = {tag: column for column, tags in enumerate(_INLINE_TAGS) for tag in tags}
_BOLD = frozenset({("b",), ("strong",)})
_CLOSING_MARKS = kinds.MARKS[kinds.CLOSING]
_SENTENCE_ENDS = ".!?…。！？।"


@dataclass(frozen=True, slots=True)
class BlockAmounts:
    """Sizes of a page's blocks; all arrays are per block, in whole numbers except the density."""

    words: Floats
    length: Floats  # characters
    links: Floats  # characters inside links, at most `length`
    link_density: Floats  # `links` of `length`
    # Words, if the block looks like running text (ten words or more, few in links, ends a sentence); else 0.
    prose: Floats
    tags_before: Integers  # tags since the block before
    tag: Integers  # the element, as in `TAG_CODES`; 0 for others


def read_amounts(blocks: Sequence[Block], characters: Characters) -> BlockAmounts:
    """Measure the sizes of `blocks`, given their counts of characters."""
    link_length = np.array([len(block.link_text) for block in blocks], np.int64)
    tags_before = np.array([block.tags_before for block in blocks], np.int64)
    tag = np.array([TAG_CODES.get(block.element.tag, 0) for block in blocks], np.int64)
    words, length = characters.words.count.astype(np.float64), characters.length.astype(np.float64)
    links = np.minimum(link_length, length)
    link_density = links / np.maximum(length, 1)
    is_prose = (words >= PROSE_WORDS) & (link_density < PROSE_LINK_DENSITY) & (characters.sentences > 0)
    return BlockAmounts(words, length, links, link_density, np.where(is_prose, words, 0.0), tags_before, tag)


def measure_own(
    blocks: Sequence[Block], texts: Sequence[str], characters: Characters, amounts: BlockAmounts
) -> Columns:
    """Measure the features of `measure.OWN`; `texts` are those of `blocks`."""
    times = Counter(texts)
    sequences = [block.inline for block in blocks]
    number = {tags: at for at, tags in enumerate(dict.fromkeys(sequences))}
    counts = np.array([_count_inline(tags) for tags in number], np.int64)[[number[tags] for tags in sequences]]
    columns: Columns = dict(zip(_INLINE, counts.T, strict=True))
    words = characters.words
    count = np.maximum(amounts.words, 1)
    length = np.maximum(amounts.length, 1)
    letters, digits, spaces = characters.letters, characters.count(kinds.DIGIT), characters.spaces
    first, last = characters.first_kinds, characters.last_kinds
    ends_sentence = last & kinds.TERMINAL != 0
    for ending in np.flatnonzero(last & kinds.CLOSING).tolist():
        ends_sentence[ending] = texts[ending].rstrip(_CLOSING_MARKS)[-1:] in _SENTENCE_ENDS
    tails = np.zeros(len(blocks), np.int64)
    for place in np.flatnonzero((amounts.links > 0) & (amounts.links < amounts.length)).tolist():
        tails[place] = blocks[place].text.endswith(blocks[place].link_text)
    return {
        "letters": letters,
        "characters": amounts.length,
        "sentences": characters.sentences,
        "commas": characters.count(kinds.COMMA),
        "digit_share": digits / length,
        "space_share": spaces / length,
        "upper_share": characters.count(kinds.UPPER) / np.maximum(letters, 1),
        "mark_share": (characters.length - letters - digits - spaces) / length,
        "bars": characters.count(kinds.BAR),
        "has_copyright": characters.count(kinds.COPYRIGHT) > 0,
        "has_angle": characters.count(kinds.ANGLE) > 0,
        "has_at": characters.count(kinds.AT) > 0,
        "has_quote": characters.count(kinds.QUOTE) > 0,
        "question_or_exclamation": characters.count(kinds.CALL),
        "words": amounts.words,
        "capitalised_share": words.capitalised / count,
        "all_caps_share": words.all_caps / count,
        "long_word_share": words.long / count,
        "short_word_share": words.short / count,
        "mean_word": words.characters / count,
        "mean_sentence": amounts.words / np.maximum(characters.sentences, 1),
        "unspaced_share": words.unspaced / count,
        "text_density": amounts.words / np.ceil(np.maximum(amounts.length, 1) / LINE_CHARACTERS),
        "ends_sentence": ends_sentence,
        "ends_colon": last & kinds.COLON != 0,
        "ends_open": (last & kinds.OPEN_END != 0) | characters.ends_in_dots,
        "starts_upper": first & kinds.UPPER != 0,
        "starts_lower": first & kinds.LOWER != 0,
        "starts_digit": first & kinds.DIGIT != 0,
        **columns,
        "has_time": counts[:, _INLINE_COLUMN["time"]] > 0,
        "link_density": amounts.link_density,
        "tags_before": amounts.tags_before,
        "whole": np.array([block.whole for block in blocks]),
        "tag": amounts.tag,
        "link_tail": tails,
        "repeated": np.array([times[text] for text in texts], np.int64),
    }


def _count_inline(tags: tuple[str, ...]) -> list[int]:
    counts = [0] * len(_INLINE_TAGS)
    for tag in tags:
        if tag in _INLINE_COLUMN:
            counts[_INLINE_COLUMN[tag]] += 1
    return [*counts, tags in _BOLD, len(tags)]
