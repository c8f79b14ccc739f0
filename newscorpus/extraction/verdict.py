"""Verdict: from a page's labelled blocks to how far its text can be trusted, and whether it holds an article at all."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from newscorpus.artifacts import ArtifactError
from newscorpus.data import Fields, Label, LabelledBlock

SIGNS: Final[Mapping[str, str]] = {
    "log_good_words": "logarithm of the words held to be main text",
    "log_good_blocks": "logarithm of the blocks held to be main text",
    "words_per_block": "logarithm of the mean words of those",
    "expected_precision": "mean probability of the good words",
    "expected_recall": "the share of all expected good words that the good blocks hold",
    "doubtful_words": "words with a probability between 0.1 and 0.9, of the good words, at most 2",
    "certain_words": "good words with a probability above 0.95, of the good words",
    "good_share": "good words, of the page's",
    "good_spread": "good blocks, of the blocks from the first good one to the last",
    "link_density": "characters inside links, of the good blocks' characters",
    "page_link_density": "characters inside links, of the page's",
    "log_blocks": "logarithm of the page's blocks",
    "says_article": "the page declares itself a kind of article",
    "says_other": "the page declares itself something else: a collection, a product, a video",
    "is_dated": "a publication date was found",
    "has_authors": "authors or agencies were found",
    "url_words": "words in the last part of the address's path, at most 12",
    "url_has_date": "the address holds a year and a month, or a number of five digits or more",
    "url_depth": "parts of the address's path, at most 6",
    "is_front": "the address has no path",
    "in_paragraphs": "good words inside p elements, of the good words",
}
"""What the verdict looks at, in order, and what each says."""

_ARTICLE_KIND = re.compile(r"Article|Posting|Report|Review")
_URL_DATE = re.compile(r"(?:19|20)\d\d[/-]?(?:0[1-9]|1[0-2])|\d{5,}")
_URL_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model over `SIGNS`.

    Attributes:
        weights: one a sign.
        bias: added to the weighted sum.
    """

    weights: tuple[float, ...]
    bias: float

    def __call__(self, signs: Sequence[float]) -> float:
        """The probability, 0..1."""
        total = self.bias + sum(weight * sign for weight, sign in zip(self.weights, signs, strict=True))
        return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a page by two logistic models.

    Attributes:
        confidence: of the text being right.
        article: of the page holding an article.
        least_article: a page less probable to hold one is held to hold none.
    """

    confidence: Logistic
    article: Logistic
    least_article: float

    def __call__(
        self, labelled: Sequence[LabelledBlock], words: Sequence[float], fields: Fields, url: str
    ) -> tuple[float, bool]:
        """The probability that the text is right, and whether there is an article; a block must be good."""
        signs = read_signs(labelled, words, fields, url)
        return self.confidence(signs), self.article(signs) >= self.least_article

    def to_parameters(self) -> dict[str, float | list[float]]:
        """The numbers, as a model's metadata holds them."""
        return {
            "confidence_weights": list(self.confidence.weights),
            "confidence_bias": self.confidence.bias,
            "article_weights": list(self.article.weights),
            "article_bias": self.article.bias,
            "least_article": self.least_article,
        }

    @classmethod
    def of(cls, parameters: Mapping[str, float | list[float]]) -> "Verdict":
        """The verdict that `to_parameters` wrote down.

        Raises:
            ArtifactError: a number is missing, or there are not as many weights as signs.
        """
        try:
            confidence = Logistic(_floats(parameters["confidence_weights"]), _float(parameters["confidence_bias"]))
            article = Logistic(_floats(parameters["article_weights"]), _float(parameters["article_bias"]))
            least = _float(parameters["least_article"])
        except KeyError as error:
            raise ArtifactError(f"the model's metadata lacks the parameter {error.args[0]}") from None
        if {len(confidence.weights), len(article.weights)} != {len(SIGNS)}:
            raise ArtifactError("the model's verdict was trained on other signs than this version reads")
        return cls(confidence, article, least)


def _floats(value: float | list[float]) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _float(value: float | list[float]) -> float:
    if isinstance(value, list):
        raise ArtifactError("the model's metadata holds a list where a number belongs")
    return value


def read_signs(
    labelled: Sequence[LabelledBlock], words: Sequence[float], fields: Fields, url: str
) -> tuple[float, ...]:
    """The signs of a page, in the order of `SIGNS`; where no block is good, the signs of good text are 0.

    `words` is the number of words of each block.
    """
    good = [at for at, item in enumerate(labelled) if item.label is Label.GOOD]
    good_words = max(sum(words[at] for at in good), 1)
    expected = [item.score * count for item, count in zip(labelled, words, strict=True)]
    expected_good = sum(expected[at] for at in good)
    path = url.split("?", maxsplit=1)[0].rsplit("://", maxsplit=1)[-1].strip("/").split("/")[1:]
    last = path[-1] if path else ""
    signs = {
        "log_good_words": math.log1p(good_words),
        "log_good_blocks": math.log1p(len(good)),
        "words_per_block": math.log1p(good_words / max(len(good), 1)),
        "expected_precision": expected_good / good_words,
        "expected_recall": expected_good / max(sum(expected), 1e-9),
        "doubtful_words": min(
            sum(count for item, count in zip(labelled, words, strict=True) if 0.1 < item.score < 0.9) / good_words, 2.0
        ),
        "certain_words": sum(words[at] for at in good if labelled[at].score > 0.95) / good_words,
        "good_share": good_words / max(sum(words), 1),
        "good_spread": len(good) / (good[-1] - good[0] + 1) if good else 0.0,
        "link_density": _link_density([labelled[at] for at in good]),
        "page_link_density": _link_density(labelled),
        "log_blocks": math.log1p(len(labelled)),
        "says_article": float(bool(_ARTICLE_KIND.search(fields.kind))),
        "says_other": float(bool(fields.kind) and not _ARTICLE_KIND.search(fields.kind)),
        "is_dated": float(bool(fields.published)),
        "has_authors": float(bool(fields.authors or fields.agencies)),
        "url_words": float(min(len(_URL_WORD.findall(last)), 12)),
        "url_has_date": float(bool(_URL_DATE.search("/".join(path)))),
        "url_depth": float(min(len(path), 6)),
        "is_front": float(not path),
        "in_paragraphs": sum(words[at] for at in good if labelled[at].block.tag == "p") / good_words,
    }
    return tuple(signs[name] for name in SIGNS)


def _link_density(labelled: Sequence[LabelledBlock]) -> float:
    length = sum(len(item.block.text) for item in labelled)
    return sum(len(item.block.link_text) for item in labelled) / max(length, 1)
