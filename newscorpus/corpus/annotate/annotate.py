"""Annotate a published corpus part by part, in processes, so that an annotation that was killed goes on where it was.

The folder that comes of it holds `conllu/` and `vertical/`, a file a part in the order of the corpus, the registry file
beside the verticals; and `annotation.json`, which says how it was made and counts what is there. A part is named by its
place, by what is in it and by what annotated it, and ends where the shards of the corpus would: another run annotates
only the parts that have changed, and renames those whose place has.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.corpus.annotate.annotators import check_annotator, load_annotator
from newscorpus.corpus.annotate.forms import POSITIONS, conllu, vertical
from newscorpus.corpus.export.vertical import opening, write_registry
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.shards import bounded, file_hash, is_marked
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replacing
from newscorpus.lines import encode_indented
from newscorpus.tokens import collapse, paragraphs
from newscorpus.workers import Lost, in_order

PART_BYTES = 1_000_000
"""Text of a part: some 150,000 tokens, seconds with UDPipe and minutes with Stanza, which is what a kill costs."""
PART_SECONDS = 3_600.0
"""Longest time for a part; a neural tagger on one slow core needs some ten minutes."""
DIGEST_LENGTH = 12

REPORT = "annotation.json"
LOCK = ".lock"
FOLDERS = {"conllu": ".conllu", "vertical": ".vert", "parts": ".json"}
"""Folders of an annotation, and the endings of their files; a part is done when its file in `parts`, which is made
and renamed last, is there."""

Watch = Callable[[Iterable[Any]], Iterable[Any]]
"""Passes parts on, and shows how many they are."""


class PartCounts(msgspec.Struct, frozen=True):
    """What a part holds."""

    documents: int = 0
    sentences: int = 0
    tokens: int = 0  # as they are written: what stands between spaces and marks
    words: int = 0  # syntactic ones
    tokenizer_tokens: int = 0  # that the named tokenizer makes of the texts; 0 without one

    def __add__(self, other: "PartCounts") -> "PartCounts":
        return PartCounts(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


@dataclass(frozen=True, slots=True)
class Annotation:
    """How a corpus is annotated."""

    name: str  # of the annotator
    output: Path  # folder to write
    model: Path | None = None  # of the user's
    tokenizer: Path | None = None  # file of a tokenizer whose tokens are counted too


@dataclass(frozen=True, slots=True)
class AnnotationReport:
    """What an annotation holds; the content of `annotation.json`."""

    corpus: str  # generation of the corpus
    annotator: str  # its name, version and model
    tokenizer: str  # file and hash of the tokenizer; "" without one
    parts: tuple[str, ...]  # names of the files without their endings, in order
    counts: PartCounts
    is_complete: bool = True  # every document of the corpus is in it


@dataclass(frozen=True, slots=True)
class _Part:
    """Documents that one process annotates at a time."""

    name: str
    records: tuple[Record, ...]


def annotate(corpus: Path, setting: Annotation, title: str, jobs: int = 1, watch: Watch = iter) -> AnnotationReport:
    """Annotate the published corpus in a folder; one caller at a time for an output.

    Args:
        corpus: folder of a crawl or of a published corpus.
        setting: how, and where to.
        title: name of the corpus, for the registry.
        jobs: number of processes.
        watch: sees every part that was annotated now.

    Raises:
        CorpusError: the corpus cannot be read, the annotator cannot be used, or a part failed; what is done stays.
        ImportError: a package is not installed.
    """
    published = open_corpus(corpus)
    annotator, tokenizer = check_annotator(setting.name, setting.model), _tokenizer_name(setting.tokenizer)
    _prepare_folder(setting.output)
    with exclusive(setting.output / LOCK, "annotation"):
        report = AnnotationReport(published.manifest.generation, annotator, tokenizer, (), PartCounts(), False)
        _write(setting.output / REPORT, report)
        for folder in FOLDERS:
            (setting.output / folder).mkdir(exist_ok=True)
        names: list[str] = []
        todo = _todo(_parts(published.records(), f"{annotator} {tokenizer}"), setting.output, names)
        failed = [
            f"part {part.name}: {done.detail}"
            for part, done in watch(in_order(partial(_annotate_or_say_why, setting), todo, jobs, PART_SECONDS))
            if isinstance(done, Lost)
        ]
        if failed:
            raise CorpusError(f"parts that were not annotated: {len(failed)}, such as {failed[0]}")
        counts = PartCounts()
        for name in names:
            path = _path(setting.output, "parts", name)
            try:
                counts += msgspec.json.decode(path.read_bytes(), type=PartCounts)
            except msgspec.DecodeError as error:
                raise CorpusError(f"{path}: damaged ({error}); remove it, and run the annotation again") from error
        report = AnnotationReport(report.corpus, annotator, tokenizer, tuple(names), counts)
        write_registry(setting.output / "vertical", title, published.manifest, "| cat *.vert", positions=POSITIONS)
        _write(setting.output / REPORT, report)
        for folder, ending in FOLDERS.items():  # parts of an earlier state of the corpus, or of another annotator
            for path in (setting.output / folder).glob(f"*{ending}"):
                if path.name.removesuffix(ending) not in names:
                    path.unlink()
    return report


def _annotate_or_say_why(setting: Annotation, part: _Part) -> PartCounts | Lost:
    """Annotate a part; what an annotator may raise is its own, and costs this part alone."""
    try:
        return annotate_part(setting, part)
    except Exception as error:  # noqa: BLE001 -- as said
        return Lost("failed", collapse(f"{error}" if isinstance(error, CorpusError) else f"{error!r}"))


def annotate_part(setting: Annotation, part: _Part) -> PartCounts:
    """Annotate documents and write their files, whole or not at all."""
    annotator = load_annotator(setting.name, setting.model)
    done = []
    for one in part.records:
        annotated = (annotator(paragraph, one.language) for paragraph in paragraphs(one.text))
        done.append((one, [[sentence for sentence in paragraph if sentence] for paragraph in annotated]))
    for folder, form in (("conllu", conllu), ("vertical", vertical)):
        with replacing(_path(setting.output, folder, part.name)) as file:
            file.writelines(f"{line}\n".encode() for record, document in done for line in form(record, document))
    sentences = [one for _, document in done for paragraph in document for one in paragraph]
    counts = PartCounts(
        len(done),
        len(sentences),
        sum(map(len, sentences)),
        sum(len(token.words) for sentence in sentences for token in sentence),
        _count_tokens(setting.tokenizer, [record.text for record in part.records]),
    )
    _write(_path(setting.output, "parts", part.name), counts)
    return counts


def _parts(records: Iterable[Record], annotator: str) -> Iterator[_Part]:
    for number, group in bounded(records, lambda record: len(record.text.encode()), PART_BYTES, is_marked):
        several = tuple(group)
        said = "\n".join((annotator, *(f"{opening(one)} {one.revision} {one.language}" for one in several)))
        yield _Part(f"{number}-{hashlib.sha256(said.encode()).hexdigest()[:DIGEST_LENGTH]}", several)


def _todo(parts: Iterable[_Part], output: Path, names: list[str]) -> Iterator[_Part]:
    """The parts that are not done; the names of all are added to `names`. What has another place now is renamed."""
    done = {_content(path.stem): path.stem for path in (output / "parts").iterdir()}
    for part in parts:
        names.append(part.name)
        if (earlier := done.get(_content(part.name), part.name)) != part.name:
            for folder in FOLDERS:
                with suppress(FileNotFoundError):
                    _path(output, folder, earlier).rename(_path(output, folder, part.name))
        if not all(_path(output, folder, part.name).exists() for folder in FOLDERS):
            yield part


def _content(name: str) -> str:
    """What the name of a part says but for its place."""
    return name.partition("-")[2]


def _path(output: Path, folder: str, name: str) -> Path:
    return output / folder / f"{name}{FOLDERS[folder]}"


def _prepare_folder(output: Path) -> None:
    """Make the folder, or check that an annotation made it: the report is written before anything but hidden files."""
    visible = [path.name for path in output.iterdir() if path.name[0] != "."] if output.is_dir() else []
    if output.is_file() or (visible and REPORT not in visible):
        raise CorpusError(f"{output}: not empty and not made by an annotation; name another folder")
    output.mkdir(parents=True, exist_ok=True)


def _write(path: Path, value: AnnotationReport | PartCounts) -> None:
    with replacing(path) as file:
        file.write(encode_indented(value))


def _tokenizer_name(path: Path | None) -> str:
    """Name a tokenizer by its file and its hash.

    Raises:
        CorpusError: the file is missing, or is no tokenizer.
        ImportError: the package is not installed.
    """
    if path is None:
        return ""
    _count_tokens(path, [])
    return f"{path.name} {file_hash(path)[:10]}"


def _count_tokens(path: Path | None, texts: Sequence[str]) -> int:
    """Count what the tokenizer in a file makes of texts, marks of beginning and end left out."""
    if path is None:
        return 0
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise ImportError(f"{path}: tokenizers is not installed; install it by: pip install tokenizers") from error
    if not path.is_file():
        raise CorpusError(f"{path}: no such file")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # its only kind
        raise CorpusError(f"{path}: no file of a tokenizer ({error})") from error
    return sum(len(one.ids) for one in tokenizer.encode_batch(list(texts), add_special_tokens=False))
