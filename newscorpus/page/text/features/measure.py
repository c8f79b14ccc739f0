"""Measure all features of a page's blocks in one matrix."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Integers, Matrix
from newscorpus.data import Block
from newscorpus.page.text.features.characters import count_characters
from newscorpus.page.text.features.own import measure_own, read_amounts
from newscorpus.page.text.features.place import measure_headline, measure_order, measure_tree
from newscorpus.page.text.features.structure import DATA_NAMES, SEMANTIC_NAMES, read_structure
from newscorpus.page.text.features.structure import NAMES as CLASS_NAMES
from newscorpus.page.text.features.wording import (
    PHRASES,
    measure_hints,
    measure_phrases,
    measure_repetition,
    overlap_with_title,
)

OWN: Final[Mapping[str, str]] = {
    "words": "number of words",
    "letters": "number of letters",
    "characters": "number of characters",
    "sentences": "marks that end a sentence",
    "commas": "commas and semicolons",
    "capitalised_share": "share of words that start in upper case",
    "all_caps_share": "share of words in upper case",
    "long_word_share": "share of words longer than the block's mean",
    "short_word_share": "share of words of up to three characters",
    "mean_word": "mean characters per word",
    "mean_sentence": "mean words per sentence",
    "digit_share": "share of digits among the characters",
    "space_share": "share of white space among the characters",
    "upper_share": "share of upper-case letters among the letters",
    "mark_share": "share of characters that are neither letter, digit nor space",
    "unspaced_share": "share of words of scripts without spaces",
    "bars": "vertical bars",
    "has_copyright": "has ©",
    "has_angle": "has < or >",
    "has_at": "has @",
    "has_quote": "has a quotation mark",
    "question_or_exclamation": "question and exclamation marks",
    "ends_sentence": "ends a sentence, ignoring quotation marks and brackets after it",
    "ends_colon": "ends with a colon",
    "ends_open": "ends with an ellipsis, an arrow or a guillemet",
    "starts_upper": "starts with an upper-case letter",
    "starts_lower": "starts with a lower-case letter",
    "starts_digit": "starts with a digit",
    "text_density": "words per line of 80 characters (after Kohlschütter, Fankhauser and Nejdl 2010, section 3)",
    "links": "links",
    "link_density": "share of characters inside links",
    "images": "images in the block, or alone before it",
    "emphasis": "elements b, strong, em, i, u",
    "all_bold": "its only inline element is b or strong",
    "positive_inline": "elements abbr, cite, code, dfn, kbd, mark, q, samp, sub, sup, var",
    "controls": "elements button, input, label, select",
    "has_time": "has a time element",
    "inline": "inline elements of any kind",
    "tags_before": "tags since the previous block",
    "whole": "fills its element",
    "tag": "the element: 1 p, 2 div, 3 li, 4 h1, 5 h2, 6 h3, 7 h4 to h6, 8 table cell, 9 quote, 10 caption, "
    "11 section or article, 12 dt or dd, 13 pre, 0 other",
    "link_tail": "ends with a link and begins without one",
    "repeated": "number of blocks with the same text on the page",
}
"""Features of a block alone, and their meanings."""

PLACE: Final[Mapping[str, str]] = {
    "position": "index, relative to the number of blocks",
    "words_before_share": "share of the page's words before the block",
    "blocks": "blocks on the page",
    "page_words": "words on the page",
    "page_prose": "words in prose on the page (see `BlockAmounts.prose`)",
    "page_p_share": "share of the page's prose inside p elements",
    "depth": "block-level ancestors",
    "parent_blocks": "blocks with the same parent",
    "parent_words": "words in the blocks with the same parent",
    "parent_link_density": "link density of the blocks with the same parent",
    "parent_prose_share": "share of the page's prose in the blocks with the same parent",
    "path_blocks": "blocks with the same path of tags and classes",
    "path_words": "mean words in the blocks with the same path",
    "path_link_density": "link density of the blocks with the same path",
    "path_prose_share": "share of the page's prose in the blocks with the same path",
    "parent_prose_below": "share of the page's prose below the parent",
    "grandparent_prose_below": "share of the page's prose below the grandparent",
    "great_prose_below": "share of the page's prose below the great-grandparent",
    "element_words_share": "share of the block in the words below its parent",
    "parent_link_below": "link density below the parent",
    "grandparent_link_below": "link density below the grandparent",
    "grandparent_blocks_below": "number of blocks below the grandparent",
    "container_gap": "depth of the main container below its common ancestor with the block; 0 inside it",
    "container_below": "depth of the block below its common ancestor with the main container",
    "in_core": "inside the deepest element with 0.9 of the prose",
    "headline_gap": "depth of the headline below its common ancestor with the block",
    "headline_below": "depth of the block below its common ancestor with the headline",
    "after_headline": "blocks since the headline, negative before it; 0 where there is none",
    "has_headline": "the page has a headline",
    "words_since_headline": "words between headline and block, negative before it",
    "since_prose": "blocks since the last prose",
    "until_prose": "blocks until the next prose",
    "prose_before": "share of the page's prose before the block",
    "prose_near": "prose in the five blocks on either side",
    "in_interval": "inside the interval of Body Text Extraction",
    "interval_distance": "distance to that interval in blocks, relative to the number of blocks; 0 inside",
    "parent_twins": "elements with the path of the parent: comments and teasers have a parent each",
    "grandparent_twins": "elements with the path of the grandparent",
    "great_twins": "elements with the path of the great-grandparent",
    "headings_before": "headings of rank 1 and 2 before the block",
    "headlines_since": "headings of rank 1 between the headline and the block",
    "repeated_before": "share of the block's word trigrams in an earlier block",
    "repeated_after": "share of the block's word trigrams in a later block",
    "same_parent_before": "has the parent of the previous block",
    "same_parent_after": "has the parent of the next block",
    "same_path_before": "has the path of the previous block",
    "same_path_after": "has the path of the next block",
    "title_overlap": "share of the block's words in the title",
    "title_cover": "share of the title's words in the block",
    "description_overlap": "share of the block's word bigrams in the page's description",
    "body_overlap": "share of the block's word trigrams in the article body of structured data; -1 without one",
    "has_body": "words in the article body of structured data",
}
"""Features of a block on its page, and their meanings."""

SAYS: Final[Mapping[str, str]] = {
    f"says_{kind}": f"holds a phrase of the kind {kind}: 2 where the block opens with it" for kind in PHRASES
}
"""Kinds of phrases in a block."""

NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
"""Offsets of the neighbours examined."""

OF_NEIGHBOURS = (
    "words", "link_density", "text_density", "ends_sentence", "tag", "capitalised_share", "images", "links", "commas",
    "all_bold", "digit_share",
)  # fmt: skip
"""Own features repeated for every neighbour; -1 where there is none."""

_REPEATED: Final = [tuple(OWN).index(name) for name in OF_NEIGHBOURS]


def _names() -> Iterator[tuple[str, str]]:
    yield from OWN.items()
    yield from PLACE.items()
    yield from SAYS.items()
    for reach, meaning in (
        ("own", "the element"),
        ("near", "the element or one of the two above"),
        ("any", "an ancestor"),
    ):
        for kind in CLASS_NAMES:
            yield f"{reach}_class_{kind}", f"class, id or role of {meaning} speaks of {kind}"
    for kind in DATA_NAMES:
        yield f"data_{kind}", f"the same of data- attributes, aria-label and names of custom elements speak of {kind}"
    for name in SEMANTIC_NAMES:
        yield f"in_{name}", f"inside {name}"
    for offset in NEIGHBOURS:
        for name in OF_NEIGHBOURS:
            yield (
                f"{name}@{offset:+d}",
                f"{OWN[name]}, of the block {abs(offset)} {'before' if offset < 0 else 'after'}",
            )


FEATURES: Final[Mapping[str, str]] = dict(_names())
"""All features in the order of the matrix's columns, and their meanings."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Texts about the article in the head of a page; "" where missing."""

    title: str = ""
    description: str = ""
    article_body: str = ""


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """The features of the blocks of one page."""

    matrix: Matrix  # float32, shape (blocks, len(FEATURES)), columns in the order of `FEATURES`
    parents: Integers  # per block, a number for its parent
    paths: Integers  # per block, a number for the path of its element

    @property
    def words(self) -> NDArray[np.float32]:
        """Number of words of each block."""
        return self.matrix[:, _WORDS]


