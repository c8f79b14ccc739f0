"""Train the default model of main text: boosted trees in two passes over the blocks, and a verdict on the page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from newscorpus.arrays import Floats
from newscorpus.artifacts import Metadata
from newscorpus.evaluation.scores import ngram_scores
from newscorpus.extraction.classify import COLUMNS, FIRST, SECOND, add_context, label_by
from newscorpus.extraction.extractor import good_paragraphs
from newscorpus.extraction.main_text import INPUTS, MODEL
from newscorpus.extraction.post_analysis import revise
from newscorpus.extraction.verdict import ARTICLE, SIGNS, read_signs, verdict_parameters
from newscorpus.gold.conventions import LICENCES, SET_WEIGHTS
from newscorpus.learning.boosting import Boosting, fit, out_of_fold
from newscorpus.learning.examples import Example, make_example
from newscorpus.learning.model import TrainedModel
from newscorpus.learning.onnx import trees_to_onnx
from newscorpus.learning.sources import Progress, describe_data, training_pages
from newscorpus.learning.verdicts import (
    GradedPage,
    check_verdict,
    choose_min_confidence,
    learn_article,
    learn_confidence,
)

FOLDS = 4
MODEL_VERSION = "2"
PACKAGES = ("lightgbm", "numpy", "scikit-learn")

LEAST_FIT = 0.8
"""Pages on which a perfect choice of blocks stays below this F1 are left out: their gold is of another page."""

PASSES = (Boosting(rounds=100, learning_rate=0.15, leaves=16), Boosting())
"""How the trees of the two passes grow. The first sees every block: larger trees there only cost time."""

LEAST_ARTICLE = 0.15
"""A page less probable to hold an article is rejected; low, because a lost article costs more than a kept listing."""

ABOUT = (
    "Tells the main text of a news page from the rest of it, block by block: boosted trees over "
    f"{len(COLUMNS)} columns in two passes, of which the second also sees what the first said of the blocks around. "
    f"The page is judged by {len(SIGNS)} signs: a logistic model says how far the text can be trusted, shallow trees "
    "whether there is an article."
)
USE = '`newscorpus extract PAGE`, or `newscorpus.published.registry.load("{name}")`.'
MEASURE = (
    "Mean page F1 over word 4-grams, each page judged by trees that saw no page of its site. Figures on the "
    "development split, beside the peers, are in `docs/evaluation.md`. The verdict, cross-validated by site: "
    "`share_sure` is the share of texts given a confidence above 0.9, `share_right_above_0.9` the share of these that "
    "score above 0.9 F1, `calibration_error` the expected calibration error. Of the pages rejected as no article "
    "`rejection_precision` are none, of those that are none `rejection_recall` are rejected; `articles_lost` is the "
    "share of the articles that are rejected."
)
LIMITS = (
    "Trained mostly on English pages, with German, Russian, Polish, Greek, Chinese and some twenty languages in small "
    "numbers. Captions, bylines, dates, tags, related links and comments are meant to be left out; where a page's "
    "markup does not tell them from the text, they may stay in. Pages that build their text by script hold none for it "
    "to find."
)


def train_main_text(
    data: Path, output: Path, progress: Progress, passes: tuple[Boosting, Boosting] = PASSES
) -> Metadata:
    """Train on the train split of the sets in `data` whose licence allows it, and write the model to `output`.

    The same data give the same model. `progress` is called at each step.

    Raises:
        TrainingError: a set is missing from `data`.
    """
    made = map(make_example, training_pages(data, progress))
    examples = [example for example in made if example and _fits(example)]
    matrices = [example.features.matrix for example in examples]
    first_seen = out_of_fold(examples, matrices, passes[0], FOLDS, lambda: progress("first pass, one fold more"))
    first = fit(examples, matrices, passes[0])
    progress("first pass, all pages")
    joined = [add_context(example.features, p) for example, p in zip(examples, first_seen, strict=True)]
    second_seen = out_of_fold(examples, joined, passes[1], FOLDS, lambda: progress("second pass, one fold more"))
    second = fit(examples, joined, passes[1])
    progress("second pass, all pages")
    judged = [_judge(example, p) for example, p in zip(examples, second_seen, strict=True)]
    trees = {FIRST: first, SECOND: second, ARTICLE: learn_article(judged)}
    model = TrainedModel(
        name=MODEL,
        version=MODEL_VERSION,
        features=INPUTS,
        parameters=verdict_parameters(learn_confidence(judged), LEAST_ARTICLE, choose_min_confidence(judged)),
        weights={file: trees_to_onnx(booster) for file, booster in trees.items()},
        packages=PACKAGES,
        data=describe_data(data, Counter(example.page.dataset for example in examples)),
        scores={**_scores(examples, judged), "verdict": check_verdict(judged, LEAST_ARTICLE)},
        about=ABOUT,
        source="The train split of these sets.",
        how="\n".join(f"- Pass {number}: {_settings(boosting)}" for number, boosting in enumerate(passes, 1)),
        measure=MEASURE,
        use=USE,
        limits=LIMITS,
    )
    return model.save(output)


def _fits(example: Example) -> bool:
    chosen = [block.text for block, good in zip(example.blocks, example.good, strict=True) if good > 0.5]
    return ngram_scores("\n".join(chosen), example.page.text).f1 > LEAST_FIT


def _judge(example: Example, probability: Floats) -> GradedPage:
    fields = example.fields
    labelled = revise(label_by(probability, example.features, example.blocks), fields.title)
    text = "\n".join(good_paragraphs(labelled))
    return GradedPage(
        signs=read_signs(labelled, example.features, fields, example.page.url),
        f1=ngram_scores(text, example.page.text).f1,
        page_type=example.page.page_type,
        site=example.page.site,
        weight=SET_WEIGHTS[example.page.dataset],
    )


def _scores(examples: Sequence[Example], judged: Sequence[GradedPage]) -> dict[str, dict[str, float]]:
    """Mean F1 by set, out of fold: every page judged by trees that saw no page of its site."""
    scores = {}
    for dataset in LICENCES:
        pages = zip(examples, judged, strict=True)
        f1 = [page.f1 for example, page in pages if example.page.dataset == dataset and page.is_article]
        scores[dataset] = {"pages": float(len(f1)), "page_f1": round(float(np.mean(f1)), 4) if f1 else 0.0}
    return scores


def _settings(boosting: Boosting) -> str:
    return ", ".join(f"{name} {value}" for name, value in asdict(boosting).items() if name != "threads")
