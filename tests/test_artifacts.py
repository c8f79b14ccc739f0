import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newscorpus.artifacts import (
    CARD,
    METADATA,
    Artifact,
    ArtifactError,
    Metadata,
    array_bytes,
    load_artifact,
    save_artifact,
)

FEATURES = ("words", "links")
WEIGHTS = {"first.onnx": b"first weights", "second.onnx": b"second weights"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models with one in it, `toy`."""
    monkeypatch.setattr("newscorpus.artifacts.data_folder", lambda _: tmp_path)
    metadata = Metadata(
        name="toy",
        version="3",
        features=FEATURES,
        parameters={"threshold": 0.5, "weights": [1.0, 2.0]},
        files={},
        versions={"python": "3.11"},
        data={"set": {"licence": "MIT", "pages": 7, "sha256": "0"}},
        scores={"set": {"page_f1": 0.9}},
    )
    save_artifact(tmp_path / "toy", metadata, WEIGHTS, "# Toy\n")
    return tmp_path / "toy"


def change(folder: Path, **changes: Any) -> None:
    described = json.loads((folder / METADATA).read_bytes())
    (folder / METADATA).write_text(json.dumps(described | changes))


def refusal(features: tuple[str, ...] = FEATURES, name: str = "toy") -> str:
    with pytest.raises(ArtifactError) as caught:
        load_artifact(name, features)
    message = str(caught.value)
    assert "\n" not in message
    assert repr(name) in message
    return message


def load() -> Artifact:
    return load_artifact("toy", FEATURES)


def test_what_was_saved_is_loaded(folder: Path) -> None:
    artifact = load()

    assert dict(artifact.weights) == WEIGHTS
    assert artifact.metadata.parameters == {"threshold": 0.5, "weights": [1.0, 2.0]}
    assert set(artifact.metadata.files) == set(WEIGHTS)
    assert (folder / CARD).read_text() == "# Toy\n"


def test_saving_again_writes_the_same_bytes(folder: Path) -> None:
    before = (folder / METADATA).read_bytes()
    artifact = load()
    save_artifact(folder, artifact.metadata, dict(reversed(WEIGHTS.items())), "# Toy\n")

    assert (folder / METADATA).read_bytes() == before


def test_a_model_that_is_not_there(folder: Path) -> None:
    assert "other" in refusal(name="other")
    assert refusal(name="other").endswith("is missing")


@pytest.mark.parametrize("file", [METADATA, "second.onnx"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()

    assert file in refusal()


def test_altered_weights_are_refused(folder: Path) -> None:
    (folder / "first.onnx").write_bytes(b"first weight!")

    assert "first.onnx is not the file that" in refusal()


def test_an_unknown_key_is_named(folder: Path) -> None:
    change(folder, colour="blue")

    assert "colour" in refusal()


def test_a_value_of_the_wrong_type_is_named(folder: Path) -> None:
    change(folder, version=3)

    assert "version" in refusal()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_metadata_that_cannot_be_read(folder: Path, content: bytes) -> None:
    (folder / METADATA).write_bytes(content)

    assert f"{METADATA} cannot be read" in refusal()


@pytest.mark.parametrize(
    ("features", "odd"),
    [(("words",), "links"), (("words", "links", "images"), "images"), (("links", "words"), "their order")],
)
def test_other_features_are_refused_and_named(folder: Path, features: tuple[str, ...], odd: str) -> None:
    assert refusal(features).endswith(f"{odd} differs")


def test_an_array_is_read_as_it_was_and_the_same_one_makes_the_same_bytes(folder: Path) -> None:
    weights = np.arange(6).reshape(3, 2).astype(np.float16)
    found = Artifact(load().metadata, {"weights.npy": array_bytes(weights)}).array("weights.npy")

    assert (found.dtype, found.tolist()) == (weights.dtype, weights.tolist())
    assert array_bytes(weights) == array_bytes(weights.copy())


def test_what_is_no_array_of_numbers_is_refused_and_never_unpickled(folder: Path) -> None:
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}], object), allow_pickle=True)
    for content in (b"", b"weights", array_bytes(np.arange(9))[:-1], pickled.getvalue()):
        with pytest.raises(ArtifactError, match=r"^model 'toy': weights\.npy is no array: .*$"):
            Artifact(load().metadata, {"weights.npy": content}).array("weights.npy")
    with pytest.raises(ArtifactError, match=r"metadata\.json does not name other\.npy"):
        load().array("other.npy")
