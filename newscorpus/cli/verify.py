"""`newscorpus verify`."""

from pathlib import Path
from typing import Annotated

import typer

from newscorpus.cli.app import app


@app.command()
def verify(corpus: Annotated[Path, typer.Argument(help="Folder of the corpus.")]) -> None:
    """Read every file of a published corpus, and name those that are not what the manifest says."""
    from functools import partial

    from newscorpus.jobs.verify import verify as verify_corpus
    from newscorpus.terminal import complain, progress

    manifest, findings = verify_corpus(corpus, partial(progress, what="records"))
    for finding in findings:
        complain(finding)
    if findings:
        raise typer.Exit(1)
    files = f"{len(manifest.shards)} files of {manifest.bytes:,} bytes"
    typer.echo(f"{corpus}: whole; {manifest.documents:,} documents, {manifest.words:,} words in {files}")
