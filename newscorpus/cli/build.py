"""Add the verbs that take out duplicates: `newscorpus build` and `dedup`."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, Jobs, app, counted
from newscorpus.config import BuildConfig, DuplicateConfig, Gone, ShardConfig, ShardFormat, Survivor
from newscorpus.layout import PUBLISHED

SurvivorOption = Annotated[Survivor, Option(help="Which of several near-duplicates stays.")]
RevisionOption = Annotated[Survivor, Option(help="Which of several texts of one document stays.")]


@app.command()
def build(
    corpus: Corpus,
    format: Annotated[ShardFormat, Option(help="Form of the published files.")] = ShardFormat.ZSTD,  # noqa: A002
    survivor: SurvivorOption = Survivor.FIRST,
    revision: RevisionOption = Survivor.LATEST,
    min_confidence: Annotated[
        float | None, Option(min=0, max=1, help="Least confidence of a text; default: the flag low_confidence decides.")
    ] = None,
    gone: Annotated[Gone, Option(help="What becomes of articles that their site deleted.")] = Gone.KEEP,
    adopt: Annotated[bool, Option("--adopt", help="Use links and files of others that lie where it writes.")] = False,
) -> None:
    """Publish what was crawled, without duplicates.

    Texts below the least confidence are left out, too. Every crawl ends with a build; another one takes another format,
    confidence or policy.
    """
    from newscorpus.corpus.build import build as build_corpus
    from newscorpus.terminal import progress

    duplicates = DuplicateConfig(survivor=survivor, revision=revision)
    config = BuildConfig(duplicates=duplicates, shards=ShardConfig(format), least_confidence=min_confidence, gone=gone)
    report = build_corpus(corpus, config, progress, adopts=adopt)
    _name_numba(report.documents)
    for segment in report.torn:
        typer.echo(f"{segment}: the last line is cut off, since the crawl was killed", err=True)
    for line in report.damage():
        typer.echo(line, err=True)
    left_out = counted({"low_confidence": report.low_confidence, "gone": report.gone, **report.duplicates})
    typer.echo(f"{report.documents} documents; {report.kept} kept, {report.words} words; left out: {left_out}")
    typer.echo(f"The corpus lies in {corpus / PUBLISHED}")


LARGE = 700_000
"""Documents from which on numba saves a minute: 0.09 ms a document of 350 words (`benchmarks/signatures.py`)."""

SHOWN = 20
"""Lines of the report on reprints that are printed; the file has all."""


@app.command()
def dedup(
    inputs: Annotated[list[Path], Argument(metavar="IN", help="Corpora, or JSON lines (.gz, .zst).")],
    output: Annotated[Path, Option(help="Folder for what stays and the list of what goes.")],
    against: Annotated[list[Path] | None, Option(metavar="IN", help="Leave out what repeats it; repeatable.")] = None,
    survivor: SurvivorOption = Survivor.FIRST,
    revision: RevisionOption = Survivor.LATEST,
    report: Annotated[bool, Option("--report", help="Show who reprints whom.")] = False,
    jobs: Jobs = 2,
) -> None:
    """Take duplicates out of corpora or files, and join them.

    A run that was interrupted continues where it stopped, and one with a newer input, or one more, reads only that.
    """
    from newscorpus.corpus.merge import ANY_CONFIDENCE, REPRINTS, DedupOptions
    from newscorpus.corpus.merge import dedup as dedup_documents
    from newscorpus.terminal import progress

    config = replace(ANY_CONFIDENCE, duplicates=DuplicateConfig(survivor=survivor, revision=revision))
    done = dedup_documents(inputs, output, against or (), DedupOptions(config, jobs, progress))
    _name_numba(done.documents)
    typer.echo(f"{done.documents} documents; {done.kept} kept; left out: {counted(done.duplicates)}")
    if report:
        for source, repeated, kind, count in done.reprints[:SHOWN]:
            typer.echo(f"{count:8} {kind:8} {source or 'unknown'} repeats {repeated or 'unknown'}")
        typer.echo(f"All of them are in {output / REPRINTS}")
    is_corpus = all(path.is_dir() for path in inputs)
    typer.echo(f"The corpus lies in {output / PUBLISHED}" if is_corpus else f"The documents lie in {output}")


def _name_numba(n_documents: int) -> None:
    if n_documents >= LARGE and find_spec("numba") is None:
        typer.echo("A run of this size takes minutes less with numba: pip install 'newscorpus[fast]'", err=True)
