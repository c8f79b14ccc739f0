"""Add the verbs of training: `newscorpus train` and `features`."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import app, needs_extra

if TYPE_CHECKING:
    from newscorpus.artifacts import Metadata
    from newscorpus.lab.training.block_learner import BlockLearner
    from newscorpus.lab.training.sources import TrainingPages


class LabelMethod(StrEnum):
    """Which blocks a published system takes for main text; keys of `newscorpus.lab.gold.align.LABELLERS`."""

    EXACT = "exact"
    ALIGNED = "aligned"


DATA_HELP = "Pages and their text: JSON lines with `html` and `text`, or a folder with html/ and clean/; repeatable."
Data = Annotated[list[Path] | None, Option(metavar="PATH", help=DATA_HELP)]
Silver = Annotated[Path | None, Option(metavar="CORPUS", help="Archived crawl, in which templates find the texts.")]
Texts = Annotated[Path | None, Option(help="With --silver: JSON lines with `url` and `text`, in place of templates.")]
LABELS_HELP = "Main text equals a paragraph (default with --texts), or is half in the text."
HowLabelled = Annotated[LabelMethod | None, Option(help=LABELS_HELP)]
START_HELP = "Keep the trees of the shipped model of this name, and add trees that one's own pages grow."


@app.command()
def train(
    name: Annotated[
        str, Argument(metavar="NAME", help="main-text, learned-fields, or a published system, such as paragraph-svm.")
    ],
    data: Data = None,
    silver: Silver = None,
    texts: Texts = None,
    labels: HowLabelled = None,
    start_from: Annotated[str, Option(metavar="NAME", help=START_HELP)] = "",
    output: Annotated[Path | None, Option(help="Folder of the model; default: models/NAME-own.")] = None,
) -> None:
    """Train a model from pages and their text.

    The same pages give the same model. `letters` is made without pages. Use the model by its folder:
    `--extractor models/NAME-own`.
    """
    with needs_extra("train"):
        from newscorpus.lab.training.registry import BLOCK_LEARNERS, TRAINERS, WITHOUT_PAGES
    from newscorpus.lab.training.own import advice, default_folder

    if name not in {**TRAINERS, **WITHOUT_PAGES}:
        raise typer.BadParameter(f"unknown model {name!r}; known are: {', '.join((*TRAINERS, *WITHOUT_PAGES))}")
    folder = output or default_folder(name)
    if name in WITHOUT_PAGES:
        if data or silver or texts or labels or start_from:
            raise typer.BadParameter(f"{name} is made without pages; only --output goes with it")
        metadata = WITHOUT_PAGES[name](folder)
    else:
        if labels and name not in BLOCK_LEARNERS:
            raise typer.BadParameter(f"--labels goes with one of: {', '.join(BLOCK_LEARNERS)}")
        metadata = _train(name, data, silver, texts, labels, start_from, folder)
    for group, scores in metadata.scores.items():
        typer.echo(f"{group}: " + ", ".join(f"{key} {value:g}" for key, value in scores.items()))
        if said := advice(scores):
            typer.echo(said)
    typer.echo(f"The model lies in {folder}")


def _train(
    name: str,
    data: list[Path] | None,
    silver: Path | None,
    texts: Path | None,
    labels: LabelMethod | None,
    start_from: str,
    folder: Path,
) -> "Metadata":
    from newscorpus.lab.training.block_learner import train as train_blocks
    from newscorpus.lab.training.own import named, train_own
    from newscorpus.lab.training.registry import BLOCK_LEARNERS, TRAINERS

    trainer = TRAINERS[name]
    if start_from and (start_from != name or trainer.start_from is None):
        able = [known for known, each in TRAINERS.items() if each.start_from]
        raise typer.BadParameter(f"--start-from: {name} cannot; {', '.join(able)} can start from itself")
    source = _source(data, silver, texts, trainer.licences)
    of_sets = train_own_pages = trainer.train
    if name in BLOCK_LEARNERS:
        of_sets = train_own_pages = partial(train_blocks, _learner(name, labels, texts))
    if source.learns_all or (silver and name not in BLOCK_LEARNERS):
        if not trainer.learns_own:
            raise typer.BadParameter(f"{name} learns from the sets alone: it takes many sites")
        own = trainer.start_from if start_from else trainer.train_own
        return train_own(name, own or train_own_pages, source, folder, _show_step)
    if start_from:
        raise typer.BadParameter("--start-from goes with pages of your own")
    return named(of_sets(source, _show_step), name, folder).save(folder)


@app.command()
def features(
    name: Annotated[str, Argument(metavar="NAME", help="System that decides block by block, such as paragraph-svm.")],
    output: Annotated[Path, Argument(metavar="FILE", help="Table to write: .csv, or .arff for Weka.")],
    data: Data = None,
    silver: Silver = None,
    texts: Texts = None,
    labels: HowLabelled = None,
) -> None:
    """Write the blocks that a system is trained on as a table.

    A row has the features of a block and its class.
    """
    with needs_extra("train"):
        from newscorpus.lab.training.registry import BLOCK_LEARNERS
    from newscorpus.lab.gold.conventions import LICENCES
    from newscorpus.lab.training.block_learner import labelled_pages, table_lines
    from newscorpus.terminal import progress, sink

    source = _source(data, silver, texts, LICENCES)
    if name not in BLOCK_LEARNERS:
        raise typer.BadParameter(f"unknown system {name!r}; known are: {', '.join(BLOCK_LEARNERS)}")
    learner = _learner(name, labels, texts)
    pages = labelled_pages(learner, source.articles)
    lines = table_lines(output.suffix, learner.features, progress(pages, "pages"))
    with sink(output) as file:
        file.writelines(lines)


def _source(
    data: list[Path] | None, silver: Path | None, texts: Path | None, licences: Mapping[str, str]
) -> "TrainingPages":
    from newscorpus.lab.training.own import is_own, own_source
    from newscorpus.lab.training.sources import gold_source, silver_source

    if data and texts:
        raise typer.BadParameter("--texts goes with --silver")
    if silver and not data:
        return silver_source(silver, _show_step, texts)
    if silver or not data:
        raise typer.BadParameter("one of --data and --silver is needed")
    if all(map(is_own, data)):
        return own_source(data)
    if len(data) > 1:
        raise typer.BadParameter("--data: a folder of sets is given alone")
    return gold_source(data[0], _show_step, licences)


def _show_step(step: str) -> None:
    typer.echo(step, err=True)


def _learner(name: str, labels: LabelMethod | None, texts: Path | None) -> "BlockLearner":
    from newscorpus.lab.gold.align import LABELLERS
    from newscorpus.lab.training.registry import BLOCK_LEARNERS

    chosen = labels or (LabelMethod.EXACT if texts else LabelMethod.ALIGNED)
    return replace(BLOCK_LEARNERS[name], label=LABELLERS[chosen])
