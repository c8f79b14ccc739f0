"""Features: blocks to a matrix, one row a block.

No feature knows a language: they count characters, words and marks, look at the block's place in the tree, and compare
it with the rest of the page and with what the page's head says of its article.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.data import Block
from newscorpus.extraction import class_words
from newscorpus.extraction.characters import (
    DIGIT,
    LETTER,
    LOWER,
    TERMINAL,
    UPPER,
    Characters,
    count_characters,
    hash_words,
)
from newscorpus.extraction.interval import best_interval
from newscorpus.extraction.structure import (
    SEMANTIC_NAMES,
    Structure,
    common_depth,
    main_container,
    read_structure,
    sum_below,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Matrix = NDArray[np.float32]
Columns = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Hints:
    """What the head of a page says of its article; "" where it says nothing."""

    title: str = ""
    description: str = ""
    article_body: str = ""


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
    "tag": "the element: 1 p, 2 div, 3 li, 4 h1, 5 h2, 6 h3, 7 h4 to h6, 8 table cell, 9 quote, 10 caption, 11 section or article, 12 dt or dd, 13 pre, 0 other",
    "link_tail": "ends with a link and begins without one",
    "repeated": "times that the same text stands on the page",
}
"""Features of a block alone, and what each says."""

PLACE: Final[Mapping[str, str]] = {
    "position": "index, of the number of blocks",
    "words_before_share": "words before the block, of the page's",
    "blocks": "blocks on the page",
    "page_words": "words on the page",
    "page_prose": "words in prose on the page (see `_prose`)",
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
    for reach, meaning in (
        ("own", "the element"),
        ("near", "the element or one of the two above"),
        ("any", "an ancestor"),
    ):
        for kind in class_words.NAMES:
            yield f"{reach}_class_{kind}", f"class, id or role of {meaning} speaks of {kind}"
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


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """The features of the blocks of one page.

    Attributes:
        matrix: float32, shape (blocks, len(FEATURES)), columns in the order of `FEATURES`.
        parents: per block, a number for its parent.
        paths: per block, a number for the path of its element.
    """

    matrix: Matrix
    parents: Integers
    paths: Integers


def measure(blocks: Sequence[Block], hints: Hints = Hints()) -> PageFeatures:
    """The features of `blocks`, of which there must be at least one."""
    characters = count_characters([block.text for block in blocks])
    structure = read_structure(blocks)
    own = _own(blocks, characters)
    place = _place(blocks, characters, structure, own, hints)
    matrix = np.empty((len(blocks), len(FEATURES)), np.float32)
    columns = [*(own[name] for name in OWN), *(place[name] for name in PLACE)]
    at = len(columns)
    matrix[:, :at] = np.column_stack(columns)
    for bits, width in (
        (structure.own_kinds, len(class_words.NAMES)),
        (structure.near_kinds, len(class_words.NAMES)),
        (structure.all_kinds, len(class_words.NAMES)),
        (structure.surroundings, len(SEMANTIC_NAMES)),
    ):
        matrix[:, at : at + width] = (bits[structure.block_element][:, None] >> np.arange(width)) & 1
        at += width
    repeated = np.column_stack([own[name] for name in OF_NEIGHBOURS])
    for offset in NEIGHBOURS:
        matrix[:, at : at + len(OF_NEIGHBOURS)] = shifted(repeated, offset)
        at += len(OF_NEIGHBOURS)
    return PageFeatures(matrix, structure.block_parent, structure.path[structure.block_element])


def shifted(rows: Floats, offset: int) -> Floats:
    """The rows of the blocks `offset` further on; -1 where there is none."""
    moved = np.full_like(rows, -1.0)
    if abs(offset) >= len(rows):
        return moved
    if offset < 0:
        moved[-offset:] = rows[:offset]
    else:
        moved[:-offset] = rows[offset:]
    return moved


_TAG_CODES = {
    "p": 1, "div": 2, "li": 3, "h1": 4, "h2": 5, "h3": 6, "h4": 7, "h5": 7, "h6": 7, "td": 8, "th": 8, "blockquote": 9,
    "figcaption": 10, "caption": 10, "figure": 10, "section": 11, "article": 11, "main": 11, "dt": 12, "dd": 12, "pre": 13,
}  # fmt: skip
_EMPHASIS = frozenset({"b", "strong", "em", "i", "u"})
_BOLD = frozenset({"b", "strong"})
_POSITIVE = frozenset({"abbr", "cite", "code", "dfn", "kbd", "mark", "q", "samp", "sub", "sup", "var"})
_CONTROLS = frozenset({"button", "input", "label", "select"})
_QUOTES = frozenset("\"'“”„‟«»‹›‘’「」『』")
_CLOSING = "\"'“”„«»‹›‘’)]」』）】 "
_OPEN_ENDS = frozenset("…»›→▸>")
_LINE = 80


def _own(blocks: Sequence[Block], characters: Characters) -> Columns:
    words = np.maximum(characters.words, 1)
    length = np.maximum(characters.length, 1)
    texts = [block.text for block in blocks]
    links = np.array([len(block.link_text) for block in blocks], float)
    marks = characters.length - characters.letters - characters.digits - characters.spaces
    ends_sentence = (characters.last_class & TERMINAL) != 0
    for at in np.flatnonzero((characters.last_class & (LETTER | DIGIT | TERMINAL)) == 0):
        ends_sentence[at] = texts[at].rstrip(_CLOSING)[-1:] in ".!?…。！？।"
    repeats = Counter(texts)
    return {
        "words": characters.words.astype(float),
        "letters": characters.letters.astype(float),
        "characters": characters.length.astype(float),
        "sentences": characters.sentences.astype(float),
        "commas": characters.commas.astype(float),
        "capitalised_share": characters.capitalised / words,
        "all_caps_share": characters.all_caps / words,
        "long_word_share": characters.long_words / words,
        "short_word_share": characters.short_words / words,
        "mean_word": characters.word_characters / words,
        "mean_sentence": characters.words / np.maximum(characters.sentences, 1),
        "digit_share": characters.digits / length,
        "space_share": characters.spaces / length,
        "upper_share": characters.uppers / np.maximum(characters.letters, 1),
        "mark_share": marks / length,
        "unspaced_share": characters.unspaced_words / words,
        "bars": np.array([text.count("|") for text in texts], float),
        "has_copyright": np.array(["©" in text for text in texts], float),
        "has_angle": np.array(["<" in text or ">" in text for text in texts], float),
        "has_at": np.array(["@" in text for text in texts], float),
        "has_quote": np.array([not _QUOTES.isdisjoint(text) for text in texts], float),
        "question_or_exclamation": np.array([text.count("?") + text.count("!") for text in texts], float),
        "ends_sentence": ends_sentence.astype(float),
        "ends_colon": np.array([text[-1] == ":" for text in texts], float),
        "ends_open": np.array([text[-1] in _OPEN_ENDS or text.endswith("...") for text in texts], float),
        "starts_upper": ((characters.first_class & UPPER) != 0).astype(float),
        "starts_lower": ((characters.first_class & LOWER) != 0).astype(float),
        "starts_digit": ((characters.first_class & DIGIT) != 0).astype(float),
        "text_density": characters.words / np.ceil(length / _LINE),
        "link_density": np.minimum(links / length, 1.0),
        "tags_before": np.array([block.tags_before for block in blocks], float),
        "whole": np.array([block.whole for block in blocks], float),
        "tag": np.array([_TAG_CODES.get(block.tag, 0) for block in blocks], float),
        "link_tail": np.array([_ends_with_link(block) for block in blocks], float),
        "repeated": np.array([repeats[text] for text in texts], float),
        **_inline(blocks),
    }


def _ends_with_link(block: Block) -> bool:
    return 0 < len(block.link_text) < len(block.text) and block.text.endswith(block.link_text)


_INLINE = ("links", "images", "emphasis", "all_bold", "positive_inline", "controls", "has_time", "inline")


def _inline(blocks: Sequence[Block]) -> Columns:
    counts = np.zeros((len(blocks), len(_INLINE)))
    for row, block in zip(counts, blocks, strict=True):
        tags = block.inline
        if not tags:
            continue
        if len(tags) == 1 and tags[0] == "a":
            row[0] = row[7] = 1
            continue
        row[:] = (
            tags.count("a"),
            tags.count("img"),
            sum(tag in _EMPHASIS for tag in tags),
            len(tags) == 1 and tags[0] in _BOLD,
            sum(tag in _POSITIVE for tag in tags),
            sum(tag in _CONTROLS for tag in tags),
            "time" in tags,
            len(tags),
        )
    return dict(zip(_INLINE, counts.T, strict=True))


def _prose(own: Columns) -> Floats:
    """Words of the blocks that look like running text: ten words or more, few of them in links, a sentence's end."""
    like = (own["words"] >= 10) & (own["link_density"] < 0.3) & (own["sentences"] > 0)
    return np.where(like, own["words"], 0.0)


