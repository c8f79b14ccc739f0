"""A user's own fastText file detects languages; the file is written here as fastText writes it, and never unpickled."""

import struct
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from newscorpus.data import Page
from newscorpus.errors import CorpusError
from newscorpus.page.judge import process_page
from newscorpus.page.quality.judge import read_quality
from newscorpus.page.quality.language import by_fasttext
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage

MAGIC, VERSION, SOFTMAX, SUPERVISED = 793_712_314, 12, 3, 3
WORDS = {"vlada": (4.0, -4.0), "government": (-4.0, 4.0)}
LABELS = ("__label__srp_Latn", "__label__eng_Latn")


def fasttext_model(path: Path) -> Path:
    """Write a model of two words and two labels, whose vectors of two dimensions point at one label each."""
    settings = (2, 5, 5, 1, 5, 1, SOFTMAX, SUPERVISED, 0, 0, 0, 100)
    entries = [(word, 10, 0) for word in (*WORDS, "</s>")] + [(label, 5, 1) for label in LABELS]
    parts = [struct.pack("<14i", MAGIC, VERSION, *settings), struct.pack("<d", 0.0001)]
    parts.append(struct.pack("<3i2q", len(entries), len(entries) - 2, 2, 30, -1))
    parts += [name.encode() + b"\0" + struct.pack("<qb", count, kind) for name, count, kind in entries]
    parts.append(b"\0" + struct.pack("<2q6f", 3, 2, *WORDS["vlada"], *WORDS["government"], 0.0, 0.0))
    parts.append(b"\0" + struct.pack("<2q4f", 2, 2, 1.0, 0.0, 0.0, 1.0))
    path.write_bytes(b"".join(parts))
    return path


def test_a_model_of_the_users_names_languages_by_their_short_codes(tmp_path: Path) -> None:
    detect = by_fasttext(fasttext_model(tmp_path / "own.bin"))
    assert max((chances := detect("vlada\nvlada")), key=lambda name: chances[name]) == "sr"
    assert chances["sr"] > 0.9
    assert detect("government vlada government")["en"] > 0.5
    assert set(detect("")) <= {"sr", "en"}


def test_a_quality_file_names_it_and_pages_are_judged_by_it(tmp_path: Path) -> None:
    fasttext_model(tmp_path / "own.bin")
    settings = tmp_path / "quality.toml"
    settings.write_text('language_model = "own.bin"\noff = ["repeated_words"]\n')
    quality = read_quality(settings)
    assert quality.language_model == str(tmp_path / "own.bin")
    paragraphs = "".join(f"<p>Der Rat hat am Montag den Haushalt für das Jahr {at} beschlossen.</p>" for at in range(9))
    html = f"<article><h1>Haushalt</h1><p>Die Rede handelte von vlada, vlada und vlada.</p>{paragraphs}</article>"
    page = SourcePage(Page.from_html(html, "https://a.example/1"), languages=("sr",))
    row = process_page(Recipe(quality=quality), page)
    assert isinstance(row, Row)
    assert row.record.language == "sr"
    assert not isinstance(process_page(Recipe(quality=replace(quality, language_model="")), page), Row)


def test_what_cannot_be_used_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, model = tmp_path / "quality.toml", tmp_path / "own.bin"
    settings.write_text('language_model = "own.bin"\n')
    with pytest.raises(CorpusError, match=r"own\.bin: No such file"):
        read_quality(settings)
    model.write_bytes(b"\x80\x04]")
    with pytest.raises(CorpusError, match=r"own\.bin: not a fastText model$"):
        read_quality(settings)
    fasttext_model(model)
    monkeypatch.setitem(sys.modules, "fasttext", None)
    with pytest.raises(CorpusError, match=r"pip install 'newscorpus\[fasttext\]'"):
        read_quality(settings)
