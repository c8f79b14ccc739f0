from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from lxml.html import HtmlElement

from newscorpus.data import Page, RuleHit
from newscorpus.page.judgement import Judgement, RuleTally
from newscorpus.page.parsing.parse import parse
from newscorpus.page.source_page import SourcePage
from newscorpus.page.template import TemplateRules
from newscorpus.portal.portal import TemplateSection
from tests.mockserver.kinds import expect

PAGE = """<html><head><title>Naslov | Vesti</title><meta name="author" content="Ana Anić"></head><body>
<nav class="menu">Sport</nav>
<article><h1>Naslov</h1><div class="lead">Uvod.</div>
<div class="body"><p>Prvi <a href="/x">deo</a>.</p><div class="ad">Kupi!</div> Slobodan tekst.
  <div class="body"><p>Drugi.</p></div><ul><li>Tačka</li></ul></div>
<span class="tag">kiša</span><span class="tag">vetar</span><span class="tag">kiša</span></article></body></html>"""


def tree(page: str = PAGE) -> HtmlElement:
    return html.document_fromstring(page)


def read(page: str = PAGE, **rules: tuple[str, ...]) -> dict[str, list[str]]:
    root = tree(page)
    template = TemplateRules("vesti", TemplateSection(**rules))
    values: dict[str, list[str]] = {}
    for evidence in template.read_fields(root):
        assert evidence.source == "template"
        values.setdefault(evidence.field, []).append(evidence.value)
    template.remove_unwanted(root)
    return {**({"text": list(text)} if (text := template.read_text(root)) else {}), **values}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"text": (".body",)}, ["Prvi deo.", "Kupi!", "Slobodan tekst.", "Drugi.", "Tačka"]),  # a value a paragraph
        ({"text": (".body",), "remove": (".ad", "li")}, ["Prvi deo.", "Slobodan tekst.", "Drugi."]),  # the tails stay
        ({"text": (".lead", ".lead::text", "h1::text")}, ["Naslov", "Uvod."]),  # nothing inside a match twice
        *(
            ({"text": rules, "remove": (".ad",)}, ["Uvod.", "Prvi deo.", "Slobodan tekst.", "Drugi.", "Tačka"])
            for rules in ((".body", ".lead"), (".lead", ".body"), ("class=lead", "class=body", "p"))
        ),
    ],
)
def test_text_comes_in_document_order(rules: dict[str, tuple[str, ...]], expected: list[str]) -> None:
    assert read(PAGE, **rules) == {"text": expected}


def test_of_other_fields_the_first_rule_that_finds_something_decides() -> None:
    found = read(
        title=(".none", "h1", "title"),
        description=("title",),  # shows no text on the page
        authors=(".author", "meta[name=author]::attr(content)", "h1"),
        tags=(".tag",),
        section=(".none",),
        published=("meta",),
        lead=(".body",),  # of several blocks one line
    )
    assert found == {
        "title": ["Naslov"],
        "description": ["Naslov | Vesti"],
        "authors": ["Ana Anić"],
        "tags": ["kiša", "vetar"],
        "lead": ["Prvi deo. Kupi! Slobodan tekst. Drugi. Tačka"],
    }


def test_tails_comments_and_the_root_do_no_harm() -> None:
    page = "<body><p><b>bold</b> after</p></body>"
    assert read(page, text=("b", "//p/text()"))["text"] == ["bold", "after"], "it is not inside the element before it"
    page = "<html><body><!-- c --><p>text</p></body></html>"
    assert read(page, text=("//comment()", "p"), remove=("html", "//comment()")) == {"text": ["text"]}
    assert read(page, text=("//node()",)) == {"text": ["text"]}


def test_reading_changes_nothing() -> None:
    for section in (TemplateSection(), TemplateSection(text=(".body",), title=("h1",))):
        root, template = tree(), TemplateRules("vesti", section)
        before = html.tostring(root)
        template.remove_unwanted(root)
        assert len(template.read_fields(root)) == len(section.title)
        assert bool(template.read_text(root)) is bool(section.text)
        assert html.tostring(root) == before


