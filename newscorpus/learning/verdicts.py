"""Learning the verdict on a page: two logistic models over its signs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from newscorpus.extraction.verdict import Logistic

TRUSTED_F1 = 0.9
"""A text is right, for the confidence, when its F1 is above this (as the confidence is defined)."""

STRENGTH = 0.3
"""Inverse of the penalty on the weights: there are few pages that are no articles."""

NO_ARTICLE = frozenset({"collection", "listing", "product", "service"})
"""Kinds of page that hold no article; forums and documentation hold running text and teach neither side."""


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What a page looks like to the verdict, and what it turned out to be.

    Attributes:
        signs: as from `read_signs`.
        f1: of the text found, against gold.
        page_type: "" where the set holds articles only.
        weight: how much the page counts.
    """

    signs: tuple[float, ...]
    f1: float
    page_type: str
    weight: float


def learn_confidence(pages: Sequence[JudgedPage]) -> Logistic:
    """The probability that the text of an article is right."""
    articles = [page for page in pages if page.page_type in ("", "article")]
    return _fit(articles, [page.f1 > TRUSTED_F1 for page in articles])


def learn_article(pages: Sequence[JudgedPage]) -> Logistic:
    """The probability that a page holds an article."""
    told = [page for page in pages if page.page_type in ("", "article") or page.page_type in NO_ARTICLE]
    return _fit(told, [page.page_type not in NO_ARTICLE for page in told])


def _fit(pages: Sequence[JudgedPage], answers: Sequence[bool]) -> Logistic:
    signs = np.array([page.signs for page in pages])
    scaler = StandardScaler().fit(signs)
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit(scaler.transform(signs), answers, sample_weight=[page.weight for page in pages])
    weights = model.coef_[0] / scaler.scale_
    bias = float(model.intercept_[0] - weights @ scaler.mean_)
    return Logistic(tuple(round(float(weight), 6) for weight in weights), round(bias, 6))
