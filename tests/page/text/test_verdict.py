import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from newscorpus.artifacts import Artifact
from newscorpus.data import Block, Element, Fields, Label, LabelledBlock
from newscorpus.model_folders import ArtifactError, Metadata
from newscorpus.page.text.features import measure
from newscorpus.page.text.verdict import (
    ADDRESS,
    ARTICLE_TREES,
    SIGNS,
    STRUCTURE,
    STRUCTURE_TREES,
    Logistic,
    PageJudge,
    logistic_parameters,
    read_signs,
)

PARAMETERS = logistic_parameters("confidence", Logistic((0.0,) * len(SIGNS), 0.0))
OTHER_SIGNS = tuple(tuple(SIGNS)[at] for at in STRUCTURE)


MakeArtifact = Callable[..., Artifact]


@pytest.fixture
def artifact(stump: Callable[..., bytes]) -> MakeArtifact:
    """Make a model for which articles have a date in the address, and by structure one anywhere."""

    def make(columns: tuple[str, ...] = tuple(SIGNS), **parameters: float | list[float]) -> Artifact:
        metadata = Metadata("toy", "1", (), {**PARAMETERS, **parameters}, {}, {}, {}, {})
        structure = stump(OTHER_SIGNS, "is_dated", 0.5, -2.0, 2.0)
        article = stump(columns, columns[-1] if len(columns) == 1 else "url_has_date", 0.5, -2.0, 2.0)
        return Artifact(metadata, {ARTICLE_TREES: article, STRUCTURE_TREES: structure})

    return make


def without(made: Artifact, name: str) -> Artifact:
    kept = {key: value for key, value in made.metadata.parameters.items() if key != name}
    return replace(made, metadata=msgspec.structs.replace(made.metadata, parameters=kept))


def test_a_logistic_model_by_hand() -> None:
    model = Logistic((1.0, -2.0), 0.5)
    assert model(np.array([2.0, 1.0])) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert 0 <= model(np.array([-1e6, 0.0])) < model(np.array([1e6, 0.0])) <= 1


def test_a_verdict_is_read_from_the_model(artifact: MakeArtifact) -> None:
    judge = PageJudge.of(artifact(confidence_weights=[1.0] * len(SIGNS), confidence_bias=-1.0))
    low, high = 1 / (1 + math.exp(2)), 1 / (1 + math.exp(-2))
    assert judge(np.full(len(SIGNS), 1 / len(SIGNS))).confidence == pytest.approx(0.5)
    assert judge(only("url_has_date")).article == pytest.approx(high)
    assert judge(only("is_dated")).article == pytest.approx(low)


def only(*names: str) -> NDArray[np.float64]:
    return np.array([float(name in names) for name in SIGNS])


def test_a_page_is_refused_only_where_verdict_and_structure_agree(artifact: MakeArtifact) -> None:
    judge = PageJudge.of(artifact())
    assert judge(only()).is_rejected
    assert not judge(only("is_dated")).is_rejected
    assert not judge(only("url_has_date")).is_rejected


def test_the_structure_does_not_see_the_address() -> None:
    assert set(OTHER_SIGNS) == set(SIGNS) - set(ADDRESS)
    assert {name for name in SIGNS if name.startswith("url_")} < set(ADDRESS)


@pytest.mark.parametrize("name", list(PARAMETERS))
def test_a_missing_number_is_named(artifact: MakeArtifact, name: str) -> None:
    with pytest.raises(ArtifactError, match=f"lacks the parameter {name}$"):
        PageJudge.of(without(artifact(), name))


@pytest.mark.parametrize(
    ("given", "weights", "message"),
    [
        ({}, False, rf"'toy': metadata.json does not name {ARTICLE_TREES}$"),
        ({"confidence_weights": [1.0, 2.0]}, True, "trained on other signs"),
        ({"columns": ("is_dated",)}, True, f"trained on 1 columns, not on {len(SIGNS)}$"),
        ({"confidence_bias": [0.1]}, True, "a list where a number belongs"),
    ],
)
def test_a_model_of_something_else_is_refused(
    artifact: MakeArtifact, given: dict[str, Any], weights: bool, message: str
) -> None:
    made = artifact(**given)
    with pytest.raises(ArtifactError, match=message):
        PageJudge.of(made if weights else replace(made, weights={}))


BODY = Element("body")


def labelled(text: str, score: float, label: Label, tag: str = "p", link_text: str = "") -> LabelledBlock:
    return LabelledBlock(Block(0, text, link_text, Element(tag, parent=BODY, depth=1)), score, label)


