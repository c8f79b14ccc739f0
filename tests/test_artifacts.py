import io
import json
from pathlib import Path

import numpy as np
import pytest

from newscorpus.artifacts import Artifact, array_bytes, load_artifact, save_artifact
from newscorpus.model_folders import CARD, METADATA, ArtifactError, Metadata

FEATURES = ("words", "links")
WEIGHTS = {"first.onnx": b"first weights", "second.onnx": b"second weights"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a model."""
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


def refusal(folder: Path, features: tuple[str, ...] = FEATURES) -> str:
    with pytest.raises(ArtifactError) as caught:
        load_artifact(str(folder), features)
    message = str(caught.value)
    assert "\n" not in message
    assert "toy" in message
    return message


def load(folder: Path) -> Artifact:
    return load_artifact(str(folder), FEATURES)


def test_what_was_saved_is_loaded_and_saved_again_as_the_same_bytes(folder: Path) -> None:
    artifact, before = load(folder), (folder / METADATA).read_bytes()
    assert dict(artifact.weights) == WEIGHTS
    assert artifact.metadata.parameters == {"threshold": 0.5, "weights": [1.0, 2.0]}
    assert set(artifact.metadata.files) == set(WEIGHTS)
    assert (folder / CARD).read_text() == "# Toy\n"
    save_artifact(folder, artifact.metadata, dict(reversed(WEIGHTS.items())), "# Toy\n")
    assert (folder / METADATA).read_bytes() == before


@pytest.mark.parametrize("file", [METADATA, "second.onnx"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    assert refusal(folder).endswith(f"{file} is missing")


def test_altered_weights_are_refused(folder: Path) -> None:
    (folder / "first.onnx").write_bytes(b"first weight!")
    assert "first.onnx is not the file that" in refusal(folder)


@pytest.mark.parametrize(("key", "value"), [("colour", "blue"), ("version", 3)])
def test_a_wrong_key_or_value_is_named(folder: Path, key: str, value: object) -> None:
    described = json.loads((folder / METADATA).read_bytes())
    (folder / METADATA).write_text(json.dumps(described | {key: value}))
    assert key in refusal(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_metadata_that_cannot_be_read(folder: Path, content: bytes) -> None:
    (folder / METADATA).write_bytes(content)
    assert f"{METADATA} cannot be read" in refusal(folder)


@pytest.mark.parametrize(
    ("features", "odd"),
    [(("words",), "links"), (("words", "links", "images"), "images"), (("links", "words"), "their order")],
)
def test_other_features_are_refused_and_named(folder: Path, features: tuple[str, ...], odd: str) -> None:
    assert refusal(folder, features).endswith(f"{odd} differs")


def test_arrays_are_read_as_they_were_and_never_unpickled(folder: Path) -> None:
    weights = np.arange(6).reshape(3, 2).astype(np.float16)
    metadata = load(folder).metadata
    found = Artifact(metadata, {"weights.npy": array_bytes(weights)}).array("weights.npy")
    assert (found.dtype, found.tolist()) == (weights.dtype, weights.tolist())
    assert array_bytes(weights) == array_bytes(weights.copy())
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}], object), allow_pickle=True)
    for content in (b"", b"weights", array_bytes(np.arange(9))[:-1], pickled.getvalue()):
        with pytest.raises(ArtifactError, match=r"^model 'toy': weights\.npy is no array: .*$"):
            Artifact(metadata, {"weights.npy": content}).array("weights.npy")
    with pytest.raises(ArtifactError, match=r"metadata\.json does not name other\.npy"):
        load(folder).array("other.npy")
