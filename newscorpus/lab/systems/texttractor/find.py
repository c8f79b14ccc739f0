"""Label blocks by a neural network and revise its verdicts in four steps (Mrózek 2014).

26 features of the block and of both neighbours, each in 0..1, go into a multi-layer perceptron with one output in
-1..1. Two thresholds make it good, almost good or bad.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from newscorpus import code_points as kinds
from newscorpus.arrays import Floats, Integers, Matrix
from newscorpus.artifacts import Artifact
from newscorpus.config import Revision
from newscorpus.data import Block, LabelledBlock
from newscorpus.lab.systems.blocks import label_by_thresholds, neighbour_names, with_neighbours
from newscorpus.lab.systems.texttractor.network import run
from newscorpus.page.extractor import Reading
from newscorpus.page.text.features.characters import Characters, count_characters
from newscorpus.page.text.features.own import POSITIVE_INLINE
from newscorpus.page.text.features.structure import NAMES as CLASS_NAMES
from newscorpus.page.text.features.structure import read_structure
from newscorpus.page.text.post_analysis import MROZEK, revise
from newscorpus.tokens import count_words, words

MODEL: Final = "texttractor"
WEIGHTS: Final = "weights.npy"
"""The file of the network's weights, in one row."""
THRESHOLDS: Final = ("good_above", "almost_good_above")
"""The model's parameters: what the network's output must exceed."""

COUNTS: Final = (
    "letters words capitalised all_caps sentences links bars images positive_inline mean_word mean_sentence"
).split()
"""What is divided by the page's maximum."""
DENSITIES: Final = (
    "digit_density space_density image_density bar_density link_density all_caps_density "
    "long_word_density short_word_density"
).split()
"""What stays as it is; above 1 counts as 1."""
FLAGS: Final = "has_copyright has_angle positive_ancestor is_heading is_paragraph is_item position".split()
"""What is 0 or 1, and the index of the block divided by the number of blocks."""

FEATURES: Final = neighbour_names((*COUNTS, *DENSITIES, *FLAGS))
"""The 78 columns: the block's 26, then those of the block before, then those of the block after."""

_POSITIVE_KINDS = sum(1 << CLASS_NAMES.index(name) for name in ("article", "content", "main", "lead"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


class Texttractor:
    """Label blocks as `texttractor` does, by the network of `artifact`.

    `revision` may name other steps of post-analysis than the four, or none, and other thresholds than the model's.
    """

    def __init__(self, artifact: Artifact, revision: Revision = Revision()) -> None:
        self.weights = artifact.array(WEIGHTS)
        self.good_above, self.almost_above = map(artifact.parameter, THRESHOLDS)
        self.name = artifact.metadata.extractor
        self.revision = revision.or_else(Revision(MROZEK))

    def label(self, reading: Reading) -> tuple[LabelledBlock, ...]:
        """The blocks of what was read, with the final verdict on each; the score is the network's output."""
        if not reading.blocks:
            return ()
        output = run(self.weights, measure(reading.blocks))
        labelled = label_by_thresholds(output, reading.blocks, self.revision, self.good_above, self.almost_above)
        return revise(labelled, reading.head_title, self.revision.post_analysis or (), self.revision.config)


def measure(blocks: Sequence[Block]) -> Matrix:
    """The features of a page's `blocks`, of which there must be one: shape (blocks, 78), columns as in `FEATURES`."""
    characters = count_characters([block.text for block in blocks])
    counts = _counts(blocks, characters)
    columns = {
        **{name: _divide(values, values.max()) for name, values in counts.items()},
        **_densities(blocks, characters, counts),
        **_flags(blocks, characters),
    }
    own = np.stack([columns[name] for name in (*COUNTS, *DENSITIES, *FLAGS)], axis=1)
    return with_neighbours(np.minimum(own, 1).astype(np.float32))


def _divide(values: Floats | Integers, by: Floats | Integers) -> Floats:
    """The quotient; 1 where the denominator is zero."""
    return np.divide(values, by, out=np.ones(len(values)), where=np.broadcast_to(by != 0, len(values)))


def _counts(blocks: Sequence[Block], characters: Characters) -> dict[str, Floats]:
    """How much there is of each; the means are characters of a word and words of a sentence."""
    of_words = characters.words
    counts = {
        "letters": characters.letters,
        "words": of_words.count,
        "capitalised": of_words.capitalised,
        "all_caps": of_words.all_caps,  # words of two letters or more
        "sentences": characters.sentences,
        "links": [block.inline.count("a") for block in blocks],
        "bars": characters.count(kinds.BAR),
        "images": [block.inline.count("img") for block in blocks],
        "positive_inline": [sum(map(POSITIVE_INLINE.__contains__, block.inline)) for block in blocks],  # cite, code
    }
    whole = {name: np.asarray(values, np.float64) for name, values in counts.items()}
    mean_word = _divide(of_words.characters, whole["words"])
    return {**whole, "mean_word": mean_word, "mean_sentence": _divide(whole["words"], whole["sentences"])}


def _densities(blocks: Sequence[Block], characters: Characters, counts: Mapping[str, Floats]) -> dict[str, Floats]:
    """Of the characters or words; all-caps words of those with lower-case letters, long ones above the block's mean."""
    length, n_words = characters.length, counts["words"]
    with_lower = np.array([sum(word != word.upper() for word in words(block.text)) for block in blocks])
    return {
        "digit_density": _divide(characters.count(kinds.DIGIT), length),
        "space_density": _divide(characters.spaces, length),
        "image_density": _divide(counts["images"], n_words),
        "bar_density": _divide(counts["bars"], n_words),
        "link_density": _divide(np.array([count_words(block.link_text) for block in blocks]), n_words),
        "all_caps_density": _divide(counts["all_caps"], with_lower),
        "long_word_density": _divide(characters.words.long, n_words),
        "short_word_density": _divide(characters.words.short, n_words),  # up to three characters
    }


def _flags(blocks: Sequence[Block], characters: Characters) -> dict[str, Floats]:
    """A positive ancestor is the element or one around it whose class or id speaks of an article or its content."""
    structure = read_structure(blocks)
    tags = np.array([block.tag for block in blocks])
    flags = {
        "has_copyright": characters.count(kinds.COPYRIGHT) > 0,
        "has_angle": characters.count(kinds.ANGLE) > 0,
        "positive_ancestor": structure.all_kinds[structure.block_element] & _POSITIVE_KINDS != 0,
        "is_heading": np.isin(tags, _HEADINGS),
        "is_paragraph": tags == "p",
        "is_item": tags == "li",
        "position": np.arange(len(blocks)) / len(blocks),
    }
    return {name: values.astype(np.float64) for name, values in flags.items()}
