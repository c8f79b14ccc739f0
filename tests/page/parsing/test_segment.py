from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Block
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import INVISIBLE_TAGS, VOID_TAGS, segment
from tests.mockserver.kinds import expect


def tree_of(html: str) -> HtmlElement:
    return expect(HtmlElement, parse(html))


def blocks_of(html: str, limits: Limits = Limits()) -> tuple[Block, ...]:
    return segment(tree_of(html), limits)


def texts(html: str) -> list[str]:
    return [block.text for block in blocks_of(html)]


def only(html: str) -> Block:
    (block,) = blocks_of(html)
    return block


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # mixed content: text beside block-level children
        ("<div>one<p>two</p>three<div>four</div>five</div>", ["one", "two", "three", "four", "five"]),
        ("<li>one<ul><li>two</li></ul>three</li>", ["one", "two", "three"]),
        ("one<table><tr><td>two<td>three</table>four", ["one", "two", "three", "four"]),
        # inline elements dissolve, and put no space into words
        ("<p>o<b>n</b>e <i>t<u>w</u></i>o</p>", ["one two"]),
        ("<p>H<sub>2</sub>O</p>", ["H2O"]),
        ("<p>one<my-element>two</my-element> three</p>", ["onetwo three"]),
        # inline around block
        ("<a href=x>one<h2>two</h2>three</a>", ["one", "two", "three"]),
        ("<span>one<b>two<div>three</div>four</b></span>", ["onetwo", "three", "four"]),
        ("<my-card>one<p>two</p></my-card>", ["one", "two"]),
        # line breaks
        ("<p>one<br>two</p>", ["one two"]),
        ("<p>one<br><br>two</p>", ["one", "two"]),
        ("<p>one<br> \n <br/>two<br><br><br>three</p>", ["one", "two", "three"]),
        ("<p>one<br>&nbsp;<br>two</p>", ["one", "two"]),
        ("<p>one<b><br></b><i><br>two</i></p>", ["one", "two"]),
        ("<p>one<br>-<br>two</p>", ["one - two"]),
        ("<p><br><br>one<br><br></p>", ["one"]),
        ("<p>one<br><img src=x><br>two</p>", ["one", "two"]),
        ("<div>one<br></div><div><br>two</div>", ["one", "two"]),
        # white space
        ("<p> one \n\t two&nbsp;three </p>", ["one two three"]),
        ("<p>\u2003one\u2003</p><p> \n </p><p></p>", ["one"]),
        ("<pre>one\n  two</pre>", ["one two"]),
        # invisible elements go, what follows them stays
        ("<p>one<script>no</script>two<style>no</style> three</p>", ["onetwo three"]),
        ("<div>one<noscript><p>no</p></noscript>two</div>", ["onetwo"]),
        ("<svg><title>no</title><text>no</text></svg><p>one</p>", ["one"]),
        (
            "<video>no</video><object>no</object><canvas>no</canvas><iframe>no</iframe><template>no</template>one",
            ["one"],
        ),
        ("<head><title>no</title></head><body>one</body>", ["one"]),
        ("<p>on<!-- no -->e</p>", ["one"]),
        # choices are text of the page
        ("<select><optgroup><option>one<option selected>two</select>", ["one", "two"]),
        ("<button>one</button> <label>two</label> <textarea>three</textarea>", ["one two", "three"]),
        ("<dl><dt>one<dd>two</dl><details><summary>three</summary>four</details>", ["one", "two", "three", "four"]),
        ("<p>The same</p><p>The same</p>", ["The same", "The same"]),
        ("<p></p><div><hr><br></div>", []),
        ("<p>a &lt; b &amp; c &#62;&nbsp;d</p>", ["a < b & c > d"]),
    ],
)
def test_texts(html: str, expected: list[str]) -> None:
    assert texts(html) == expected
    assert [block.position for block in blocks_of(html)] == list(range(len(expected)))


@pytest.mark.parametrize(
    ("html", "whole"),
    [
        ("<p>one</p>", [True]),
        ("<p><b>one</b> two</p>", [True]),
        ("<p>one<br>two</p>", [True]),
        ("<p>one<br><br>two</p>", [False, False]),
        ("<div>one<p>two</p></div>", [False, True]),
        ("<div><p>one</p>two</div>", [True, False]),
        ("<div><hr>one</div>", [False]),
        ("<a><p>one</p></a>", [True]),
        ("<a>one<p>two</p></a>", [False, True]),
    ],
)
def test_whole(html: str, whole: list[bool]) -> None:
    assert [block.whole for block in blocks_of(html)] == whole


