"""Name the documents whose texts hold what is quoted of others that are taken out."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from newscorpus.corpus.published import open_corpus, published_folder
from newscorpus.layout import INTAKE, MANIFEST
from newscorpus.publish.removing.lines import lines_naming, row_files
from newscorpus.publish.removing.quotes import Quotes


class Text(msgspec.Struct):
    """What is read of a record."""

    id: str
    url: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Headline and text."""
        return f"{self.title}\n{self.text}"


class TextLine(msgspec.Struct):
    """A line of the intake; headers and withdrawals have no record."""

    record: Text | None = None


LINES = msgspec.json.Decoder(TextLine)


@dataclass(frozen=True, slots=True)
class Sharing:
    """A document that holds some of what is taken out."""

    id: str
    url: str
    share: float  # of what can be quoted of it, from 0 to 1


def sharing_with(corpus: Path, documents: Collection[str], quotes: Quotes) -> tuple[Sharing, ...]:
    """The other documents of a corpus whose texts quote some documents, those first that hold the most."""
    if not quotes:
        return ()
    others = (one for one in _texts(corpus) if one.id not in documents)
    shares = (Sharing(one.id, one.url, share) for one in others if (share := quotes.share_in(one.whole)))
    most = {one.id: one for one in sorted(shares, key=lambda one: one.share)}
    return tuple(sorted(most.values(), key=lambda one: (-one.share, one.id)))


def texts_of(corpus: Path, documents: Collection[str]) -> list[str]:
    """The texts that a corpus still holds of documents."""
    naming = (line for path in row_files(corpus) for _, line in lines_naming(path, documents))
    found = filter(None, map(_text, naming)) if (corpus / INTAKE).is_dir() else _texts(corpus)
    return [one.whole for one in found if one.id in documents]


def _texts(corpus: Path) -> Iterator[Text]:
    if (corpus / INTAKE).is_dir():
        for path in row_files(corpus):
            with path.open("rb") as file:
                yield from filter(None, map(_text, file))
    elif (published_folder(corpus) / MANIFEST).is_file():
        for record in open_corpus(corpus).records():
            yield Text(record.id, record.url, record.title, record.text)


def _text(line: bytes) -> Text | None:
    try:
        return LINES.decode(line).record
    except (msgspec.DecodeError, UnicodeDecodeError):  # a torn or overwritten line, which builds pass over too
        return None