_WORDS = tuple(FEATURES).index("words")


def measure(blocks: Sequence[Block], hints: Hints = Hints()) -> PageFeatures:
    """Measure the features of a page's blocks, given in document order; at least one."""
    texts = [block.text for block in blocks]
    characters = count_characters(texts, (hints.title, hints.description, hints.article_body))
    structure = read_structure(blocks)
    amounts = read_amounts(blocks, characters)
    title, description, body = characters.words.others
    columns = {
        **measure_own(blocks, texts, characters, amounts),
        **measure_order(amounts),
        **measure_headline(structure, amounts, *overlap_with_title(characters.words, title)),
        **measure_tree(structure, amounts),
        **measure_repetition(characters.words),
        **measure_hints(characters.words, description, body),
        **measure_phrases(characters.words),
    }
    table = np.empty((len(FEATURES), len(blocks)), np.float32)
    for row, name in enumerate((*OWN, *PLACE, *SAYS)):
        table[row] = columns[name]
    at = len(OWN) + len(PLACE) + len(SAYS)
    for bits, width in (
        (structure.own_kinds, len(CLASS_NAMES)),
        (structure.near_kinds, len(CLASS_NAMES)),
        (structure.all_kinds, len(CLASS_NAMES)),
        (structure.data_kinds, len(DATA_NAMES)),
        (structure.surroundings, len(SEMANTIC_NAMES)),
    ):
        bytes_of_block = bits[structure.block_element].astype("<u8").view(np.uint8).reshape(-1, 8)
        table[at : at + width] = np.unpackbits(bytes_of_block, axis=1, count=width, bitorder="little").T
        at += width
    repeated = table[_REPEATED]
    for offset in NEIGHBOURS:
        target = table[at : at + len(_REPEATED)]
        target[:] = -1
        if offset < 0:
            target[:, -offset:] = repeated[:, :offset]
        else:
            target[:, :-offset] = repeated[:, offset:]
        at += len(_REPEATED)
    matrix = np.ascontiguousarray(table.T)
    return PageFeatures(matrix, structure.block_parent, structure.path[structure.block_element])
