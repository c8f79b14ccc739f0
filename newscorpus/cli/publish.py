"""Add the verbs that publish a corpus: `build`, `dedup`, `release`, `remove`, `export`, `annotate` and `upload`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from newscorpus.cli.app import Corpus, Jobs, app, needs_extra
from newscorpus.config import (
    BuildConfig,
    DuplicateConfig,
    ExportConfig,
    ExportFormat,
    Gone,
    ShardConfig,
    ShardFormat,
    SplitConfig,
    SplitRule,
    Survivor,
)
from newscorpus.layout import PUBLISHED
from newscorpus.tokens import counted, number_of

SurvivorOption = Annotated[Survivor, Option(help="Which of several near-duplicates is kept.")]
RevisionOption = Annotated[Survivor, Option(help="Which of several texts of a document is kept.")]

SHOWN = 20
"""Maximum lines of the report on reprints that are printed; the file has all."""

DEFAULT = SplitConfig()
SHARE = f"With --split: share (default {DEFAULT.test:g}) for"
FORMATS_OF = {
    "per-line": (ExportFormat.TEXT,),
    "scorer": (ExportFormat.DOLMA, ExportFormat.PARQUET),
    "annotation": (ExportFormat.TEI, ExportFormat.VERTICAL),
    "with-title": (ExportFormat.HF, ExportFormat.DOLMA, ExportFormat.PARQUET, ExportFormat.TEXT),
}
"""Formats with which an option of `export` goes; the others have the headline in a place of its own."""
CorpusName = Annotated[str, Option(help="Name of the corpus. Default: the folder's name.")]


@app.command()
def build(
    corpus: Corpus,
    format: Annotated[ShardFormat, Option(help="Format of the published files.")] = ShardFormat.ZSTD,  # noqa: A002
    survivor: SurvivorOption = Survivor.FIRST,
    revision: RevisionOption = Survivor.LATEST,
    min_confidence: Annotated[
        float | None,
        Option(min=0, max=1, help="Minimum confidence; default: exclude texts with the flag low_confidence."),
    ] = None,
    gone: Annotated[Gone, Option(help="Treatment of articles that their site deleted.")] = Gone.KEEP,
    adopt: Annotated[bool, Option("--adopt", help="Use links and files of others in the corpus folders.")] = False,
) -> None:
    """Publish the crawled documents without duplicates.

    Also leaves out texts below the minimum confidence. Every crawl ends with a build; run it again for another format,
    confidence or policy.
    """
    from newscorpus.corpus.build import build as build_corpus
    from newscorpus.terminal import progress

    duplicates = DuplicateConfig(survivor=survivor, revision=revision)
    config = BuildConfig(duplicates=duplicates, shards=ShardConfig(format), least_confidence=min_confidence, gone=gone)
    report = build_corpus(corpus, config, progress, adopts=adopt)
    for line in report.damage:
        typer.echo(line, err=True)
    left_out = _left_out({"low_confidence": report.low_confidence, "gone": report.gone, **report.duplicates})
    typer.echo(f"{number_of(report.documents, 'document')}; {report.kept:,} kept, {report.words:,} words{left_out}")
    typer.echo(f"The corpus lies in {corpus / PUBLISHED}")


def _left_out(counts: Mapping[str, int]) -> str:
    return f"; left out: {counted(counts)}" if any(counts.values()) else ""


@app.command()
def dedup(
    inputs: Annotated[list[Path], Argument(metavar="IN", help="Corpora, or JSON lines (.gz, .zst).")],
    output: Annotated[Path, Option(help="Folder for the kept documents and the list of removed ones.")],
    against: Annotated[
        list[Path] | None, Option(metavar="IN", help="Also remove documents that repeat this collection; repeatable.")
    ] = None,
    survivor: SurvivorOption = Survivor.FIRST,
    revision: RevisionOption = Survivor.LATEST,
    report: Annotated[bool, Option("--report", help="Report reprints between portals.")] = False,
    jobs: Jobs = 2,
) -> None:
    """Join corpora or files and remove duplicates.

    Run it again to resume after an interruption, or to add new and changed inputs; only these are read.
    """
    from newscorpus.corpus.merge import ANY_CONFIDENCE, REPRINTS
    from newscorpus.corpus.merge import dedup as dedup_documents
    from newscorpus.terminal import progress

    config = replace(ANY_CONFIDENCE, duplicates=DuplicateConfig(survivor=survivor, revision=revision))
    done = dedup_documents(inputs, output, against or (), config, jobs, progress)
    typer.echo(f"{number_of(done.documents, 'document')}; {done.kept:,} kept{_left_out(done.duplicates)}")
    if report:
        for source, repeated, kind, count in done.reprints[:SHOWN]:
            typer.echo(f"{count:8} {kind:8} {source or 'unknown'} repeats {repeated or 'unknown'}")
        typer.echo(f"All of them are in {output / REPRINTS}")
    is_corpus = all(path.is_dir() for path in inputs)
    typer.echo(f"The corpus lies in {output / PUBLISHED}" if is_corpus else f"The documents lie in {output}")


@app.command()
def release(
    corpus: Corpus,
    tag: Annotated[str, Argument(metavar="TAG", help="Name of the version, such as 2026-11.")],
    against: Annotated[
        str, Option(metavar="TAG", help="Compare TAG with this version; either may be a folder of a release or corpus.")
    ] = "",
) -> None:
    """Freeze the published corpus as a version, or compare two.

    Writes manifest, card, and lists of the rows added, changed and removed since the last version to
    CORPUS/releases/TAG. With --against nothing is written, and the differing rows of two versions are counted.
    """
    from newscorpus.corpus.release import KINDS, diff
    from newscorpus.corpus.release import release as freeze

    if against:
        changes = diff(against, tag, corpus)
        for kind in KINDS:
            typer.echo(f"{kind}: {len(getattr(changes, kind)):,}")
        if changes.taken_out:
            typer.echo(f"taken out on demand: {changes.taken_out:,}")
        return
    note = freeze(corpus, tag)
    since = f"since {note.previous}" if note.previous else "the first release"
    taken_out = f", {note.taken_out:,} taken out on demand" if note.taken_out else ""
    typer.echo(
        f"{note.tag}: {number_of(note.documents, 'document')}; {note.added:,} added, {note.changed:,} changed,"
        f" {note.removed:,} removed{taken_out} ({since})"
    )


@app.command()
def remove(
    corpus: Corpus,
    names: Annotated[list[str], Argument(metavar="URL|ID", help="Addresses or ids of documents.")],
    reason: Annotated[str, Option(metavar="TEXT", help="Reason to be recorded; it should not name the document.")],
    from_archive: Annotated[bool, Option("--from-archive", help="Overwrite the fetched pages as well.")] = False,
) -> None:
    """Remove documents for good.

    No later build, crawl, dedup or re-extraction brings them back. Quotations in other documents stay. Without
    --from-archive the fetched page stays in the archive, where nothing reads it. The next removal, build or crawl
    completes an interrupted removal.
    """
    from newscorpus.corpus.remove import remove as remove_documents
    from newscorpus.terminal import progress

    report = remove_documents(corpus, names, reason, from_archive=from_archive, watch=progress)
    for name in report.unknown:
        when = report.earlier.get(name)
        what = f"taken out before, on {when}" if when else "nothing of it was here; it will not be taken in"
        typer.echo(f"{name}: {what}")
    if report.rows or report.archived:
        documents = number_of(len({*names} - {*report.unknown}), "document")
        rows = [f"{documents} ({number_of(report.rows, 'row')})"] if report.rows else []
        responses = [f"{number_of(report.archived, 'response')} of the archive"] if report.archived else []
        gone = ", ".join(rows + responses)
        typer.echo(f"Taken out: {gone}. The corpus was published again without them.")
    if report.linking:
        typer.echo(f"Links to it stay in {number_of(report.linking, 'archived page')} of other documents.")
    if report.copies and (report.rows or report.archived or report.earlier):
        typer.echo(f"Copies may hold it: {', '.join(report.copies)}")
        typer.echo("Make exports, annotations and uploads again, and remove it from other corpora.")


@app.command()
def export(
    corpus: Corpus,
    format: Annotated[ExportFormat, Option(help="Format of the export.")],  # noqa: A002
    output: Annotated[Path, Option(help="Folder to write; replaces an earlier export there.")],
    split: Annotated[SplitRule, Option(help="Split by clusters of near-duplicates or by date.")] = DEFAULT.rule,
    validation: Annotated[float | None, Option(min=0, max=1, help=f"{SHARE} validation.")] = None,
    test: Annotated[float | None, Option(min=0, max=1, help=f"{SHARE} testing.")] = None,
    per_line: Annotated[bool, Option("--per-line", help="With --format text: one document a line.")] = False,
    subcorpus: Annotated[str, Option(metavar="NAME", help="Only the documents of `search --save NAME`.")] = "",
    where: Annotated[
        str, Option(metavar="SQL", help="Only documents for which this is true, such as \"language == 'cs'\".")
    ] = "",
    since: Annotated[
        str, Option(metavar="TAG", help="Only documents added or changed since this release; .export.json lists them.")
    ] = "",
    scorer: Annotated[
        list[str] | None,
        Option(
            metavar="MODULE:FUNCTION", help="With dolma or parquet: add the numbers it returns for a text; repeatable."
        ),
    ] = None,
    annotation: Annotated[
        str, Option(metavar="FOLDER", help="With tei or vertical: the sentences and tags of `newscorpus annotate`.")
    ] = "",
    with_title: Annotated[bool, Option("--with-title", help="Put the headline before the text.")] = False,
    name: CorpusName = "",
    creator: Annotated[str, Option(help="Name of the publisher, for cards and headers.")] = "",
    url: Annotated[str, Option(help="Address of the corpus, for cards and headers.")] = "",
) -> None:
    """Write a published corpus for other programs.

    `newscorpus annotate` writes CoNLL-U.
    """
    from newscorpus.corpus.export.export import export as export_corpus
    from newscorpus.corpus.export.source import About
    from newscorpus.corpus.published import corpus_of
    from newscorpus.terminal import progress

    for option, given in (
        ("per-line", per_line),
        ("scorer", scorer),
        ("annotation", annotation),
        ("with-title", with_title),
    ):
        if given and format not in FORMATS_OF[option]:
            raise typer.BadParameter(f"--{option} goes with --format {' or '.join(FORMATS_OF[option])}")
    shares: Any = {part: share for part, share in (("validation", validation), ("test", test)) if share is not None}
    if shares and split is SplitRule.NONE:
        raise typer.BadParameter("--validation and --test go with --split cluster or date")
    about = About(name or corpus_of(corpus.resolve()).name, creator, url)
    config = ExportConfig(
        per_line=per_line,
        subcorpus=subcorpus,
        where=where,
        since=since,
        with_title=with_title,
        annotation=annotation,
        scorers=tuple(scorer or ()),
    )
    splits, watch = SplitConfig(split, **shares), partial(progress, what="documents")
    report = export_corpus(corpus, output, format, about, splits, config, watch)
    for part, documents in report.documents.items():
        typer.echo(f"{part or 'all'}: {number_of(documents, 'document')}, {number_of(report.words[part], 'word')}")
    if report.unscored:
        typer.echo(f"{len(report.unscored):,} documents without a score; the first: {report.unscored[0]}", err=True)
    if since:
        typer.echo(f"since {since}: {counted({kind: len(ids) for kind, ids in report.changes.items()})}")
    typer.echo(f"The export lies in {output}")


@app.command()
def annotate(
    corpus: Corpus,
    annotator: Annotated[str, Option("--with", metavar="NAME", help="simplemma, udpipe, stanza or classla.")],
    output: Annotated[Path, Option(help="Folder to write; an unfinished annotation is resumed.")],
    model: Annotated[Path | None, Option(help="Model of the annotator: a file for udpipe, else a folder.")] = None,
    jobs: Jobs = 1,
    name: CorpusName = "",
) -> None:
    """Add sentences, lemmas, tags and features.

    Writes CoNLL-U, and a vertical for Sketch Engine. Models are never downloaded.
    """
    from newscorpus.corpus.annotate.annotate import Annotation
    from newscorpus.corpus.annotate.annotate import annotate as annotate_corpus
    from newscorpus.corpus.published import corpus_of
    from newscorpus.terminal import progress

    setting, title = Annotation(annotator, output, model), name or corpus_of(corpus.resolve()).name
    report = annotate_corpus(corpus, setting, title, jobs, partial(progress, what="parts"))
    counts = report.counts
    typer.echo(f"{number_of(counts.documents, 'document')}, {counts.sentences:,} sentences, {counts.tokens:,} tokens")
    typer.echo(f"Annotated by {report.annotator}; it lies in {output}")


@app.command()
def upload(
    corpus: Annotated[Path, Argument(metavar="FOLDER", help="Folder of a corpus or an export.")],
    address: Annotated[str, Argument(metavar="s3://BUCKET/NAME", help="Target address.")],
) -> None:
    """Copy a corpus or an export to an object store.

    Includes the archive; unchanged files are skipped. `newscorpus batch` can extract a corpus from there.
    """
    with needs_extra("s3"):
        from newscorpus.corpus.remote import upload_corpus
    from newscorpus.terminal import progress
    from newscorpus.urls import is_remote

    if not is_remote(address):
        raise typer.BadParameter(f"{address}: expected an address such as s3://bucket/name")
    done = upload_corpus(corpus, address.rstrip("/"), partial(progress, what="files"))
    counts = counted({"files": done.n_files, "sent": done.n_sent, "removed": done.n_removed})
    typer.echo(f"{address}: {counts}")
