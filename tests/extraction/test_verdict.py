import math

import pytest

from newscorpus.artifacts import ArtifactError
from newscorpus.data import Block, Element, Fields, Label, LabelledBlock
from newscorpus.extraction.verdict import SIGNS, Logistic, Verdict, read_signs
from newscorpus.text import count_words

BODY = Element("body")


def labelled(text: str, score: float, label: Label, tag: str = "p", link_text: str = "") -> LabelledBlock:
    return LabelledBlock(Block(0, text, link_text, Element(tag, parent=BODY, depth=1)), score, label)


PAGE = (
    labelled("one two three four", 0.99, Label.GOOD),
    labelled("five six", 0.2, Label.BAD, link_text="five six"),
    labelled("seven eight nine ten", 0.7, Label.GOOD, tag="div"),
)


NOTHING_KNOWN = Fields()


def words_of(page: tuple[LabelledBlock, ...]) -> list[float]:
    return [float(count_words(item.block.text)) for item in page]


def signs(page: tuple[LabelledBlock, ...] = PAGE, fields: Fields = NOTHING_KNOWN, url: str = "") -> dict[str, float]:
    return dict(zip(SIGNS, read_signs(page, words_of(page), fields, url), strict=True))


def verdict(bias: float = 0.0, least: float = 0.5) -> Verdict:
    flat = Logistic((0.0,) * len(SIGNS), bias)
    return Verdict(flat, flat, least)


def test_every_sign_has_a_line_that_says_what_it_is() -> None:
    assert all(meaning and "\n" not in meaning for meaning in SIGNS.values())


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
        "in_paragraphs": 4 / 8,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (Fields(kind="NewsArticle"), {"says_article": 1, "says_other": 0}),
        (Fields(kind="LiveBlogPosting"), {"says_article": 1, "says_other": 0}),
        (Fields(kind="ImageGallery"), {"says_article": 0, "says_other": 1}),
        (Fields(), {"says_article": 0, "says_other": 0, "is_dated": 0, "has_authors": 0}),
        (Fields(published="2026-01-02", agencies=("ČTK",)), {"is_dated": 1, "has_authors": 1}),
    ],
)
def test_signs_of_the_fields(fields: Fields, expected: dict[str, float]) -> None:
    found = signs(fields=fields)

    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
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
def test_signs_of_the_address(url: str, expected: dict[str, float]) -> None:
    found = signs(url=url)

    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("page", [(), (labelled("one", 0.1, Label.BAD),), (labelled("—", 0.0, Label.GOOD),)])
def test_pages_with_nothing_good_have_signs(page: tuple[LabelledBlock, ...]) -> None:
    assert all(math.isfinite(sign) for sign in signs(page).values())


def test_a_logistic_model_by_hand() -> None:
    model = Logistic((1.0, -2.0), 0.5)

    assert model((2.0, 1.0)) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert 0 <= model((-1e6, 0.0)) < model((1e6, 0.0)) <= 1


def test_a_model_wants_as_many_signs_as_weights() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Logistic((1.0, 2.0), 0.0)((1.0,))


def test_a_page_below_the_least_probability_is_no_article() -> None:
    assert verdict(bias=0.0, least=0.5)(PAGE, words_of(PAGE), Fields(), "") == (0.5, True)
    assert verdict(bias=0.0, least=0.51)(PAGE, words_of(PAGE), Fields(), "") == (0.5, False)


def test_a_verdict_comes_back_as_it_was_written_down() -> None:
    written = Verdict(Logistic(tuple(map(float, range(len(SIGNS)))), 1.5), Logistic((0.25,) * len(SIGNS), -2.0), 0.03)

    assert Verdict.of(written.to_parameters()) == written


@pytest.mark.parametrize("name", list(verdict().to_parameters()))
def test_a_missing_number_is_named(name: str) -> None:
    parameters = verdict().to_parameters()
    del parameters[name]

    with pytest.raises(ArtifactError, match=f"lacks the parameter {name}$"):
        Verdict.of(parameters)


def test_weights_for_other_signs_are_refused() -> None:
    with pytest.raises(ArtifactError, match="trained on other signs"):
        Verdict.of(verdict().to_parameters() | {"article_weights": [1.0, 2.0]})


def test_a_list_in_place_of_a_number_is_refused() -> None:
    with pytest.raises(ArtifactError, match="a list where a number belongs"):
        Verdict.of(verdict().to_parameters() | {"least_article": [0.1]})
