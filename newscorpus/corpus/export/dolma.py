"""Export documents and attributes in the format of the Dolma toolkit (allenai/dolma, docs/data-format.md).

`documents/[PART/]00000.jsonl.gz` holds the documents. `attributes/newscorpus/` holds their attributes, spans of
characters with a score each, in files of the same names with the same lines in the same order.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import make_dataclass
from gzip import GzipFile
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.corpus.export.hf import ONLY_SPLIT, Census, SplitFiles, write_card
from newscorpus.corpus.export.scores import NO_SCORES, Scores
from newscorpus.corpus.export.source import ExportSource
from newscorpus.data import Record
from newscorpus.lines import encode_line, gzipped
from newscorpus.page.quality.language import MIXED, paragraph_languages
from newscorpus.page.records import keys_of
from newscorpus.tokens import count_words

TAGGER = "newscorpus"

TOP_LEVEL = ("id", "text", "source", "published", "fetched")
"""Fields that are not in `metadata` because the document itself holds them, the dates as `created` and `added`."""

DOCUMENTS = "documents"
KEYS = ("id", "text", "source", "created", "added", "metadata")
Metadata = make_dataclass("Metadata", [one for one in keys_of(Record).items() if one[0] not in TOP_LEVEL])
DolmaDocument = make_dataclass("DolmaDocument", zip(KEYS, (str, str, str, str, str, Metadata), strict=True))
"""The keys of a document and their types."""

Span = tuple[int, int, float]
"""Start and end in characters of the text, and a score."""


def write(source: ExportSource, folder: Path) -> None:
    """Write documents and attributes of all parts, and a card that types the documents for `datasets`."""
    census, splits = Census(), []
    for part in source.parts:
        before, paths, expanded = census.counts.documents, list[Path](), 0
        for number, records in part.files(source.config.max_bytes):
            name = Path(part.name, f"{number}.jsonl.gz")
            paths.append(folder / DOCUMENTS / name)
            with _new(paths[-1]) as texts, _new(folder / "attributes" / TAGGER / name) as spans:
                for record in census.count(records):
                    expanded += texts.write(encode_line(document(record)))
                    spans.write(encode_line(attributes(record, source.scores)))
        pattern = f"{DOCUMENTS}/{f'{part.name}/' if part.name else ''}*.jsonl.gz"
        rows, n_bytes = census.counts.documents - before, sum(path.stat().st_size for path in paths)
        splits.append(SplitFiles(part.name or ONLY_SPLIT, pattern, len(paths), rows, n_bytes, expanded))
    write_card(source, folder, census, splits, DolmaDocument)


@contextmanager
def _new(path: Path) -> Iterator[GzipFile]:
    """Create a compressed file, and the folder for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file, gzipped(file) as packed:
        yield packed


def document(record: Record) -> dict[str, Any]:
    """Make the line of a documents file; unknown dates are "", as in the toolkit's own `InputSpec`."""
    metadata = {key: value for key, value in msgspec.to_builtins(record).items() if key not in TOP_LEVEL}
    return dict(
        zip(KEYS, (record.id, record.text, record.source, record.published, record.fetched, metadata), strict=True)
    )


def attributes(record: Record, scores: Scores = NO_SCORES) -> dict[str, Any]:
    """Make the line of the attributes file for a document.

    Names follow the toolkit, TAGGER__NAME: `confidence`, `language_XX`, `flag_NAME` and `cluster_size` of the whole
    text, with `scores` also `score_NAME`; `lead` if the text contains it; `paragraph_words` of each
    paragraph. A text with the flag `mixed_language` also has the language of each longer paragraph,
    `paragraph_language_XX`.
    """
    whole = {"confidence": record.confidence, f"language_{record.language or 'und'}": record.language_score}
    for flag in record.flags:  # "masked_email:2" has the score 2.0, a flag without a count 1.0
        name, _, number = flag.partition(":")
        whole[f"flag_{name}"] = float(number) if number.isdecimal() else 1.0
    whole |= scores.of(record)
    whole["cluster_size"] = float(record.cluster_size)
    spans: dict[str, list[Span]] = {name: [(0, len(record.text), score)] for name, score in whole.items()}
    start = record.text.find(record.lead) if record.lead else -1
    if start >= 0:
        spans["lead"] = [(start, start + len(record.lead), 1.0)]
    spans["paragraph_words"], start = [], 0
    for line in record.text.split("\n"):
        spans["paragraph_words"].append((start, start + len(line), float(count_words(line))))
        start += len(line) + 1
    for start, end, language, score in paragraph_languages(record.text) if MIXED in record.flags else ():
        spans.setdefault(f"paragraph_language_{language or 'und'}", []).append((start, end, score))
    return {
        "id": record.id,
        "source": record.source,
        "attributes": {f"{TAGGER}__{name}": found for name, found in spans.items()},
    }
