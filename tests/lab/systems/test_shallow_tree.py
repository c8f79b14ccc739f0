import pytest

from newscorpus.data import Page
from newscorpus.lab.systems.shallow_tree import FEATURES, cut, measure, text_density
from newscorpus.page.extractor import PreparedPage, read

PAGE = (
    "<title>Most</title><body><ul><li><a href=/>Prva stran</a><li><a href=/s>Šport</a></ul><h1>Nov most</h1>"
    "<article><p>Danes so <b>odprli</b> <a href=/m>most</a>.</p><table><tr><td>Cena<td>12</table></article>"
)


def prepared(html: str) -> PreparedPage:
    found = read(Page.from_html(html))
    assert isinstance(found, PreparedPage)
    return found


def test_blocks_and_features_of_the_worked_example() -> None:
    blocks = cut(prepared(PAGE))
    assert [(block.text, block.link_text) for block in blocks] == [
        ("Prva stran Šport", "Prva stran Šport"), ("Nov most", ""), ("Danes so odprli most.", "most"), ("Cena 12", "")
    ]  # fmt: skip
    # Words, words in links, words a line, the second of the first.
    menu, headline, text, table = (3, 3, 3, 1), (2, 0, 2, 0), (4, 1, 4, 0.25), (2, 0, 2, 0)
    none = (0, 0, 0, 0)
    by_hand = [
        (*menu, *none, *headline),
        (*headline, *menu, *text),
        (*text, *headline, *table),
        (*table, *text, *none),
    ]
    assert measure(blocks).tolist() == [list(row) for row in by_hand]
    assert len(FEATURES) == 12


@pytest.mark.parametrize("html", ["<img src=x>", "<script>x</script>"])
def test_without_text_there_are_no_rows(html: str) -> None:
    blocks = cut(prepared(html))
    assert blocks == ()
    assert measure(blocks).shape == (0, 12)


@pytest.mark.parametrize(
    ("text", "density"),
    [
        ("", 0),
        ("one two, three.", 3),
        (" ".join(["ninechars"] * 8), 8),  # 8 times 10 columns fill one line
        (" ".join(["ninechars"] * 9), 8),  # the ninth stands alone in the last line, which is left out
        (" ".join(["ninechars"] * 24), 8),
        (" ".join(["x" * 39] * 5), 2),
        ("x" * 200, 1),
        ("x" * 200 + " " + "y" * 200, 1),
        ("一" * 100, 40),  # a character is a word there
    ],
)
def test_words_a_line(text: str, density: float) -> None:
    assert text_density(text) == density
