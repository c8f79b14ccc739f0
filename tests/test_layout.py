"""What is a corpus, and what is said of a folder that is none."""

from pathlib import Path

import pytest

from newscorpus.errors import CorpusError
from newscorpus.layout import check_corpus


def test_a_folder_of_corpora_is_no_corpus_and_names_them(tmp_path: Path) -> None:
    (tmp_path / "vesti" / "intake").mkdir(parents=True)
    (tmp_path / "logs").mkdir()
    with pytest.raises(CorpusError) as raised:
        check_corpus(tmp_path)
    assert str(raised.value) == f"{tmp_path}: no corpus here; there is one in {tmp_path / 'vesti'}"
    assert check_corpus(tmp_path / "vesti") == tmp_path / "vesti"