PAGE = (
    labelled("one two three four", 0.99, Label.GOOD),
    labelled("five six", 0.2, Label.BAD, link_text="five six"),
    labelled("seven eight nine ten", 0.7, Label.GOOD, tag="div"),
)


NOTHING_KNOWN = Fields()


def signs(page: tuple[LabelledBlock, ...] = PAGE, fields: Fields = NOTHING_KNOWN, url: str = "") -> dict[str, float]:
    return dict(zip(SIGNS, read_signs(page, measure([item.block for item in page]), fields, url), strict=True))


def test_signs_of_the_labels() -> None:
    found = signs()
    expected = {
        "log_good_words": math.log1p(8),
        "log_good_blocks": math.log1p(2),
        "words_per_block": math.log1p(4),
        "expected_precision": (3.96 + 2.8) / 8,
        "expected_recall": (3.96 + 2.8) / (3.96 + 2.8 + 0.4),
        "doubtful_words": (2 + 4) / 8,
        "certain_words": 4 / 8,
        "good_share": 8 / 10,
        "good_spread": 2 / 3,
        "link_density": 0,
        "page_link_density": 8 / (18 + 8 + 20),
        "log_blocks": math.log1p(3),
        "short_blocks": 1 / 3,
        "gap_words": 2 / 8,
        "first_good": 0,
        "last_good": 2 / 3,
        "siblings": math.log1p(3),
        "in_paragraphs": 4 / 8,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Fields(kind="NewsArticle"), {"says_article": 1, "says_other": 0}),
        (Fields(kind="LiveBlogPosting"), {"says_article": 1, "says_other": 0}),
        (Fields(kind="ImageGallery"), {"says_article": 0, "says_other": 1}),
        (Fields(), {"says_article": 0, "says_other": 0, "is_dated": 0, "has_authors": 0}),
        (Fields(published="2026-01-02", agencies=("ČTK",)), {"is_dated": 1, "has_authors": 1}),
        ("https://news.example/", {"is_front": 1, "url_depth": 0, "url_words": 0, "url_has_date": 0}),
        ("https://news.example?page=2", {"is_front": 1}),
        ("", {"is_front": 1}),
        ("https://news.example/sport/old-bridge-opens", {"is_front": 0, "url_depth": 2, "url_words": 3}),
        ("https://news.example/2026/01/bridge", {"url_has_date": 1, "url_depth": 3}),
        ("https://news.example/bridge-123456.html", {"url_has_date": 1, "url_words": 2}),
        ("https://news.example/top-10", {"url_has_date": 0}),
        ("https://news.example/" + "a/" * 20 + "-".join("abcdefghijklmnop"), {"url_depth": 6, "url_words": 12}),
    ],
)
def test_signs_of_fields_and_address(given: Fields | str, expected: dict[str, float]) -> None:
    found = signs(url=given) if isinstance(given, str) else signs(fields=given)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    "page", [(labelled("one", 0.1, Label.BAD),), (labelled("—", 0.0, Label.GOOD),), (labelled("—", 1.0, Label.GOOD),)]
)
def test_pages_with_nothing_good_have_signs(page: tuple[LabelledBlock, ...]) -> None:
    assert all(math.isfinite(sign) for sign in signs(page).values())


@pytest.mark.parametrize(
    ("classes", "found"),
    [
        ("article-body", {"any_article": 1, "near_article": 1}),
        ("comments", {"any_comment": 1}),
        ("related", {"any_related": 1}),
        ("sponsor", {"any_advert": 1}),
        ("", {}),
    ],
)
def test_signs_of_the_boxes(classes: str, found: dict[str, float]) -> None:
    box = Element("div", classes=classes, parent=BODY, depth=1)
    block = Block(0, "one two three four", "", Element("p", parent=box, depth=2))
    names = ("any_article", "near_article", "any_comment", "any_related", "any_advert")
    all_signs = signs((LabelledBlock(block, 0.9, Label.GOOD),))
    assert {name: all_signs[name] for name in names if all_signs[name]} == found


def test_signs_of_a_page_of_one_good_block() -> None:
    found = {tag: signs((labelled("one two three four", 0.5, Label.GOOD, tag=tag),)) for tag in ("p", "li", "div")}
    assert [(one["in_paragraphs"], one["in_lists"]) for one in found.values()] == [(1, 0), (0, 1), (0, 0)]
    assert found["p"]["entropy"] == pytest.approx(math.log(2))
