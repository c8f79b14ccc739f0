"""The card of a published corpus, `README.md`, from which Hugging Face `datasets` takes the files and the schema.

The schema is written out, because a loader that guesses types fails when all lists of the first shard are empty.
"""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, get_args, get_origin, get_type_hints

from newscorpus.config import DuplicateConfig
from newscorpus.corpus.manifest import Manifest
from newscorpus.data import Record

PATTERN_KEY = "data_files:"
"""Key of the pattern that matches the names of the shards, and no others."""

DTYPES = {str: "string", int: "int64", float: "float64", bool: "bool"}

COLUMNS = {
    "id": "stable for a document across runs: hash of its canonical URL",
    "revision": "hash of the text",
    "supersedes": 'the revision this one replaced, or ""',
    "url": "address of the document",
    "source": "name of the portal",
    "site_name": "name of the site, as it calls itself",
    "title": "headline",
    "lead": "the paragraph that sums up the article; part of `text` too",
    "text": "main text, one paragraph a line, headline excluded",
    "authors": "names of the authors",
    "agencies": "news agencies the text is taken from",
    "published": "date of publication, ISO 8601",
    "modified": "date of the last change, ISO 8601",
    "section": "section of the site",
    "tags": "keywords the site gives",
    "language": "BCP 47 primary tag",
    "language_score": "certainty of the language detector, 0..1",
    "description": "summary from the page's metadata",
    "images": "address, alternative text and caption of each image",
    "license": "licence the page declares",
    "paywalled": "the page says that its text is not free",
    "rights": "what the site says of machine use, as it says it",
    "provenance": "where each value came from",
    "capture": "the web archive that the page was taken from, and when it was captured there; empty if we fetched it",
    "extractor": "what decided on the text",
    "confidence": "probability that the text is right, 0..1",
    "n_words": "words of the text",
    "flags": "remarks",
    "fetched": "time of the fetch, ISO 8601",
    "cluster": 'id of the group of duplicates the document stands for, or ""',
    "cluster_size": "documents in that group, this one included",
    "schema": "version of this layout",
}
"""What each column means; every field of `Record` has its line."""

TEXT = """
# News corpus

{documents:,} articles with {words:,} words, crawled from news portals with newscorpus and freed from duplicates: of
each article the {revision} text stands, and of near-duplicates (Jaccard similarity of word {shingle}-grams from
{threshold} on) the {survivor} one.{more} `manifest.json` lists the files with their hashes and all parameters. The
rights in the texts remain with the portals; the columns `license` and `rights` hold what these declare.

| portal | language | documents | words |
|---|---|---:|---:|
{shares}

## Columns

No value is ever null: what is unknown is "", 0 or an empty list.

| column | meaning |
|---|---|
{columns}
"""


def card(manifest: Manifest, pattern: str) -> str:
    """The card as Markdown with YAML front matter.

    Args:
        manifest: of the corpus.
        pattern: matches the names of its shards, and no others.
    """
    duplicates = manifest.parameters.duplicates
    text = TEXT.format(
        documents=manifest.documents,
        words=manifest.words,
        revision=duplicates.revision,
        shingle=manifest.parameters.signature.shingle_words,
        threshold=duplicates.threshold,
        survivor=duplicates.survivor,
        more=what_else_goes(duplicates),
        shares="\n".join(
            f"| {share.source} | {share.language or '?'} | {share.documents:,} | {share.words:,} |"
            for share in manifest.shares
        ),
        columns="\n".join(f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()),
    )
    return "\n".join(["---", *_front_matter(manifest, pattern), "---"]) + "\n" + text


def what_else_goes(duplicates: DuplicateConfig) -> str:
    """What is said of excerpts and of boilerplate, each where it is taken out."""
    excerpts = f" Texts of which a longer article holds {duplicates.containment:.0%} are left out."
    boilerplate = " Paragraphs that recur in articles of a portal are cut (flag `boilerplate_cut`)."
    return excerpts * duplicates.excerpts + boilerplate * bool(duplicates.boilerplate_documents)


def _front_matter(manifest: Manifest, pattern: str) -> Iterator[str]:
    """The lines of YAML; texts are quoted as JSON does it, or Norwegian (`no`) would be the opposite of yes."""
    languages = sorted({share.language for share in manifest.shares if share.language})
    yield "pretty_name: News corpus"
    yield f"language: {json.dumps(languages)}"
    yield "license: other"
    yield "task_categories: [text-generation]"
    yield "configs:"
    yield "- config_name: default"
    yield f"  {PATTERN_KEY} {json.dumps(pattern)}"
    yield "dataset_info:"
    yield "  features:"
    yield from features(Record, "  ")


def features(of: type[Any], indent: str) -> Iterator[str]:
    """The fields of a dataclass as features of `datasets`."""
    hints = get_type_hints(of)
    for field in dataclasses.fields(of):
        yield f"{indent}- name: {field.name}"
        yield from _feature(hints[field.name], indent + "  ")


def _feature(kind: Any, indent: str) -> Iterator[str]:
    """The type of one feature: a value, a list of values or of structures, or a structure."""
    item = get_args(kind)[0] if get_origin(kind) is tuple else kind
    word = "list" if item is not kind else "struct" if dataclasses.is_dataclass(kind) else "dtype"
    if item in DTYPES:
        yield f"{indent}{word}: {DTYPES[item]}"
    else:
        yield f"{indent}{word}:"
        yield from features(item, indent)
