"""The rules of a portal's file are tried on pages, and what was found lately is counted."""

from pathlib import Path

from newscorpus.data import Page
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal
from newscorpus.portal.schema import read_portal
from newscorpus.store.ledger.portals import Look
from newscorpus.upkeep.check import found_lately, try_rules

FILE = """
name = "a"
languages = ["en"]
domains = ["a.example"]
start = ["https://a.example/"]
articles = ['^/news/', '^/other/']
[template]
text = ["div.body", "div.none"]
title = ["h1"]
published = ["h1"]
"""


def portal(text: str = FILE) -> Portal:
    return read_portal(text, Path("a.toml"))


def page(number: int, html: str = "<h1>Bridge {0}</h1><div class=body><p>Text {0}.</p></div>") -> SourcePage:
    return SourcePage(Page.from_html(html.format(number), f"https://a.example/news/{number}"))


def test_each_rule_says_on_how_many_pages_it_found_what() -> None:
    pages = [page(1), page(2), page(3, "<p>another design</p>"), page(4, "")]
    found = {one.key: one for one in try_rules(portal(), pages)}
    assert (found["template.text[0]"].hits, found["template.text[0]"].pages) == (2, 3)  # one page has no markup
    assert found["template.text[0]"].examples == ("Text 1.", "Text 2.")
    assert found["template.text[1]"].hits == 0
    assert (found["template.title[0]"].examples, found["template.title[0]"].misfit) == (("Bridge 1", "Bridge 2"), "")
    assert found["template.published[0]"].misfit == "Bridge 1"
    assert (found["articles[0]"].hits, found["articles[0]"].pages, found["articles[1]"].hits) == (4, 4, 0)


def test_a_file_without_rules_has_nothing_to_try() -> None:
    text = FILE.partition("[template]")[0].replace("articles", "# articles")
    assert try_rules(portal(text), [page(1)]) == []


def test_what_was_missing_is_counted_ten_pages_a_step() -> None:
    looks = [
        Look("a", f"u{n}", "", "", frozenset({"missing: authors", "div"} if n >= 15 else {"div"})) for n in range(24)
    ]
    assert found_lately(looks) == {"authors": [1.0, 0.5, 0.0]}
    assert found_lately([]) == {}
