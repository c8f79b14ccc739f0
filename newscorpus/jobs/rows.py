"""The rows that indexed documents were made of: in the intake of a corpus, or beside the index that `dedup` makes."""

from pathlib import Path

import msgspec
import zstandard

from newscorpus.corpus import intake
from newscorpus.corpus.intake import Place
from newscorpus.corpus.records import encode
from newscorpus.data import Record
from newscorpus.dedup.collection import Collection

INTAKE = "intake"
INDEX = "index"


class TextOnly(msgspec.Struct):
    """The text of a document; other keys are passed over."""

    text: str


TEXTS = msgspec.json.Decoder(TextOnly)


def line_of(collection: Collection, position: int) -> bytes:
    """A document as a line of JSON."""
    store, row = collection.locate(position)
    if store.rows is None:
        return encode(record_of(collection, position))
    document = store.documents[row]
    with store.rows.open("rb", buffering=0) as file:
        file.seek(int(document["offset"]))
        return zstandard.ZstdDecompressor().decompress(file.read(int(document["length"])))


def text_of(collection: Collection, position: int) -> str:
    """The text of a document."""
    return TEXTS.decode(line_of(collection, position)).text


def record_of(collection: Collection, position: int) -> Record:
    """The record of a document in the intake of a corpus."""
    return intake.read_row(place_of(collection, position)).record


def place_of(collection: Collection, position: int) -> Place:
    """Where the row of a document lies in the intake."""
    store, row = collection.locate(position)
    document = store.documents[row]
    segment: Path = store.folder.parent / INTAKE / store.state.covered[document["file"]].name
    return Place(segment, int(document["offset"]), int(document["length"]))
