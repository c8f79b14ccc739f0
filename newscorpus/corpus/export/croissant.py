"""Describe an export in Croissant 1.0 (MLCommons, 2024): files with hashes, record set, fields, splits."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from newscorpus.corpus.card import COLUMNS
from newscorpus.corpus.export.source import About, Census, SplitFiles
from newscorpus.corpus.records import item_type, keys_of
from newscorpus.data import Record

CROISSANT = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"

FILES, RECORDS, SPLITS = "files", "documents", "splits"
"""Ids of the set of all files, of the records and of the names of the splits."""

CONTEXT = json.loads((Path(__file__).parents[1] / "templates" / "croissant_context.json").read_text("utf-8"))
"""The one that the reference library, mlcroissant, expects: that of the specification's first appendix and more."""

TYPES = {str: "sc:Text", int: "sc:Integer", float: "sc:Float", bool: "sc:Boolean"}
NO_LICENSE = "as declared by each page: columns license and rights"
SPLIT_TYPES = {"train": "cr:TrainingSplit", "validation": "cr:ValidationSplit", "test": "cr:TestSplit"}

Node = dict[str, Any]


def croissant(about: About, splits: Sequence[SplitFiles], census: Census) -> bytes:
    """Write the description as JSON-LD, published on the day of the last fetch, so that equal exports are equal."""
    counts = census.counts
    description: Node = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": about.name,
        "description": f"{counts.documents:,} news articles with {counts.words:,} words, crawled with newscorpus.",
        "license": sorted(filter(None, census.licenses)) or [NO_LICENSE],
        "url": about.url,
        "creator": {"@type": "sc:Organization", "name": about.creator} if about.creator else "",
        "datePublished": census.fetched or census.last,
        "inLanguage": census.languages,
        "distribution": list(_files(splits)),
        "recordSet": [_split_names(splits), _records(splits)],
    }
    known = {key: value for key, value in description.items() if value}
    return json.dumps(known, indent=2, ensure_ascii=False).encode() + b"\n"


def _files(splits: Sequence[SplitFiles]) -> Iterator[Node]:
    """Describe each file, with its hash, and all of them as one set."""
    for split in splits:
        for file in split.files:
            path = f"{split.folder}/{file.name}"
            yield {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path,
                "contentUrl": path,
                "contentSize": f"{file.bytes} B",
                "encodingFormat": PARQUET,
                "sha256": file.sha256,
            }
    yield {
        "@type": "cr:FileSet",
        "@id": FILES,
        "name": FILES,
        "encodingFormat": PARQUET,
        "includes": [f"{split.folder}/*.parquet" for split in splits],
    }


def _split_names(splits: Sequence[SplitFiles]) -> Node:
    """Describe the names of the splits and what they are for."""
    return {
        "@type": "cr:RecordSet",
        "@id": SPLITS,
        "name": SPLITS,
        "dataType": "cr:Split",
        "key": {"@id": f"{SPLITS}/name"},
        "field": [
            {"@type": "cr:Field", "@id": f"{SPLITS}/name", "name": "name", "dataType": "sc:Text"},
            {"@type": "cr:Field", "@id": f"{SPLITS}/url", "name": "url", "dataType": ["sc:URL", "cr:Split"]},
        ],
        "data": [{f"{SPLITS}/name": split.name, f"{SPLITS}/url": SPLIT_TYPES[split.name]} for split in splits],
    }


def _records(splits: Sequence[SplitFiles]) -> Node:
    """Describe the documents: a field for each column, and one for the split, which is read from the file's path."""
    names = "|".join(split.name for split in splits)
    split: Node = {
        "@type": "cr:Field",
        "@id": f"{RECORDS}/split",
        "name": "split",
        "description": "what the document is for",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": FILES},
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": f"(?:.*/)?({names})(?:/[^/]*)?$"},
        },
        "references": {"field": {"@id": f"{SPLITS}/name"}},
    }
    fields = [_field(RECORDS, name, kind, ()) for name, kind in keys_of(Record).items()]
    return {
        "@type": "cr:RecordSet",
        "@id": RECORDS,
        "name": RECORDS,
        "key": {"@id": f"{RECORDS}/id"},
        "field": [split, *(field | {"description": COLUMNS[field["name"]]} for field in fields)],
    }


def _field(parent: str, name: str, kind: Any, path: tuple[str, ...]) -> Node:
    """Describe a field: a value, a structure with the fields of its own, or a list of either."""
    item, repeated = item_type(kind)
    own, here = f"{parent}/{name}", (*path, name)
    field: Node = {"@type": "cr:Field", "@id": own, "name": name}
    if repeated:
        field["repeated"] = True
    if item in TYPES:
        column, *inside = here
        source: Node = {"fileSet": {"@id": FILES}, "extract": {"column": column}}
        source |= {"transform": {"jsonPath": ".".join(inside)}} if inside else {}
        return field | {"dataType": TYPES[item], "source": source}
    return field | {"subField": [_field(own, part, inner, here) for part, inner in keys_of(item).items()]}
