"""The model of letters is counted from the names that CLDR has, always alike."""

from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.lab.training.letters import train_letters
from newscorpus.page.quality.letters import ALPHABETS


def test_the_letters_of_each_language_are_counted_by_script(tmp_path: Path) -> None:
    languages = ["cs", "el", "nb", "no", "ru", "sr_Cyrl", "vo"]
    metadata = train_letters(tmp_path / "letters", languages)
    assert {name: row["languages"] for name, row in metadata.data.items()} == {"latin": 2, "cyrillic": 2, "greek": 1}
    latin = np.load(tmp_path / "letters" / "latin.npy")
    assert latin.shape == (2, len(ALPHABETS["LATIN"]) + 2, len(ALPHABETS["LATIN"]) + 2)
    czech, q, u = latin[0], ALPHABETS["LATIN"].index("q") + 1, ALPHABETS["LATIN"].index("u") + 1
    assert czech[q].argmax() == u
    assert czech[:, 0].sum() == czech[0].sum() > 1_000  # as many words end as begin
    assert "- Latin: cs, nb\n- Cyrillic: ru, sr_Cyrl\n- Greek: el\n" in (tmp_path / "letters" / "card.md").read_text()
    assert train_letters(tmp_path / "again", languages).files == metadata.files


def test_the_command_takes_no_pages(tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, ["train", "letters", "--data", str(tmp_path)])
    assert refused.exit_code == 2
    assert "letters is made without pages" in " ".join(refused.output.replace("│", " ").split())
