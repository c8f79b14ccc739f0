import pytest

from newscorpus.lab.systems.shallow_tree import text_density


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
