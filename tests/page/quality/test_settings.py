from pathlib import Path

import pytest

from newscorpus.config import QualityConfig
from newscorpus.errors import CorpusError
from newscorpus.page.quality.judge import read_quality


def test_what_a_file_leaves_out_is_as_by_default(tmp_path: Path) -> None:
    path = tmp_path / "quality.toml"
    path.write_text('min_words = 80\noff = ["listing"]\nmask = ["email", "iban"]\nmax_top_ngrams = [0.2]\n')
    expected = QualityConfig(min_words=80, off=("listing",), mask=("email", "iban"), max_top_ngrams=(0.2,))
    assert read_quality(path) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("min_word = 80\n", "unknown key min_word; known: off, mask, min_words, "),
        ('min_words = "80"\n', "min_words: Expected `int`, got `str`"),
        ("max_top_ngrams = 0.2\n", "max_top_ngrams: Expected `array`, got `float`"),
        ('off = ["listings"]\n', "unknown filter in off: listings; known: empty_text, "),
        ('mask = ["mail"]\n', "unknown kind in mask: mail; known: email, "),
        ("min_words 80\n", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "quality.toml"
    path.write_text(content)
    with pytest.raises(CorpusError) as error:
        read_quality(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"absent\.toml: No such file"):
        read_quality(tmp_path / "absent.toml")


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "quality.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CorpusError, match="not valid TOML"):
        read_quality(path)
