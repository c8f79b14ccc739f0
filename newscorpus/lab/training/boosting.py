"""Grow boosted trees over the blocks of many pages: weights, folds, fits and out-of-fold probabilities."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import lightgbm
import numpy as np

from newscorpus.arrays import Flags, Floats, Matrix
from newscorpus.data import Block, Element, Fields, Page, Rejected
from newscorpus.lab.gold.align import align
from newscorpus.lab.gold.pages import LISTS_MISSING, SET_WEIGHTS, GoldPage, has_article
from newscorpus.lab.training.sources import fold_of
from newscorpus.page.extractor import WHOLE, read
from newscorpus.page.text.features import FEATURES, Hints, PageFeatures, measure
from newscorpus.tokens import count_words

MAX_CAPTION_WORDS = 60
"""An element whose class names pictures is no caption if it has more words."""

_WORDS, _CAPTION, _CAPTION_CLASS = (
    tuple(FEATURES).index(name) for name in ("words", "in_figcaption", "own_class_caption")
)

OTHER_PAGE_WEIGHT = 0.5
"""Weight of a page without an article relative to an article."""

SHORT_WORDS, SHORT_WEIGHT = 120, 2.0
"""Weight of an article of fewer words relative to a longer one. Out of fold over eight sets the page F1 of short ones
rises by 0.023, that of the others stays (2026-11)."""

NEAR_GOOD = 8
"""Blocks before and after a good one that are always used in training."""

FAR_SHARE = 0.3
"""Sampled share of the other blocks, most of which are easy; the sample is weighted to represent all."""


@dataclass(frozen=True, slots=True)
class Example:
    """A page to learn from, with its blocks, fields and features."""

    page: GoldPage
    blocks: tuple[Block, ...]
    fields: Fields
    features: PageFeatures
    good: Floats  # share of each block that is main text, 0..1
    weight: Floats  # confidence in that label, 0..1


def make_example(page: GoldPage) -> Example | None:
    """Make the training example of `page`; None if it cannot be parsed or has no blocks."""
    prepared = read(Page.from_html(page.html, page.url), options=WHOLE)
    if isinstance(prepared, Rejected) or not prepared.blocks:
        return None
    fields = prepared.fields
    features = measure(prepared.blocks, Hints(fields.title, fields.description, prepared.article_body))
    labels = align(prepared.blocks, page.text, page.title or fields.title)
    good, weight = labels.good.copy(), labels.weight.copy()
    matrix = features.matrix
    # Per block the words of all blocks of its element: an article cut by `<br>` is one element of short blocks
    words: Counter[Element] = Counter()
    for block, number in zip(prepared.blocks, matrix[:, _WORDS].tolist(), strict=True):
        words[block.element] += number
    in_box = (matrix[:, _CAPTION_CLASS] > 0) & (
        np.array([words[block.element] for block in prepared.blocks]) < MAX_CAPTION_WORDS
    )
    good[(matrix[:, _CAPTION] > 0) | in_box] = 0.0  # captions are not main text here, whatever a set's gold holds
    if page.dataset in LISTS_MISSING:
        kept = np.flatnonzero(good > 0.5)
        amid: Flags = np.zeros(len(prepared.blocks), bool)
        if len(kept):
            amid[kept[0] : kept[-1]] = True
        weight[np.asarray(amid & (good < 0.5) & [block.tag == "li" for block in prepared.blocks])] = 0.0
    return Example(page, prepared.blocks, fields, features, good, weight)


@dataclass(frozen=True, slots=True)
class Boosting:
    """Parameters of the trees."""

    rounds: int = 400  # number of trees; 200 at twice the rate lose 0.001 of page F1 out of fold (2026-11)
    learning_rate: float = 0.045  # shrinkage of each tree
    leaves: int = 31  # maximum leaves of a tree
    min_leaf: int = 60  # minimum blocks in a leaf
    column_share: float = 0.1  # of the columns that a tree may use
    row_share: float = 0.7  # of the blocks that a tree sees
    l2: float = 5.0  # penalty on the leaves' values
    bins: int = 63  # of each column
    seed: int = 7
    threads: int = 2  # do not change the result


def block_weights(examples: Sequence[Example]) -> list[Floats]:
    """Return per example the weights of its blocks, which balance sets, sites and pages.

    All pages of a site weigh together as much as the square root of their number; a block weighs as much as the
    logarithm of its words.
    """
    pages_of = Counter((example.page.dataset, example.page.domain) for example in examples)
    weights = []
    for example in examples:
        page = example.page
        weight = SET_WEIGHTS.get(page.dataset, 1.0) / pages_of[page.dataset, page.domain] ** 0.5
        if not has_article(page.page_type):
            weight *= OTHER_PAGE_WEIGHT
        elif count_words(page.text) < SHORT_WORDS:
            weight *= SHORT_WEIGHT
        by_length = 2 + np.log1p(example.features.words.astype(float))
        weights.append(weight * example.weight * by_length / by_length.sum() ** 0.7)
    return weights


def fit(
    examples: Sequence[Example], matrices: Sequence[Matrix], boosting: Boosting, start: Sequence[Floats] | None = None
) -> lightgbm.Booster:
    """Grow trees that tell main text from the rest; `matrices` holds the columns of each example.

    `start` are the margins that other trees give the blocks of each example; the new trees are added to these.
    """
    generator = np.random.default_rng(boosting.seed)
    taken, sampled_rows, sampled_labels, sampled_weights = [], [], [], []
    for example, matrix, weight in zip(examples, matrices, block_weights(examples), strict=True):
        near = np.convolve(example.good > 0.05, np.ones(2 * NEAR_GOOD + 1))[NEAR_GOOD:][: len(example.good)] > 0.5
        is_taken = (near | (generator.random(len(near)) < FAR_SHARE)) & (weight > 0)
        taken.append(is_taken)
        sampled_rows.append(matrix[is_taken])
        sampled_labels.append(example.good[is_taken])
        sampled_weights.append(np.where(near, weight, weight / FAR_SHARE)[is_taken])
    weights = np.concatenate(sampled_weights)
    data = lightgbm.Dataset(
        np.concatenate(sampled_rows),
        np.concatenate(sampled_labels),
        weight=weights / weights.mean(),
        init_score=None if start is None else np.concatenate(start)[np.concatenate(taken)],
        params={"max_bin": boosting.bins},
    )
    parameters = {
        "objective": "cross_entropy",  # labels are shares, not classes
        "learning_rate": boosting.learning_rate,
        "num_leaves": boosting.leaves,
        "min_data_in_leaf": boosting.min_leaf,
        "feature_fraction": boosting.column_share,
        "bagging_fraction": boosting.row_share,
        "bagging_freq": 1,
        "lambda_l2": boosting.l2,
        "max_bin": boosting.bins,
        "seed": boosting.seed,
        "num_threads": boosting.threads,
        "deterministic": True,
        "force_row_wise": True,
        "verbose": -1,
    }
    return lightgbm.train(parameters, data, boosting.rounds)


def out_of_fold(
    examples: Sequence[Example],
    matrices: Sequence[Matrix],
    boosting: Boosting,
    folds: int,
    advance: Callable[[], None],
) -> tuple[list[lightgbm.Booster], list[Floats]]:
    """Grow trees for each fold of sites without its pages, and predict the blocks of each example out of fold.

    `advance` is called after each fold.
    """
    boosters = []
    probabilities: list[Floats] = [np.zeros(0)] * len(examples)
    fold = [fold_of(example.page.site, folds) for example in examples]
    for held_out in range(folds):
        rest = [at for at in range(len(examples)) if fold[at] != held_out]
        booster = fit([examples[at] for at in rest], [matrices[at] for at in rest], boosting)
        for at in range(len(examples)):
            if fold[at] == held_out:
                probabilities[at] = np.asarray(booster.predict(matrices[at], num_threads=boosting.threads))
        boosters.append(booster)
        advance()
    return boosters, probabilities
