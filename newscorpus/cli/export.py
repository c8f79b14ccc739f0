"""`newscorpus export`."""

from pathlib import Path
from typing import Annotated

import typer

from newscorpus.cli.app import app
from newscorpus.config import ExportConfig, ExportFormat, SplitConfig, SplitRule

DEFAULT = SplitConfig()


@app.command()
def export(
    corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")],
    format: Annotated[ExportFormat, typer.Option(help="What to write.")],  # noqa: A002
    output: Annotated[Path, typer.Option(help="Folder to write; an earlier export in it is replaced.")],
    split: Annotated[SplitRule, typer.Option(help="Split by clusters or by date.")] = DEFAULT.rule,
    validation: Annotated[float, typer.Option(min=0, max=1, help="Share for validation.")] = DEFAULT.validation,
    test: Annotated[float, typer.Option(min=0, max=1, help="Share for testing.")] = DEFAULT.test,
    per_line: Annotated[bool, typer.Option("--per-line", help="Of text: one document a line.")] = False,
    name: Annotated[str, typer.Option(help="Name of the corpus; without it, that of the folder.")] = "",
    creator: Annotated[str, typer.Option(help="Who publishes it, for cards and headers.")] = "",
    url: Annotated[str, typer.Option(help="Where it is published, for cards and headers.")] = "",
) -> None:
    """Write a published corpus in the form that other programs read."""
    from newscorpus.corpus.export.export import export as export_corpus
    from newscorpus.corpus.export.source import About
    from newscorpus.corpus.published import PUBLISHED
    from newscorpus.terminal import progress

    if per_line and format is not ExportFormat.TEXT:
        raise typer.BadParameter("--per-line goes with --format text")
    folder = corpus.resolve()
    about = About(name or (folder.parent if folder.name == PUBLISHED else folder).name, creator, url)
    report = export_corpus(
        corpus,
        output,
        format,
        about,
        SplitConfig(split, validation, test),
        ExportConfig(per_line=per_line),
        lambda records: progress(records, "documents"),
    )
    for part, documents in report.documents.items():
        typer.echo(f"{part or 'all'}: {documents} documents, {report.words[part]} words")
    typer.echo(f"The export lies in {output}")
