"""Load and save trained models: folders of weights, a card and metadata. Loading never runs code from the folder.

The metadata has the names of the features and the hash of every file; a mismatch is an error.
"""

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from newscorpus.model_folders import CARD, METADATA, ArtifactError, Metadata, metadata_in, model_folder

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

WEIGHTS = "model.onnx"
"""The weights of a model that is a single file."""
ROWS, SCORES = "features", "scores"
"""Names of the input and output of `WEIGHTS`."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A loaded model: its metadata, and the bytes of its weights files by name."""

    metadata: Metadata
    weights: Mapping[str, bytes]

    def session(self, file: str) -> "InferenceSession":
        """Return a session for an ONNX file.

        Raises:
            ArtifactError: the model has no such file.
        """
        return onnx_session(self._content(file))

    def array(self, file: str) -> NDArray[Any]:
        """Read an array from a `.npy` file, without unpickling.

        Raises:
            ArtifactError: the model has no such file, or the file holds no array of numbers.
        """
        try:
            return np.lib.format.read_array(io.BytesIO(self._content(file)), allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ArtifactError(f"model {self.metadata.name!r}: {file} is no array: {error}") from error

    def parameter(self, name: str) -> float:
        """Return a parameter of the metadata.

        Raises:
            ArtifactError: it is missing or no number.
        """
        value = self.metadata.parameters.get(name)
        if not isinstance(value, float):
            raise ArtifactError(f"model {self.metadata.name!r}: {METADATA} gives no number for the parameter {name}")
        return value

    def _content(self, file: str) -> bytes:
        if file not in self.weights:
            raise ArtifactError(f"model {self.metadata.name!r}: {METADATA} does not name {file}")
        return self.weights[file]


def load_artifact(name: str, features: Sequence[str]) -> Artifact:
    """Load a model by name or path, for input columns `features`.

    Raises:
        ArtifactError: the model or one of its files is missing or altered, or it was trained on other features.
    """
    folder = model_folder(name)
    try:
        metadata = metadata_in(folder)
        weights = {file: (folder / file).read_bytes() for file in metadata.files}
    except FileNotFoundError as error:
        raise ArtifactError(f"model {name!r}: {error.filename} is missing") from None
    for file, content in weights.items():
        if hashlib.sha256(content).hexdigest() != metadata.files[file]:
            raise ArtifactError(f"model {name!r}: {file} is not the file that {METADATA} describes")
    if metadata.features != tuple(features):
        odd = sorted(set(metadata.features) ^ set(features)) or ["their order"]
        raise ArtifactError(
            f"model {name!r} was trained on other features than this version measures: {odd[0]} differs"
        )
    return Artifact(metadata, weights)


def save_artifact(folder: Path, metadata: Metadata, weights: Mapping[str, bytes], card: str) -> None:
    """Write a model's folder; the hashes of `weights` replace those in `metadata`."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in weights.items():
        (folder / file).write_bytes(content)
    files = {file: hashlib.sha256(content).hexdigest() for file, content in sorted(weights.items())}
    described = msgspec.json.encode(msgspec.structs.replace(metadata, files=files), order="deterministic")
    (folder / METADATA).write_bytes(msgspec.json.format(described, indent=2) + b"\n")
    (folder / CARD).write_text(card, encoding="utf-8")


def array_bytes(array: NDArray[Any]) -> bytes:
    """Encode an array as a `.npy` file; equal arrays give equal bytes."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def onnx_session(model: bytes) -> "InferenceSession":
    """Return a session that runs `model` on one thread; parallel work uses processes."""
    import onnxruntime  # noqa: PLC0415 -- large, and the process of a crawl runs no model

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Scorer:
    """Scores rows of features by a model of one ONNX file, `WEIGHTS`; `name` is `Metadata.extractor`.

    Raises:
        ArtifactError: the model has no such file.
    """

    def __init__(self, artifact: Artifact) -> None:
        self.name = artifact.metadata.extractor
        self._session = artifact.session(WEIGHTS)

    def __call__(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the scores of `rows` (rows, features), of shape (rows, 1) or (rows, classes)."""
        return np.asarray(self._session.run([SCORES], {ROWS: rows})[0], np.float64)
