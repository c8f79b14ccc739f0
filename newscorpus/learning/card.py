"""The card of a trained model: what it is, what it was made of, how well it does.

The card of a published system's model: what it is, what it was made of, how well it does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from newscorpus.artifacts import Metadata
from newscorpus.extraction.classify import COLUMNS
from newscorpus.extraction.verdict import SIGNS
from newscorpus.learning.boosting import Boosting

_CARD = """# {name}, version {version}

Tells the main text of a news page from the rest of it, block by block: boosted trees over {n_features} columns in two
passes, of which the second also sees what the first said of the blocks around. The page is judged by {n_signs} signs: a
logistic model says how far the text can be trusted, shallow trees whether there is an article.

Use: `newscorpus extract PAGE`, or `newscorpus.published.registry.load("{name}")`.

## Made from

The train split of these sets; their pages are not part of the model, its weights hold no text.

| set | pages | licence | SHA-256 of the file |
|---|--:|---|---|
{data}

Made by `newscorpus train {name}` with {versions}; the same data give the same model.

- First pass: {first}
- Second pass: {second}

## How well it does

Mean page F1 over word 4-grams, each page judged by trees that saw no page of its site. Figures on the development
split, beside the peers, are in `docs/evaluation.md`.

| set | articles | page F1 |
|---|--:|--:|
{scores}

The verdict, cross-validated by site: of the texts given a confidence above 0.9, {right:.3f} score above 0.9 F1
(expected calibration error {error:.3f}). Of the pages it rejects as no article {precision:.3f} are none, of those that
are none it rejects {recall:.3f}, and it loses {lost:.4f} of the articles.

## Limits

Trained mostly on English pages, with German, Russian, Polish, Greek, Chinese and some twenty languages in small
numbers. Captions, bylines, dates, tags, related links and comments are meant to be left out; where a page's markup
does not tell them from the text, they may stay in. Pages that build their text by script hold none for it to find.
"""


def model_card(metadata: Metadata, passes: tuple[Boosting, Boosting]) -> str:
    """The card as Markdown; `passes` says how the trees grew."""
    data = [
        f"| {name} | {row['pages']} | {row['licence']} | `{row['sha256']}` |" for name, row in metadata.data.items()
    ]
    scores = [
        f"| {name} | {row['pages']:.0f} | {row['page_f1']:.4f} |"
        for name, row in metadata.scores.items()
        if name in metadata.data
    ]
    verdict = metadata.scores["verdict"]
    first, second = passes
    return _CARD.format(
        name=metadata.name,
        version=metadata.version,
        n_features=len(COLUMNS),
        n_signs=len(SIGNS),
        data="\n".join(data),
        versions=", ".join(f"{name} {number}" for name, number in metadata.versions.items()),
        first=_settings(first),
        second=_settings(second),
        scores="\n".join(scores),
        right=verdict["share_right_above_0.9"],
        error=verdict["calibration_error"],
        precision=verdict["rejection_precision"],
        recall=verdict["rejection_recall"],
        lost=verdict["articles_lost"],
    )


def _settings(boosting: Boosting) -> str:
    return ", ".join(f"{name} {value}" for name, value in asdict(boosting).items() if name != "threads")


_SYSTEM_CARD = """# {name}, version {version}

{about}

Use: `newscorpus extract PAGE --extractor {name}`, or `newscorpus.published.registry.load("{name}")`. What the
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
    return _SYSTEM_CARD.format(
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
