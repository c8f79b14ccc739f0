"""Write the folder of a trained model: weights, metadata and the card that says what it is and how well it does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from platform import python_version

from newscorpus.artifacts import save_artifact
from newscorpus.lab.training.sources import Progress, TrainingPages
from newscorpus.model_folders import Metadata

SYSTEM_USE = (
    '`newscorpus extract PAGE --extractor {name}`, or `newscorpus.load_extractor("{name}")`. What the\n'
    "publication did, and where this differs: `docs/published-systems.md`."
)

_CARD = """# {name}, version {version}

{about}

Use: {use}

## Made from

{source} The pages are not part of the model, its weights hold no text.

{data}
{how}

Made by `newscorpus train {system}` with {versions}; the same pages give the same model.

## How well it does

{measure}

{scores}{limits}"""


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A fitted model with the contents of its metadata and card; fields without a comment are as in `Metadata`."""

    name: str
    version: str
    features: tuple[str, ...]
    parameters: Mapping[str, float | list[float]]
    weights: Mapping[str, bytes]  # content of each weights file, by name
    packages: Sequence[str]  # names of the packages that made it
    data: dict[str, dict[str, str | int]]
    scores: dict[str, dict[str, float]]
    about: str  # what it does
    source: str  # the training pages
    how: str  # the fit
    measure: str  # meaning of the scores
    use: str = SYSTEM_USE  # how to use it; `{name}` stands for the name
    limits: str = ""  # what to know before using it
    system: str = ""  # as in `Metadata`

    def save(self, folder: Path) -> Metadata:
        """Write the model, with scores of four digits; the same model makes the same bytes.

        On the card, groups whose scores have the same measures share a table.
        """
        versions = {"python": python_version(), **{name: version(name) for name in self.packages}}
        metadata = Metadata(
            name=self.name,
            version=self.version,
            features=self.features,
            parameters={**self.parameters},
            files={},
            versions=versions,
            data=self.data,
            scores={name: {key: round(value, 4) for key, value in row.items()} for name, row in self.scores.items()},
            system=self.system,
        )
        sets = [(name, row["pages"], row["licence"], f"`{row['sha256']}`") for name, row in self.data.items()]
        score_tables = [
            _table(("set", *measures), [(name, *(f"{value:g}" for value in row.values())) for name, row in groups])
            for measures, groups in groupby(metadata.scores.items(), lambda group: tuple(group[1]))
        ]
        card = _CARD.format(
            name=self.name,
            version=self.version,
            system=self.system or self.name,
            about=self.about,
            use=self.use.format(name=self.name),
            source=self.source,
            data=_table(("set", "pages", "licence", "SHA-256"), sets),
            how=self.how,
            versions=", ".join(f"{name} {number}" for name, number in metadata.versions.items()),
            measure=self.measure,
            scores="\n".join(score_tables),
            limits=f"\n## Limits\n\n{self.limits}\n" if self.limits else "",
        )
        save_artifact(folder, metadata, self.weights, card)
        return metadata


Train = Callable[[TrainingPages, Progress], TrainedModel]
"""A function from training pages to a model."""


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
