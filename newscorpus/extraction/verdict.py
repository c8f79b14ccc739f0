"""Verdict: how far the text found on a page can be trusted, and whether the page holds an article at all."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from newscorpus.artifacts import Artifact, ArtifactError
from newscorpus.extraction.signs import SIGNS, Floats
from newscorpus.extraction.trees import Trees

ARTICLE = "article.onnx"
"""The file of the trees that tell whether there is an article."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model over `SIGNS`.

    Attributes:
        weights: one a sign.
        bias: added to the weighted sum.
    """

    weights: tuple[float, ...]
    bias: float

    def __call__(self, signs: Floats) -> float:
        """The probability, 0..1."""
        total = self.bias + float(signs @ self.weights)
        return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a page.

    Attributes:
        confidence: of the text being right.
        article: of the page holding an article.
        least_article: a page less probable to hold one is held to hold none.
    """

    confidence: Logistic
    article: Trees
    least_article: float

    def __call__(self, signs: Floats) -> tuple[float, float]:
        """The probability that the text is right, and the one that there is an article."""
        return self.confidence(signs), float(self.article.probability(signs[None].astype(np.float32))[0])

    @classmethod
    def of(cls, artifact: Artifact) -> "Verdict":
        """The verdict that a model holds, whose parameters `verdict_parameters` wrote down.

        Raises:
            ArtifactError: a number or a file is missing, or was made for another number of signs.
        """
        parameters = artifact.metadata.parameters
        try:
            weights, bias = parameters["confidence_weights"], parameters["confidence_bias"]
            least = parameters["least_article"]
        except KeyError as error:
            raise ArtifactError(f"the model's metadata lacks the parameter {error.args[0]}") from None
        confidence = Logistic(tuple(weights) if isinstance(weights, list) else (weights,), _float(bias))
        if len(confidence.weights) != len(SIGNS):
            raise ArtifactError("the model's verdict was trained on other signs than this version reads")
        return cls(confidence, Trees(artifact, ARTICLE, len(SIGNS)), _float(least))


def verdict_parameters(confidence: Logistic, least_article: float) -> Mapping[str, float | list[float]]:
    """The numbers of a verdict, as a model's metadata holds them."""
    return {
        "confidence_weights": list(confidence.weights),
        "confidence_bias": confidence.bias,
        "least_article": least_article,
    }


def _float(value: float | list[float]) -> float:
    if isinstance(value, list):
        raise ArtifactError("the model's metadata holds a list where a number belongs")
    return value
