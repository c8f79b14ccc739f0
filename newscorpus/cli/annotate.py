"""Add the verb `newscorpus annotate`."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from newscorpus.cli.app import Corpus, Jobs, app
from newscorpus.layout import PUBLISHED


@app.command()
def annotate(
    corpus: Corpus,
    annotator: Annotated[str, Option("--with", metavar="NAME", help="simplemma, udpipe, stanza or classla.")],
    output: Annotated[Path, Option(help="Folder to write; one that was begun is gone on with.")],
    model: Annotated[Path | None, Option(help="Model of the annotator: a file for udpipe, else a folder.")] = None,
    tokenizer: Annotated[Path | None, Option(help="Count the tokens of this tokenizer.json, too.")] = None,
    jobs: Jobs = 1,
    name: Annotated[str, Option(help="Name of the corpus. Default: the folder's name.")] = "",
) -> None:
    """Add sentences, lemmas, tags and features.

    Writes CoNLL-U, and a vertical for Sketch Engine. Nothing is fetched: models are those on this machine.
    """
    from newscorpus.annotate.annotate import Annotation
    from newscorpus.annotate.annotate import annotate as annotate_corpus
    from newscorpus.terminal import progress

    folder = corpus.resolve()
    title = name or (folder.parent if folder.name == PUBLISHED else folder).name
    setting = Annotation(annotator, output, model, tokenizer)
    report = annotate_corpus(corpus, setting, title, jobs, partial(progress, what="parts"))
    counts = report.counts
    told = f"{counts.documents:,} documents, {counts.sentences:,} sentences, {counts.tokens:,} tokens"
    typer.echo(told + (f", {counts.tokenizer_tokens:,} of {report.tokenizer}" if report.tokenizer else ""))
    typer.echo(f"Annotated by {report.annotator}; it lies in {output}")