def _place(
    blocks: Sequence[Block], characters: Characters, structure: Structure, own: Columns, hints: Hints
) -> Columns:
    words, prose = own["words"], _prose(own)
    n = len(blocks)
    index = np.arange(n)
    before = np.cumsum(words) - words
    all_words, all_prose = max(words.sum(), 1.0), max(prose.sum(), 1.0)
    prose_before = np.cumsum(prose) - prose
    return {
        "position": index / n,
        "words_before_share": before / all_words,
        "blocks": np.full(n, float(n)),
        "page_words": np.full(n, all_words),
        "page_prose": np.full(n, prose.sum()),
        "page_p_share": np.full(n, prose[own["tag"] == _TAG_CODES["p"]].sum() / all_prose),
        "prose_before": prose_before / all_prose,
        "prose_near": _window_sum(prose, 5),
        **_prose_distance(prose > 0),
        **_groups(structure, own, prose / all_prose),
        **_twins(structure),
        **_repetition(characters),
        **_containers(structure, words, own["link_density"] * own["characters"], own["characters"], prose),
        **_headline(structure, own, before, _overlap_with_title(characters, hints.title)),
        **_interval(own),
        **_overlap_with_hints(characters, hints),
    }


def _window_sum(amounts: Floats, reach: int) -> Floats:
    sums = np.concatenate(([0.0], np.cumsum(amounts)))
    n = len(amounts)
    index = np.arange(n)
    return sums[np.minimum(index + reach + 1, n)] - sums[np.maximum(index - reach, 0)]


