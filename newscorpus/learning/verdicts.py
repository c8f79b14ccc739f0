"""Learning the verdict on a page: two logistic models over its signs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from newscorpus.evaluation.conventions import NO_ARTICLE, has_article
from newscorpus.extraction.verdict import Logistic

Floats = NDArray[np.float64]

FOLDS = 5

TRUSTED_F1 = 0.9
"""A text is right, for the confidence, when its F1 is above this (as the confidence is defined)."""

STRENGTH = 0.3
"""Inverse of the penalty on the weights: there are few pages that are no articles."""


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What a page looks like to the verdict, and what it turned out to be.

    Attributes:
        signs: as from `read_signs`.
        f1: of the text found, against gold.
        page_type: "" where the set holds articles only.
        site: registered domain.
        weight: how much the page counts.
    """

    signs: tuple[float, ...]
    f1: float
    page_type: str
    site: str
    weight: float

    @property
    def is_article(self) -> bool:
        """Whether the page holds an article."""
        return has_article(self.page_type)


def learn_confidence(pages: Sequence[JudgedPage]) -> Logistic:
    """The probability that the text of an article is right."""
    articles = [page for page in pages if page.is_article]
    return _fit(articles, _is_right(articles))


def learn_article(pages: Sequence[JudgedPage]) -> Logistic:
    """The probability that a page holds an article."""
    told = _told(pages)
    return _fit(told, [page.is_article for page in told])


def check_verdict(pages: Sequence[JudgedPage], least_article: float) -> dict[str, float]:
    """How well the verdict does on pages of sites that its own training did not see (cross-validation by site).

    Rejections are counted over the sets that tell page types apart. `share_right_above_0.9` is the share of texts with
    F1 above 0.9 among those given a confidence above 0.9; `calibration_error` the expected calibration error, ten bins.
    """
    articles = [page for page in pages if page.is_article]
    confidence = _cross_validated(articles, _is_right(articles))
    right = np.array(_is_right(articles))
    sure = confidence > TRUSTED_F1
    bins = np.minimum((confidence * 10).astype(int), 9)
    errors = [abs(confidence[bins == at].sum() - right[bins == at].sum()) for at in range(10)]
    told = _told(pages)
    rejected = _cross_validated(told, [page.is_article for page in told]) < least_article
    typed = np.array([bool(page.page_type) for page in told])
    is_other = np.array([not page.is_article for page in told])
    return {
        "share_sure": float(sure.mean()),
        "share_right_above_0.9": float(right[sure].mean()),
        "calibration_error": float(sum(errors) / len(articles)),
        "rejection_precision": float(is_other[rejected & typed].mean()) if (rejected & typed).any() else 0.0,
        "rejection_recall": float(rejected[is_other].mean()),
        "articles_lost": float(rejected[~is_other].mean()),
    }


def _is_right(pages: Sequence[JudgedPage]) -> list[bool]:
    return [page.f1 > TRUSTED_F1 for page in pages]


def _told(pages: Sequence[JudgedPage]) -> list[JudgedPage]:
    """The pages that are clearly an article or clearly none."""
    return [page for page in pages if page.is_article or page.page_type in NO_ARTICLE]


def _model() -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=2000))


def _signs(pages: Sequence[JudgedPage]) -> Floats:
    return np.array([page.signs for page in pages])


def _weights(pages: Sequence[JudgedPage]) -> Floats:
    return np.array([page.weight for page in pages])


def _fit(pages: Sequence[JudgedPage], answers: Sequence[bool]) -> Logistic:
    model = _model().fit(_signs(pages), answers, logisticregression__sample_weight=_weights(pages))
    scaler, regression = model[0], model[1]
    weights = regression.coef_[0] / scaler.scale_
    bias = float(regression.intercept_[0] - weights @ scaler.mean_)
    return Logistic(tuple(round(float(weight), 6) for weight in weights), round(bias, 6))


def _cross_validated(pages: Sequence[JudgedPage], answers: Sequence[bool]) -> Floats:
    """The probability of each page, by a model that saw no page of its site."""
    signs, weights, sites = _signs(pages), _weights(pages), [page.site for page in pages]
    probability = np.zeros(len(pages))
    for rest, held_out in GroupKFold(FOLDS).split(signs, answers, sites):
        model = _model().fit(signs[rest], np.array(answers)[rest], logisticregression__sample_weight=weights[rest])
        probability[held_out] = model.predict_proba(signs[held_out])[:, 1]
    return probability
