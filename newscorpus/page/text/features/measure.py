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
    "words": "words",
    "letters": "letters",
    "characters": "characters",
    "sentences": "marks that end a sentence",
    "commas": "commas and semicolons",
    "capitalised_share": "words that start in upper case, of all words",
    "all_caps_share": "words in upper case, of all words",
    "long_word_share": "words longer than the block's mean word, of all words",
    "short_word_share": "words of up to three characters, of all words",
    "mean_word": "characters a word",
    "mean_sentence": "words a sentence",
    "digit_share": "digits, of all characters",
    "space_share": "white space, of all characters",
    "upper_share": "upper-case letters, of all letters",
    "mark_share": "characters that are neither letter, digit nor space, of all characters",
    "unspaced_share": "words of scripts without spaces, of all words",
    "bars": "vertical bars",
    "has_copyright": "holds ©",
    "has_angle": "holds < or >",
    "has_at": "holds @",
    "has_quote": "holds a quotation mark",
    "question_or_exclamation": "question and exclamation marks",
    "ends_sentence": "ends with a mark that ends a sentence, quotation marks and brackets passed over",
    "ends_colon": "ends with a colon",
    "ends_open": "ends with an ellipsis, an arrow or a guillemet",
    "starts_upper": "starts with an upper-case letter",
    "starts_lower": "starts with a lower-case letter",
    "starts_digit": "starts with a digit",
    "text_density": "words a line of 80 characters (after Kohlschütter, Fankhauser and Nejdl 2010, section 3)",
    "links": "links",
    "link_density": "characters inside links, of all characters",
    "images": "images in the block or alone before it",
    "emphasis": "elements b, strong, em, i, u",
    "all_bold": "begins with b or strong and holds no other inline element",
    "positive_inline": "elements abbr, cite, code, dfn, kbd, mark, q, samp, sub, sup, var",
    "controls": "elements button, input, label, select",
    "has_time": "holds a time element",
    "inline": "inline elements of any kind",
    "tags_before": "tags since the block before",
    "whole": "fills its element",
    "tag": "the element: 1 p, 2 div, 3 li, 4 h1, 5 h2, 6 h3, 7 h4 to h6, 8 table cell, 9 quote, 10 caption, "
    "11 section or article, 12 dt or dd, 13 pre, 0 other",
    "link_tail": "ends with a link and begins without one",
    "repeated": "times that the same text stands on the page",
}
"""Features of a block alone, and their meanings."""

PLACE: Final[Mapping[str, str]] = {
    "position": "index, of the number of blocks",
    "words_before_share": "words before the block, of the page's",
    "blocks": "blocks on the page",
    "page_words": "words on the page",
    "page_prose": "words in prose on the page (see `BlockAmounts.prose`)",
    "page_p_share": "prose inside p elements, of all prose",
    "depth": "block-level ancestors",
    "parent_blocks": "blocks with the same parent",
    "parent_words": "words in them",
    "parent_link_density": "their link density",
    "parent_prose_share": "their share of the page's prose",
    "path_blocks": "blocks with the same path of tags and classes",
    "path_words": "mean words in them",
    "path_link_density": "their link density",
    "path_prose_share": "their share of the page's prose",
    "parent_prose_below": "prose below the parent, of the page's",
    "grandparent_prose_below": "prose below the parent's parent, of the page's",
    "great_prose_below": "prose below the parent of that, of the page's",
    "element_words_share": "words of the block, of those below its parent",
    "parent_link_below": "link density below the parent",
    "grandparent_link_below": "link density below the parent's parent",
    "grandparent_blocks_below": "blocks below the parent's parent",
    "container_gap": "depth of the page's main container above the common depth with the block; 0 inside it",
    "container_below": "depth of the block below what it has in common with the main container",
    "in_core": "below the deepest element that holds 0.9 of the prose",
    "headline_gap": "depth of the headline below what it has in common with the block",
    "headline_below": "depth of the block below what it has in common with the headline",
    "after_headline": "blocks since the headline, negative before it; 0 where there is none",
    "has_headline": "the page has a headline",
    "words_since_headline": "words between headline and block, negative before it",
    "since_prose": "blocks since the last prose",
    "until_prose": "blocks until the next prose",
    "prose_before": "prose before the block, of the page's",
    "prose_near": "prose in the five blocks on either side",
    "in_interval": "inside the interval of Body Text Extraction",
    "interval_distance": "blocks outside that interval, of the page's; 0 inside",
    "parent_twins": "elements with the path of the parent: comments and teasers have a parent each",
    "grandparent_twins": "elements with the path of the parent's parent",
    "great_twins": "elements with the path of the parent of that",
    "headings_before": "headings of rank 1 and 2 before the block",
    "headlines_since": "headings of rank 1 between the headline and the block",
    "repeated_before": "word triples that stand in a block before it too, of the block's",
    "repeated_after": "word triples that stand in a block after it too, of the block's",
    "same_parent_before": "has the parent of the block before",
    "same_parent_after": "has the parent of the block after",
    "same_path_before": "has the path of the block before",
    "same_path_after": "has the path of the block after",
    "title_overlap": "words that stand in the title, of the block's",
    "title_cover": "words of the title that stand in the block, of the title's",
    "description_overlap": "word pairs that stand in the page's description, of the block's",
    "body_overlap": "word triples that stand in the structured data's article body, of the block's; -1 without one",
    "has_body": "words in the structured data's article body",
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
