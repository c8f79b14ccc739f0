import pytest

from newscorpus.data import Rejected
from newscorpus.lab.systems.segment_systems import cut
from newscorpus.page.parsing.parse import parse

LONG = "A long sentence about the bridge that is longer than all of the rest of this page together, menus and all."
LONGER = f"{LONG} {LONG}"


def texts(html: str) -> list[str]:
    tree = parse(html)
    assert not isinstance(tree, Rejected)
    return ["|".join(segment.paragraphs) for segment in cut(tree)]


HALF = f"<p>{LONG}</p>"
CASES = {
    "no_div": ("one <b>two</b><!-- no --> three", ["one two three"]),
    "div": ("one<div>two</div>three <i>four</i>", ["one", "two", "three four"]),
    "table": ("one<table><tr><td>two</table>three", ["one", "two", "three"]),
    "looked_into": (f"<div>a<div>b</div>c{HALF}<div>d</div>e</div>f", ["a", "b", "c", LONG, "d", "e", "f"]),
    "text_alone": (f"a<p>{LONG}</p>b <i>c</i>", ["a", LONG, "b c"]),
    "text_and_more": (f"a<p>{LONG} <b>b</b></p>c", ["a", f"{LONG} b", "c"]),
    "any_element": (f"a<section><div>b</div>{HALF}</section>c", ["a", "b", LONG, "c"]),
    "scripts": (f"<script>var menu = '{LONGER}'</script><style>p {{}}</style><p>text", ["text"]),
    "white_space": (" <p>one</p>\n<div> </div>", ["one", ""]),
    "empty": ("", []),
}


@pytest.mark.parametrize(("html", "segments"), CASES.values(), ids=CASES)
def test_where_a_page_is_cut(html: str, segments: list[str]) -> None:
    assert texts(f"<body>{html}") == segments


def test_a_table_that_holds_more_than_half_is_cut_at_its_cells() -> None:
    html = (
        "<body><div>logo</div><table><caption>News</caption><tr><td>menu</td>"
        f"<td><div>by us</div><p>{LONG}</p></td></tr></table>"
    )
    assert texts(html) == ["logo", "News", "menu", "by us", LONG]


def test_tables_in_tables_are_cut_at_the_cells_that_hold_the_text() -> None:
    inner = f"<table><tr><td>date</td><td><p>{LONG}</p></td></tr></table>"
    assert texts(f"<body><table><tr><td>menu</td><td>{inner}</td></tr></table>") == ["menu", "date", LONG]


def test_text_and_markup_are_told_apart() -> None:
    tree = parse("<body>1 &lt; 2 &amp; <b>3</b>")
    assert not isinstance(tree, Rejected)
    (segment,) = cut(tree)
    assert segment.html == "1 &lt; 2 &amp; <b>3</b>"
    assert segment.paragraphs == ("1 < 2 & 3",)


def test_the_tree_is_left_as_it_was() -> None:
    tree = parse("<body><script>x</script><div>one</div>")
    assert not isinstance(tree, Rejected)
    cut(tree)
    assert tree.find(".//script") is not None


def test_pages_nested_deeper_than_python_goes() -> None:
    assert texts(f"<body>{'<section>' * 1500}<p>{LONG}</p>") == [LONG]
