"""Addresses made absolute, and dates in scripts."""

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import HtmlElement

from newscorpus.page.fields.decide import read_data_layer
from newscorpus.page.fields.learned import text_without
from newscorpus.page.fields.markup import (
    LINE_END,
    MAX_INSIDE,
    PLAIN_ADDRESS,
    gather,
    holds_many,
    join,
    opening,
    pieces,
)
from newscorpus.page.parsing.parse import parse
from tests.mockserver.kinds import expect


@given(st.from_regex(PLAIN_ADDRESS, fullmatch=True), st.sampled_from(["", "https://a.example/b/c", "http://a.example"]))
def test_joining_leaves_plain_addresses_as_they_are(address: str, base: str) -> None:
    assert join(base, address) == address == urljoin(base, address)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("c?d#e", "https://a.example/c?d#e"),
        (" //b.example/c ", "https://b.example/c"),
        ("https://b.example/c?", "https://b.example/c"),
        ("https://b.example/č", "https://b.example/č"),
        ("http://[::1", ""),
        ("mailto:x@a.example", ""),
        ("", "https://a.example/b"),
    ],
)
def test_join(link: str, expected: str) -> None:
    assert join("https://a.example/b", link) == expected


@pytest.mark.parametrize("name", ["datePublished", "PUBDATE", "first_publication_date", "upload_date", "published_at"])
def test_data_layer_knows_names_of_the_publication(name: str) -> None:
    tree = parse(f'<html><body><script>var x = {{"{name}": "2024-02-03T14:05"}}</script></body></html>')
    assert [item.value for item in read_data_layer(gather(tree, ""))] == ["2024-02-03T14:05"]


def test_data_layer_passes_other_scripts_over() -> None:
    tree = parse('<html><body><script>var updated = "2024-02-03", publisher = "2024-02-03"</script></body></html>')
    assert not list(read_data_layer(gather(tree, "")))


TREES = st.recursive(
    st.sampled_from(["", " ", "one", "two three"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "b", "i", "script"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


def body_of(html: str) -> HtmlElement:
    tree = expect(HtmlElement, parse(f"<html><body>{html}</body></html>"))
    return tree[0]


@given(TREES)
def test_all_texts_are_found_in_order_except_those_skipped(html: str) -> None:
    body = body_of(html)
    assert [piece for piece in pieces(body) if piece != LINE_END] == list(body.itertext())
    found = "".join(pieces(body, lambda each: each.tag == "i"))
    for each in list(body.iter("i")):
        if each.getparent() is not None:
            each.drop_tree()
    assert found.replace(LINE_END, "") == "".join(body.itertext())


@given(TREES, st.integers(0, 12))
def test_an_opening_is_the_beginning_of_the_text(html: str, characters: int) -> None:
    body = body_of(html)
    assert opening(body, characters) == "".join(pieces(body))[:characters]
    assert body.text_content().startswith(opening(body, characters).replace(LINE_END, ""))


def test_only_the_first_elements_are_looked_at() -> None:
    body = body_of("<i></i>" * 2 * MAX_INSIDE + "far")
    assert holds_many(body)
    assert opening(body, 100) == ""
    assert not holds_many(body_of("<i></i>near"))


def test_deeper_than_the_stack_of_python() -> None:
    body = body_of("<b>" * 1_500 + "one")
    assert list(pieces(body)) == ["one"]
    assert text_without(body, ()) == "one"
