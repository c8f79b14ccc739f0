"""Learn the verdict on a page from its signs: a logistic model of the confidence, boosted trees for the rest."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from newscorpus.arrays import Floats
from newscorpus.extraction.verdict import Logistic
from newscorpus.gold.conventions import NO_ARTICLE, has_article

FOLDS = 5

TRUSTED_F1 = 0.9
"""A text is right, for the confidence, when its F1 is above this (as the confidence is defined)."""

STRENGTH = 0.3
"""Inverse of the penalty on the weights of the confidence."""

MOST_RIGHT_LEFT_OUT = 0.003
"""Largest share of the right texts that may lie below it: a lost article costs more than a bad one."""

STEPS = 1000
"""Of a confidence from 0 to 1, as rows of a corpus state it: three digits."""

ROUNDS = 300
TREES = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 4,
    "min_data_in_leaf": 15,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "seed": 7,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
"""How the trees grow that recognise articles: shallow ones, because few pages are no articles."""


@dataclass(frozen=True, slots=True)
class GradedPage:
    """The signs of a page (`read_signs`), the F1 of the text found, what it holds, and how much it counts."""

    signs: Floats
    f1: float
    page_type: str
    site: str
    weight: float

    @property
    def is_article(self) -> bool:
        """Whether the page holds an article."""
        return has_article(self.page_type)

    @property
    def is_right(self) -> bool:
        """Whether the text found can be trusted."""
        return self.f1 > TRUSTED_F1


def learn_confidence(pages: Sequence[GradedPage]) -> Logistic:
    """Fit the probability that the text of an article is right."""
    model = _fit_logistic([page for page in pages if page.is_article])
    scaler, regression = model[0], model[1]
    weights = regression.coef_[0] / scaler.scale_
    bias = float(regression.intercept_[0] - weights @ scaler.mean_)
    return Logistic(tuple(round(float(weight), 6) for weight in weights), round(bias, 6))


def choose_min_confidence(pages: Sequence[GradedPage]) -> float:
    """Choose the highest confidence below which hardly a right text lies, out of fold by site."""
    articles = [page for page in pages if page.is_article]
    right = np.sort(_confidence_out_of_fold(articles)[[page.is_right for page in articles]])
    least = float(right[int(MOST_RIGHT_LEFT_OUT * len(right))])
    return math.floor(least * STEPS) / STEPS


def learn_article(pages: Sequence[GradedPage]) -> lightgbm.Booster:
    """Grow trees for the probability that a page holds an article."""
    clear = _clear_cases(pages)
    answers, weights = [float(page.is_article) for page in clear], [page.weight for page in clear]
    return lightgbm.train(TREES, lightgbm.Dataset(_signs(clear), answers, weight=weights), ROUNDS)


def check_verdict(pages: Sequence[GradedPage], least_article: float) -> dict[str, float]:
    """Measure how well the verdict does on pages of sites that its own training did not see (cross-validation by site).

    Rejections are counted over the sets with page types. `share_right_above_0.9` is the share of texts with
    F1 above 0.9 among those given a confidence above 0.9; `calibration_error` the expected calibration error, ten bins.
    """
    articles = [page for page in pages if page.is_article]
    confidence = _confidence_out_of_fold(articles)
    right = np.array([page.is_right for page in articles])
    sure = confidence > TRUSTED_F1
    bins = np.minimum((confidence * 10).astype(int), 9)
    errors = [abs(confidence[bins == at].sum() - right[bins == at].sum()) for at in range(10)]
    clear = _clear_cases(pages)
    rejected = _cross_validated(clear, lambda rest, held: learn_article(rest).predict(_signs(held))) < least_article
    typed = np.array([bool(page.page_type) for page in clear])
    is_other = np.array([not page.is_article for page in clear])
    return {
        "share_sure": float(sure.mean()),
        "share_right_above_0.9": float(right[sure].mean()),
        "calibration_error": float(sum(errors) / len(articles)),
        "rejection_precision": float(is_other[rejected & typed].mean()) if (rejected & typed).any() else 0.0,
        "rejection_recall": float(rejected[is_other].mean()),
        "articles_lost": float(rejected[~is_other].mean()),
    }


def _confidence_out_of_fold(articles: Sequence[GradedPage]) -> Floats:
    return _cross_validated(articles, lambda rest, held: _fit_logistic(rest).predict_proba(_signs(held))[:, 1])


def _clear_cases(pages: Sequence[GradedPage]) -> list[GradedPage]:
    """The pages that are clearly an article or clearly none."""
    return [page for page in pages if page.is_article or page.page_type in NO_ARTICLE]


def _signs(pages: Sequence[GradedPage]) -> Floats:
    return np.array([page.signs for page in pages])


def _fit_logistic(articles: Sequence[GradedPage]) -> Pipeline:
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=2000))
    right, weights = [page.is_right for page in articles], np.array([page.weight for page in articles])
    return model.fit(_signs(articles), right, logisticregression__sample_weight=weights)


def _cross_validated(
    pages: Sequence[GradedPage], judge: Callable[[Sequence[GradedPage], Sequence[GradedPage]], Any]
) -> Floats:
    """The probability of each page, as `judge` gives it after learning from pages of other sites alone."""
    probability = np.zeros(len(pages))
    for rest, held_out in GroupKFold(FOLDS).split(pages, groups=[page.site for page in pages]):
        probability[held_out] = judge([pages[at] for at in rest], [pages[at] for at in held_out])
    return probability
