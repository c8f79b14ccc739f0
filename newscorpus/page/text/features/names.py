"""Name the features in the order of the matrix's columns, and say what each means."""

from collections.abc import Iterator, Mapping
from typing import Final

from newscorpus.page.text.features import structure
from newscorpus.page.text.features.phrases import PHRASES
from newscorpus.page.text.features.structure import SEMANTIC_NAMES

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
"""Features of a block alone, and what each says."""

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
"""Features of a block on its page, and what each says."""

SAYS: Final[Mapping[str, str]] = {
    f"says_{kind}": f"holds a phrase of the kind {kind}: 2 where the block opens with it" for kind in PHRASES
}
"""What the phrases in a block speak of."""

NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
"""Offsets of the neighbours looked at."""

OF_NEIGHBOURS = (
    "words", "link_density", "text_density", "ends_sentence", "tag", "capitalised_share", "images", "links", "commas",
    "all_bold", "digit_share",
)  # fmt: skip
"""The own features that are repeated for every neighbour; -1 where there is none."""


def _names() -> Iterator[tuple[str, str]]:
    yield from OWN.items()
    yield from PLACE.items()
    yield from SAYS.items()
    for reach, meaning in (
        ("own", "the element"),
        ("near", "the element or one of the two above"),
        ("any", "an ancestor"),
    ):
        for kind in structure.NAMES:
            yield f"{reach}_class_{kind}", f"class, id or role of {meaning} speaks of {kind}"
    for kind in structure.DATA_NAMES:
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
"""Every feature in the order of the matrix's columns, and what it says."""