def _prose_distance(is_prose: NDArray[np.bool_]) -> Columns:
    n = len(is_prose)
    index = np.arange(n)
    last = np.maximum.accumulate(np.where(is_prose, index, -n))
    following = np.minimum.accumulate(np.where(is_prose, index, 2 * n)[::-1])[::-1]
    return {
        "since_prose": np.minimum(np.concatenate(([n], index[1:] - last[:-1])), 50).astype(float),
        "until_prose": np.minimum(np.concatenate((following[1:] - index[:-1], [n])), 50).astype(float),
    }


def _groups(structure: Structure, own: Columns, prose_share: Floats) -> Columns:
    parents, paths = structure.block_parent, structure.path[structure.block_element]
    links = own["link_density"] * own["characters"]

    def total(groups: Integers, amounts: Floats | None = None) -> Floats:
        return np.bincount(groups, weights=amounts)[groups].astype(float)

    return {
        "parent_blocks": total(parents),
        "parent_words": total(parents, own["words"]),
        "parent_link_density": total(parents, links) / total(parents, own["characters"]),
        "parent_prose_share": total(parents, prose_share),
        "path_blocks": total(paths),
        "path_words": total(paths, own["words"]) / total(paths),
        "path_link_density": total(paths, links) / total(paths, own["characters"]),
        "path_prose_share": total(paths, prose_share),
        "same_parent_before": np.concatenate(([0.0], parents[1:] == parents[:-1])),
        "same_parent_after": np.concatenate((parents[1:] == parents[:-1], [0.0])),
        "same_path_before": np.concatenate(([0.0], paths[1:] == paths[:-1])),
        "same_path_after": np.concatenate((paths[1:] == paths[:-1], [0.0])),
    }


def _twins(structure: Structure) -> Columns:
    """How many elements share the path of an element above the block."""
    of_path = np.bincount(structure.path)[structure.path].astype(float)
    parent = structure.block_parent
    grandparent = structure.parent[parent]
    return {
        "parent_twins": of_path[parent],
        "grandparent_twins": of_path[grandparent],
        "great_twins": of_path[structure.parent[grandparent]],
    }


def _repetition(characters: Characters) -> Columns:
    """The share of a block's word triples that an earlier, and that a later block holds too."""
    grams = _grams(characters.word_hash, 3)
    if not len(grams):
        none = np.zeros(len(characters.words))
        return {"repeated_before": none, "repeated_after": none}
    text_of = characters.word_text[: len(grams)]
    order = np.lexsort((text_of, grams))
    begins = np.concatenate(([True], grams[order][1:] != grams[order][:-1]))
    group = np.cumsum(begins) - 1
    first = text_of[order][begins][group]
    last = text_of[order][np.append(np.flatnonzero(begins)[1:], len(grams)) - 1][group]
    words = np.maximum(characters.words, 1)
    texts = text_of[order]

    def share(flags: NDArray[np.bool_]) -> Floats:
        return np.bincount(texts[flags], minlength=len(words)) / words

    return {"repeated_before": share(first < texts), "repeated_after": share(last > texts)}


