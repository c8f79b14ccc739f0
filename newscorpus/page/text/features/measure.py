"""Measure all features of a page's blocks in one matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Integers, Matrix
from newscorpus.data import Block
from newscorpus.page.text.features.characters import count_characters
from newscorpus.page.text.features.names import FEATURES, NEIGHBOURS, OF_NEIGHBOURS, OWN, PLACE, SAYS
from newscorpus.page.text.features.own import measure_own, read_amounts
from newscorpus.page.text.features.phrases import measure_phrases
from newscorpus.page.text.features.place import measure_headline, measure_order, measure_tree
from newscorpus.page.text.features.structure import DATA_NAMES, SEMANTIC_NAMES, Structure, read_structure
from newscorpus.page.text.features.structure import NAMES as CLASS_NAMES
from newscorpus.page.text.features.wording import measure_hints, measure_repetition, overlap_with_title

_REPEATED: Final = [tuple(OWN).index(name) for name in OF_NEIGHBOURS]


@dataclass(frozen=True, slots=True)
class Hints:
    """What the head of a page says of its article; "" where it says nothing."""

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
    """The features of `blocks`, those of a page in document order; there must be at least one."""
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
    at = _write_kinds(table, len(OWN) + len(PLACE) + len(SAYS), structure)
    _write_neighbours(table, at)
    matrix = np.ascontiguousarray(table.T)
    return PageFeatures(matrix, structure.block_parent, structure.path[structure.block_element])


def _write_kinds(table: Matrix, at: int, structure: Structure) -> int:
    """Write what the names of the elements around the blocks say, from row `at` on; the first row behind it."""
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
    return at


def _write_neighbours(table: Matrix, at: int) -> None:
    """Write the features of the neighbours, from row `at` on; -1 where there is no neighbour."""
    repeated = table[_REPEATED]
    for offset in NEIGHBOURS:
        target = table[at : at + len(_REPEATED)]
        target[:] = -1
        if offset < 0:
            target[:, -offset:] = repeated[:, :offset]
        else:
            target[:, :-offset] = repeated[:, offset:]
        at += len(_REPEATED)
