"""What becomes of an article: kept with its tags, or refused with its beginning quoted."""

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Rejected
from newscorpus.recipe import EXCERPT_CHARACTERS, Admitted, admit

STORY = (
    "The council met on Tuesday evening and decided after a long debate that the old bridge stays open until the new "
    "one stands, which will take at least three years and cost the town more than it has earned in the last five.\n"
    "Write to the mayor at mayor@town.example, says the notice at the door of the town hall, and many who live "
    "near the river have done so since the summer, when the first plans were shown to them.\n"
)


def article(text: str) -> Article:
    return Article("https://a.example/1", text, Fields(title="The bridge"), "test", flags=("before",))


def test_an_article_comes_in_with_language_tags_and_masks() -> None:
    found = admit(article(STORY), ("en", "cs"), QualityConfig(mask=("email",), max_flash_words=500))
    assert isinstance(found, Admitted)
    assert found.language == "en"
    assert found.language_score > 0.9
    assert found.article.flags == ("before", "flash_news", "masked_email:1")
    assert "[email]" in found.article.text


def test_one_in_another_language_is_quoted() -> None:
    found = admit(article(STORY), ("cs",))
    assert isinstance(found, Rejected)
    assert (found.stage, found.reason) == ("language", "unexpected_language")
    assert found.detail.startswith("en (")
    assert found.excerpt.startswith("The bridge | The council met")
    assert len(found.excerpt) == EXCERPT_CHARACTERS


def test_one_that_is_not_good_enough_is_quoted_masked() -> None:
    found = admit(article("Write to mayor@town.example."), (), QualityConfig(mask=("email",)))
    assert isinstance(found, Rejected)
    assert (found.stage, found.reason) == ("quality", "too_short")
    assert found.excerpt == "The bridge | Write to [email]."


def test_without_a_headline_the_text_is_quoted() -> None:
    found = admit(Article("https://a.example/1", "Too\nshort.", Fields(), "test"), ())
    assert isinstance(found, Rejected)
    assert found.excerpt == "Too short."
