"""The folder of an annotation: its report, and the sentences of each document, read back from the CoNLL-U."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from newscorpus.corpus.annotate.conllu import NEW_DOCUMENT, Document, name_of, read_conllu
from newscorpus.data import Record
from newscorpus.errors import CorpusError

REPORT = "annotation.json"
FOLDERS = {"conllu": ".conllu", "vertical": ".vert", "parts": ".json"}
"""Folders of an annotation, and the suffixes of their files. The file in `parts` is written (and renamed) last: a part
is done if it exists."""


class PartCounts(msgspec.Struct, frozen=True):
    """Counts of a part."""

    documents: int = 0
    sentences: int = 0
    tokens: int = 0  # orthographic
    words: int = 0  # syntactic

    def __add__(self, other: "PartCounts") -> "PartCounts":
        return PartCounts(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


@dataclass(frozen=True, slots=True)
class AnnotationReport:
    """Parameters and counts of an annotation; the content of `annotation.json`."""

    corpus: str  # generation of the corpus
    annotator: str  # name, version and model
    parts: tuple[str, ...]  # names of the files without suffix, in order
    counts: PartCounts
    is_complete: bool = True  # every document of the corpus is annotated


def file_of(output: Path, folder: str, part: str) -> Path:
    """Return the path of a file of a part."""
    return output / folder / f"{part}{FOLDERS[folder]}"


@dataclass(slots=True)
class AnnotatedDocuments:
    """The sentences of the documents of a corpus; holds one part in memory, and where each document lies."""

    parts: Mapping[str, Path]  # files by id of the document
    _path: Path | None = None  # of the part in memory
    _texts: Mapping[str, str] = field(default_factory=dict)  # of its documents

    @classmethod
    def load(cls, folder: Path, generation: str) -> "AnnotatedDocuments":
        """Find the documents in a complete annotation of a generation of a corpus.

        Raises:
            CorpusError: there is none.
        """
        try:
            report = msgspec.json.decode((folder / REPORT).read_bytes(), type=AnnotationReport)
        except (OSError, msgspec.DecodeError) as error:
            raise CorpusError(f"{folder}: no annotation here; make one by `newscorpus annotate`") from error
        if report.corpus != generation or not report.is_complete:
            raise CorpusError(
                f"{folder}: not an annotation of the whole corpus as it is; run `newscorpus annotate` again"
            )
        paths = [file_of(folder, "conllu", name) for name in report.parts]
        return cls({name: path for path in paths for name in _texts(path)})

    def of(self, record: Record) -> Document:
        """Return the sentences of a document; it has none if its text has none.

        Raises:
            CorpusError: a file is damaged or missing.
        """
        name = name_of(record)
        path = self.parts.get(name)
        if path is None:
            return ()
        if path != self._path:
            self._path, self._texts = path, _texts(path)
        try:
            return read_conllu(self._texts[name].split("\n"))
        except (KeyError, ValueError, IndexError) as error:
            raise CorpusError(f"{path}, document {name}: damaged ({error})") from error


def _texts(path: Path) -> dict[str, str]:
    """Divide a file into its documents, by id."""
    try:
        found = f"\n\n{path.read_text('utf-8')}".split(f"\n\n{NEW_DOCUMENT}")[1:]
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    return dict(one.split("\n", 1) for one in found)