def _containers(structure: Structure, words: Floats, links: Floats, length: Floats, prose: Floats) -> Columns:
    prose_below = sum_below(structure, prose)
    share_below = prose_below / max(prose_below[0], 1.0)
    words_below = sum_below(structure, words)
    links_below = sum_below(structure, links) / np.maximum(sum_below(structure, length), 1)
    blocks_below = sum_below(structure, np.ones(len(words)))
    parent = structure.block_parent
    grandparent = structure.parent[parent]
    core = main_container(structure, prose_below, 0.9)
    in_core = common_depth(structure, core)[structure.block_element] >= structure.depth[core]
    return {
        "depth": structure.depth[structure.block_element].astype(float),
        "parent_prose_below": share_below[parent],
        "grandparent_prose_below": share_below[grandparent],
        "great_prose_below": share_below[structure.parent[grandparent]],
        "element_words_share": words / np.maximum(words_below[parent], 1),
        "parent_link_below": links_below[parent],
        "grandparent_link_below": links_below[grandparent],
        "grandparent_blocks_below": blocks_below[grandparent],
        "in_core": in_core.astype(float),
        **_distance(structure, main_container(structure, prose_below, 0.5), "container"),
    }


def _distance(structure: Structure, container: int, name: str) -> Columns:
    """How far the blocks stand from `container`: up to what they have in common, and down from there to the block."""
    common = common_depth(structure, container)[structure.block_element]
    return {
        f"{name}_gap": (structure.depth[container] - common).astype(float),
        f"{name}_below": (structure.depth[structure.block_element] - common).astype(float),
    }


def _overlap_with_title(characters: Characters, title: str) -> Columns:
    hashes = np.unique(hash_words(title)) if title else np.zeros(0, np.uint64)
    in_title = np.isin(characters.word_hash, hashes)
    matched = np.bincount(characters.word_text[in_title], minlength=len(characters.words))
    return {
        "title_overlap": matched / np.maximum(characters.words, 1),
        "title_cover": np.minimum(matched / max(len(hashes), 1), 1.0),
    }


def _headline(structure: Structure, own: Columns, before: Floats, overlap: Columns) -> Columns:
    at = _find_headline(own, overlap)
    n = len(before)
    is_first_rank = own["tag"] == _TAG_CODES["h1"]
    headings = np.cumsum(is_first_rank | (own["tag"] == _TAG_CODES["h2"])).astype(float)
    if at < 0:
        names = ("headline_gap", "headline_below", "after_headline", "words_since_headline", "has_headline")
        zeros = dict.fromkeys((*names, "headlines_since"), np.zeros(n))
        return {**overlap, **zeros, "headings_before": headings}
    return {
        **overlap,
        **_distance(structure, int(structure.block_element[at]), "headline"),
        "after_headline": np.clip(np.arange(n) - at, -50, 200).astype(float),
        "words_since_headline": before - before[at],
        "has_headline": np.ones(n),
        "headings_before": headings,
        "headlines_since": np.cumsum(is_first_rank & (np.arange(n) > at)).astype(float),
    }


def _find_headline(own: Columns, overlap: Columns) -> int:
    """The block that is most like the title, headings of rank 1 and 2 before others; -1 where none is like it."""
    rank = np.select([own["tag"] == _TAG_CODES["h1"], own["tag"] == _TAG_CODES["h2"]], [0.4, 0.2], 0.0)
    likeness = overlap["title_overlap"] * overlap["title_cover"]
    score = np.where(likeness + rank >= 0.4, likeness + rank, 0.0)
    best = int(np.argmax(score))
    return best if score[best] > 0 else -1


def _interval(own: Columns) -> Columns:
    gains = np.column_stack((-own["tags_before"], own["words"])).ravel().astype(int).tolist()
    start, end = best_interval(gains)
    first, last = start // 2, (end - 1) // 2
    index = np.arange(len(own["words"]))
    outside = np.maximum(first - index, index - last).clip(0)
    return {
        "in_interval": (outside == 0).astype(float) if end else np.zeros(len(index)),
        "interval_distance": outside / len(index),
    }


def _overlap_with_hints(characters: Characters, hints: Hints) -> Columns:
    n = len(characters.words)
    body = hash_words(hints.article_body) if hints.article_body else np.zeros(0, np.uint64)
    return {
        "description_overlap": _gram_overlap(characters, hash_words(hints.description), 2)
        if hints.description
        else np.zeros(n),
        "body_overlap": _gram_overlap(characters, body, 3) if len(body) else np.full(n, -1.0),
        "has_body": np.full(n, float(len(body))),
    }


def _gram_overlap(characters: Characters, other: NDArray[np.uint64], size: int) -> Floats:
    """Per text the share of its words that start a word n-gram of `size` which stands in `other` too.

    The n-grams of a text run on into the next one, so that short texts are judged with what follows them.
    """
    known = np.isin(_grams(characters.word_hash, size), _grams(other, size))
    matched = np.bincount(characters.word_text[: len(known)][known], minlength=len(characters.words))
    return matched / np.maximum(characters.words, 1)


def _grams(hashes: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    count = max(len(hashes) - size + 1, 0)
    grams = np.zeros(count, np.uint64)
    for place in range(size):
        grams = grams * np.uint64(0x100000001B3) + hashes[place : place + count]
    return grams
