"""Judge how reliable the text of a page is, and whether the page holds an article at all.

The judgement is based on signs: properties of the whole page with labelled blocks.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from newscorpus.arrays import Floats
from newscorpus.artifacts import Artifact
from newscorpus.data import Fields, LabelledBlock
from newscorpus.model_folders import ArtifactError
from newscorpus.page.text.classify import Trees
from newscorpus.page.text.features import FEATURES, PageFeatures
from newscorpus.page.text.features.own import PROSE_WORDS, TAG_CODES

SIGNS: Final[Mapping[str, str]] = {
    "log_good_words": "logarithm of the number of good words, those of blocks labelled main text",
    "log_good_blocks": "logarithm of the number of good blocks",
    "words_per_block": "logarithm of the mean number of words in good blocks",
    "expected_precision": "mean probability of the good words",
    "expected_recall": "share of all expected good words in good blocks",
    "doubtful_words": "words with a probability between 0.1 and 0.9, per good word, at most 2",
    "certain_words": "share of good words with a probability above 0.95",
    "entropy": "uncertainty of all words in nats, per good word, at most 2",
    "good_share": "share of good words on the page",
    "good_spread": "share of good blocks from the first to the last good one",
    "gap_words": "other words between the first and the last good block, per good word, at most 5",
    "first_good": "position of the first good block, relative to the number of blocks",
    "last_good": "position of the last good block, relative to the number of blocks",
    "link_density": "share of characters inside links in good blocks",
    "page_link_density": "share of characters inside links on the page",
    "log_blocks": "logarithm of the number of blocks",
    "short_blocks": "share of blocks with fewer than four words",
    "headings": "headings of rank 1 and 2, per block of ten words or more, at most 5",
    "says_article": "the page declares itself an article of some kind",
    "says_other": "the page declares another type: a collection, a product, a video",
    "is_dated": "the page has a publication date",
    "has_authors": "the page has authors or agencies",
    "url_words": "number of words in the last segment of the path, at most 12",
    "url_has_date": "the address has a year and month, or a number of five digits or more",
    "url_depth": "number of path segments, at most 6",
    "is_front": "the address has no path",
    "in_paragraphs": "share of good words inside p elements",
    "in_lists": "share of good words inside list items",
    "near_article": "share of good words in or near a box named for an article",
    "end_sentences": "share of good words in blocks that end a sentence",
    "capitalised": "mean share of capitalised words in good blocks, weighted by words",
    "siblings": "logarithm of the mean number of blocks with a good block's parent, weighted by words",
    "twins": "logarithm of the mean number of elements with the path of a good block's parent, weighted by words",
    "any_article": "share of words inside boxes named for articles",
    "any_comment": "share of words inside boxes named for comments",
    "any_related": "share of words inside boxes named for related articles",
    "any_advert": "share of words inside boxes named for advertising",
}
"""The signs, in order, with their meanings."""

ADDRESS = ("url_words", "url_has_date", "url_depth", "is_front")
"""Signs of the address. They alone do not reject an article."""
STRUCTURE: Final = [at for at, name in enumerate(SIGNS) if name not in ADDRESS]
"""Indices of the other signs."""

ARTICLE_TREES, STRUCTURE_TREES = "article.onnx", "structure.onnx"
"""Files of the trees that detect articles: by all signs, and by all but the address."""

DOUBTFUL_PAGE = "doubtful_page"
"""Flag of a text whose page probably holds no article."""
LIKELY_ARTICLE = 0.5
LEAST_ARTICLE, LEAST_STRUCTURE = 0.15, 0.2
"""A page is rejected if the probabilities of an article, by all signs and by all but the address, are below these. Low,
since a lost article costs more than a kept listing; benchmarks/results/out_of_fold.md has the rejections."""
LEAST_CONFIDENCE, LEAST_DOUBTFUL = 0.02, 0.15
"""Texts below this confidence, of doubtful pages below the second, are flagged, and published only if a build lowers
the threshold. Out of fold (2026-11) the first leaves out 13 of 3,669 articles, none of them right, the second 29 of 38
doubtful pages without an article and six articles, four of them right."""

_COLUMN: Final = {name: column for column, name in enumerate(FEATURES)}
_OF_GOOD: Final = [
    _COLUMN[name]
    for name in ("in_li", "near_class_article", "ends_sentence", "capitalised_share", "parent_blocks", "parent_twins")
]
_OF_PAGE: Final = [_COLUMN[f"any_class_{kind}"] for kind in ("article", "comment", "related", "advert")]
_SHORT: Final = 4

_ARTICLE_KIND = re.compile(r"Article|Posting|Report|Review")
_URL_DATE = re.compile(r"(?:19|20)\d\d[/-]?(?:0[1-9]|1[0-2])|\d{5,}")
_URL_WORD = re.compile(r"[^\W\d_]+")


def read_signs(labelled: Sequence[LabelledBlock], features: PageFeatures, fields: Fields, url: str) -> Floats:
    """Measure the signs of a page in the order of `SIGNS`, shape (signs,); without good blocks, theirs are 0.

    Needs at least one block; `features` are those of the blocks.
    """
    good = np.array([item.is_good for item in labelled])
    score = np.array([item.score for item in labelled])
    is_article = bool(_ARTICLE_KIND.search(fields.kind))
    path = url.split("?", maxsplit=1)[0].rsplit("://", maxsplit=1)[-1].strip("/").split("/")[1:]
    words = features.matrix[:, _COLUMN["words"]].astype(np.float64)
    good_words = words * good
    n_good, n_words, expected = max(float(good_words.sum()), 1.0), max(float(words.sum()), 1.0), score * words
    certain = np.clip(score, 1e-9, 1 - 1e-9)
    entropy = -(certain * np.log(certain) + (1 - certain) * np.log(1 - certain))
    places = np.flatnonzero(good)
    first, last = (int(places[0]), int(places[-1])) if len(places) else (0, 0)
    in_lists, near_article, end_sentences, capitalised, siblings, twins = (
        good_words @ features.matrix[:, _OF_GOOD] / n_good
    )
    any_article, any_comment, any_related, any_advert = words @ features.matrix[:, _OF_PAGE] / n_words
    long_blocks = max(int(np.count_nonzero(words >= PROSE_WORDS)), 1)
    length = features.matrix[:, _COLUMN["characters"]]
    links = length * features.matrix[:, _COLUMN["link_density"]]
    signs = {
        "log_good_words": np.log1p(n_good),
        "log_good_blocks": np.log1p(len(places)),
        "words_per_block": np.log1p(n_good / max(len(places), 1)),
        "expected_precision": expected @ good / n_good,
        "expected_recall": expected @ good / max(float(expected.sum()), 1e-9),
        "doubtful_words": min(words @ ((score > 0.1) & (score < 0.9)) / n_good, 2.0),
        "certain_words": good_words @ (score > 0.95) / n_good,
        "entropy": min(entropy @ words / n_good, 2.0),
        "good_share": n_good / n_words,
        "good_spread": len(places) / (last - first + 1),
        "gap_words": min((words - good_words)[first : last + 1].sum() / n_good, 5.0),
        "first_good": first / len(good),
        "last_good": last / len(good),
        "link_density": links @ good / max(float(length @ good), 1.0),
        "page_link_density": links.sum() / max(float(length.sum()), 1.0),
        "log_blocks": np.log1p(len(good)),
        "short_blocks": float(np.mean(words < _SHORT)),
        "headings": min(float(features.matrix[-1, _COLUMN["headings_before"]]) / long_blocks, 5.0),
        "in_paragraphs": good_words @ (features.matrix[:, _COLUMN["tag"]] == TAG_CODES["p"]) / n_good,
        "in_lists": in_lists,
        "near_article": near_article,
        "end_sentences": end_sentences,
        "capitalised": capitalised,
        "siblings": np.log1p(siblings),
        "twins": np.log1p(twins),
        "any_article": any_article,
        "any_comment": any_comment,
        "any_related": any_related,
        "any_advert": any_advert,
        "says_article": is_article,
        "says_other": bool(fields.kind) and not is_article,
        "is_dated": bool(fields.published),
        "has_authors": bool(fields.authors or fields.agencies),
        "url_words": min(len(_URL_WORD.findall(path[-1] if path else "")), 12),
        "url_has_date": bool(_URL_DATE.search("/".join(path))),
        "url_depth": min(len(path), 6),
        "is_front": not path,
    }
    return np.array([signs[name] for name in SIGNS])


def looks_like_list(signs: Floats) -> bool:
    """Tell whether the text looks like a list of teasers: many links, and list items or doubtful blocks."""
    by_name = dict(zip(SIGNS, signs, strict=True))
    return bool(by_name["link_density"] > 0.1 and (by_name["in_lists"] > 0.5 or by_name["certain_words"] < 0.3))


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model: a weight for each sign, and a bias."""

    weights: tuple[float, ...]
    bias: float

    def __call__(self, signs: Floats) -> float:
        """Return the probability, 0..1."""
        total = self.bias + float(signs @ self.weights)
        return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a page and its text."""

    confidence: float  # probability that the text is right, if the page holds an article
    article: float  # probability that the page holds an article
    is_rejected: bool  # that and the probability without the signs of the address are low


@dataclass(frozen=True, slots=True)
class PageJudge:
    """Judges a page by its signs."""

    confidence: Logistic  # probability that the text is right
    article: Trees  # probability that the page holds an article
    structure: Trees  # the same, without the signs of the address

    def __call__(self, signs: Floats) -> Verdict:
        """Return the verdict on a page with these signs."""
        rows = signs[None].astype(np.float32)
        article = float(self.article.probability(rows)[0])
        is_rejected = article < LEAST_ARTICLE and bool(
            self.structure.probability(np.ascontiguousarray(rows[:, STRUCTURE]))[0] < LEAST_STRUCTURE
        )
        return Verdict(self.confidence(signs), article, is_rejected)

    @classmethod
    def of(cls, artifact: Artifact) -> "PageJudge":
        """Read the judge of a model.

        Raises:
            ArtifactError: a parameter or file is missing, or was made for another number of signs.
        """
        return cls(
            read_logistic(artifact, "confidence", len(SIGNS)),
            Trees(artifact, ARTICLE_TREES, len(SIGNS)),
            Trees(artifact, STRUCTURE_TREES, len(STRUCTURE)),
        )


def read_logistic(artifact: Artifact, name: str, n_signs: int) -> Logistic:
    """Read the logistic model `name` of a model, as written by `logistic_parameters`.

    Raises:
        ArtifactError: a parameter is missing, or was made for another number of signs.
    """
    weights = _read_parameter(artifact, f"{name}_weights")
    if not isinstance(weights, list) or len(weights) != n_signs:
        raise ArtifactError("the model's verdict was trained on other signs than this version reads")
    value = _read_parameter(artifact, f"{name}_bias")
    if isinstance(value, list):
        raise ArtifactError("the model's metadata holds a list where a number belongs")
    return Logistic(tuple(weights), value)


def logistic_parameters(name: str, logistic: Logistic) -> Mapping[str, float | list[float]]:
    """Return the parameters of a logistic model for a model's metadata."""
    return {f"{name}_weights": list(logistic.weights), f"{name}_bias": logistic.bias}


def _read_parameter(artifact: Artifact, name: str) -> float | list[float]:
    try:
        return artifact.metadata.parameters[name]
    except KeyError:
        raise ArtifactError(f"the model's metadata lacks the parameter {name}") from None
