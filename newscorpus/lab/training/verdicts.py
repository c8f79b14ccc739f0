"""Learn the verdict on a page from its signs: logistic models of confidence, boosted trees for articles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import lightgbm
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler

from newscorpus.arrays import Floats, Integers
from newscorpus.lab.gold.pages import NO_ARTICLE, has_article
from newscorpus.page.text.second_opinion import ASK_BELOW, PAIR_SIGNS, Arbiter
from newscorpus.page.text.verdict import LEAST_ARTICLE, LEAST_STRUCTURE, SIGNS, STRUCTURE, Logistic

FOLDS = 5
ALL_SIGNS = range(len(SIGNS))

TRUSTED_F1 = 0.9
"""A text counts as right if its F1 is above this; the confidence is the probability of that."""

STRENGTH = 0.3
"""Inverse of the penalty on the weights of the confidence."""

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
"""Parameters of the trees that recognise articles; they are shallow, because few pages are no articles."""


@dataclass(frozen=True, slots=True)
class OtherText:
    """The signs of both texts of a page (`read_pair`), and the F1 of the other one."""

    signs: Floats
    f1: float


@dataclass(frozen=True, slots=True)
class GradedPage:
    """The signs of a page (`read_signs`), the F1 of its extracted text, its type, and its weight in training."""

    signs: Floats
    f1: float
    page_type: str
    site: str
    weight: float
    other: OtherText | None = None  # where the other extractor was asked

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
    return _fit_logistic([page for page in pages if page.is_article])


def learn_arbiter(pages: Sequence[GradedPage]) -> Arbiter:
    """Fit the probabilities that our text and the other one are right, on pages that have both."""
    own = [replace(page, signs=page.other.signs) for page in pages if page.other]
    other = [replace(page, signs=page.other.signs, f1=page.other.f1) for page in pages if page.other]
    n_signs = len(SIGNS) + len(PAIR_SIGNS)
    return Arbiter(_fit_logistic(own, n_signs), _fit_logistic(other, n_signs))


def learn_article(pages: Sequence[GradedPage], columns: Sequence[int] = ALL_SIGNS) -> lightgbm.Booster:
    """Grow trees for the probability that a page holds an article, by the signs in some columns."""
    clear = _clear_cases(pages)
    signs = np.array([page.signs for page in clear])[:, columns]
    answers, weights = [float(page.is_article) for page in clear], [page.weight for page in clear]
    return lightgbm.train(TREES, lightgbm.Dataset(signs, answers, weight=weights), ROUNDS)


def find_unsure(pages: Sequence[GradedPage]) -> dict[int, float]:
    """Return out of fold the confidences low enough to ask the other extractor, by index of the article."""
    at = [index for index, page in enumerate(pages) if page.is_article]
    confidence = _confidence_out_of_fold([pages[index] for index in at]).tolist()
    return {index: value for index, value in zip(at, confidence, strict=True) if value < ASK_BELOW}


def settle(pages: Sequence[GradedPage]) -> tuple[Floats, Floats]:
    """Return per article the confidence and F1 of the chosen text, out of fold by site."""
    articles = [page for page in pages if page.is_article]
    confidence, f1 = _confidence_out_of_fold(articles), np.array([page.f1 for page in articles])
    asked = [at for at, page in enumerate(articles) if page.other]
    for rest, held_out in _folds([articles[at] for at in asked]):
        arbiter = learn_arbiter([articles[asked[at]] for at in rest])
        for at in (asked[index] for index in held_out):
            if other := articles[at].other:
                confidence[at], takes_other = arbiter(other.signs)
                f1[at] = other.f1 if takes_other else f1[at]
    return confidence, f1


def check_verdict(
    pages: Sequence[GradedPage], least_article: float = LEAST_ARTICLE, least_structure: float = LEAST_STRUCTURE
) -> dict[str, float]:
    """Measure the verdict in cross-validation by site; pages below both probabilities count as rejected.

    Rejections are counted over the sets with page types. `share_right_above_0.9` is the share of texts with F1 above
    0.9 among those with a confidence above 0.9; `calibration_error` is the expected calibration error in ten bins.
    """
    confidence, f1 = settle(pages)
    right, sure = f1 > TRUSTED_F1, confidence > TRUSTED_F1
    bins = np.minimum((confidence * 10).astype(int), 9)
    errors = [abs(confidence[bins == at].sum() - right[bins == at].sum()) for at in range(10)]
    clear = _clear_cases(pages)
    rejected = _by_trees(clear, ALL_SIGNS) < least_article
    rejected &= _by_trees(clear, STRUCTURE) < least_structure
    typed = np.array([bool(page.page_type) for page in clear])
    is_other = np.array([not page.is_article for page in clear])
    return {
        "share_sure": float(sure.mean()),
        "share_right_above_0.9": float(right[sure].mean()),
        "calibration_error": float(sum(errors) / len(right)),
        "rejection_precision": float(is_other[rejected & typed].mean()) if (rejected & typed).any() else 0.0,
        "rejection_recall": float(rejected[is_other].mean()),
        "articles_lost": float(rejected[~is_other].mean()),
    }


def check_second_opinion(pages: Sequence[GradedPage]) -> dict[str, float]:
    """Measure the second opinion in cross-validation by site: shares of articles, and mean page F1."""
    articles = [page for page in pages if page.is_article]
    before = np.array([page.f1 for page in articles])
    _, after = settle(articles)
    return {
        "share_asked": float(np.mean([page.other is not None for page in articles])),
        "share_changed": float((after != before).mean()),
        "page_f1_before": float(before.mean()),
        "page_f1_after": float(after.mean()),
    }


def _confidence_out_of_fold(articles: Sequence[GradedPage]) -> Floats:
    confidence = np.zeros(len(articles))
    for rest, held_out in _folds(articles):
        model = _fit_logistic([articles[at] for at in rest])
        confidence[held_out] = [model(articles[at].signs) for at in held_out]
    return confidence


def _clear_cases(pages: Sequence[GradedPage]) -> list[GradedPage]:
    """Return the pages that are clearly an article or clearly none."""
    return [page for page in pages if page.is_article or page.page_type in NO_ARTICLE]


def _by_trees(pages: Sequence[GradedPage], columns: Sequence[int]) -> Floats:
    """Return the probability of each page by trees that learned from other sites; `columns` are the signs they see."""
    probability = np.zeros(len(pages))
    signs = np.array([page.signs for page in pages])[:, columns]
    for rest, held_out in _folds(pages):
        probability[held_out] = learn_article([pages[at] for at in rest], columns).predict(signs[held_out])
    return probability


def _fit_logistic(pages: Sequence[GradedPage], n_signs: int = len(SIGNS)) -> Logistic:
    """Fit the probability that the text of a page is right; 0.5 for every page where all or none are."""
    if len({page.is_right for page in pages}) < 2:
        return Logistic((0.0,) * n_signs, 0.0)
    scaler, regression = StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=2000)
    right, page_weights = [page.is_right for page in pages], np.array([page.weight for page in pages])
    regression.fit(scaler.fit_transform([page.signs for page in pages]), right, sample_weight=page_weights)
    return unscaled(scaler, regression, digits=6)


def unscaled(scaler: StandardScaler, regression: LogisticRegression, digits: int) -> Logistic:
    """Return a regression that was fitted to scaled signs as a model of the signs themselves, rounded to `digits`."""
    weights = regression.coef_[0] / scaler.scale_
    bias = float(regression.intercept_[0] - weights @ scaler.mean_)
    return Logistic(tuple(round(float(weight), digits) for weight in weights), round(bias, digits))


def _folds(pages: Sequence[GradedPage]) -> Iterator[tuple[Integers, Integers]]:
    """Yield training and held-out indices without a common site; nothing if there is one site."""
    sites = [page.site for page in pages]
    if len(set(sites)) > 1:
        yield from GroupKFold(min(FOLDS, len(set(sites)))).split(pages, groups=sites)
