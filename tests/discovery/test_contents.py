"""One content under many addresses."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html

from newscorpus.crawl.ledger import Ledger, Link, key_of
from newscorpus.discovery.frontier import MAX_ADDRESSES, SeenContents, missing_page
from newscorpus.discovery.page import content_signature

SITE = "https://vesti.example"
TEXT = "The council met on Tuesday and decided to repair the old bridge."


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "corpus") as ledger:
        yield ledger


def signature(body: str) -> str:
    found: str = content_signature(html.document_fromstring(f"<html><body>{body}</body></html>"))
    return found


def test_equal_content_has_one_signature() -> None:
    first = signature(f"<p>{TEXT} Page seen 17 times.</p>")
    assert first == signature(f"<nav><p>Another menu of this site</p></nav><p>{TEXT}  Page seen 23 times.</p>")
    assert first == signature(f"<div><p>{TEXT} Page seen 5 times.</p></div><script>1</script>")
    assert first != signature(f"<p>{TEXT} Nobody came.</p>")


def test_what_says_hardly_anything_has_none() -> None:
    assert signature("<p>Short.</p>") == ""
    assert signature(f"<div>{TEXT}</div>") == ""


def test_what_the_site_shows_for_a_missing_page_is_no_article(ledger: Ledger) -> None:
    contents, probe = SeenContents(ledger), missing_page(f"{SITE}/a/b?c")
    assert probe == missing_page(SITE)
    assert probe != missing_page("https://other.example")
    ledger.add(Link(key_of(probe), probe, "vesti"))
    assert contents.refusal(f"{SITE}/1", "5") is None
    contents.remember_missing(probe, "5")
    refused = SeenContents(ledger).refusal(f"{SITE}/2", "5")
    assert refused is not None
    assert refused.reason == "soft_404"


def test_more_than_a_few_addresses_with_one_content_are_refused(ledger: Ledger) -> None:
    contents = SeenContents(ledger)
    answers = [contents.refusal(f"{SITE}/{number}", "5") for number in range(MAX_ADDRESSES + 2)]
    assert [answer.reason if answer else "" for answer in answers] == ["", "", "same_content", "same_content"]
    assert contents.refusal(f"{SITE}/0", "5") is None, "the same address again is not another one"
    assert contents.refusal("https://other.example/1", "5") is None
    assert [contents.refusal(f"{SITE}/{number}", "") for number in range(5)] == [None] * 5
