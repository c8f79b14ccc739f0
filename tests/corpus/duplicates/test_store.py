"""The index on disk: what was committed is read back, what was not is cut off, what was made otherwise is refused."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from newscorpus.config import BuildConfig, DuplicateConfig, SignatureParameters
from newscorpus.corpus.duplicates.store import COLUMNS, KEPT, STATE, Covered, Sketch, Store, layout_of, make_sketches
from newscorpus.errors import CorpusError
from newscorpus.page.signature import sign

PARAMETERS, CONFIG = SignatureParameters(), DuplicateConfig()
LAYOUT = layout_of(BuildConfig())
COVERED = (Covered("intake", 10, "x"),)


def sketch(name: str, text: str = "jedna dvě tři čtyři pět", source: str = "a") -> Sketch:
    [made] = make_sketches([(name, source, text, b"")], BuildConfig())
    return replace(made, published=1.5, digest=b"12345678", offset=3, length=4)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_was_added_is_read_back(tmp_path: Path) -> None:
    long = " ".join(f"w{number}" for number in range(500))
    store = Store.create(tmp_path, LAYOUT).append([sketch("á")], COVERED)
    store.append([sketch("b", f"{long}\n\n{long}", "c"), sketch("d")], COVERED)
    read = Store.open(tmp_path, LAYOUT)
    content = sketch("b", f"{long}\n\n{long}")
    assert (len(read), read.ids, read.state.sources, read.state.covered) == (3, ["á", "b", "d"], ("a", "c"), COVERED)
    assert read.documents["source"].tolist() == [0, 1, 0]
    assert read.documents["n_words"].tolist() == [5, 1000, 5]
    assert bytes(read.documents["content"][1]) == content.content.rstrip(b"\0")
    assert read.signatures[1].tobytes() == sign(f"{long}\n\n{long}")
    assert content.runs.size > 5
    assert np.asarray(read.column("runs")).tolist() == content.runs.tolist()
    assert np.asarray(read.column("paragraphs")).tolist()[1:3] == content.paragraphs.tolist()


@pytest.mark.parametrize("writes", range(len(COLUMNS)))
def test_a_writer_that_dies_leaves_the_last_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    store = Store.create(tmp_path, LAYOUT).append([sketch("a")], COVERED)
    left = iter(range(writes))

    def sync(handle: int) -> None:
        if next(left, None) is None:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", sync)
        with pytest.raises(OSError, match="No space"):
            store.append([sketch("b", "tři\nčtyři")], COVERED)
    assert Store.open(tmp_path, LAYOUT).ids == ["a"]
    again = Store.open(tmp_path, LAYOUT).append([sketch("c")], COVERED)
    assert (again.ids, (tmp_path / "signatures").stat().st_size) == (["a", "c"], 2 * 512)


def test_other_parameters_are_refused(tmp_path: Path) -> None:
    Store.create(tmp_path, LAYOUT)
    config = BuildConfig(replace(PARAMETERS, seed=2), replace(CONFIG, excerpt_words=9))
    with pytest.raises(CorpusError, match=r"other parameters: seed 1 instead of 2, excerpt_words 7 instead of 9"):
        Store.open(tmp_path, layout_of(config))


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]"])
def test_a_damaged_state_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / STATE).write_bytes(content)
    with pytest.raises(CorpusError, match=r"index.json: .*remove"):
        Store.open(tmp_path, LAYOUT)


@pytest.mark.parametrize("name", [*COLUMNS, STATE])
def test_a_changed_byte_is_named(tmp_path: Path, name: str) -> None:
    long = " ".join(f"w{number}" for number in range(400))
    Store.create(tmp_path, LAYOUT).append([sketch("a", long)], COVERED).append([sketch("b", long)], COVERED)
    assert Store.open(tmp_path, LAYOUT).ids == ["a", "b"]
    content = (tmp_path / name).read_bytes()
    changed = content.replace(b'"size":', b'"size":1') if name == STATE else bytes([content[0] ^ 1]) + content[1:]
    (tmp_path / name).write_bytes(changed)
    with pytest.raises(CorpusError, match=f"{name}: damaged; remove"):
        [Store.open(tmp_path, LAYOUT).column(column) for column in COLUMNS]


def test_a_column_cut_short_or_missing_is_named(tmp_path: Path) -> None:
    Store.create(tmp_path, LAYOUT).append([sketch("a")], COVERED)
    os.truncate(tmp_path / "signatures", 5)
    with pytest.raises(CorpusError, match="signatures: shorter than committed"):
        Store.open(tmp_path, LAYOUT)
    (tmp_path / "signatures").unlink()
    with pytest.raises(CorpusError, match="signatures: shorter than committed"):
        Store.open(tmp_path, LAYOUT)
    with pytest.raises(CorpusError, match=r"index.json: missing"):
        Store.open(tmp_path / "absent", LAYOUT)


def test_an_endless_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="an id of 70000 bytes, which begins 'xxx"):
        Store.create(tmp_path, LAYOUT).append([sketch("x" * 70_000)], COVERED)


def test_texts_sketched_together_have_the_sketches_of_each_alone() -> None:
    long = " ".join(f"slovo{number}" for number in range(300))
    texts = ["", long, "a", "\u0301á", long[:90], "\n\n", f"{long}\n\n{long[50:]}\n", "", *map(str, range(200))]
    given = [(str(number), "a", text, b"") for number, text in enumerate(texts)]
    together = make_sketches(given, BuildConfig())
    alone = [made for one in given for made in make_sketches([one], BuildConfig())]
    assert list(map(repr, together)) == list(map(repr, alone))


def test_which_documents_stay_is_noted(tmp_path: Path) -> None:
    store = Store.create(tmp_path, LAYOUT).append([sketch("a"), sketch("b")], COVERED)
    store.note_kept(np.array([1]))
    assert store.kept.tolist() == [False, True]
    with pytest.raises(CorpusError, match=f"{KEPT}: does not belong"):
        _ = store.append([sketch("c")], COVERED).kept


def test_an_index_created_anew_is_empty(tmp_path: Path) -> None:
    store = Store.create(tmp_path, LAYOUT).append([sketch("a")], COVERED)
    store.note_kept(np.array([0]))
    Store.create(tmp_path, LAYOUT)
    assert list(files(tmp_path)) == [STATE]
    read = Store.open(tmp_path, LAYOUT)
    assert (len(read), read.ids, read.signatures.shape) == (0, [], (0, 128))


def test_a_document_needs_less_than_300_bytes(tmp_path: Path) -> None:
    """Of 400 words in ten paragraphs, beside its signature."""
    text = "\n".join(" ".join(f"w{row}x{number}" for number in range(40)) for row in range(10))
    Store.create(tmp_path, LAYOUT).append([sketch(f"{number:016}", text) for number in range(50)], COVERED)
    size = sum(len(content) for name, content in files(tmp_path).items() if name not in ("signatures", STATE))
    assert size / 50 < 300


def test_a_writer_that_dies_while_it_begins_anew_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.create(tmp_path, LAYOUT).append([sketch("a")], COVERED)

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as death:
        death.setattr("newscorpus.corpus.duplicates.store.replace_file", killed)
        with pytest.raises(Killed):
            Store.create(tmp_path, LAYOUT)
    assert Store.existing(tmp_path, LAYOUT) is None