def test_links() -> None:
    block = only("<p>See <a href=x>the <b>first</b></a>, <a href=y> the  second</a> and <a></a>more</p>")
    assert block.text == "See the first, the second and more"
    assert block.link_text == "the first the second"
    assert block.inline == ("a", "b", "a", "a")


def test_links_around_blocks() -> None:
    before, head, after, outside = blocks_of("<div>one <a href=x>two<h2>three</h2>four</a></div><p>five</p>")
    assert (before.text, before.link_text) == ("one two", "two")
    assert (head.link_text, after.link_text, outside.link_text) == ("three", "four", "")


def test_images() -> None:
    assert only("<p>one <img src=x> <a><img src=y></a></p>").inline == ("img", "a", "img")
    caption, text = blocks_of("<figure><a><img src=x></a><figcaption>one</figcaption></figure><p>two</p>")
    assert caption.inline == ("img",), "a lone image counts for the text after it"
    assert text.inline == ()


def test_path() -> None:
    html = "<body class='a b'><div id=main role=main><a class=c><p itemprop=articleBody class='d  e'>one</p></a></div>"
    block = only(html)
    assert block.element.path == "html/body.a.b/div#main/a.c/p.d.e"
    assert [element.role for element in block.element.ancestry] == ["", "", "main", "", "articleBody"]
    assert block.element.depth == 4
    assert only("<div><span class=x><b>one</b></span></div>").element.path == "html/body/div", "inline around no block"
    assert only("<p itemprop=author role=note>one</p>").element.role == "note author"


def test_blocks_share_their_ancestors() -> None:
    part, one, two = blocks_of("<section>one<p>two</p><p>three</p></section>")
    assert part.element is part.parent is one.parent is two.parent
    assert one.element is not two.element
    assert one.element.tag == one.tag == "p"


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<span hidden>Sdílet</span>", "Vláda jedná o dani."),
        ("<a style='display: none' href=/x>Sdílet <b>článek</b></a>", "Vláda jedná o dani."),
        ("<i aria-hidden=true>ve středu </i>", "Vláda ve středu jedná o dani."),  # it is seen, and not read out
        (f"<span hidden>{'a' * 161} </span>", f"Vláda {'a' * 161} jedná o dani."),
        (f"<span hidden itemscope>{'a' * 161} </span>", "Vláda jedná o dani."),
    ],
)
def test_a_hidden_label_is_no_part_of_the_text_around_it(inside: str, text: str) -> None:
    assert [block.text for block in blocks_of(f"<p>Vláda {inside}jedná o dani.</p>")] == [text]


@pytest.mark.parametrize(
    ("attributes", "is_hidden"),
    [
        ("", False),
        ("hidden", True),
        ("aria-hidden=true", True),
        ("aria-hidden=false", False),
        ("style='display:none'", True),
        ("style='color: red; DISPLAY : None !important'", True),
        ("style='display: block'", False),
        ("style='' class=hidden", False),
    ],
)
def test_hidden_text_is_kept_and_said_to_be_hidden(attributes: str, is_hidden: bool) -> None:
    block = only(f"<div {attributes}>one</div>")
    assert block.text == "one"
    assert block.element.hidden is is_hidden


def test_tags_before() -> None:
    # html body div p | /p br p b /b /p | /div p /p: <br> has no end tag
    html = "<div><p>one</p><br><p><b>two</b></p></div><p>three</p>"
    assert [block.tags_before for block in blocks_of(html)] == [5, 5, 3]
    # html body div p | /p... : the start tag that ends a block belongs to it
    assert [block.tags_before for block in blocks_of("<div>one<p>two</p>three</div>")] == [4, 1, 1]


def test_below_the_greatest_depth_the_text_is_kept() -> None:
    html = "<div>" * 8 + "<p>one</p>two" + "</div>" * 8 + "<p>three</p>"
    blocks = blocks_of(html, Limits(max_depth=5))
    assert [(block.text, block.element.depth) for block in blocks] == [("one", 5), ("two", 5), ("three", 2)]


def test_deeper_than_the_stack_of_python() -> None:
    block = only("<div>" * 1_500 + "one")
    assert (block.text, block.element.depth) == ("one", Limits().max_depth)
    assert only("<b>" * 1_500 + "one<p>").text == "one"


