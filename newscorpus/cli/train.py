"""Add the verbs of training: `newscorpus train` and `features`."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import app

if TYPE_CHECKING:
    from newscorpus.learning.block_learner import BlockLearner
    from newscorpus.learning.sources import TrainingPages


class LabelMethod(StrEnum):
    """Which blocks a published system takes for main text; keys of `newscorpus.gold.align.LABELLERS`."""

    EXACT = "exact"
    ALIGNED = "aligned"


Data = Annotated[Path | None, Option(help="Pages with gold text (docs/data.md).")]
Silver = Annotated[Path | None, Option(metavar="CORPUS", help="Archived crawl, in which templates find the texts.")]
Texts = Annotated[Path | None, Option(help="With --silver: JSON lines with `url` and `text`, in place of templates.")]
LABELS_HELP = "Main text equals a paragraph (default with --texts), or is half in the text."
HowLabelled = Annotated[LabelMethod | None, Option(help=LABELS_HELP)]


@app.command()
def train(
    name: Annotated[str, Argument(help="Name of the model.")],
    data: Data = None,
    silver: Silver = None,
    texts: Texts = None,
    labels: HowLabelled = None,
    output: Annotated[Path | None, Option(help="Folder of the model; default: the shipped one.")] = None,
) -> None:
    """Train a model from pages and their text.

    The same pages give the same model. `letters` is made without pages.
    """
    from newscorpus.learning.block_learner import train as train_blocks
    from newscorpus.learning.registry import BLOCK_LEARNERS, TRAINERS, WITHOUT_PAGES
    from newscorpus.resources import data_folder

    if name not in {**TRAINERS, **WITHOUT_PAGES}:
        raise typer.BadParameter(f"unknown model {name!r}; known are: {', '.join((*TRAINERS, *WITHOUT_PAGES))}")
    folder = output or data_folder("models") / name
    if name in WITHOUT_PAGES:
        if data or silver or texts or labels:
            raise typer.BadParameter(f"{name} is made without pages; only --output goes with it")
        WITHOUT_PAGES[name](folder)
        typer.echo(f"The model lies in {folder}")
        return
    source = _source(data, silver, texts)
    if (silver or labels) and name not in BLOCK_LEARNERS:
        raise typer.BadParameter(f"--silver and --labels go with one of: {', '.join(BLOCK_LEARNERS)}")
    if data and not labels:
        metadata = TRAINERS[name](data, folder, _show_step)
    else:
        metadata = train_blocks(_learner(name, labels, texts), source, folder)
    for group, scores in metadata.scores.items():
        typer.echo(f"{group}: " + ", ".join(f"{key} {value:g}" for key, value in scores.items()))
    typer.echo(f"The model lies in {folder}")


@app.command()
def features(
    name: Annotated[str, Argument(help="Name of a system that decides block by block.")],
    output: Annotated[Path, Argument(metavar="FILE", help="Table to write: .csv, or .arff for Weka.")],
    data: Data = None,
    silver: Silver = None,
    texts: Texts = None,
    labels: HowLabelled = None,
) -> None:
    """Write the blocks that a system is trained on as a table.

    A row has the features of a block and its class.
    """
    from newscorpus.learning.block_learner import labelled_pages, table_lines
    from newscorpus.learning.registry import BLOCK_LEARNERS
    from newscorpus.terminal import progress, sink

    source = _source(data, silver, texts)
    if name not in BLOCK_LEARNERS:
        raise typer.BadParameter(f"unknown system {name!r}; known are: {', '.join(BLOCK_LEARNERS)}")
    learner = _learner(name, labels, texts)
    pages = labelled_pages(learner, source.pages)
    lines = table_lines(output.suffix, learner.features, progress(pages, "pages"))
    with sink(output) as file:
        file.writelines(lines)


def _source(data: Path | None, silver: Path | None, texts: Path | None) -> "TrainingPages":
    from newscorpus.learning.sources import gold_source, silver_source

    if data and texts:
        raise typer.BadParameter("--texts goes with --silver")
    if data and not silver:
        return gold_source(data, _show_step)
    if silver and not data:
        return silver_source(silver, _show_step, texts)
    raise typer.BadParameter("one of --data and --silver is needed")


def _show_step(step: str) -> None:
    typer.echo(step, err=True)


def _learner(name: str, labels: LabelMethod | None, texts: Path | None) -> "BlockLearner":
    from newscorpus.gold.align import LABELLERS
    from newscorpus.learning.registry import BLOCK_LEARNERS

    chosen = labels or (LabelMethod.EXACT if texts else LabelMethod.ALIGNED)
    return replace(BLOCK_LEARNERS[name], label=LABELLERS[chosen])
