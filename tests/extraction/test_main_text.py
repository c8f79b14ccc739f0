"""The default system: what it says of a text that it hardly trusts."""

import sys
from dataclasses import replace
from pathlib import Path

from newscorpus.data import Page
from newscorpus.extraction.extractor import FoundText, Reading, read
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