def test_part_of_a_tree() -> None:
    (block,) = segment(next(tree_of("<div>no<span>one <b>two</b></span>no</div>").iter("span")))
    assert (block.text, block.element.path, block.whole) == ("one two", "span", True)
    assert segment(lxml_html.fragment_fromstring("<script>no</script>")) == ()


def test_trees_of_other_parsers_may_hold_comments() -> None:
    tree = lxml_html.document_fromstring("<p>one<!-- no -->two<?no no?> three</p>")
    assert [block.text for block in segment(tree)] == ["onetwo three"]
    assert segment(etree.Comment("no")) == ()


def test_the_tree_is_not_changed() -> None:
    tree = tree_of("<div>one<script>no</script><a><p>two<br><br>three</p></a></div>")
    before = lxml_html.tostring(tree)
    segment(tree)
    assert lxml_html.tostring(tree) == before


# Generated pages. Every word is another one, so that order and loss can be told.

BLOCKS = ("div", "section", "article", "aside", "blockquote")
INLINES = ("a", "b", "span", "em", "custom-element", "label")
UNSEEN = ("script", "style", "svg", "template", "video")


@dataclass(frozen=True)
class Node:
    tag: str
    children: tuple["Node | str", ...] = ()


def nodes() -> st.SearchStrategy[Node]:
    leaf = st.sampled_from(("word ", " word", "word", " ", "\n")) | st.builds(
        Node, st.sampled_from(("br", "img", "hr", "!--", *UNSEEN))
    )
    children = st.recursive(
        leaf,
        lambda inner: st.builds(Node, st.sampled_from(BLOCKS + INLINES), st.lists(inner, max_size=5).map(tuple)),
        max_leaves=30,
    )
    return st.builds(Node, st.just("body"), st.lists(children, max_size=6).map(tuple))


def write(node: Node | str, words: list[str]) -> str:
    """The markup of `node`; its words are numbered and added to `words`."""
    if isinstance(node, str):
        if "word" in node:
            words.append(f"w{len(words)};")
            return node.replace("word", words[-1])
        return node
    if node.tag == "!--":
        return "<!-- unseen -->"
    if node.tag in VOID_TAGS:
        return f"<{node.tag}>"
    inside = "unseen" if node.tag in UNSEEN else "".join(write(child, words) for child in node.children)
    return f"<{node.tag}>{inside}</{node.tag}>"


def joined(blocks: tuple[Block, ...]) -> str:
    return "".join("".join(block.text.split()) for block in blocks)


@given(nodes())
def test_order_and_visible_text_are_preserved_and_nothing_is_invented(root: Node) -> None:
    words: list[str] = []
    assert joined(blocks_of(f"<html>{write(root, words)}</html>")) == "".join(words)


@given(nodes())
def test_what_every_block_is(root: Node) -> None:
    html = f"<html>{write(root, [])}</html>"
    blocks = blocks_of(html)
    for position, block in enumerate(blocks):
        assert block.position == position
        assert block.text == " ".join(block.text.split()) != ""
        assert len(block.link_text) <= len(block.text)
        assert ("" if "<a>" not in html else block.link_text) == block.link_text
        assert block.element.depth == len(block.element.ancestry) - 1
        assert block.element.ancestry[0].tag == "html"
        assert block.tags_before > 0
    assert len({id(block.element) for block in blocks if block.whole}) == sum(block.whole for block in blocks)


def seen_text(tree: HtmlElement) -> str:
    """The text outside invisible elements, without white space."""
    pieces = tree.xpath(f"//text()[not({' or '.join(f'ancestor::{tag}' for tag in sorted(INVISIBLE_TAGS))})]")
    return "".join("".join(piece.split()) for piece in pieces)


PIECES = (
    "<p> </p> <div> </div> <a> </a> <b> </b> <br> <table> <td> </table> <li> <select> <option> </select> <script> "
    "</script> <svg> </svg> <h1> </h1> <form> <title> </title> <head> <body> </body> </html> <!-- --> & < > é 漢 x y z"
).split()


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_of_broken_markup_nothing_is_lost(pieces: list[str]) -> None:
    tree = parse(" ".join(pieces))
    if isinstance(tree, HtmlElement):
        assert joined(segment(tree)) == seen_text(tree)


def test_of_other_boundaries_only_those_part_the_text() -> None:
    tree = tree_of("<div>one<ul><li>two<li>three</ul></div><p>four <a>five</a><table><tr><td>six</table>")
    found = [(block.tag, block.text, block.link_text) for block in segment(tree, block_tags={"p"})]
    assert found == [("html", "one two three", ""), ("p", "four five", "five"), ("body", "six", "")]
