"""The models that can be trained, and how."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from newscorpus.lab.gold.pages import FIELD_LICENCES, LICENCES, TEXT_LICENCES
from newscorpus.lab.systems.node_svm import MODEL as NODE_SVM
from newscorpus.lab.training import segment_systems
from newscorpus.lab.training.block_learner import BlockLearner, train
from newscorpus.lab.training.block_systems import PARAGRAPH_SVM, SHALLOW_TREE, TEXTTRACTOR
from newscorpus.lab.training.learned_fields import train_learned_fields
from newscorpus.lab.training.letters import train_letters
from newscorpus.lab.training.main_text import train_main_text
from newscorpus.lab.training.model import Train
from newscorpus.lab.training.node_svm import train_node_svm
from newscorpus.lab.training.own import train_own_trees
from newscorpus.lab.training.site_review import train_site_review
from newscorpus.model_folders import FIELDS_MODEL, LETTERS_MODEL, REVIEW_MODEL, Metadata
from newscorpus.page.text.main_text import MODEL as MAIN_TEXT

BLOCK_LEARNERS: Mapping[str, BlockLearner] = {
    learner.name: learner for learner in (TEXTTRACTOR, SHALLOW_TREE, PARAGRAPH_SVM)
}
"""The published systems that decide block by block, by name."""


@dataclass(frozen=True, slots=True)
class Trainer:
    """How one model is trained."""

    train: Train  # on the sets of gold pages
    licences: Mapping[str, str]  # the sets that the shipped model is trained on, with their licences
    train_own: Train | None = None  # on the user's own pages; None: like `train`
    start_from: Train | None = None  # on the user's own pages, starting from the shipped model; None: impossible
    learns_own: bool = True  # whether the user's own pages can be used


TRAINERS: Mapping[str, Trainer] = {
    MAIN_TEXT: Trainer(
        train_main_text, TEXT_LICENCES, partial(train_own_trees, start=False), partial(train_own_trees, start=True)
    ),
    **{name: Trainer(partial(train, learner), LICENCES) for name, learner in BLOCK_LEARNERS.items()},
    **{name: Trainer(partial(segment_systems.train, name), LICENCES) for name in segment_systems.ABOUT},
    NODE_SVM: Trainer(train_node_svm, LICENCES),
    FIELDS_MODEL: Trainer(train_learned_fields, FIELD_LICENCES, start_from=partial(train_learned_fields, start=True)),
    REVIEW_MODEL: Trainer(train_site_review, TEXT_LICENCES, learns_own=False),
}

WITHOUT_PAGES: Mapping[str, Callable[[Path], Metadata]] = {LETTERS_MODEL: train_letters}
"""Functions that train a model without gold pages, write it to a folder, and return its metadata."""
