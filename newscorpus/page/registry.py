"""Name the extractors, and the models in folders.

The published systems and the extractors of others are found by their entry points (docs/architecture.md): adding one is
a module, a line of `pyproject.toml` and a test.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from newscorpus.model_folders import FIELDS_MODEL, METADATA, ArtifactError, own_models, read_metadata
from newscorpus.resources import data_folder

DEFAULT, NO_FALLBACK = "main-text", "main-text-alone"
"""The default extractor, with and without falling back on a second opinion."""
TEMPLATE = "template"
"""The extractor that uses the portal's template alone."""
SECOND_OPINION = "trafilatura"
"""The package that the default extractor asks where it is unsure of its text."""


@cache
def entries(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name."""
    return {entry.name: entry for entry in sorted(entry_points(group=group))}


def systems() -> tuple[str, ...]:
    """Return the names of the systems, which accept templates, models and thresholds; the default first."""
    return (DEFAULT, NO_FALLBACK, TEMPLATE, *entries("newscorpus.systems"))


def names() -> tuple[str, ...]:
    """Return the names of all extractors; the default first."""
    return (*systems(), *entries("newscorpus.extractors"))


def own_names(system: Callable[[str], bool] = lambda name: name in systems()) -> tuple[str, ...]:
    """Return the user's own models in `models/` whose system fulfils a condition, as `models/NAME`."""
    folder = own_models()
    found = []
    for path in sorted(folder.glob(f"*/{METADATA}")):
        with suppress(ArtifactError):  # said where it is used
            metadata = read_metadata(str(path.parent))
            is_shipped = metadata and not metadata.system and folder.samefile(data_folder("models"))
            if metadata and not is_shipped and system(metadata.system or metadata.name):
                found.append(f"{folder.name}/{path.parent.name}")
    return tuple(found)


def choices() -> tuple[str, ...]:
    """Return the names of all extractors, and the user's own models."""
    return (*names(), *own_names())


def system_of(model: str) -> str:
    """Return the system to which the model in a folder belongs."""
    metadata = read_metadata(model)
    if metadata is None:
        raise ValueError(f"unknown extractor {model!r}; known are: {', '.join(names())}, and folders of models")
    system = metadata.system or metadata.name
    if system not in systems():
        raise ValueError(f"the model {model!r} is one of {system}, which finds no main text")
    return system


def check_name(name: str) -> None:
    """Refuse a name that is neither an extractor nor the folder of a model.

    Raises:
        ValueError: it is neither; one line.
    """
    if name not in names():
        system_of(name)


def check_fields_model(model: str) -> None:
    """Refuse a name or folder that is no field model.

    Raises:
        ValueError: it is no field model; one line.
    """
    metadata = read_metadata(model)
    if metadata is None:
        raise ValueError(f"unknown model of fields {model!r}; it is {FIELDS_MODEL}, or the folder of one of your own")
    if (system := metadata.system or metadata.name) != FIELDS_MODEL:
        raise ValueError(f"the model {model!r} is one of {system}, which reads no fields")
