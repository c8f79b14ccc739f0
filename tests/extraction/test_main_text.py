"""The default system: what it says of a text that it hardly trusts."""

import sys
from dataclasses import replace
from pathlib import Path

from newscorpus.data import Article, Page
from newscorpus.extraction.extractor import FoundText, Reading, assemble, join, read
from newscorpus.extraction.main_text import MainTextSystem

sys.path.insert(0, str(Path(__file__).parents[1] / "mockserver"))

from prose import article


def reading() -> Reading:
    found = read(Page.from_html(article("bridge"), "https://news.example/2026/bridge"))
    assert isinstance(found, Reading)
    return found


def test_a_text_below_the_least_confidence_is_kept_and_flagged() -> None:
    system = MainTextSystem()
    trusted = system.find(reading())
    system.judge = replace(system.judge, min_confidence=1.0)
    doubtful = system.find(reading())
    assert isinstance(trusted, FoundText)
    assert isinstance(doubtful, FoundText)
    assert (trusted.flags, doubtful.flags) == ((), ("low_confidence",))
    assert replace(doubtful, flags=()) == trusted


def test_an_article_of_several_pages_has_the_least_confidence_and_its_flag() -> None:
    first = assemble(reading(), FoundText(["One."], "x", 0.9, ("own",)))
    second = assemble(reading(), FoundText(["Two."], "x", 0.01, ("low_confidence",)))
    assert isinstance(first, Article)
    assert isinstance(second, Article)
    joined = join(first, [second])
    assert (joined.confidence, joined.flags) == (0.01, ("own", "low_confidence", "several_pages"))
