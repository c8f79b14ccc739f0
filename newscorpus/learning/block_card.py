"""The card of a published system's model: what it is, what it was made of, how well it does."""

from collections.abc import Iterable, Sequence

from newscorpus.artifacts import Metadata

_CARD = """# {name}, version {version}

{about}

Use: `newscorpus extract PAGE --extractor {name}`, or `newscorpus.extractors.registry.load("{name}")`. What the
publication did, and where this differs: `docs/published-systems.md`.

## Made from

Four fifths of the sites of these sets (where sites are not told apart: of the pages); the pages are not part of the
model, its weights hold no text.

{data}
{how}

Made by `newscorpus train {name}` with {versions}; the same pages give the same model.

## How well it does

Verdicts on the blocks of the other fifth, which the training did not see. `zero_r` is the accuracy of one verdict for
all blocks.

{scores}"""


def block_card(metadata: Metadata, about: str, how: str) -> str:
    """The card as Markdown: what the system is `about`, and `how` it was fitted."""
    measures = list(next(iter(metadata.scores.values()), {}))
    return _CARD.format(
        name=metadata.name,
        version=metadata.version,
        about=about,
        how=how,
        versions=", ".join(f"{name} {number}" for name, number in metadata.versions.items()),
        data=_table(
            ("set", "pages", "licence", "SHA-256"),
            [(name, row["pages"], row["licence"], f"`{row['sha256']}`") for name, row in metadata.data.items()],
        ),
        scores=_table(
            ("set", *measures),
            [(name, *(f"{row[measure]:.4g}" for measure in measures)) for name, row in metadata.scores.items()],
        ),
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
