import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Block, Element
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.text.features.structure import (
    KINDS,
    NAMES,
    SEMANTIC_NAMES,
    Structure,
    common_depth,
    kinds_of,
    main_container,
    read_structure,
    sum_below,
)

PAGE = """<body><nav><p>Home</p></nav>
<main class="content"><article itemprop="articleBody"><p class="lead">One</p><p>Two</p></article></main>
<aside hidden role="navigation"><p>More</p></aside></body>"""
# Elements: 0 html, 1 body, 2 nav, 3 p, 4 main, 5 article, 6 p.lead, 7 p, 8 aside, 9 p


def blocks_of(html: str) -> tuple[Block, ...]:
    return segment(parse(html))


def bits(value: int, names: tuple[str, ...]) -> set[str]:
    return {name for bit, name in enumerate(names) if value >> bit & 1}


@st.composite
def pages(draw: st.DrawFn) -> list[Block]:
    """Blocks in document order: each opens an element below one that is open."""
    open_elements = [Element("html")]
    blocks = []
    for position in range(draw(st.integers(1, 12))):
        if draw(st.booleans()):
            del open_elements[draw(st.integers(1, len(open_elements))) :]
        for _ in range(draw(st.integers(0, 3))):
            above = open_elements[-1]
            tag = draw(st.sampled_from(["div", "p", "nav"]))
            open_elements.append(
                Element(tag, classes=draw(st.sampled_from(["", "a", "b"])), parent=above, depth=above.depth + 1)
            )
        blocks.append(Block(position, "text", "", open_elements[-1], draw(st.booleans())))
    return blocks


def chain(structure: Structure, at: int) -> list[int]:
    found = [at]
    while found[-1]:
        found.append(int(structure.parent[found[-1]]))
    return found


def test_the_elements_of_a_page_in_document_order() -> None:
    structure = read_structure(blocks_of(PAGE))
    assert structure.parent.tolist() == [0, 0, 1, 2, 1, 4, 5, 5, 1, 8]
    assert structure.depth.tolist() == [0, 1, 2, 3, 2, 3, 4, 4, 2, 3]
    assert structure.end.tolist() == [10, 10, 4, 4, 8, 8, 7, 8, 10, 10]
    assert structure.block_element.tolist() == [3, 6, 7, 9]
    assert structure.block_parent.tolist() == [2, 5, 5, 8]


def test_a_part_of_an_element_has_that_element_for_its_parent() -> None:
    structure = read_structure(blocks_of("<html class=nav><body class='article'><div>Loose<p>Own</p></div></body>"))
    loose, own = structure.block_element.tolist()
    assert structure.block_parent.tolist() == [loose, loose]
    assert structure.parent[own] == loose
    assert not structure.all_kinds.any(), "names of the page itself say nothing"


def test_surroundings() -> None:
    structure = read_structure(blocks_of(PAGE))
    assert [bits(structure.surroundings[at], SEMANTIC_NAMES) for at in (3, 6, 9)] == [
        {"nav"},
        {"main", "article", "article_body"},
        {"aside", "hidden", "complementary"},
    ]


def test_the_main_container_is_the_deepest_element_with_the_share() -> None:
    structure = read_structure(blocks_of(PAGE))
    (words,) = sum_below(structure, np.array([1.0, 20.0, 30.0, 2.0]))
    assert main_container(structure, words, 0.9) == 5
    assert main_container(structure, words, 0.95) == 1
    assert structure.depth[main_container(structure, np.zeros(10), 0.9)] == 4


def test_nesting_beyond_pythons_stack() -> None:
    element = Element("html")
    for depth in range(1, 3_000):
        element = Element("div", parent=element, depth=depth)
    structure = read_structure([Block(0, "x", "", element)])
    assert structure.depth[structure.block_element[0]] == 2_999


@given(pages())
def test_sums_agree_with_a_walk_upwards(blocks: list[Block]) -> None:
    structure = read_structure(blocks)
    amounts = np.arange(1.0, len(blocks) + 1)
    expected = np.zeros(len(structure.parent))
    for at, amount in zip(structure.block_element.tolist(), amounts.tolist(), strict=True):
        expected[chain(structure, at)] += amount
    assert sum_below(structure, amounts).tolist() == [expected.tolist()]


@given(pages(), st.data())
def test_common_depth_agrees_with_a_walk_upwards(blocks: list[Block], data: st.DataObject) -> None:
    structure = read_structure(blocks)
    n = len(structure.parent)
    element = data.draw(st.integers(0, n - 1))
    above = set(chain(structure, element))
    expected = [max(structure.depth[at] for at in chain(structure, start) if at in above) for start in range(n)]
    assert common_depth(structure, element).tolist() == expected


@given(pages())
def test_the_structure_tells_what_the_elements_tell(blocks: list[Block]) -> None:
    structure = read_structure(blocks)
    assert structure.depth[structure.block_element].tolist() == [block.element.depth for block in blocks]
    assert structure.depth[structure.block_parent].tolist() == [block.parent.depth for block in blocks]
    same = structure.path[structure.block_element]
    paths = [block.element.path for block in blocks]
    assert [[a == b for b in same] for a in same] == [[a == b for b in paths] for a in paths]


def kinds(name: str) -> set[str]:
    return {kind for bit, kind in enumerate(NAMES) if kinds_of(name) >> bit & 1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("article-body", {"article", "content"}),
        ("articleBody", {"article", "content"}),
        ("ARTICLE", {"article"}),
        ("clanek", {"article"}),
        ("c-related__list", {"related"}),
        ("subtitle", {"lead", "headline"}),
        ("ad", {"advert"}),
        ("ads", {"advert"}),
        ("shadow", set()),
        ("reading", set()),
        ("css-1x2y3z", {"hash"}),
        ("scroll", set()),
        ("tag", {"tags"}),
        ("stage", set()),
        ("komentáře", {"comment"}),
        ("kommentar", {"comment"}),
        ("", set()),
        ("123 --", set()),
    ],
)
def test_a_name_speaks_of_its_kinds(name: str, expected: set[str]) -> None:
    assert kinds(name) == expected


def test_every_kind_has_patterns_that_some_word_contains() -> None:
    plain = {kind: next(filter(str.isalpha, words.split())) for kind, words in KINDS.items() if kind != "hash"}
    assert all(kind in kinds(word) for kind, word in plain.items())
    assert kinds("footer nav") == kinds("footer") | kinds("nav") == {"footer", "navigation"}
