"""Add the verbs of versions: `newscorpus release` and `diff`."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, app

VERSION_HELP = "Tag of a release, its folder, or the folder of a corpus."


@app.command()
def release(
    corpus: Corpus, tag: Annotated[str, Argument(metavar="TAG", help="Name of the version, such as 2026-11.")]
) -> None:
    """Freeze what is published as a version.

    Manifest, card, and lists of the rows that were added, changed and removed since the last version go to
    CORPUS/releases/TAG.
    """
    from newscorpus.publish.release import release as freeze

    note = freeze(corpus, tag)
    since = f"since {note.previous}" if note.previous else "the first release"
    taken_out = f", {note.taken_out:,} taken out on demand" if note.taken_out else ""
    typer.echo(
        f"{note.tag}: {note.documents:,} documents; {note.added:,} added, {note.changed:,} changed,"
        f" {note.removed:,} removed{taken_out} ({since})"
    )


@app.command()
def diff(
    old: Annotated[str, Argument(metavar="A", help=VERSION_HELP)],
    new: Annotated[str, Argument(metavar="B", help=VERSION_HELP)],
    corpus: Annotated[Path | None, Option(metavar="CORPUS", help="Folder of the corpus whose tags these are.")] = None,
    show_ids: Annotated[bool, Option("--ids", help="Print the id of each row, too.")] = False,
) -> None:
    """Count the rows that differ between two versions."""
    from newscorpus.publish.release import KINDS
    from newscorpus.publish.release import diff as compare_versions

    changes = compare_versions(old, new, corpus)
    for kind in KINDS:
        rows = getattr(changes, kind)
        typer.echo(f"{kind}: {len(rows):,}")
        for name in sorted(rows) if show_ids else ():
            typer.echo(f"{kind} {name}")
