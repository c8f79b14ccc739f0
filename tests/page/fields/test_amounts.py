import pytest

from newscorpus.data import Rejected
from newscorpus.page.fields.nodes import Amounts, measure_amounts
from newscorpus.page.parsing.parse import parse


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
