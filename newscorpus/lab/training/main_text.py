"""Train the default model of main text: boosted trees in two passes over the blocks, and a verdict on the page."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import lightgbm
import numpy as np

from newscorpus.artifacts import Artifact
from newscorpus.data import Page
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.lab.gold.pages import SET_WEIGHTS, TEXT_LICENCES, GoldPage, has_article
from newscorpus.lab.training.boosting import Boosting, Example, fit, make_example, out_of_fold
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.onnx import trees_to_onnx
from newscorpus.lab.training.sources import Progress, TrainingPages, fold_of
from newscorpus.lab.training.verdicts import (
    GradedPage,
    OtherText,
    check_second_opinion,
    check_verdict,
    find_unsure,
    learn_arbiter,
    learn_article,
    learn_confidence,
)
from newscorpus.model_folders import Metadata
from newscorpus.page.extractor import WHOLE, PreparedPage, good_paragraphs, read
from newscorpus.page.text.classify import COLUMNS, FIRST, SECOND, add_context, label_by
from newscorpus.page.text.main_text import INPUTS, MODEL
from newscorpus.page.text.post_analysis import revise
from newscorpus.page.text.second_opinion import other_text, read_pair
from newscorpus.page.text.verdict import (
    ARTICLE_TREES,
    SIGNS,
    STRUCTURE,
    STRUCTURE_TREES,
    logistic_parameters,
    read_signs,
)

FOLDS = 4
MODEL_VERSION = "3"
PACKAGES = ("lightgbm", "numpy", "scikit-learn")

LEAST_FIT = 0.8
"""Pages where a perfect choice of blocks has a lower F1 are left out: their gold belongs to another page."""

PASSES = (Boosting(rounds=100, learning_rate=0.15, leaves=16), Boosting())
"""Parameters of the trees of the two passes; larger trees in the first pass only cost time."""

ABOUT = (
    "Tells the main text of a news page from the rest of it, block by block: boosted trees over "
    f"{len(COLUMNS)} columns in two passes, of which the second also sees what the first said of the blocks around. "
    f"The page is judged by {len(SIGNS)} signs: a logistic model says how far the text can be trusted, shallow trees "
    "whether there is an article. Where the text is doubtful, trafilatura is asked too, and two logistic models decide "
    "between the texts."
)
USE = '`newscorpus extract PAGE`, or `newscorpus.load_extractor("{name}")`.'
MEASURE = (
    "Mean page F1 over word 4-grams, each page judged by trees that saw no page of its site. Figures on the "
    "development split, beside the peers, are in `docs/evaluation.md`. The verdict, cross-validated by site: "
    "`share_sure` is the share of texts given a confidence above 0.9, `share_right_above_0.9` the share of these that "
    "score above 0.9 F1, `calibration_error` the expected calibration error. Of the pages rejected as no article "
    "`rejection_precision` are none, of those that are none `rejection_recall` are rejected; `articles_lost` is the "
    "share of the articles that are rejected. The second opinion, in the same way: `share_asked` is the share of the "
    "articles on which trafilatura is asked, `share_changed` that on which its text is taken."
)
LIMITS = (
    "Trained mostly on English pages, with German, Russian, Polish, Greek, Chinese and some twenty languages in small "
    "numbers. Captions, bylines, dates, tags, related links and comments are meant to be left out; where a page's "
    "markup does not tell them from the text, they may stay in. Pages that build their text by script hold none for it "
    "to find."
)

Passes = tuple[lightgbm.Booster, lightgbm.Booster]
"""The trees of the first pass and of the second."""


@dataclass(frozen=True, slots=True)
class LearnedTrees:
    """The trees of both passes, and their out-of-fold results on the training pages."""

    whole: Passes  # grown on all pages
    folds: tuple[Passes, ...]  # per fold, grown on the pages of the other folds
    judged: tuple[GradedPage, ...]  # all pages, out of fold by site

    def model_without(self, fold: int) -> Artifact:
        """Return the model that saw no page of the sites of `fold`."""
        return learn_model(self.folds[fold], [page for page in self.judged if fold_of(page.site, FOLDS) != fold])


def train_main_text(
    source: TrainingPages, progress: Progress, passes: tuple[Boosting, Boosting] = PASSES
) -> TrainedModel:
    """Train on the pages of `source`; the same pages give the same model."""
    examples = read_examples(source.pages)
    trees = learn_trees(examples, progress, passes)
    learned = learn_model(trees.whole, trees.judged)
    scores = {}
    for dataset in TEXT_LICENCES:
        pages = zip(examples, trees.judged, strict=True)
        f1 = [page.f1 for example, page in pages if example.page.dataset == dataset and page.is_article]
        scores[dataset] = {"pages": float(len(f1)), "page_f1": float(np.mean(f1)) if f1 else 0.0}
    settings_of_passes = [
        ", ".join(f"{name} {value}" for name, value in asdict(boosting).items() if name != "threads")
        for boosting in passes
    ]
    return TrainedModel(
        name=MODEL,
        version=MODEL_VERSION,
        features=INPUTS,
        parameters=learned.metadata.parameters,
        weights=learned.weights,
        packages=PACKAGES,
        data=source.describe(Counter(example.page.dataset for example in examples)),
        scores={
            **scores,
            "verdict": check_verdict(trees.judged),
            "second opinion": check_second_opinion(trees.judged),
        },
        about=ABOUT,
        source="The train split of these sets.",
        how="\n".join(f"- Pass {number}: {settings}" for number, settings in enumerate(settings_of_passes, 1)),
        measure=MEASURE,
        use=USE,
        limits=LIMITS,
    )


def read_examples(pages: Iterable[GoldPage]) -> list[Example]:
    """Make the training examples of `pages`.

    If the gold of a page without an article does not fit its blocks, these get no weight; only the verdict uses it.
    """
    examples = []
    for example in filter(None, map(make_example, pages)):
        if fits(example):
            examples.append(example)
        elif not has_article(example.page.page_type):
            examples.append(replace(example, weight=np.zeros(len(example.blocks))))
    return examples


def learn_trees(
    examples: Sequence[Example], progress: Progress, passes: tuple[Boosting, Boosting] = PASSES
) -> LearnedTrees:
    """Grow the trees of both passes on all `examples`, and without each fold of sites."""
    matrices = [example.features.matrix for example in examples]
    firsts, seen = out_of_fold(examples, matrices, passes[0], FOLDS, lambda: progress("first pass, one fold more"))
    first = fit(examples, matrices, passes[0])
    progress("first pass, all pages")
    joined = [add_context(example.features, p) for example, p in zip(examples, seen, strict=True)]
    seconds, seen = out_of_fold(examples, joined, passes[1], FOLDS, lambda: progress("second pass, one fold more"))
    second = fit(examples, joined, passes[1])
    progress("second pass, all pages")
    labels = [
        revise(label_by(probability, example.features, example.blocks), example.fields.title)
        for example, probability in zip(examples, seen, strict=True)
    ]
    graded = [
        GradedPage(
            signs=read_signs(labelled, example.features, example.fields, example.page.url),
            f1=ngram_scores("\n".join(good_paragraphs(labelled)), example.page.text).f1,
            page_type=example.page.page_type,
            site=example.page.site,
            weight=SET_WEIGHTS[example.page.dataset],
        )
        for example, labelled in zip(examples, labels, strict=True)
    ]
    for at, confidence in find_unsure(graded).items():
        example, labelled, page = examples[at], labels[at], graded[at]
        prepared = read(Page.from_html(example.page.html, example.page.url), options=WHOLE)
        other = other_text(prepared) if isinstance(prepared, PreparedPage) else []
        signs = read_pair(page.signs, confidence, labelled, good_paragraphs(labelled), other)
        graded[at] = replace(page, other=OtherText(signs, ngram_scores("\n".join(other), example.page.text).f1))
    progress("second opinions asked")
    return LearnedTrees((first, second), tuple(zip(firsts, seconds, strict=True)), tuple(graded))


def learn_model(passes: Passes, judged: Sequence[GradedPage]) -> Artifact:
    """Make a model of the trees of both passes and a verdict on pages learned from `judged`."""
    files = (FIRST, SECOND, ARTICLE_TREES, STRUCTURE_TREES)
    trees = zip(files, (*passes, learn_article(judged), learn_article(judged, STRUCTURE)), strict=True)
    arbiter = learn_arbiter(judged)
    parameters: dict[str, float | list[float]] = {
        **logistic_parameters("confidence", learn_confidence(judged)),
        **logistic_parameters("own", arbiter.own),
        **logistic_parameters("other", arbiter.other),
    }
    metadata = Metadata(MODEL, MODEL_VERSION, INPUTS, parameters, {}, {}, {}, {})
    return Artifact(metadata, {file: trees_to_onnx(booster) for file, booster in trees})


def fits(example: Example) -> bool:
    """Tell whether a perfect choice of blocks is close to the gold text."""
    chosen = [block.text for block, good in zip(example.blocks, example.good, strict=True) if good > 0.5]
    return ngram_scores("\n".join(chosen), example.page.text).f1 > LEAST_FIT
