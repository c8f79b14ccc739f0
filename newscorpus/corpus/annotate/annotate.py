"""Annotate a published corpus part by part in worker processes, so that a killed annotation can be resumed.

The output folder holds `conllu/` and `vertical/`, one file per part in the order of the corpus; the registry file
beside the verticals; and `annotation.json` with the parameters and counts. A part is named by its position and by a
hash of its content and the annotator, and its boundaries are found like those of shards: another run annotates only
parts that changed, and renames those that moved.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.corpus.annotate.annotators import check_annotator, load_annotator
from newscorpus.corpus.annotate.conllu import (
    FOLDERS,
    POSITIONS,
    REPORT,
    AnnotationReport,
    PartCounts,
    conllu,
    file_of,
    texts_of,
)
from newscorpus.corpus.export import vertical
from newscorpus.corpus.published import note_copy, open_corpus
from newscorpus.corpus.shards import bounded, is_marked
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replace_file, replacing
from newscorpus.lines import encode_indented
from newscorpus.tokens import collapse
from newscorpus.workers import Lost, in_order

PART_BYTES = 1_000_000
"""Text of a part: some 150,000 tokens, seconds with UDPipe and minutes with Stanza; a kill loses that much work."""
PART_SECONDS = 3_600.0
"""Time limit of a part; a neural tagger on one slow core needs some ten minutes."""
DIGEST_LENGTH = 12

LAYOUT = "3"
"""Version of the files of a part, raised when they change, so that parts of an earlier version are made again."""

LOCK = ".lock"

Watch = Callable[[Iterable[Any]], Iterable[Any]]
"""Yield parts and show progress."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """Options of an annotation."""

    name: str  # of the annotator
    output: Path  # folder to write
    model: Path | None = None  # of the annotator


@dataclass(frozen=True, slots=True)
class Part:
    """Documents that one process annotates at a time."""

    name: str
    records: tuple[Record, ...]


def annotate(corpus: Path, setting: Annotation, title: str, jobs: int = 1, watch: Watch = iter) -> AnnotationReport:
    """Annotate the published corpus in a folder; one caller at a time per output.

    Raises:
        CorpusError: the corpus cannot be read, the annotator cannot be used, or a part failed; finished parts stay.
        ImportError: a package is not installed.
    """
    published, output = open_corpus(corpus), setting.output
    annotator = check_annotator(setting.name, setting.model)
    visible = [path.name for path in output.iterdir() if path.name[0] != "."] if output.is_dir() else []
    if output.is_file() or (visible and REPORT not in visible):  # only hidden files are written before the report
        raise CorpusError(f"{output}: not empty and not made by an annotation; name another folder")
    output.mkdir(parents=True, exist_ok=True)
    note_copy(corpus, output)
    with exclusive(output / LOCK, "annotation"):
        report = AnnotationReport(published.manifest.generation, annotator, (), PartCounts(), False)
        replace_file(output / REPORT, encode_indented(report))
        make_folders(output)
        names: list[str] = []
        todo = _todo(parts_of(published.records(), annotator), output, names)
        failed = [
            f"part {part.name}: {done.detail}"
            for part, done in watch(in_order(partial(annotate_part, setting), todo, jobs, PART_SECONDS))
            if isinstance(done, Lost)
        ]
        if failed:
            raise CorpusError(f"parts that were not annotated: {len(failed)}, such as {failed[0]}")
        counts = PartCounts()
        for name in names:
            path = file_of(output, "parts", name)
            try:
                counts += msgspec.json.decode(path.read_bytes(), type=PartCounts)
            except msgspec.DecodeError as error:
                raise CorpusError(f"{path}: damaged ({error}); remove it, and run the annotation again") from error
        report = AnnotationReport(report.corpus, annotator, tuple(names), counts)
        vertical.write_registry(output / "vertical", title, published.manifest, "| cat *.vert", positions=POSITIONS)
        replace_file(output / REPORT, encode_indented(report))
        for folder, suffix in FOLDERS.items():  # parts of an earlier build, or of another annotator
            for path in (output / folder).glob(f"*{suffix}"):
                if path.name.removesuffix(suffix) not in names:
                    path.unlink()
    return report


def make_folders(output: Path) -> None:
    """Make the folders of the parts."""
    for folder in FOLDERS:
        (output / folder).mkdir(parents=True, exist_ok=True)


def parts_of(records: Iterable[Record], annotator: str) -> Iterator[Part]:
    """Divide records into parts; `annotator` goes into their hashes."""
    for number, group in bounded(records, lambda record: len(record.text.encode()), PART_BYTES, is_marked):
        several = tuple(group)
        content = "\n".join(
            (LAYOUT, annotator, *(f"{vertical.opening(one)} {one.revision} {one.language}" for one in several))
        )
        yield Part(f"{number}-{hashlib.sha256(content.encode()).hexdigest()[:DIGEST_LENGTH]}", several)


def _todo(parts: Iterable[Part], output: Path, names: list[str]) -> Iterator[Part]:
    """Yield the parts that are not done, rename those that moved, and add the names of all to `names`."""
    done = {path.stem.partition("-")[2]: path.stem for path in (output / "parts").iterdir()}
    for part in parts:
        names.append(part.name)
        earlier = done.get(part.name.partition("-")[2])
        if earlier is None:
            yield part
        elif earlier != part.name:
            for folder in FOLDERS:
                with suppress(FileNotFoundError):  # a run was killed while it renamed the part
                    file_of(output, folder, earlier).rename(file_of(output, folder, part.name))


def annotate_part(setting: Annotation, part: Part) -> PartCounts | Lost:
    """Annotate documents and write their files; an error of the annotator costs only this part."""
    try:
        annotator = load_annotator(setting.name, setting.model)
        done = []
        for one in part.records:
            annotated = (annotator(text, one.language) if text else () for text in texts_of(one))
            done.append((one, [[sentence for sentence in passage if sentence] for passage in annotated]))
        with replacing(file_of(setting.output, "conllu", part.name)) as file:
            file.writelines(f"{line}\n".encode() for one, document in done for line in conllu(one, document))
        with replacing(file_of(setting.output, "vertical", part.name)) as file:
            for one, document in done:
                file.writelines(f"{line}\n".encode() for line in vertical.lines(one, document=document))
        sentences = [one for _, document in done for paragraph in document for one in paragraph]
        counts = PartCounts(
            len(done),
            len(sentences),
            sum(map(len, sentences)),
            sum(len(token.words) for sentence in sentences for token in sentence),
        )
        replace_file(file_of(setting.output, "parts", part.name), encode_indented(counts))
    except Exception as error:  # noqa: BLE001 -- annotators may raise anything
        return Lost("failed", collapse(f"{error}" if isinstance(error, CorpusError) else f"{error!r}"))
    return counts
