"""Write the card of a published corpus, `README.md`, from which Hugging Face `datasets` takes the files and the schema.

The schema is written out, because a loader that guesses types fails when all lists of the first shard are empty.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from newscorpus.corpus.manifest import Manifest
from newscorpus.data import Record
from newscorpus.page.records import TYPE_NAMES, item_type, keys_of
from newscorpus.tokens import collapse, printable

FILES_KEY = "data_files:"
"""Key of the names of the shards."""

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


def cell(text: str) -> str:
    """Escape text of others, so that it has no effect in Markdown."""
    plain = printable(collapse(text)).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{character}" if character in "\\`*_[]|" else character for character in plain)


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=False,  # noqa: S701 -- Markdown and plain text
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
TEMPLATES.filters |= {
    "json": json.dumps,  # in YAML, texts are quoted as JSON does it, or Norwegian (`no`) would be the opposite of yes
    "commas": "{:,}".format,
    "percent": "{:.0%}".format,
    "cell": cell,
}


def card(manifest: Manifest) -> str:
    """Write the card as Markdown with YAML front matter."""
    languages = sorted({share.language for share in manifest.shares if share.language})
    return fill("card.md", manifest, languages=languages, files=[shard.name for shard in manifest.shards])


def fill(template: str, manifest: Manifest, **values: Any) -> str:
    """Fill a template with values, with the manifest and its parameters, and with the columns and their types."""
    return TEMPLATES.get_template(template).render(
        values,
        manifest=manifest,
        duplicates=manifest.parameters.duplicates,
        signature=manifest.parameters.signature,
        columns=COLUMNS,
        features="\n".join(_features(Record, "  ")),
    )


def _features(of: type[Any], indent: str) -> Iterator[str]:
    """List the fields of a dataclass as features of `datasets`: values, structures, and lists of either."""
    for name, kind in keys_of(of).items():
        yield f"{indent}- name: {name}"
        item, repeated = item_type(kind)
        word = "list" if repeated else "dtype" if item in TYPE_NAMES else "struct"
        if item in TYPE_NAMES:
            yield f"{indent}  {word}: {TYPE_NAMES[item]}"
        else:
            yield f"{indent}  {word}:"
            yield from _features(item, indent + "  ")
