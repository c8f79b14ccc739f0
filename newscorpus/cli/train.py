"""`newscorpus train`."""

from pathlib import Path
from typing import Annotated

import typer

from newscorpus.cli.app import app


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="Name of the model.")],
    data: Annotated[Path, typer.Option(help="Folder of the pages with gold text (docs/data.md).")],
    output: Annotated[
        Path | None, typer.Option(help="Folder of the model; without it, the one that is shipped.")
    ] = None,
) -> None:
    """Train a model from pages with gold text; the same pages give the same model."""
    from newscorpus.learning.train import TRAINERS
    from newscorpus.resources import data_folder

    if name not in TRAINERS:
        raise typer.BadParameter(f"unknown model {name!r}; known are: {', '.join(TRAINERS)}")
    folder = output or data_folder("models") / name
    metadata = TRAINERS[name](data, folder, lambda step: typer.echo(step, err=True))
    for group, scores in metadata.scores.items():
        typer.echo(f"{group}: " + ", ".join(f"{key} {value:.4g}" for key, value in scores.items()))
    typer.echo(f"The model lies in {folder}")
