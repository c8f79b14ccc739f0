import math
from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from newscorpus.artifacts import Artifact, ArtifactError, Metadata
from newscorpus.extraction.verdict import ARTICLE, SIGNS, Logistic, Verdict, verdict_parameters

PARAMETERS = verdict_parameters(Logistic((0.0,) * len(SIGNS), 0.0), 0.3)


MakeArtifact = Callable[..., Artifact]


@pytest.fixture
def artifact(stump: Callable[..., bytes]) -> MakeArtifact:
    """Make a model whose trees hold dated pages to be articles, and others not."""

    def make(columns: tuple[str, ...] = tuple(SIGNS), **parameters: float | list[float]) -> Artifact:
        metadata = Metadata("toy", "1", (), {**PARAMETERS, **parameters}, {}, {}, {}, {})
        return Artifact(metadata, {ARTICLE: stump(columns, "is_dated", 0.5, -2.0, 2.0)})

    return make


def without(made: Artifact, name: str) -> Artifact:
    kept = {key: value for key, value in made.metadata.parameters.items() if key != name}
    return replace(made, metadata=msgspec.structs.replace(made.metadata, parameters=kept))


def test_a_logistic_model_by_hand() -> None:
    model = Logistic((1.0, -2.0), 0.5)

    assert model(np.array([2.0, 1.0])) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert 0 <= model(np.array([-1e6, 0.0])) < model(np.array([1e6, 0.0])) <= 1


def test_a_model_wants_as_many_signs_as_weights() -> None:
    with pytest.raises(ValueError, match="mismatch"):
        Logistic((1.0, 2.0), 0.0)(np.array([1.0]))


def test_a_verdict_is_read_from_the_model(artifact: MakeArtifact) -> None:
    verdict = Verdict.of(artifact(confidence_weights=[1.0] * len(SIGNS), confidence_bias=-1.0))

    confidence, undated = verdict(np.full(len(SIGNS), 1 / len(SIGNS)))
    _, dated = verdict(np.ones(len(SIGNS)))

    assert confidence == pytest.approx(0.5)
    assert [undated, dated] == pytest.approx([1 / (1 + math.exp(2)), 1 / (1 + math.exp(-2))])
    assert verdict.least_article == 0.3


@pytest.mark.parametrize("name", list(PARAMETERS))
def test_a_missing_number_is_named(artifact: MakeArtifact, name: str) -> None:
    with pytest.raises(ArtifactError, match=f"lacks the parameter {name}$"):
        Verdict.of(without(artifact(), name))


def test_missing_trees_are_named(artifact: MakeArtifact) -> None:
    with pytest.raises(ArtifactError, match=rf"'toy': metadata.json does not name {ARTICLE}$"):
        Verdict.of(replace(artifact(), weights={}))


def test_weights_for_other_signs_are_refused(artifact: MakeArtifact) -> None:
    with pytest.raises(ArtifactError, match="trained on other signs"):
        Verdict.of(artifact(confidence_weights=[1.0, 2.0]))


def test_trees_for_other_signs_are_refused(artifact: MakeArtifact) -> None:
    with pytest.raises(ArtifactError, match=f"trained on 1 columns, not on {len(SIGNS)}$"):
        Verdict.of(artifact(columns=("is_dated",)))


def test_a_list_in_place_of_a_number_is_refused(artifact: MakeArtifact) -> None:
    with pytest.raises(ArtifactError, match="a list where a number belongs"):
        Verdict.of(artifact(least_article=[0.1]))
