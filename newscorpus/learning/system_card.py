"""The card of a published system's model: what it is, what it was made of, how well it does."""

from collections.abc import Iterable, Sequence

from newscorpus.artifacts import Metadata

_CARD = """# {name}, version {version}

{about}

Use: `newscorpus extract PAGE --extractor {name}`, or `newscorpus.extractors.registry.load("{name}")`. What the
publication did, and where this differs: `docs/published-systems.md`.

## Made from

{source} The pages are not part of the model, its weights hold no text.

{data}
{how}

Made by `newscorpus train {name}` with {versions}; the same pages give the same model.

## How well it does

{measure}

{scores}"""


def system_card(metadata: Metadata, about: str, source: str, how: str, measure: str) -> str:
    """The card as Markdown.

    Args:
        metadata: of the model.
        about: what the system does.
        source: which pages of the sets it was made from.
        how: it was fitted.
        measure: what the scores in the metadata are.
    """
    measures = list(next(iter(metadata.scores.values()), {}))
    return _CARD.format(
        name=metadata.name,
        version=metadata.version,
        about=about,
        source=source,
        how=how,
        measure=measure,
        versions=", ".join(f"{name} {number}" for name, number in metadata.versions.items()),
        data=_table(
            ("set", "pages", "licence", "SHA-256"),
            [(name, row["pages"], row["licence"], f"`{row['sha256']}`") for name, row in metadata.data.items()],
        ),
        scores=_table(
            ("set", *measures),
            [(name, *(f"{row[measure]:g}" for measure in measures)) for name, row in metadata.scores.items()],
        ),
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
