import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Rejected
from newscorpus.page.parsing.parse import UNGUARDED, parse
from tests.mockserver.kinds import expect


def tree_of(html: str) -> HtmlElement:
    tree = expect(HtmlElement, parse(html, "https://a.example/1"))
    assert tree.tag == "html"
    return tree


def text_of(html: str) -> str:
    return " ".join(" ".join(tree_of(html).itertext()).split())


def reason(html: str) -> str:
    result = expect(Rejected, parse(html, "https://a.example/1"))
    assert (result.stage, result.url) == ("parse", "https://a.example/1")
    return result.reason


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("only text, no element", "only text, no element"),
        ("<p>a <b>fragment</b>", "a fragment"),
        ("<td>a cell alone", "a cell alone"),
        ("<html><body><p>one</p></body></html><p>two</p> three", "one two three"),
        ("<html><body><p>one</p></BODY ><p>two</p></html\n foo='1'>three", "one two three"),
        ("<p>one<!-- two --> three<?php four ?>", "one three"),
        ("<?xml version='1.0' encoding='iso-8859-2'?><html><body>č", "č"),
        ("<html><frameset><frame src=a></frameset><noframes>no frames here</noframes></html>", "no frames here"),
        ("<p>one</p><!-- an open comment <p>two", "one"),
        (
            "<h2><b>Old</b> bridge<i> [<u><a href='/?veaction=edit'>edit</a> | <a href='?action=edit'>x</a></u>]",
            "Old bridge",
        ),
        ("<h2>Old <a href='/w?action=editors'>bridge</a></h2><p><a href='/w?action=edit'>Edit</a>", "Old bridge Edit"),
        ("<p>R&amp;D &lt;x&gt; &nbsp;&#8211; &bogus; &#x110000;</p>", "R&D <x> – &bogus; \ufffd"),
        ("<article><header>a</header><my-element>b</my-element></article>", "a b"),
        ("<p>Bun&shy;des\xadtag &#8203;x&#xFEFF;y&ZeroWidthSpace;z&lrm; e\u030c &#1730;</p>", "Bundestag xyz ě \u06c2"),
        ("</p></div>closed before it was open", "closed before it was open"),
    ],
)
def test_text_survives(html: str, text: str) -> None:
    assert text_of(html) == text


def test_what_follows_the_end_stands_in_the_body() -> None:
    tree = tree_of("<html><body><p>one</p></body></html><p>two</p>")
    assert [child.tag for child in tree] == ["body"]
    assert [child.text for child in tree[0]] == ["one", "two"]


@pytest.mark.parametrize("html", ["", "   ", "<!-- nothing else -->", "<?php nothing ?>", "<!DOCTYPE html>"])
def test_documents_without_elements(html: str) -> None:
    assert reason(html) == "no_document"


@pytest.mark.timeout(60)
def test_deep_nesting_is_refused_and_that_of_a_real_page_is_not() -> None:
    assert reason("<div>" * 100_000 + "text") == "nested_too_deep"
    assert reason("<b><i>" * 50_000 + "text") == "nested_too_deep"
    assert text_of("<div>" * 1_500 + "deep" + "</div>" * 1_500 + "<p>after") == "deep after"


CROWDS = [
    " ".join(f"a{i}" for i in range(40_000)),
    " ".join(f"a{i}=1" for i in range(40_000)),
    "".join(f"a{i}='1'" for i in range(40_000)),
    "\n".join(f'a{i} = "a < b"' for i in range(40_000)),
    "/".join(f"<a{i}" for i in range(40_000)),
    " ".join(f"a{i}\"=x'" for i in range(40_000)),
    " ".join(f"a{i}='>'" for i in range(40_000)),
    " ".join(f'a{i}=">>"' for i in range(40_000)),
    "a='>' " + " ".join(f"a{i}" for i in range(40_000)),
    " ".join(f'a{i}=b=" c{i}=\'>\' d{i}=">"' for i in range(20_000)),
]


BEFORE = ('<script>if (a <b "</script>', '<!-- <b " -->', "<!--><i>", "<TITLE>a</title>")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("crowd", "before"), [*((crowd, "") for crowd in CROWDS), *((CROWDS[7], before) for before in BEFORE)]
)
def test_crowds_of_attributes_are_dropped(crowd: str, before: str) -> None:
    tree = tree_of(f"{before}<p class=a>one</p><p {crowd}>two</p><p class=b>three</p>")
    assert [(p.text, p.keys()) for p in tree.iter("p")] == [("one", ["class"]), ("two", []), ("three", ["class"])]


def test_tags_and_attributes_are_counted() -> None:
    few = Limits(max_tags=4, max_all_attributes=3)
    assert isinstance(parse("<p a b c>one</p><p>two</p>" + " " * UNGUARDED, limits=few), HtmlElement)
    for html, reason in (("<b>a</b>" * 3, "too_many_tags"), ("<p a b='>' c><b d>", "too_many_attributes")):
        result = expect(Rejected, parse(html + " " * UNGUARDED, "https://a.example/1", few))
        assert (result.stage, result.reason, result.url) == ("parse", reason, "https://a.example/1")


@pytest.mark.timeout(60)
def test_crowds_of_short_pages_end_tags_and_unclosed_tags_are_dropped_too() -> None:
    crowd = " ".join(f"a{i}" for i in range(10_000))
    assert [p.keys() for p in tree_of(f"<p {crowd}>one</p>").iter("p")] == [[]]
    assert text_of(f"<p>one</p {CROWDS[6]}>two") == "one two"
    assert text_of("<p>one</p><p " + " ".join(f"a{i}=1" for i in range(100_000))) == "one"


def test_many_attributes_are_kept() -> None:
    crowd = " ".join(f"data-number-{i}='{i}'" for i in range(Limits().max_attributes))
    tree = tree_of(f"<p {crowd}>one</p>{' ' * UNGUARDED}")
    assert len(tree[0][0].keys()) == Limits().max_attributes


def test_long_values_and_texts_are_no_crowd() -> None:
    value = "word " * 5_000
    tree = tree_of(f'<p title="{value}">{value}</p><script>if (a <b) {{ {value} }}</script>')
    assert tree[0][0].get("title") == value
    assert tree[0][0].text == value


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["<a ", "<a b='", "<a b=\"<a b='", "<", "<a b=c ", "</a ", "<!-- ", "</body", "&", "='>'"]
)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    parse("<p>" + piece * (1_000_000 // len(piece)))


@given(st.text(alphabet="<>/=\"' abdivp!-?&;#\n\x01é", max_size=200))
def test_it_never_raises(html: str) -> None:
    assert isinstance(parse(html), HtmlElement | Rejected)


@pytest.mark.parametrize("end", ["", "</titl", "</titlevalue='1'>"])
def test_a_title_without_an_end_tag_does_not_swallow_the_page(end: str) -> None:
    tree = tree_of(f"<head><TITLE id=t>Bridge opens{end}<meta name=a></head><body><p>One.</p></body>")
    assert (tree.findtext("head/title"), tree.findtext("body/p")) == ("Bridge opens", "One.")


def test_what_stands_behind_an_unknown_element_of_the_head_is_the_body() -> None:
    tree = tree_of("<head><title>t</title><mbox><tr><td><p>One.</p></td></tr></mbox><p>Two.</p></head>")
    assert [each.text for each in tree.findall("body//p")] == ["One.", "Two."]
    assert tree.findtext("head/title") == "t"
