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
from newscorpus.artifacts import Artifact, ArtifactError
from newscorpus.data import Fields, Label, LabelledBlock
from newscorpus.page.text.classify import Trees
from newscorpus.page.text.features import FEATURES, PageFeatures
from newscorpus.page.text.features.own import PROSE_WORDS, TAG_CODES

SIGNS: Final[Mapping[str, str]] = {
    "log_good_words": "logarithm of the words held to be main text",
    "log_good_blocks": "logarithm of the blocks held to be main text",
    "words_per_block": "logarithm of the mean words of those",
    "expected_precision": "mean probability of the good words",
    "expected_recall": "the share of all expected good words that the good blocks hold",
    "doubtful_words": "words with a probability between 0.1 and 0.9, of the good words, at most 2",
    "certain_words": "good words with a probability above 0.95, of the good words",
    "entropy": "mean uncertainty of the words in nats, counted by good words, at most 2",
    "good_share": "good words, of the page's",
    "good_spread": "good blocks, of the blocks from the first good one to the last",
    "gap_words": "other words between the first good block and the last, of the good words, at most 5",
    "first_good": "place of the first good block, of the page's blocks",
    "last_good": "place of the last good block, of the page's blocks",
    "link_density": "characters inside links, of the good blocks' characters",
    "page_link_density": "characters inside links, of the page's",
    "log_blocks": "logarithm of the page's blocks",
    "short_blocks": "blocks of fewer than four words, of the page's",
    "headings": "headings of rank 1 and 2, of the blocks of ten words and more, at most 5",
    "says_article": "the page declares itself a kind of article",
    "says_other": "the page declares itself something else: a collection, a product, a video",
    "is_dated": "a publication date was found",
    "has_authors": "authors or agencies were found",
    "url_words": "words in the last part of the address's path, at most 12",
    "url_has_date": "the address holds a year and a month, or a number of five digits or more",
    "url_depth": "parts of the address's path, at most 6",
    "is_front": "the address has no path",
    "in_paragraphs": "good words inside p elements, of the good words",
    "in_lists": "good words inside list items, of the good words",
    "near_article": "good words in a box named for an article, of the good words",
    "end_sentences": "good words in blocks that end a sentence, of the good words",
    "capitalised": "good words that start in upper case, of the good words",
    "siblings": "logarithm of the blocks with the parent of a good block, mean over the good words",
    "twins": "logarithm of the elements with the path of that parent, mean over the good words",
    "any_article": "words in a box named for an article, of the page's",
    "any_comment": "words in a box named for comments, of the page's",
    "any_related": "words in a box named for related articles, of the page's",
    "any_advert": "words in a box named for advertising, of the page's",
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
LEAST_CONFIDENCE = 0.005
"""Texts below this confidence are flagged, and published only if a build lowers the threshold: one in 200 is right. Of
3,688 articles three are below it out of fold, none of them right; with 0.02, 13, of which two are right (2026-11)."""

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
    good = np.array([item.label is Label.GOOD for item in labelled])
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
    structure: float  # the same, without the signs of the address

    @property
    def is_rejected(self) -> bool:
        """Whether to reject the page: only if the probabilities with and without its address agree."""
        return self.article < LEAST_ARTICLE and self.structure < LEAST_STRUCTURE


@dataclass(frozen=True, slots=True)
class PageJudge:
    """Judges a page by its signs."""

    confidence: Logistic  # probability that the text is right
    article: Trees  # probability that the page holds an article
    structure: Trees  # the same, without the signs of the address

    def __call__(self, signs: Floats) -> Verdict:
        """Return the verdict on a page with these signs."""
        rows = signs[None].astype(np.float32)
        structure = self.structure.probability(np.ascontiguousarray(rows[:, STRUCTURE]))
        return Verdict(self.confidence(signs), float(self.article.probability(rows)[0]), float(structure[0]))

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
