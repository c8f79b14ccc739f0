"""Add the verb `newscorpus archive`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from newscorpus.cli.app import Corpus, app

if TYPE_CHECKING:
    from newscorpus.store.archive.keeping import Kept

MEGABYTE = 1_000_000


@app.command()
def archive(
    corpus: Corpus,
    compact: Annotated[bool, Option("--compact", help="Compress files again, to a half or less.")] = False,
    standard: Annotated[Path | None, Option(metavar="FOLDER", help="Write them there as standard WARC.")] = None,
) -> None:
    """Compress the archive of a corpus again.

    Without an option, its files are listed. One that a crawl writes to is left alone. Everything that reads the archive
    reads compacted files.
    """
    from newscorpus.store.archive import keeping
    from newscorpus.store.archives import archive_files
    from newscorpus.terminal import progress

    archive_files(corpus)
    watch = partial(progress, what="files")
    if compact:
        _say("Compacted", keeping.compact(corpus, watch))
    if standard:
        _say("Written as standard WARC", keeping.write_out(corpus, standard, watch))
    if not (compact or standard):
        for one in keeping.list_parts(corpus):
            typer.echo(f"{one.name}  {_megabytes(one.before)}  {_megabytes(one.after)}")


def _say(done: str, files: "list[Kept]") -> None:
    from newscorpus.tokens import number_of

    sizes = f"{_megabytes(sum(one.before for one in files))}, now {_megabytes(sum(one.after for one in files))}"
    what = f"{number_of(len(files), 'file')}, {sizes}" if files else "nothing; no file was left to do"
    typer.echo(f"{done}: {what}")


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / MEGABYTE:,.1f} MB"
