"""Find the folders of trained models, and read their metadata."""

from pathlib import Path

import msgspec

from newscorpus.resources import data_folder, project_folder

FIELDS_MODEL, LETTERS_MODEL, REVIEW_MODEL = "learned-fields", "letters", "site-review"
"""Names of shipped models."""

METADATA = "metadata.json"
CARD = "card.md"
FIELDS = "fields"
"""Subfolder of the field model that belongs to a model."""


class ArtifactError(ValueError):
    """A model is missing, damaged or trained on other features; the message is one line."""


class Metadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The metadata of a model, in its folder."""

    name: str
    version: str  # raised whenever a retrained model is shipped
    features: tuple[str, ...]  # names of the input columns, in order
    parameters: dict[str, float | list[float]]  # such as thresholds
    files: dict[str, str]  # SHA-256 of each weights file, by name
    versions: dict[str, str]  # of the packages used for training
    data: dict[str, dict[str, str | int]]  # the sets it was trained on, each with licence, pages and SHA-256
    scores: dict[str, dict[str, float]]  # as measured at training, by set
    system: str = ""  # the shipped model of the same system; "" for that model itself

    @property
    def extractor(self) -> str:
        """Name of the extractor in rows of a corpus."""
        return f"model:{self.name}@{self.version}"


def own_models() -> Path:
    """Return the folder of the user's own models, in the Scrapy project or else the current folder."""
    return (project_folder() or Path.cwd()) / "models"


def model_folder(model: str) -> Path:
    """Return the folder of a shipped model by name, or of any model by path.

    A relative path is looked up in the current folder, then in that of the Scrapy project.
    """
    shipped = data_folder("models") / model
    if Path(model).name == model and shipped.is_dir():
        return shipped
    bases = (Path.cwd(), project_folder() or Path.cwd())
    return next((base / model for base in bases if (base / model / METADATA).is_file()), shipped)


def fields_within(model: str) -> str:
    """Return the folder of the field model that was trained together with a model; "" if there is none."""
    folder = model_folder(model) / FIELDS
    return str(folder) if (folder / METADATA).is_file() else ""


def read_metadata(model: str) -> Metadata | None:
    """Return the metadata of a model by name or path; None if there is no such model.

    Raises:
        ArtifactError: its metadata is damaged.
    """
    folder = model_folder(model)
    return metadata_in(folder) if (folder / METADATA).is_file() else None


def metadata_in(folder: Path) -> Metadata:
    """Read the metadata in the folder of a model; errors as for `read_metadata`."""
    try:
        return msgspec.json.decode((folder / METADATA).read_bytes(), type=Metadata)
    except msgspec.DecodeError as error:
        raise ArtifactError(f"model {folder.name!r}: {METADATA} cannot be read: {error}") from None