def test_a_rule_that_fails_on_a_page_gives_nothing_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    assert read(text=("//article[count('a')]",), title=("h1",)) == {"title": ["Naslov"]}
    assert "template vesti: rule" in caplog.text


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_removal_takes_time_in_proportion() -> None:
    root = tree("<div>" + "<b class=ad>x</b>tail " * 300_000 + "</div>")
    TemplateRules("vesti", TemplateSection(remove=(".ad",))).remove_unwanted(root)
    assert root.text_content() == "tail " * 300_000


def test_deep_nesting_does_no_harm() -> None:
    root = expect(HtmlElement, parse("<div class=a>" * 1_900 + "text" + "</div>" * 1_900))
    template = TemplateRules("vesti", TemplateSection(text=("class=a",), title=("div",)))
    assert [evidence.value for evidence in template.read_fields(root)] == ["text"]
    assert template.read_text(root) == ("text",)


MARKUP = st.lists(
    st.sampled_from(
        ["<div class=body>", "</div>", "<p>", "</p>", "<b>", "</b>", "<br>", "<!-- c -->", "<script>", "</script>"]
    )
    | st.text(st.characters(codec="utf-8"), max_size=8)
)


@given(MARKUP)
def test_hostile_pages_never_raise(pieces: list[str]) -> None:
    found = read(
        "<html><body>" + "".join(pieces) + "</body></html>", text=("class=body", "p", "b::text"), remove=("b",)
    )
    assert all(value and value == " ".join(value.split()) for value in found.get("text", []))


@given(MARKUP)
def test_words_are_never_taken_twice(pieces: list[str]) -> None:
    numbered = "".join(f"{piece} w{number} " for number, piece in enumerate(pieces))
    found = read(f"<html><body>{numbered}</body></html>", text=("class=body", "p", "b", "class="))
    taken = [word for value in found.get("text", []) for word in value.split() if word in numbered.split()]
    own = [
        word for word in taken if word.startswith("w") and word[1:].isdecimal() and numbered.split().count(word) == 1
    ]
    assert len(own) == len(set(own))


def test_the_version_tells_apart_other_rules() -> None:
    first, again, other = (TemplateRules("vesti", TemplateSection(text=(rule,))).version for rule in ("p", "p", "div"))
    assert first == again != other


def test_hits_are_the_rules_that_find_something_and_say_what_cannot_be_a_value() -> None:
    page = PAGE.replace("</article>", '<time datetime="2024-05-01">1. 5.</time><i>Prvi maj</i></article>')
    section = TemplateSection(
        remove=(".ad", ".banner"),
        text=(".bodyy", ".body"),
        title=("h1", "title"),
        published=("h1", "time::attr(datetime)"),
        authors=("meta[name=author]::attr(content)", ".byline"),
    )
    hits = TemplateRules("vesti", section).hits(tree(page))
    by_field = {field: [hit.position for hit in hits if hit.field == field] for field in TemplateSection.__slots__}
    found = {"remove": [0], "text": [1], "title": [0, 1], "authors": [0], "published": [0, 1]}
    assert {field: positions for field, positions in by_field.items() if positions} == found
    assert [(hit.field, hit.position, hit.misfit) for hit in hits if hit.misfit] == [("published", 0, "Naslov")]


def test_the_tally_names_rules_that_found_nothing_and_values_that_cannot_be() -> None:
    section = TemplateSection(text=(".body", ".bodyy"), published=("h1",))
    tally, page = RuleTally(), SourcePage(Page("", b""), "vesti", template=section)
    hits = (RuleHit("text", 0), RuleHit("published", 0, "Naslov"))
    added = {"vesti/text/.body": 1, "vesti/text/.bodyy": 0, "vesti/published/h1": 1}
    assert tally.add(page, Judgement(rule_hits=hits)) == added
    tally.add(page, Judgement(rule_hits=hits[:1], is_short=True))
    older = replace(page, template=TemplateSection(text=(".older",)))
    tally.add(older, Judgement(rule_hits=()))
    assert tally.add(page, Judgement()) == tally.add(replace(page, template=None), Judgement(rule_hits=())) == {}
    *warnings, short = tally.warnings()
    assert "less than half as long as the extractor finds it: 1 of the tenth that is compared" in short
    assert warnings == [
        "template of vesti: the rule '.bodyy' of text found nothing on 2 pages",
        "template of vesti: the rule '.older' of text found nothing on 1 page",
        "template of vesti: the rule 'h1' of published finds what cannot be its value, such as 'Naslov'",
    ]
