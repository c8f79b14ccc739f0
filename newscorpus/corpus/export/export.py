"""Export a published corpus in another format, to a folder that appears only when complete.

To add a format: a module, its entry in `FORMATS` and in `ExportFormat`, and a test.
"""

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.config import ExportConfig, ExportFormat, SplitConfig, SplitRule
from newscorpus.corpus.annotate.conllu import AnnotatedDocuments
from newscorpus.corpus.export import dolma, hf, tei, text, vertical, wacz
from newscorpus.corpus.export.scores import Scores
from newscorpus.corpus.export.source import About, ExportPart, ExportSource, SplitName, assigner
from newscorpus.corpus.manifest import RecordCounts
from newscorpus.corpus.published import corpus_of, note_copy, open_corpus
from newscorpus.corpus.release import KINDS, diff
from newscorpus.corpus.subcorpora import read_subcorpus
from newscorpus.data import Record
from newscorpus.errors import ArgumentError, CorpusError
from newscorpus.lines import encode_indented
from newscorpus.page.records import item_type, keys_of
from newscorpus.tokens import count_words

Write = Callable[[ExportSource, Path], None]
"""Write a corpus into an empty folder, reading each part once, with few documents in memory."""

FORMATS: Mapping[ExportFormat, Write] = {
    ExportFormat.HF: hf.write,
    ExportFormat.DOLMA: dolma.write,
    ExportFormat.PARQUET: hf.write_parquet,
    ExportFormat.VERTICAL: vertical.write,
    ExportFormat.TEI: tei.write,
    ExportFormat.TEXT: text.write,
    ExportFormat.MARKDOWN: text.write_markdown,
    ExportFormat.CSV: text.write_csv,
    ExportFormat.WACZ: wacz.write,
}

REPORT = ".export.json"
"""Report that identifies the folder of an export; hidden because pyarrow and `datasets` read all visible files."""

SQL_TYPES = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
BATCH = 500
"""Documents evaluated at a time: some 2 MB of news."""
QUERY = "SELECT id FROM (SELECT unnest(row) FROM (SELECT unnest(from_json(?::JSON, ?)) AS row)) WHERE ({}\n)"

Watch = Callable[[Iterator[Record]], Iterator[Record]]
"""Pass records on, and show progress."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Parameters and counts of an export; the content of `.export.json`."""

    format: ExportFormat
    generation: str  # of the corpus
    split: SplitConfig
    config: ExportConfig
    documents: Mapping[str, int]  # by part; "" without a split
    words: Mapping[str, int]  # by part
    changes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # ids by kind, with `ExportConfig.since`
    unscored: tuple[str, ...] = ()  # id and error of documents that a scorer raised for


