"""Add the verbs that write a corpus for others: `newscorpus export`, `annotate` and `upload`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, Jobs, app, counted, needs_extra
from newscorpus.config import ExportConfig, ExportFormat, SplitConfig, SplitRule

DEFAULT = SplitConfig()
SHARE = f"With --split: share (default {DEFAULT.test:g}) for"

CorpusName = Annotated[str, Option(help="Name of the corpus. Default: the folder's name.")]


@app.command()
def export(
    corpus: Corpus,
    format: Annotated[ExportFormat, Option(help="Form of the export.")],  # noqa: A002
    output: Annotated[Path, Option(help="Folder to write; replaces an earlier export there.")],
    split: Annotated[SplitRule, Option(help="Split by clusters of near-duplicates or by date.")] = DEFAULT.rule,
    validation: Annotated[float | None, Option(min=0, max=1, help=f"{SHARE} validation.")] = None,
    test: Annotated[float | None, Option(min=0, max=1, help=f"{SHARE} testing.")] = None,
    per_line: Annotated[bool, Option("--per-line", help="With --format text: one document a line.")] = False,
    name: CorpusName = "",
    creator: Annotated[str, Option(help="Name of the publisher, for cards and headers.")] = "",
    url: Annotated[str, Option(help="Address of the corpus, for cards and headers.")] = "",
) -> None:
    """Write a published corpus for other programs."""
    from newscorpus.corpus.export.export import export as export_corpus
    from newscorpus.corpus.export.source import About
    from newscorpus.corpus.published import corpus_of
    from newscorpus.terminal import progress

    if per_line and format is not ExportFormat.TEXT:
        raise typer.BadParameter("--per-line goes with --format text")
    if split is SplitRule.NONE and (validation, test) != (None, None):
        raise typer.BadParameter("--validation and --test go with --split cluster or date")
    about = About(name or corpus_of(corpus.resolve()).name, creator, url)
    splits = SplitConfig(
        split,
        validation=DEFAULT.validation if validation is None else validation,
        test=DEFAULT.test if test is None else test,
    )
    config = ExportConfig(per_line=per_line)
    report = export_corpus(corpus, output, format, about, splits, config, partial(progress, what="documents"))
    for part, documents in report.documents.items():
        typer.echo(f"{part or 'all'}: {documents:,} documents, {report.words[part]:,} words")
    typer.echo(f"The export lies in {output}")


@app.command()
def annotate(
    corpus: Corpus,
    annotator: Annotated[str, Option("--with", metavar="NAME", help="simplemma, udpipe, stanza or classla.")],
    output: Annotated[Path, Option(help="Folder to write; one that was begun is gone on with.")],
    model: Annotated[Path | None, Option(help="Model of the annotator: a file for udpipe, else a folder.")] = None,
    tokenizer: Annotated[Path | None, Option(help="Count the tokens of this tokenizer.json, too.")] = None,
    jobs: Jobs = 1,
    name: CorpusName = "",
) -> None:
    """Add sentences, lemmas, tags and features.

    Writes CoNLL-U, and a vertical for Sketch Engine. Nothing is fetched: models are those on this machine.
    """
    from newscorpus.corpus.annotate.annotate import Annotation
    from newscorpus.corpus.annotate.annotate import annotate as annotate_corpus
    from newscorpus.corpus.published import corpus_of
    from newscorpus.terminal import progress

    setting, title = Annotation(annotator, output, model, tokenizer), name or corpus_of(corpus.resolve()).name
    report = annotate_corpus(corpus, setting, title, jobs, partial(progress, what="parts"))
    counts = report.counts
    told = f"{counts.documents:,} documents, {counts.sentences:,} sentences, {counts.tokens:,} tokens"
    typer.echo(told + (f", {counts.tokenizer_tokens:,} of {report.tokenizer}" if report.tokenizer else ""))
    typer.echo(f"Annotated by {report.annotator}; it lies in {output}")


@app.command()
def upload(
    corpus: Annotated[Path, Argument(metavar="FOLDER", help="Folder of a corpus or an export.")],
    address: Annotated[str, Argument(metavar="s3://BUCKET/NAME", help="Where it goes.")],
) -> None:
    """Bring a corpus or an export to an object store.

    The archive goes with it. What is there already is not sent again. `newscorpus batch` extracts a corpus from there.
    """
    with needs_extra("s3"):
        from newscorpus.corpus.remote import upload_corpus
    from newscorpus.terminal import progress
    from newscorpus.urls import is_remote

    if not is_remote(address):
        raise typer.BadParameter(f"{address}: expected an address such as s3://bucket/name")
    done = upload_corpus(corpus, address.rstrip("/"), partial(progress, what="files"))
    counts = counted({"files": done.n_files, "sent": done.n_sent, "removed": done.n_removed})
    typer.echo(f"{address}: {counts}")
