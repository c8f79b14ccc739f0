"""Export a published corpus in another form, to a folder that is complete or not there.

To add a format: a module, its entry in `FORMATS` and in `ExportFormat`, and a test.
"""

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from newscorpus.config import ExportConfig, ExportFormat, SplitConfig, SplitRule
from newscorpus.corpus.export import dolma, hf, tei, text, vertical
from newscorpus.corpus.export.source import About, ExportPart, ExportSource, SplitName, assigner
from newscorpus.corpus.manifest import RecordCounts
from newscorpus.corpus.published import Published, open_corpus
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import naming
from newscorpus.lines import encode_indented

Write = Callable[[ExportSource, Path], None]
"""Writes a corpus into an empty folder; reads each part once, and holds few documents in memory."""

FORMATS: Mapping[ExportFormat, Write] = {
    ExportFormat.HF: hf.write,
    ExportFormat.DOLMA: dolma.write,
    ExportFormat.PARQUET: hf.write_parquet,
    ExportFormat.VERTICAL: vertical.write,
    ExportFormat.TEI: tei.write,
    ExportFormat.TEXT: text.write,
}

REPORT = ".export.json"
"""Says that a folder was made by an export, and of what; hidden, since pyarrow and `datasets` read all other files."""

Watch = Callable[[Iterator[Record]], Iterator[Record]]
"""Passes records on, and shows how many they are."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote; the content of `.export.json`."""

    format: ExportFormat
    generation: str  # of the corpus
    split: SplitConfig
    config: ExportConfig
    documents: Mapping[str, int]  # by part; the part of a corpus that is not split is ""
    words: Mapping[str, int]  # by part


def export(
    corpus: Path,
    output: Path,
    form: ExportFormat,
    about: About,
    split: SplitConfig = SplitConfig(),
    config: ExportConfig = ExportConfig(),
    watch: Watch = iter,
) -> ExportReport:
    """Write a published corpus in another form to the folder `output`; one caller at a time for a folder.

    Equal corpora make equal exports. An earlier export in `output` is replaced once the new one is complete.

    Args:
        corpus: folder of a crawl or of a published corpus.
        output: folder that does not exist, is empty, or was made by an export.
        form: the format.
        about: describes the corpus as a whole.
        split: how it is split; each part is read by itself.
        config: how it is cut into files.
        watch: sees every record of every part.

    Raises:
        CorpusError: the corpus cannot be read or is empty, or `output` is something else.
        SplitError: the corpus cannot be split as asked.
        OSError: the disk is full or the folder cannot be written; what was there before stands.
    """
    published = open_corpus(corpus)
    if not published.manifest.documents:
        raise CorpusError(f"{published.folder}: no documents to export")
    _refuse_others(output)
    counts: defaultdict[str, RecordCounts] = defaultdict(RecordCounts)
    parts = _parts(published, split, lambda name, records: counts[name].count(watch(records)))
    with _replacing_folder(output) as staging:
        FORMATS[form](ExportSource(about, published.manifest, parts, config), staging)
        documents = {name: part.documents for name, part in counts.items()}
        words = {name: part.words for name, part in counts.items()}
        report = ExportReport(form, published.manifest.generation, split, config, documents, words)
        (staging / REPORT).write_bytes(encode_indented(report))
    return report


def _parts(
    published: Published, split: SplitConfig, pass_on: Callable[[str, Iterator[Record]], Iterator[Record]]
) -> tuple[ExportPart, ...]:
    """Split a corpus into parts; without a split it is one part, named ""."""
    assign = assigner(published.records, split)
    if split.rule is SplitRule.NONE:
        return (ExportPart("", lambda: pass_on("", published.records())),)

    def part(name: SplitName) -> ExportPart:
        return ExportPart(
            name, lambda: pass_on(name, (record for record in published.records() if assign(record) is name))
        )

    return tuple(map(part, SplitName))


def _refuse_others(folder: Path) -> None:
    """Refuse a folder that holds something other than an export."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise CorpusError(f"{folder}: not a folder")
    if not any(folder.iterdir()):
        return
    try:
        msgspec.json.decode((folder / REPORT).read_bytes(), type=ExportReport)
    except (OSError, msgspec.DecodeError) as error:
        raise CorpusError(f"{folder}: not empty and not made by an export; name another folder") from error


@contextmanager
def _replacing_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to fill, which replaces `folder` when the block succeeds and is removed when it fails."""
    folder = folder.resolve()
    staging, old = (folder.with_name(f".{folder.name}.{what}") for what in ("exporting", "replaced"))
    if old.exists() and not folder.exists():  # a kill between the two renames below
        old.rename(folder)
    for left in (staging, old):
        shutil.rmtree(left, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        with naming(folder):
            yield staging
        if folder.exists():
            folder.rename(old)
        staging.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
