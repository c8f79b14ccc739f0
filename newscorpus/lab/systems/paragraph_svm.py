"""Reproduce the paragraph SVM (Novotný 2016, Plzeň): a linear support vector machine decides on each `<p>`.

Published, on 82,538 pages of four Czech sites: F1 0.872 (Boilerpipe 0.854), 58.62 words to edit a page (78.97). To
reproduce: `python -m benchmarks.reproduce DATA --only paragraph_svm`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from newscorpus import code_points as kinds
from newscorpus.arrays import Floats, Integers, Matrix
from newscorpus.artifacts import Artifact, Scorer, load_artifact
from newscorpus.config import Revision
from newscorpus.data import Block
from newscorpus.lab.systems.blocks import BlockSystem, keep_good
from newscorpus.page.extractor import PreparedPage, SystemExtractor
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.features.characters import count_characters
from newscorpus.page.text.features.structure import NAMES as CLASS_NAMES
from newscorpus.page.text.features.structure import read_structure

MODEL: Final = "paragraph-svm"

FEATURES: Final[Mapping[str, str]] = {
    "numbers": "numbers: runs of digits (published)",
    "words": "words (published)",
    "position": "index, of the page's paragraphs (published)",
    "sentences": "marks that end a sentence",
    "commas": "commas",
    "link_density": "characters inside links, of the characters",
    "capitalised": "words that start in upper case, of the words",
    "ends_sentence": "the last character ends a sentence",
    "words_before": "words of the paragraph before",
    "words_after": "words of the paragraph after",
    "words_beside": "words of all paragraphs with the same parent, of the page's",
    "positive_ancestor": "class or id of the element or of one around it speaks of an article or its content",
    "negative_ancestor": "class or id of the element or one of the two around it speaks of comments, links, forms",
}
"""Features of a paragraph, each in 0..1: counts n as log(1 + n) / log(1 + 200), at most 1."""

MANY: Final = 200
"""The count whose feature is 1; few paragraphs have more words."""

_NUMBER = re.compile(r"\d+")
_POSITIVE, _NEGATIVE = (
    sum(1 << CLASS_NAMES.index(name) for name in names.split())
    for names in (
        "article content main lead",
        "comment navigation related share advert caption footer sidebar subscribe prompt form",
    )
)


def make_system(artifact: Artifact, revision: Revision = Revision()) -> BlockSystem:
    """Make the system of a trained machine; the score of a paragraph is its margin."""
    machine = Scorer(artifact)
    return BlockSystem(machine.name, paragraphs, lambda blocks: machine(measure(blocks))[:, 1], revision, good_above=0)


def load(name: str, template: TemplateRules | None, model: str, revision: Revision) -> SystemExtractor:
    """Load the system with the shipped model or another."""
    artifact = load_artifact(model or name, tuple(FEATURES))
    return keep_good(make_system(artifact, revision), template, "<p> with text")


def paragraphs(prepared: PreparedPage) -> tuple[Block, ...]:
    """Return the `<p>` blocks of a parsed page."""
    return tuple(block for block in prepared.blocks if block.tag == "p")


def measure(blocks: Sequence[Block]) -> Matrix:
    """Return the features of a page's paragraphs (at least one): shape (paragraphs, 13)."""
    characters = count_characters([block.text for block in blocks])
    structure = read_structure(blocks)
    n_words = characters.words.count
    kinds_near, kinds_around = (
        kinds_of[structure.block_element] for kinds_of in (structure.near_kinds, structure.all_kinds)
    )
    beside = np.bincount(structure.block_parent, weights=n_words)[structure.block_parent]
    columns = {
        "numbers": _of_many(np.array([len(_NUMBER.findall(block.text)) for block in blocks])),
        "words": _of_many(n_words),
        "position": np.arange(len(blocks)) / len(blocks),
        "sentences": _of_many(characters.sentences),
        "commas": _of_many(characters.count(kinds.COMMA)),
        "link_density": np.array([len(block.link_text) for block in blocks]) / characters.length,
        "capitalised": characters.words.capitalised / np.maximum(n_words, 1),
        "ends_sentence": characters.last_kinds & kinds.TERMINAL != 0,
        "words_before": _of_many(np.append(0, n_words[:-1])),
        "words_after": _of_many(np.append(n_words[1:], 0)),
        "words_beside": beside / max(n_words.sum(), 1),
        "positive_ancestor": kinds_around & _POSITIVE != 0,
        "negative_ancestor": kinds_near & _NEGATIVE != 0,
    }
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)


def _of_many(counts: Integers) -> Floats:
    shares: Floats = np.minimum(np.log1p(counts) / np.log1p(MANY), 1)
    return shares
