"""Add the verb of versions: `newscorpus release`."""

from typing import Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, app


@app.command()
def release(
    corpus: Corpus,
    tag: Annotated[str, Argument(metavar="TAG", help="Name of the version, such as 2026-11.")],
    against: Annotated[
        str, Option(metavar="TAG", help="Compare TAG with this version; either may be a folder of a release or corpus.")
    ] = "",
    show_ids: Annotated[bool, Option("--ids", help="With --against: print the id of each row, too.")] = False,
) -> None:
    """Freeze what is published as a version, or compare two.

    Manifest, card, and lists of the rows that were added, changed and removed since the last version go to
    CORPUS/releases/TAG. With --against nothing is written: the rows are counted that differ between the two versions.
    """
    from newscorpus.corpus.release import KINDS, diff
    from newscorpus.corpus.release import release as freeze

    if show_ids and not against:
        raise typer.BadParameter("--ids goes with --against")
    if against:
        changes = diff(against, tag, corpus)
        for kind in KINDS:
            rows = getattr(changes, kind)
            typer.echo(f"{kind}: {len(rows):,}")
            for name in sorted(rows) if show_ids else ():
                typer.echo(f"{kind} {name}")
        return
    note = freeze(corpus, tag)
    since = f"since {note.previous}" if note.previous else "the first release"
    taken_out = f", {note.taken_out:,} taken out on demand" if note.taken_out else ""
    typer.echo(
        f"{note.tag}: {note.documents:,} documents; {note.added:,} added, {note.changed:,} changed,"
        f" {note.removed:,} removed{taken_out} ({since})"
    )
