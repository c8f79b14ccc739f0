"""The command that the verbs add themselves to, and what they share."""

from collections.abc import Mapping

import typer

app = typer.Typer(
    help="Build text corpora from news portals. To crawl: `scrapy crawl portal -a portal=NAME`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

EXTRACTOR_HELP = "Name of an extractor; without it, the default one."


def default_extractor() -> str:
    """Name of the default extractor; asked for only when a verb runs, since the registry loads much."""
    from newscorpus.published.registry import DEFAULT

    return DEFAULT


def counted(counts: Mapping[str, int]) -> str:
    """Counts as one line, the highest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered) or "nothing"
