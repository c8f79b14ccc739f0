"""`newscorpus build`."""

from pathlib import Path
from typing import Annotated

import typer

from newscorpus.cli.app import app, counted
from newscorpus.config import BuildConfig, DuplicateConfig, ShardConfig, ShardFormat, Survivor

SurvivorOption = Annotated[Survivor, typer.Option(help="Which of several like documents stays.")]
RevisionOption = Annotated[Survivor, typer.Option(help="Which of several texts of one document stays.")]


@app.command()
def build(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    format: Annotated[ShardFormat, typer.Option(help="Of the published files.")] = ShardFormat.ZSTD,  # noqa: A002
    survivor: SurvivorOption = Survivor.FIRST,
    revision: RevisionOption = Survivor.LATEST,
) -> None:
    """Take duplicates out of what was crawled and publish the rest; every crawl ends with it."""
    from newscorpus.corpus.published import PUBLISHED
    from newscorpus.jobs.build import build as build_corpus
    from newscorpus.terminal import progress

    duplicates = DuplicateConfig(survivor=survivor, revision=revision)
    report = build_corpus(corpus, BuildConfig(duplicates=duplicates, shards=ShardConfig(format)), progress)
    for segment in report.torn:
        typer.echo(f"{segment}: the last line is cut off, since its writer died", err=True)
    left_out = counted(report.duplicates)
    typer.echo(f"{report.documents} documents; {report.kept} kept, {report.words} words; left out: {left_out}")
    typer.echo(f"The corpus lies in {corpus / PUBLISHED}")
