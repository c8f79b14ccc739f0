import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from newscorpus.portal.schema import compile_rules, selects_elements

PAGE = """<html><head><meta property="og:title" content="Naslov"><title>T</title></head>
<body><div class="body wide" id=main><p>one <b>two</b></p><p itemprop="x">three</p></div>
<div class="body">four</div></body></html>"""


def found(rule: str) -> list[str]:
    matches = compile_rules(rule)(html.document_fromstring(PAGE))
    assert isinstance(matches, list)
    return [match.text_content() if isinstance(match, html.HtmlElement) else str(match) for match in matches]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("#main p", ["one two", "three"]),
        ("p:first-child::text", ["one "]),
        ("meta[property='og:title']::attr(content)", ["Naslov"]),
        ("//p[@itemprop]", ["three"]),
        ("(//p)[1]/b/text()", ["two"]),
        (".//div[not(@id) and contains(@class, 'body')]", ["four"]),
        ("//p[count(b) > 0 and (position() = 1)]", ["one two"]),
        ("//p[contains(., 'foo(') or . = 'three']", ["three"]),
        ("p", ["one two", "three"]),
        ("P", ["one two", "three"]),
        ("itemprop=", ["three"]),
        ("ITEMPROP=", ["three"]),
        ("class=body", ["four"]),
        ("class=Body", []),
        ("class=body wide", ["one twothree"]),
        ("property=og:title", [""]),
        ("id=it's", []),
        ('id=say "hi"', []),
    ],
)
def test_each_form_finds_what_it_says(rule: str, expected: list[str]) -> None:
    assert found(rule) == expected


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("div[", "broken rule 'div['"),
        ("", "broken rule ''"),
        ("p::first-line", "broken rule"),
        ("//p[", "broken rule"),
        ("//p[re:test(., 'a')]", "XPath 1.0 knows no test()"),
        ("//p[lower-case(.) = 'a']", "XPath 1.0 knows no lower-case()"),
        ("//svg:p", "prefix"),
        ("//p | 'text'", "Invalid type"),
        ("/html/body/string(p)", "broken rule"),
        ("(count(//p))", "computes a value"),
        ("1a=b", "broken rule"),
        ("class=both ' and \"", "both kinds of quotes"),
        ("class=a\0b", "broken rule"),
    ],
)
def test_a_broken_rule_is_refused_in_one_line(rule: str, said: str) -> None:
    with pytest.raises(ValueError, match="broken rule") as caught:
        compile_rules(rule)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_union_finds_in_document_order_and_nothing_twice() -> None:
    rules = ("//div[2]", "itemprop=", "p", "b::text")
    matches = compile_rules(*rules)(html.document_fromstring(PAGE))
    assert isinstance(matches, list)
    assert [getattr(match, "tag", match) for match in matches] == ["p", "two", "p", "div"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("p", True),
        ("class=a", True),
        ("//p[@class]", True),
        ("p::text", False),
        ("//a/@href", False),
        ("a::attr(x)", False),
    ],
)
def test_rules_that_select_no_elements_are_told(rule: str, expected: bool) -> None:
    assert selects_elements(rule) is expected


@given(st.text(max_size=30) | st.text("/.[]()@=:'\"abp1*|,#> -$", max_size=20))
def test_any_rule_compiles_or_is_refused_in_one_line(rule: str) -> None:
    page = html.document_fromstring(PAGE)
    refusal = ""
    try:
        assert isinstance(compile_rules(rule)(page), list)
    except ValueError as error:
        refusal = str(error)
    assert "\n" not in refusal
