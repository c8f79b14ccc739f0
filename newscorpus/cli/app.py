"""Define the command that the verbs are added to, and the options that several verbs share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Build text corpora from news portals. To crawl: `scrapy crawl portal -a portal=NAME`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Corpus = Annotated[Path, typer.Argument(metavar="CORPUS", help="Folder of the corpus.")]

EXTRACTOR_HELP = "Name of an extractor; without it, the default one."


def default_extractor() -> str:
    """Return the name of the default extractor; a function, since the registry takes long to import."""
    from newscorpus.published.registry import DEFAULT

    return DEFAULT


def counted(counts: Mapping[str, int]) -> str:
    """Write counts as one line, the highest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered) or "nothing"
