"""Name the models that can be trained, and how."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from newscorpus.artifacts import Metadata
from newscorpus.corpus.quality.letters import MODEL as LETTERS
from newscorpus.extraction.main_text import MODEL
from newscorpus.learning.block_learner import BlockLearner, train_on_gold
from newscorpus.learning.learned_fields import train_learned_fields
from newscorpus.learning.letters import train_letters
from newscorpus.learning.main_text import train_main_text
from newscorpus.learning.sources import Progress
from newscorpus.published.node_svm.train import train_node_svm
from newscorpus.published.paragraph_svm.train import PARAGRAPH_SVM
from newscorpus.published.segment_systems import train as segment_systems
from newscorpus.published.shallow_tree.train import SHALLOW_TREE
from newscorpus.published.texttractor.train import TEXTTRACTOR

BLOCK_LEARNERS: Mapping[str, BlockLearner] = {
    learner.name: learner for learner in (TEXTTRACTOR, SHALLOW_TREE, PARAGRAPH_SVM)
}
"""The published systems that decide block by block, by name."""

Trainer = Callable[[Path, Path, Progress], Metadata]
"""From the folder of the pages to learn from and the folder of the model to its metadata."""

TRAINERS: Mapping[str, Trainer] = {
    MODEL: train_main_text,
    **{name: partial(train_on_gold, learner) for name, learner in BLOCK_LEARNERS.items()},
    **{name: partial(segment_systems.train, name) for name in segment_systems.ABOUT},
    "node-svm": train_node_svm,
    "learned-fields": train_learned_fields,
}

WITHOUT_PAGES: Mapping[str, Callable[[Path], Metadata]] = {LETTERS: train_letters}
"""The models that are made without pages, from the folder of the model to its metadata."""
