"""Short texts of a page: what is known beforehand to be long changes nothing."""

from hypothesis import given
from hypothesis import strategies as st
from lxml.html import HtmlElement

from newscorpus.page.fields.nearby import SHORT, lines_of, long_ones, short_text
from newscorpus.page.parsing.parse import parse
from tests.mockserver.kinds import expect

TEXTS = st.sampled_from(["", " \n ", "3. 2. 2024", "By Jane Doe", "word " * 20, "x" * SHORT, "x" * (SHORT + 1)])
TREES = st.recursive(
    TEXTS,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "p", "span", "b", "script", "form"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=15,
)


def _tree(body: str) -> HtmlElement:
    return expect(HtmlElement, parse(f"<html><body>{body}</body></html>"))


@given(TREES, st.integers(1, 20))
def test_lines_do_not_depend_on_what_is_measured_beforehand(html: str, count: int) -> None:
    elements = list(_tree(f"<div>{html}</div>").iter("*"))[:count]
    measured = [(line.text, line.element) for line in lines_of(elements, long_ones(elements))]
    assert measured == [(line.text, line.element) for line in lines_of(elements, ())]


@given(TREES)
def test_long_ones_have_no_short_text(html: str) -> None:
    elements = list(_tree(f"<div>{html}</div>").iter("*"))
    assert not any(short_text(element) for element in long_ones(elements))


def test_what_holds_a_long_text_is_long() -> None:
    elements = list(_tree(f"<div><p>{'x' * SHORT}y</p><i>z</i></div>").iter("*"))
    assert {element.tag for element in long_ones(elements)} == {"html", "body", "div", "p"}


def test_short_text_leaves_out_code() -> None:
    tree = _tree("<div>seen<script>x=1</script></div><div>3. 2.<b> 2024 </b></div>")
    assert [short_text(element) for element in tree.iter("div")] == ["", "3. 2. 2024"]


def test_a_form_has_lines_only_if_it_holds_the_page() -> None:
    tree = _tree("<form><h1>Title</h1><p>3. 2. 2024</p></form><form><p>4. 2. 2024</p></form>")
    assert [line.text for line in lines_of(tree.iter("form", "p"), ())] == ["Title 3. 2. 2024"]
