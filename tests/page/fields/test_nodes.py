import zlib

import pytest

from newscorpus.data import Rejected
from newscorpus.page.fields.nodes import COLUMNS, GROUPS, Amounts, Nodes, describe, measure_amounts
from newscorpus.page.parsing.parse import parse

PAGE = '<body><div id="Main" class="art wide"><p class=x>One two.</p><p> </p></div><script>var a</script>'


def describe_page(html: str, *groups: str) -> Nodes:
    tree = parse(html)
    assert not isinstance(tree, Rejected)
    return describe(tree, frozenset(("div", "p")), groups)


def columns(*names: str) -> set[int]:
    return {zlib.crc32(name.encode()) % COLUMNS for name in names}


def features(nodes: Nodes, place: int) -> set[int]:
    return set(nodes.columns[nodes.features_of(place)].tolist())


def test_elements_with_text_in_document_order() -> None:
    nodes = describe_page(PAGE, "amounts")
    assert [element.tag for element in nodes.elements] == ["div", "p"]
    assert [amounts.words for amounts in nodes.amounts] == [2, 2]


def test_features_by_hand() -> None:
    # Class of n: twice the logarithm of 1 + n to base 2, cut. 8 characters: 6.3; 2 words: 3.2; 3 letters a word: 4.
    wanted = columns("characters 6", "words 3", "word length 4", "sentences 2", "sentence length 3")
    assert features(describe_page(PAGE, "amounts"), 1) == wanted
    nodes = describe_page(PAGE, "structure")
    assert features(nodes, 0) == columns("children 3", "path 3", "siblings 2", "blocks 3")
    assert features(nodes, 1) == columns("children 0", "path 4", "siblings 2", "blocks 0")
    nodes = describe_page(PAGE, "tags")
    assert features(nodes, 0) == columns("tag div", "class art", "class wide")
    assert features(nodes, 1) == columns("tag p", "class x")
    found = features(describe_page(PAGE, "names"), 1)
    assert found >= columns("around ma", "around mai", "around main", "around #m", "around t w", "around wide")
    assert found >= columns("x in art", "x in wide", "x in #main")
    assert found >= columns("letters 15", "digits 0", "punctuation 2", "spaces 2")  # twentieths of 8 characters
    assert not found & columns("own x", "around m", "around art w")


def test_names_cut_into_parts_weigh_together_as_one_feature() -> None:
    nodes = describe_page('<div class="abcd">text</div>', "names")
    parts = ("ab", "bc", "cd", "abc", "bcd", "abcd")
    weights = dict(zip(nodes.columns.tolist(), nodes.values.tolist(), strict=True))
    of_parts = [weights[column] for column in columns(*(f"own {part}" for part in parts))]
    assert sum(value**2 for value in of_parts) == pytest.approx(1)
    assert weights[columns("letters 20").pop()] == 1


def test_all_groups_are_the_sum_of_the_four() -> None:
    alone = [describe_page(PAGE, group) for group in GROUPS]
    assert features(describe_page(PAGE, *GROUPS), 0) == set().union(*(features(nodes, 0) for nodes in alone))


def test_endless_names_are_cut_and_a_page_without_text_has_none() -> None:
    nodes = describe_page(f"<div class='{'ab' * 5000}' id='{'x ' * 5000}'>text</div>", *GROUPS)
    assert len(nodes.columns) < 1000
    nodes = describe_page("<body><div><img src=x></div>", *GROUPS)
    assert (len(nodes.elements), len(nodes.columns), len(nodes.starts)) == (0, 0, 0)


def by_tag(html: str) -> dict[str, Amounts]:
    tree = parse(html)
    assert not isinstance(tree, Rejected)
    return {element.tag: amounts for element, amounts in measure_amounts(tree).items()}


def test_worked_example() -> None:
    found = by_tag("<body><div> Most  stál 12! <p>Ano.</p><script>x</script> Ne</div>")
    assert found["p"] == Amounts(3, 0, 4, 1, 1, letters=3, punctuation=1)
    assert found["div"] == Amounts(
        2, 1, 13 + 4 + 2, 3 + 1 + 1, 1 + 1, letters=8 + 3 + 2, digits=2, punctuation=2, spaces=2
    )
    assert found["body"] == found["div"]._replace(depth=1, blocks=2)
    assert "script" not in found


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", 3),
        ("He said: “Well...” and left.", 2),
        ("At 3.15 by v1.2", 0),
        ("一。二！三", 2),
    ],
)
def test_sentences(text: str, sentences: int) -> None:
    assert by_tag(f"<p>{text}</p>")["p"].sentences == sentences
