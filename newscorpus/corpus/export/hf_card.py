"""The card of an export for Hugging Face: YAML for programs, Markdown for people."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from newscorpus.corpus.card import COLUMNS, features, what_else_goes
from newscorpus.corpus.export.census import Census, SplitFiles
from newscorpus.corpus.export.source import Source
from newscorpus.corpus.manifest import Manifest
from newscorpus.data import Record

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
         (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"))  # fmt: skip
"""Upper bounds of documents and the names that the Hub has for them."""
LARGEST = "n>1B"

LONGEST_TABLE = 30
"""Rows of a table; what is left is summed up in one more."""

TEXT = """
# {name}

{documents:,} news articles with {words:,} words{period}, crawled from news portals with newscorpus{creator}.

```python
from datasets import load_dataset

corpus = load_dataset("PATH/OF/THIS/FOLDER", split="{first_split}")
```

## Splits

{splits}

No cluster of near-duplicates is in two splits.

## Languages and portals

{shares}

## Licences

What the pages declare. The rights in the texts remain with the portals: `license` and `rights` hold what these say, of
text and data mining too, and `paywalled` marks the {paywalled:,} documents whose pages say that they are not free.
Whoever uses the texts must know what the law allows.

{licenses}

## How it was made

Pages were found by feeds, sitemaps, sections and links, as robots.txt allows; their main text, title, dates and authors
were extracted (`extractor`, `confidence`, `provenance`), what is no article left out, and the language detected. Of
each article the {revision} text stands, and of near-duplicates (Jaccard similarity of word {shingle}-grams from
{threshold} on) the {survivor} one; `cluster_size` says how many there were.{more} Nobody has read the texts one
by one: a few hold remains of menus or lack a paragraph, and names of persons stand in them as they were published.

Generation `{generation}` of the corpus. Documents by extractor:

{extractors}

Versions: {versions}.

## Columns

No value is ever null: what is unknown is "", 0 or an empty list.

{columns}
"""


def card(source: Source, splits: Sequence[SplitFiles], census: Census) -> str:
    """The card as Markdown with YAML front matter."""
    tally, duplicates = census.tally, source.manifest.parameters.duplicates
    text = TEXT.format(
        name=_cell(source.about.name),
        documents=tally.documents,
        words=tally.words,
        period=f" of {census.first} to {census.last}" if census.first else "",
        creator=f" and published by {_cell(source.about.creator)}" if source.about.creator else "",
        first_split=splits[0].name,
        splits=_table(("split", "documents", "files", "bytes"), _split_rows(splits), 1),
        shares=_table(("portal", "language", "documents", "words"), _share_rows(census), 2),
        paywalled=census.paywalled,
        licenses=_table(("licence", "documents"), _counted(census.licenses), 1),
        revision=duplicates.revision,
        shingle=source.manifest.parameters.signature.shingle_words,
        threshold=duplicates.threshold,
        survivor=duplicates.survivor,
        more=what_else_goes(duplicates),
        generation=source.manifest.generation,
        extractors=_table(("extractor", "documents"), _counted(tally.extractors), 1),
        versions=", ".join(f"{name} {version}" for name, version in _versions(source.manifest)),
        columns=_table(("column", "meaning"), [(f"`{name}`", meaning) for name, meaning in COLUMNS.items()], 2),
    )
    return "\n".join(["---", *_front_matter(source.about.name, splits, census), "---"]) + "\n" + text


def _front_matter(name: str, splits: Sequence[SplitFiles], census: Census) -> Iterator[str]:
    """The lines of YAML; texts are quoted as JSON does it, or Norwegian (`no`) would be the opposite of yes."""
    languages = census.languages
    yield f"pretty_name: {json.dumps(name)}"
    yield f"language: {json.dumps(languages)}"
    yield f"multilinguality: [{'multilingual' if len(languages) > 1 else 'monolingual'}]"
    yield "license: other"
    yield "license_name: as-declared-by-each-page"
    yield "task_categories: [text-generation, fill-mask]"
    yield "annotations_creators: [no-annotation]"
    yield "language_creators: [found]"
    yield "source_datasets: [original]"
    yield f"size_categories: [{json.dumps(_size(census.tally.documents))}]"
    yield "tags: [news]"
    yield "configs:"
    yield "- config_name: default"
    yield "  data_files:"
    for split in splits:
        yield f"  - split: {split.name}"
        yield f"    path: {split.folder}/*.parquet"
    yield from _dataset_info(splits)


def _dataset_info(splits: Sequence[SplitFiles]) -> Iterator[str]:
    """Types of the columns and sizes of the splits."""
    yield "dataset_info:"
    yield "  features:"
    yield from features(Record, "  ")
    yield "  splits:"
    for split in splits:
        yield f"  - name: {split.name}"
        yield f"    num_bytes: {split.expanded_bytes}"
        yield f"    num_examples: {split.rows}"
    yield f"  download_size: {sum(split.bytes for split in splits)}"
    yield f"  dataset_size: {sum(split.expanded_bytes for split in splits)}"


def _size(documents: int) -> str:
    return next((name for bound, name in SIZES if documents < bound), LARGEST)


def _split_rows(splits: Sequence[SplitFiles]) -> list[tuple[str, ...]]:
    return [(split.name, f"{split.rows:,}", f"{len(split.files):,}", f"{split.bytes:,}") for split in splits]


def _share_rows(census: Census) -> list[tuple[str, ...]]:
    return [
        (_cell(share.source), share.language or "?", f"{share.documents:,}", f"{share.words:,}")
        for share in census.tally.shares
    ]


def _counted(counts: Counter[str]) -> list[tuple[str, ...]]:
    """Names with their counts, the highest first; after the longest table's worth the sum of the others."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown, others = ordered[:LONGEST_TABLE], ordered[LONGEST_TABLE:]
    rest = [(f"{len(others):,} others", f"{sum(count for _, count in others):,}")] if others else []
    return [*((_cell(name) or "none", f"{count:,}") for name, count in shown), *rest]


def _versions(manifest: Manifest) -> Iterable[tuple[str, str]]:
    return sorted(manifest.versions.items())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> str:
    """A table in Markdown whose first columns are set to the left and the others to the right."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def _cell(text: str) -> str:
    """Text of others as it can stand in Markdown without doing anything there."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{character}" if character in "\\`*_[]|" else character for character in plain)
