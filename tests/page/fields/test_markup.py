"""Addresses made absolute, and dates in scripts."""

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.page.fields.decide import read_data_layer
from newscorpus.page.fields.markup import PLAIN_ADDRESS, gather, join
from newscorpus.page.parsing.parse import parse


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
