"""`newscorpus train` and `features`."""

from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newscorpus.cli.app import app

if TYPE_CHECKING:
    from newscorpus.learning.block_learner import BlockLearner
    from newscorpus.learning.train import Trainer


class Labels(StrEnum):
    """Which blocks a published system is told to be main text; keys of `newscorpus.learning.block_labels.LABELS`."""

    EXACT = "exact"
    ALIGNED = "aligned"


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="Name of the model.")],
    data: Annotated[Path | None, typer.Option(help="Folder of the pages with gold text (docs/data.md).")] = None,
    silver: Annotated[
        Path | None, typer.Option(metavar="CORPUS", help="Archived crawl, instead: the text is what templates find.")
    ] = None,
    labels: Annotated[
        Labels | None, typer.Option(help="Main text is a block that is a paragraph of the text, or half in it.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder of the model; without it, the one that is shipped.")
    ] = None,
) -> None:
    """Train a model from pages with gold text; the same pages give the same model."""
    from newscorpus.learning.train import BLOCK_LEARNERS, TRAINERS
    from newscorpus.resources import data_folder

    source = data or silver
    if source is None or (data and silver):
        raise typer.BadParameter("one of --data and --silver is needed")
    if name not in TRAINERS:
        raise typer.BadParameter(f"unknown model {name!r}; known are: {', '.join(TRAINERS)}")
    if (silver or labels) and name not in BLOCK_LEARNERS:
        raise typer.BadParameter(f"--silver and --labels go with one of: {', '.join(BLOCK_LEARNERS)}")
    trainer = _block_trainer(name, silver is not None, labels) if silver or labels else TRAINERS[name]
    folder = output or data_folder("models") / name
    metadata = trainer(source, folder, lambda step: typer.echo(step, err=True))
    for group, scores in metadata.scores.items():
        typer.echo(f"{group}: " + ", ".join(f"{key} {value:.4g}" for key, value in scores.items()))
    typer.echo(f"The model lies in {folder}")


@app.command()
def features(
    name: Annotated[str, typer.Argument(help="Name of a system that decides block by block.")],
    output: Annotated[Path, typer.Argument(metavar="FILE", help="Table to write: .csv, or .arff for Weka.")],
    data: Annotated[Path, typer.Option(help="Folder of the pages with gold text (docs/data.md).")],
    labels: Annotated[Labels | None, typer.Option(help="As for train; without it, those of the system.")] = None,
) -> None:
    """Write the features and classes of the blocks that a published system is trained on."""
    from newscorpus.learning.block_learner import labelled_pages
    from newscorpus.learning.feature_table import table_lines
    from newscorpus.learning.gold import training_articles
    from newscorpus.learning.train import BLOCK_LEARNERS
    from newscorpus.terminal import progress, sink

    if name not in BLOCK_LEARNERS:
        raise typer.BadParameter(f"unknown system {name!r}; known are: {', '.join(BLOCK_LEARNERS)}")
    learner = _learner(name, labels)
    pages = labelled_pages(learner, training_articles(data, lambda step: typer.echo(step, err=True)))
    lines = table_lines(output.suffix, learner.features, progress(pages, "pages"))
    with sink(output) as file:
        file.writelines(lines)


def _learner(name: str, labels: Labels | None) -> "BlockLearner":
    from newscorpus.learning.block_labels import LABELS
    from newscorpus.learning.train import BLOCK_LEARNERS

    return replace(BLOCK_LEARNERS[name], label=LABELS[labels]) if labels else BLOCK_LEARNERS[name]


def _block_trainer(name: str, on_silver: bool, labels: Labels | None) -> "Trainer":
    from newscorpus.learning.block_learner import train_on_gold
    from newscorpus.learning.silver import train_on_silver

    return partial(train_on_silver if on_silver else train_on_gold, _learner(name, labels))
