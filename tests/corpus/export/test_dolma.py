"""Documents and attributes, held to what the Dolma toolkit documents (allenai/dolma, docs/data-format.md)."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import msgspec

from newscorpus.config import ExportConfig
from newscorpus.corpus.export import dolma
from newscorpus.data import Record

from .conftest import MakeSource


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a documents file: three keys that must be there, and three that may."""

    id: str
    text: str
    source: str
    added: str | msgspec.UnsetType = msgspec.UNSET
    created: str | msgspec.UnsetType = msgspec.UNSET
    metadata: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class Attributes(msgspec.Struct, forbid_unknown_fields=True):
    """A line of an attributes file: spans of the text, each with a score."""

    id: str
    source: str
    attributes: dict[str, list[tuple[int, int, float]]]


def lines(path: Path, kind: type[Any]) -> list[Any]:
    with gzip.open(path) as file:
        return [msgspec.json.decode(line, type=kind) for line in file]


def test_documents_and_attributes_line_up(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    dolma.write(make_source({"train": records, "test": records[:1]}, ExportConfig(max_bytes=60)), folder)
    documents = sorted(path.relative_to(folder / "documents") for path in folder.glob("documents/**/*.jsonl.gz"))
    assert [path.as_posix() for path in documents] == [
        "test/00000.jsonl.gz",
        "train/00000.jsonl.gz",
        "train/00001.jsonl.gz",
    ]
    for name in documents:
        texts = lines(folder / "documents" / name, Document)
        found = lines(folder / "attributes" / "newscorpus" / name, Attributes)
        assert [(one.id, one.source) for one in texts] == [(one.id, one.source) for one in found]
        for text, one in zip(texts, found, strict=True):
            for spans in one.attributes.values():
                assert all(0 <= start <= end <= len(text.text) for start, end, _ in spans)


def test_nothing_is_lost(record: Record) -> None:
    document = msgspec.convert(dolma.document(record), Document)
    assert isinstance(document.metadata, dict)
    back = document.metadata | {
        "id": document.id,
        "text": document.text,
        "source": document.source,
        "published": document.created,
        "fetched": document.added,
    }
    assert msgspec.convert(back, Record) == record


def test_datasets_types_every_split_by_the_card(
    make_source: MakeSource, bare_record: Record, record: Record, folder: Path, tmp_path: Path
) -> None:
    bare = [bare_record, replace(bare_record, id="b")]
    config = ExportConfig(max_bytes=1)  # the lists of a file, and of a split, are all empty
    dolma.write(make_source({"train": [*bare, record], "validation": bare}, config), folder)
    splits = ("train", "validation")
    found = [datasets.load_dataset(str(folder), split=name, cache_dir=str(tmp_path)) for name in splits]
    assert found[0].features == found[1].features
    assert [row["metadata"]["authors"] for row in found[0]] == [[], [], list(record.authors)]
    rows = msgspec.json.decode(msgspec.json.encode([dolma.document(one) for one in (*bare, record, *bare)]))
    for row, read in zip(rows, [*found[0], *found[1]], strict=True):
        for name in ("created", "added"):  # its reader of JSON writes dates in another way
            assert read.pop(name)[:10] == row.pop(name)[:10]
        assert read == row, "with all keys, and never null"


def test_spans_name_what_they_cover(record: Record) -> None:
    text = "Úvod 😀 tu.\nDruhý odstavec."
    attributes = dolma.attributes(replace(record, text=text, lead="Druhý odstavec."))["attributes"]
    assert [(text[start:end], score) for start, end, score in attributes["newscorpus__paragraph_words"]] == [
        ("Úvod 😀 tu.", 2.0),
        ("Druhý odstavec.", 2.0),
    ]
    ((start, end, _),) = attributes["newscorpus__lead"]
    assert text[start:end] == "Druhý odstavec."
    assert attributes["newscorpus__language_cs"] == [(0, len(text), record.language_score)]
    assert attributes["newscorpus__flag_short"] == [(0, len(text), 1.0)]


def test_flags_with_a_number_are_scored_by_it(record: Record) -> None:
    attributes = dolma.attributes(replace(record, text="Text.", flags=("masked_email:3", "odd:x")))["attributes"]
    assert attributes["newscorpus__flag_masked_email"] == [(0, 5, 3.0)]
    assert attributes["newscorpus__flag_odd"] == [(0, 5, 1.0)]


def test_paragraphs_of_a_mixed_text_have_their_language(record: Record) -> None:
    czech = "Vláda včera schválila návrh zákona o rozpočtu na příští rok, oznámil po zasedání mluvčí."
    german = "Die Regierung hat gestern den Entwurf des Haushaltsgesetzes beschlossen, hieß es nach der Sitzung."
    mixed = replace(record, text=f"{czech}\n{german}", flags=("mixed_language",))
    found = dolma.attributes(mixed)["attributes"]
    assert found["newscorpus__paragraph_language_cs"][0][:2] == (0, len(czech))
    assert found["newscorpus__paragraph_language_de"][0][:2] == (len(czech) + 1, len(mixed.text))
    assert "newscorpus__paragraph_language_de" not in dolma.attributes(replace(mixed, flags=()))["attributes"]
