"""Train the default model of main text: one command from the pages with gold text to the folder in `models/`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newscorpus.artifacts import Metadata, save_artifact
from newscorpus.evaluation.scores import ngram_scores
from newscorpus.extraction.classify import FIRST, SECOND, add_context, label_by
from newscorpus.extraction.extractor import good_paragraphs
from newscorpus.extraction.main_text import INPUTS, MODEL
from newscorpus.extraction.post_analysis import revise
from newscorpus.extraction.verdict import ARTICLE, read_signs, verdict_parameters
from newscorpus.gold.pages import read_pages
from newscorpus.learning.block_learner import BlockLearner, train_on_gold
from newscorpus.learning.boosting import Boosting, fit, out_of_fold
from newscorpus.learning.card import model_card
from newscorpus.learning.examples import LICENCES, SET_WEIGHTS, Example, make_example
from newscorpus.learning.learned_fields import train_learned_fields
from newscorpus.learning.onnx import trees_to_onnx
from newscorpus.learning.sources import Progress, describe_data, describe_versions, training_files
from newscorpus.learning.verdicts import JudgedPage, check_verdict, learn_article, learn_confidence
from newscorpus.published.node_svm.train import train_node_svm
from newscorpus.published.paragraph_svm.train import PARAGRAPH_SVM
from newscorpus.published.segment_systems import train as segment_systems
from newscorpus.published.shallow_tree.train import SHALLOW_TREE
from newscorpus.published.texttractor.train import TEXTTRACTOR

Floats = NDArray[np.float64]

FOLDS = 4
MODEL_VERSION = "2"
PACKAGES = ("lightgbm", "numpy", "scikit-learn")

LEAST_FIT = 0.8
"""Pages on which a perfect choice of blocks stays below this F1 are left out: their gold is of another page."""

PASSES = (Boosting(rounds=100, learning_rate=0.15, leaves=16), Boosting())
"""How the trees of the two passes grow. The first sees every block: larger trees there only cost time."""

LEAST_ARTICLE = 0.15
"""A page less probable to hold an article is rejected; low, because a lost article costs more than a kept listing."""


def train(data: Path, output: Path, progress: Progress, passes: tuple[Boosting, Boosting] = PASSES) -> Metadata:
    """Train on the train split of the sets in `data` whose licence allows it, and write the model to `output`.

    The same data give the same model. `progress` is told each step.

    Raises:
        TrainingError: a set is missing from `data`.
    """
    examples = _examples(list(training_files(data).values()), progress)
    matrices = [example.features.matrix for example in examples]
    first_seen = out_of_fold(examples, matrices, passes[0], FOLDS, lambda: progress("first pass, one fold more"))
    first = fit(examples, matrices, passes[0])
    progress("first pass, all pages")
    joined = [add_context(example.features, p) for example, p in zip(examples, first_seen, strict=True)]
    second_seen = out_of_fold(examples, joined, passes[1], FOLDS, lambda: progress("second pass, one fold more"))
    second = fit(examples, joined, passes[1])
    progress("second pass, all pages")
    judged = [_judge(example, p) for example, p in zip(examples, second_seen, strict=True)]
    metadata = Metadata(
        name=MODEL,
        version=MODEL_VERSION,
        features=INPUTS,
        parameters={**verdict_parameters(learn_confidence(judged), LEAST_ARTICLE)},
        files={},
        versions=describe_versions(PACKAGES),
        data=describe_data(data, Counter(example.page.dataset for example in examples)),
        scores={**_scores(examples, judged), "verdict": check_verdict(judged, LEAST_ARTICLE)},
    )
    weights = {
        FIRST: trees_to_onnx(first),
        SECOND: trees_to_onnx(second),
        ARTICLE: trees_to_onnx(learn_article(judged)),
    }
    save_artifact(output, metadata, weights, model_card(metadata, passes))
    return metadata


def _examples(files: Sequence[Path], progress: Progress) -> list[Example]:
    examples = []
    for file in files:
        pages = (page for page in read_pages(file) if page.split == "train")
        examples += [example for example in map(make_example, pages) if example and _fits(example)]
        progress(f"{file.name} read")
    return examples


def _fits(example: Example) -> bool:
    chosen = [block.text for block, good in zip(example.blocks, example.good, strict=True) if good > 0.5]
    return ngram_scores("\n".join(chosen), example.page.text).f1 > LEAST_FIT


def _judge(example: Example, probability: Floats) -> JudgedPage:
    fields = example.fields
    labelled = revise(label_by(probability, example.features, example.blocks), fields.title)
    text = "\n".join(good_paragraphs(labelled))
    return JudgedPage(
        signs=read_signs(labelled, example.features, fields, example.page.url),
        f1=ngram_scores(text, example.page.text).f1,
        page_type=example.page.page_type,
        site=example.page.domain or example.page.id,
        weight=SET_WEIGHTS[example.page.dataset],
    )


def _scores(examples: Sequence[Example], judged: Sequence[JudgedPage]) -> dict[str, dict[str, float]]:
    """Mean F1 by set, out of fold: every page judged by trees that saw no page of its site."""
    scores = {}
    for dataset in LICENCES:
        f1 = [
            page.f1
            for example, page in zip(examples, judged, strict=True)
            if example.page.dataset == dataset and page.is_article
        ]
        scores[dataset] = {"pages": float(len(f1)), "page_f1": round(float(np.mean(f1)), 4) if f1 else 0.0}
    return scores


BLOCK_LEARNERS: Mapping[str, BlockLearner] = {
    learner.name: learner for learner in (TEXTTRACTOR, SHALLOW_TREE, PARAGRAPH_SVM)
}
"""The published systems that decide block by block, by name."""

Trainer = Callable[[Path, Path, Progress], Metadata]
"""From the pages to learn from and the folder of the model to its metadata."""

TRAINERS: Mapping[str, Trainer] = {
    MODEL: train,
    **{name: partial(train_on_gold, learner) for name, learner in BLOCK_LEARNERS.items()},
    "segment-svm": segment_systems.train_segment_svm,
    "hybrid-section": segment_systems.train_hybrid_section,
    "hybrid-document": segment_systems.train_hybrid_document,
    "node-svm": train_node_svm,
    "learned-fields": train_learned_fields,
}
"""The models that can be trained, by name."""