def export(
    corpus: Path,
    output: Path,
    form: ExportFormat,
    about: About,
    split: SplitConfig = SplitConfig(),
    config: ExportConfig = ExportConfig(),
    watch: Watch = iter,
) -> ExportReport:
    """Write a published corpus in another format to the folder `output`; one caller at a time per folder.

    Equal corpora give equal exports. An earlier export in `output` is replaced once the new one is complete.

    Args:
        corpus: folder of a crawl or of a published corpus.
        output: folder that does not exist, is empty, or was made by an export.
        form: the format.
        about: description of the corpus.
        split: into training, validation and test.
        config: size of the files, and the documents that are written.
        watch: gets every record of every part.

    Raises:
        CorpusError: the corpus cannot be read, is empty or cannot be split as asked, `output` is no export, or a
            selection is wrong, or has no documents and is not of those since a release.
        OSError: the disk is full or the folder cannot be written; an earlier export is unchanged.
    """
    published = open_corpus(corpus)
    if not published.manifest.documents:
        raise CorpusError(f"{published.folder}: no documents to export")
    only = read_subcorpus(corpus, config.subcorpus) if config.subcorpus else None
    changes: dict[str, tuple[str, ...]] = {}
    if config.since:
        found = diff(config.since, str(published.folder), corpus_of(published.folder))
        changes = {kind: tuple(sorted(getattr(found, kind))) for kind in KINDS}
        recent = frozenset(changes["added"] + changes["changed"])
        only = recent if only is None else only & recent
    scores = Scores.load(config.scorers)
    annotations = (
        AnnotatedDocuments.load(Path(config.annotation), published.manifest.generation) if config.annotation else None
    )
    if output.exists() and not output.is_dir():
        raise CorpusError(f"{output}: not a folder")
    if output.is_dir() and any(output.iterdir()):
        try:
            msgspec.json.decode((output / REPORT).read_bytes(), type=ExportReport)
        except (OSError, msgspec.DecodeError) as error:
            raise CorpusError(f"{output}: not empty and not made by an export; name another folder") from error
    counts: defaultdict[str, RecordCounts] = defaultdict(RecordCounts)
    assign = assigner(published.records, split)

    def part(name: str) -> ExportPart:
        def records() -> Iterator[Record]:
            chosen = (record for record in published.records() if only is None or record.id in only)
            selected = matching(chosen, config.where) if config.where else chosen
            own = (record for record in selected if not name or assign(record) == name)
            shaped = map(_with_title, own) if config.with_title else own
            return counts[name].count(watch(shaped))

        return ExportPart(name, records)

    parts = tuple(map(part, [""] if split.rule is SplitRule.NONE else SplitName))
    with _replacing_folder(output) as staging:
        FORMATS[form](
            ExportSource(corpus_of(published.folder), about, published.manifest, parts, config, scores, annotations),
            staging,
        )
        documents = {name: part.documents for name, part in counts.items()}
        if config.where and not config.since and not any(documents.values()):
            raise CorpusError(f"--where {config.where!r}: true for no document; nothing was written to {output}")
        words = {name: part.words for name, part in counts.items()}
        report = ExportReport(
            form, published.manifest.generation, split, config, documents, words, changes, tuple(scores.failures)
        )
        (staging / REPORT).write_bytes(encode_indented(report))
        note_copy(corpus, output)
    return report


def matching(records: Iterable[Record], where: str) -> Iterator[Record]:
    """Yield the records for which an expression such as `language == 'cs' and rights.tdm != '1'` is true.

    DuckDB sees the documents only, in memory: no files, no network, no extensions.

    Raises:
        ArgumentError: the expression is none, or names an unknown column.
        ImportError: DuckDB is not installed.
    """
    try:
        import duckdb  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise ImportError("--where: duckdb is not installed; install it by: pip install 'newscorpus[where]'") from error
    columns = msgspec.json.encode([_sql_type(Record)]).decode()
    with duckdb.connect(
        config={"enable_external_access": False, "lock_configuration": True, "threads": 1}
    ) as connection:
        rest, batch, is_first = iter(records), list[Record](), True
        while batch or is_first:  # with an empty batch first, so that a wrong expression fails before any work
            rows = msgspec.json.encode(batch).decode()
            try:
                found = {name for (name,) in connection.execute(QUERY.format(where), [rows, columns]).fetchall()}
            except duckdb.Error as error:
                known = ", ".join(keys_of(Record))
                reason = str(error).partition("\n")[0]
                raise ArgumentError(f"--where {where!r}: {reason}; columns: {known}") from error
            yield from (record for record in batch if record.id in found)
            batch, is_first = list(islice(rest, BATCH)), False


def _sql_type(kind: Any) -> Any:
    """Describe a type as DuckDB's `from_json` takes it."""
    item, repeated = item_type(kind)
    name = {key: _sql_type(part) for key, part in keys_of(item).items()} if is_dataclass(item) else SQL_TYPES[item]
    return [name] if repeated else name


def _with_title(record: Record) -> Record:
    """Put the headline before the text, as a paragraph."""
    text = f"{record.title}\n{record.text}" if record.title else record.text
    return replace(record, text=text, n_words=count_words(text))


@contextmanager
def _replacing_folder(folder: Path) -> Iterator[Path]:
    """Provide a temporary folder that replaces `folder` if the block succeeds and is removed if it fails."""
    folder = folder.resolve()
    staging, old = (folder.with_name(f".{folder.name}.{what}") for what in ("exporting", "replaced"))
    if old.exists() and not folder.exists():  # a kill between the two renames below
        old.rename(folder)
    for left in (staging, old):
        shutil.rmtree(left, ignore_errors=True)
    try:
        staging.mkdir(parents=True)
        yield staging
        if folder.exists():
            folder.rename(old)
        staging.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:  # such as that of a full disk, which names no file
        error.filename = str(error.filename or folder).replace(staging.name, folder.name)
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)
