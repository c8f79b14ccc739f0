"""Write annotated documents as CoNLL-U, and read them back, also from the folder of an annotation.

The CoNLL-U always passes the validator of Universal Dependencies at level 2: unknown tags and relations become "X" and
"dep", malformed features are dropped, and without a valid tree all words of a sentence depend on the first by "dep".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import msgspec

from newscorpus.corpus.annotate.annotators import Sentence, Token, Word
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.tokens import collapse, paragraphs, printable

Document = Sequence[Sequence[Sentence]]
"""The sentences of the headline, and of each paragraph."""

POSITIONS = ("lemma", "tag", "features")
"""Names of the columns of a token after the word."""

NEW_DOCUMENT, NEW_PARAGRAPH = "# newdoc id = ", "# newpar id = "

REPORT = "annotation.json"
FOLDERS = {"conllu": ".conllu", "vertical": ".vert", "parts": ".json"}
"""Folders of an annotation, and the suffixes of their files. The file in `parts` is written (and renamed) last: a part
is done if it exists."""

UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
DEPREL = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed"
    " flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative"
    " xcomp".split()
)
RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
FEATURE = re.compile(r"([A-Z0-9][A-Z0-9a-z]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Z0-9a-z]*(?:,[A-Z0-9][A-Z0-9a-z]*)*)")
UNKNOWN = ("_", "X")
"""Values of tags and features that stand for none."""
NO_SPACE = "SpaceAfter=No"
NO_ID = re.compile(r"[\s/]+")
"""Characters that the id of a sentence must not contain."""


def name_of(record: Record) -> str:
    """Return the id of a document as CoNLL-U allows it."""
    return NO_ID.sub("_", collapse(printable(record.id))) or "_"


def texts_of(record: Record) -> list[str]:
    """Return the headline and the paragraphs, the texts whose sentences a `Document` holds; the headline may be ""."""
    return [collapse(record.title), *paragraphs(record.text)]


def conllu(record: Record, document: Document) -> Iterator[str]:
    """Yield the lines of a document; none if it has no sentence. The paragraph with the number 0 is the headline."""
    name = name_of(record)
    head = [f"{NEW_DOCUMENT}{name}"]
    for number, sentences in enumerate(document):
        head += [f"{NEW_PARAGRAPH}{name}-{number}"] if sentences else []
        for position, sentence in enumerate(sentences, 1):
            yield from head
            yield f"# sent_id = {name}-{number}-{position}"
            text = "".join(_clean(token.form) + " " * token.space_after for token in sentence).rstrip()
            yield f"# text = {text}"
            yield from _words(sentence, is_last=position == len(sentences))
            yield ""
            head = []


def read_conllu(lines: Iterable[str]) -> Document:
    """Read the lines of a document that `conllu` wrote.

    Raises:
        ValueError: a line is none of CoNLL-U.
    """
    document: list[list[list[Token]]] = [[]]  # without a headline, the numbers begin with 1
    for line in lines:
        if line.startswith(NEW_PARAGRAPH):
            document += [[] for _ in range(int(line.rpartition("-")[2]) + 1 - len(document))]
        elif line.startswith("# sent_id"):
            document[-1].append([])
            last = 0  # number of the last word of the current token
        elif line and not line.startswith("#"):
            number, form, lemma, upos, xpos, feats, head, deprel, _, misc = line.split("\t")
            first, _, end = number.partition("-")
            sentence = document[-1][-1]
            if end:
                sentence.append(Token(form, (), misc != NO_SPACE))
                last = int(end)
                continue
            upos, xpos, feats = ("" if one in UNKNOWN else one for one in (upos, xpos, feats))
            word = Word(form, lemma, upos, xpos, feats, int(head), deprel)
            if int(first) <= last:
                sentence[-1] = Token(sentence[-1].form, (*sentence[-1].words, word), sentence[-1].space_after)
            else:
                sentence.append(Token(form, (word,), misc != NO_SPACE))
    return document


def columns(token: Token) -> tuple[str, str, str, str]:
    """Return form, lemma, tag and features of a token; lemmas and tags of several words are joined by "+"."""
    lemma = "+".join(_clean(word.lemma) for word in token.words)
    tag = "+".join(_tag(word.xpos or word.upos) for word in token.words)
    return _clean(token.form), lemma, tag, _features(token.words[0].feats) if len(token.words) == 1 else "_"


def _words(sentence: Sentence, *, is_last: bool) -> Iterator[str]:
    """Yield the lines of a sentence; the last sentence of a paragraph ends in a space by convention."""
    words = [word for token in sentence for word in token.words]
    heads = [word.head for word in words]
    if heads.count(0) == 1 and max(heads) <= len(words) and _reach_root(heads):
        relations = [(word.head, "root" if word.head == 0 else _relation(word.deprel)) for word in words]
    else:
        relations = [(0, "root") if at == 0 else (1, "dep") for at in range(len(words))]
    number = 1
    for left, token in zip(range(len(sentence), 0, -1), sentence, strict=True):
        misc = "_" if token.space_after or (is_last and left == 1) else NO_SPACE
        is_one = len(token.words) == 1
        if not is_one:
            yield f"{number}-{number + len(token.words) - 1}\t{_clean(token.form)}" + "\t_" * 7 + f"\t{misc}"
        for word in token.words:
            head, relation = relations[number - 1]
            form = _clean(token.form if is_one else word.form)
            tags = f"{word.upos if word.upos in UPOS else 'X'}\t{_tag(word.xpos)}\t{_features(word.feats)}"
            yield f"{number}\t{form}\t{_clean(word.lemma)}\t{tags}\t{head}\t{relation}\t_\t{misc if is_one else '_'}"
            number += 1


def _reach_root(heads: Sequence[int]) -> bool:
    """Check whether every word depends on the root, directly or through others."""
    good = {0}
    for start in range(1, len(heads) + 1):
        way, here = set[int](), start
        while here not in good:
            if here in way:
                return False
            way.add(here)
            here = heads[here - 1]
        good |= way
    return True


@lru_cache(10_000)
def _tag(tag: str) -> str:
    return "_".join(tag.split()) or "_"


@lru_cache(1_000)
def _relation(relation: str) -> str:
    known = RELATION.fullmatch(relation) and relation.partition(":")[0] in DEPREL - {"root"}
    return relation if known else "dep"


@lru_cache(10_000)
def _features(features: str) -> str:
    """Normalize features: sorted as the format requires, each once; "_" if there are none."""
    found = {match[1]: match[2] for one in features.split("|") if (match := FEATURE.fullmatch(one))}
    several = ((name, sorted(set(value.split(",")), key=str.lower)) for name, value in found.items())
    return "|".join(sorted((f"{name}={','.join(values)}" for name, values in several), key=str.lower)) or "_"


@lru_cache(200_000)
def _clean(text: str) -> str:
    """Normalize a form or lemma: NFC, without control characters, "_" if empty."""
    return unicodedata.normalize("NFC", collapse(printable(text))) or "_"


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
