"""Add the verbs that look into a corpus: `status`, `log`, `stats`, `verify`, `search`, `explain` and `reasons`."""

import re
from dataclasses import asdict
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, BadParameter, Option
from typer.core import TyperCommand

from newscorpus.cli.app import Corpus, Portal, Template, app, with_recipe
from newscorpus.errors import CorpusError
from newscorpus.layout import check_corpus

if TYPE_CHECKING:
    from collections.abc import Callable

    from newscorpus.page.recipe import Recipe

SHOWN_DAYS = 3
"""Days whose articles `status` counts; `--json` has thirty."""

SHOWN_ROWS = 15
"""Maximum rows of a table that `stats` prints; its page has more."""

CONTEXT_COLUMNS = 40
"""Width of the context on each side, so that a line fits into 100 columns."""


@app.command()
def status(
    corpora: Annotated[
        list[Path] | None,
        Argument(metavar="CORPUS", help="Folders of corpora.", show_default="all in `corpora`"),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON, one portal a line.")] = False,
) -> None:
    """Show how far a crawl has come, or an overview of all portals.

    Of one CORPUS, counts queued, kept and rejected pages by portal, also while the crawl runs. Names the limits that
    cut the last crawl short, frequent reasons of loss, redesigned portals, and sites that are paused or given up. Of
    several, or without CORPUS: the last article of each portal, yield, rows a day, disk left, and what needs a look.
    """
    import msgspec

    from newscorpus.store.ledger.status import status as read_status
    from newscorpus.upkeep.overview import default_corpora

    folders = list(map(check_corpus, corpora or default_corpora()))
    if as_json:
        for corpus in folders:
            for one in read_status(corpus):
                typer.echo(msgspec.json.encode(asdict(one) | {"corpus": str(corpus)}).decode())
    elif corpora and len(corpora) == 1:
        _print_status(*corpora)
    else:
        _print_overview(folders)


def _print_status(corpus: Path) -> None:
    from newscorpus.store.ledger.portals import site_paces
    from newscorpus.store.ledger.status import status as read_status
    from newscorpus.store.ledger.status import status_lines
    from newscorpus.tokens import printable

    found = read_status(corpus)
    for line in status_lines(found):
        typer.echo(printable(line))
    for one in found:
        days = (f"{one.portal}, {day}" for day in one.coverage[-SHOWN_DAYS:])
        for line in (*days, *one.shortfalls(), *map(str, one.redesigns)):
            typer.echo(printable(line))
    for site in site_paces(corpus):
        if said := site.describe(datetime.now(UTC)):
            typer.echo(printable(f"{site.name}: {said}"))


def _print_overview(corpora: list[Path]) -> None:
    from newscorpus.terminal import aligned
    from newscorpus.tokens import printable
    from newscorpus.upkeep.overview import overview

    if not corpora:
        raise CorpusError("no corpus in the folder corpora; name one, or crawl: newscorpus crawl NAME")
    found, today = [overview(corpus) for corpus in corpora], datetime.now(UTC).date()
    rows: list[tuple[object, ...]] = [("portal", "last article", "kept", "queued", "yield", "rows/day", "crawl")]
    for each in found:
        for one in each.portals:
            name = one.portal if one.portal == each.folder.name else f"{each.folder.name}/{one.portal}"
            last, share = one.last_kept[:16].replace("T", " "), "" if one.share is None else f"{one.share:.0%}"
            rate, state = f"{one.rows_a_day(today):.1f}", "runs" if each.is_running else ""
            rows.append((name, last, one.kept, one.queued, share, rate, state))
    for line in aligned(rows):
        typer.echo(line)
    for each in found:
        for need in each.needs:
            typer.echo(printable(f"{each.folder.name} needs a look: {need.text}"))
    for device, corpus in {corpus.stat().st_dev: corpus for corpus in reversed(corpora)}.items():
        n_there = sum(other.stat().st_dev == device for other in corpora)
        free = disk_usage(corpus).free / 1e9
        typer.echo(f"Disk: {free:,.1f} GB left for {corpus}" + f" and {n_there - 1} more" * (n_there > 1))


@app.command()
def log(
    corpus: Annotated[
        Path | None,
        Argument(metavar="CORPUS", help="Folder of the corpus.", show_default="the last crawled one in `corpora`"),
    ] = None,
    back: Annotated[int, Option(min=0, metavar="N", help="Of the Nth crawl before the last one.")] = 0,
    errors: Annotated[bool, Option("--errors", help="Only warnings and errors.")] = False,
) -> None:
    """Show the log of the last crawl of a corpus."""
    from newscorpus.store.crawl_log import crawl_logs, needing_a_look, read_log
    from newscorpus.tokens import number_of, printable
    from newscorpus.upkeep.overview import default_corpora

    if corpus is None:
        crawled = {found[-1].name: one for one in default_corpora() if (found := crawl_logs(one))}
        corpus = crawled[max(crawled)] if crawled else Path("corpora")
        typer.echo(f"The last crawl of {corpus}:", err=True)
    logs = crawl_logs(check_corpus(corpus))
    if len(logs) <= back:
        raise CorpusError(f"{corpus}: has {number_of(len(logs), 'log')} of crawls")
    lines = read_log(logs[-1 - back])
    for line in needing_a_look(lines) if errors else lines:
        typer.echo(printable(line.rstrip("\n")))


@app.command()
def stats(
    corpora: Annotated[list[Path], Argument(metavar="CORPUS", help="Folders of corpora, counted as one.")],
    output: Annotated[Path | None, Option(help="Also write stats.html into this folder.")] = None,
    tokenizer: Annotated[
        Path | None, Option(help="Also count the tokens of this tokenizer.json, and note them in manifest and card.")
    ] = None,
) -> None:
    """Count the contents of corpora.

    Documents and words by portal, date, language and more, and excluded documents by reason. The page of --output has
    samples of both, and the progress of the crawls.
    """
    from newscorpus.errors import LedgerError
    from newscorpus.files import replace_file
    from newscorpus.layout import LEDGER
    from newscorpus.terminal import complain, print_table, progress
    from newscorpus.views.stats.page import corpus_stats, crawl_state, page, summary, tables

    found = corpus_stats(*corpora, watch=partial(progress, what="records"))
    is_whole = True
    if output:
        output.mkdir(parents=True, exist_ok=True)
        crawls = []
        for corpus in corpora:
            try:
                crawls += [crawl_state(corpus)] if (corpus / LEDGER).is_file() else []
            except LedgerError as error:  # of an older version: the page has its documents, and no crawl
                complain(str(error))
                is_whole = False
        replace_file(output / "stats.html", page(found, crawls))
    typer.echo(f"{found.name}: {summary(found)}")
    for table in tables(found):
        rows = [(label, *map("{:,}".format, numbers)) for label, numbers in table.rows[:SHOWN_ROWS]]
        print_table(table.header, rows, table.title, numbers=True)
        if len(table.rows) > SHOWN_ROWS:
            typer.echo(f"and {len(table.rows) - SHOWN_ROWS} more")
    for corpus in corpora if tokenizer else ():
        from newscorpus.corpus.tokenizer import note_tokens

        manifest = note_tokens(corpus, tokenizer or Path(), partial(progress, what="records"))
        columns = ("portal", "language", "documents", "words", "tokens")
        counts = [(one.source, one.language, one.documents, one.words, one.tokens) for one in manifest.shares]
        rows = [(source, language, *map("{:,}".format, numbers)) for source, language, *numbers in counts]
        print_table(columns, rows, f"{corpus}: tokens of {manifest.tokenizer}", numbers=True)
    if output:
        typer.echo(f"\nstats.html lies in {output}")
    if not is_whole:
        raise typer.Exit(1)


@app.command()
def verify(
    corpus: Corpus,
    archive: Annotated[bool, Option("--archive", help="Also read every record of the archive.")] = False,
) -> None:
    """Compare a published corpus with its manifest.

    Reads every file and names each that differs, with exit code 1. Without --archive, only the beginning and end of
    archive files are read.
    """
    from newscorpus.corpus.verify import verify as verify_corpus
    from newscorpus.layout import archived_files
    from newscorpus.store.pages import archive_findings
    from newscorpus.terminal import complain, progress
    from newscorpus.tokens import number_of

    manifest, findings = verify_corpus(corpus, partial(progress, what="records"))
    findings += archive_findings(corpus, partial(progress, what="files of the archive"), whole=archive)
    for finding in findings:
        complain(finding)
    if findings:
        raise typer.Exit(1)
    files = f"{number_of(len(manifest.shards), 'file')} of {manifest.bytes:,} bytes"
    typer.echo(f"{corpus}: whole; {number_of(manifest.documents, 'document')}, {manifest.words:,} words in {files}")
    if archive:
        n_files = number_of(len(archived_files(corpus)), "file")
        typer.echo(f"Every record of its archive is whole, in {n_files}")


def _day(given: str) -> str:
    try:
        return date.fromisoformat(given).isoformat() if given else ""
    except ValueError as error:
        raise BadParameter(f"{given!r} is no day, such as 2026-05-31") from error


class SearchCommand(TyperCommand):
    """`search`, in which an argument with one minus is an unwanted word, not an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        return super().parse_args(ctx, [re.sub("^-(?=[^-])", "NOT ", one) for one in args])


@app.command(cls=SearchCommand)
def search(
    corpus: Corpus,
    words: Annotated[
        list[str] | None,
        Argument(
            metavar="WORDS",
            help="Words, '\"phrases\"', begin*, *end, AND, OR, NOT. None: all documents, for --save and --months.",
        ),
    ] = None,
    portal: Annotated[str, Option(metavar="NAME", help="Only documents of this portal.")] = "",
    since: Annotated[
        str, Option(metavar="DAY", help="Published on this day (YYYY-MM-DD) or later.", callback=_day)
    ] = "",
    until: Annotated[str, Option(metavar="DAY", help="Published on this day or earlier.", callback=_day)] = "",
    language: Annotated[str, Option(metavar="TAG", help="Only documents in this language.")] = "",
    section: Annotated[str, Option(metavar="NAME", help="Only documents of this section.")] = "",
    author: Annotated[str, Option(metavar="NAME", help="Only documents by this author.")] = "",
    flag: Annotated[str, Option(help="Only documents with this flag.")] = "",
    sort: Annotated[Literal["left", "right"] | None, Option(help="Sort by the context on this side.")] = None,
    sample: Annotated[int | None, Option(min=1, help="Print so many hits, drawn at random.")] = None,
    months: Annotated[bool, Option("--months", help="Print the frequency by month instead of the hits.")] = False,
    as_csv: Annotated[bool, Option("--csv", help="Print CSV.")] = False,
    save: Annotated[str, Option(metavar="NAME", help="Save the documents found for `export --subcorpus NAME`.")] = "",
) -> None:
    """Find words of a published corpus in context, and count them.

    Finds documents with all the words; in words and phrases `*` stands for any letters. OR, NOT and parentheses combine
    them. The index, CORPUS.search.sqlite beside the corpus, is made if it is missing or older than the corpus.
    """
    from newscorpus.corpus.query import remark_on
    from newscorpus.corpus.search import Query, in_order, lines_table, month_rows, opened_index
    from newscorpus.corpus.search import whole_words as cut
    from newscorpus.corpus.search_index import make_index
    from newscorpus.corpus.subcorpora import check_name, save_subcorpus
    from newscorpus.lines import csv_lines
    from newscorpus.terminal import print_table, progress, sink
    from newscorpus.tokens import number_of, printable

    query = Query(" ".join(words or ()), portal, since, until, language, section, author, flag)
    _ = query.parsed  # a wrong query or name is an error before anything is printed
    if save:
        check_name(corpus, save, query)
    with opened_index(corpus) as found:
        is_missing = found is None
    if is_missing:
        typer.echo(f"The index lies in {make_index(corpus, partial(progress, what='documents'))}", err=True)
    with opened_index(corpus) as index, sink(None) as file:
        if index is None or not (query.words or months or save):
            return
        counts = index.count(query)
        if months and as_csv:
            file.writelines(csv_lines(month_rows(counts)))
        elif months:
            header, *rows = month_rows(counts)
            print_table(header, rows, numbers=True)
        else:
            lines = in_order(index.lines(query, sample), sort or "")
            if as_csv:
                file.writelines(lines_table(lines))
            for line in () if as_csv else lines:
                left = cut(line.left_context[::-1], CONTEXT_COLUMNS)[::-1]
                right = cut(line.right_context, CONTEXT_COLUMNS)
                text = f"{line.day:10} {line.source}  {left:>{CONTEXT_COLUMNS}} [{line.match}] {right}"
                file.write(f"{printable(text)}\n".encode())
        total = counts.total
        frequency = f"{number_of(total.hits, 'hit')} in " if query.words else ""
        relative = f", {total.per_million:,.1f} per million words" if query.words else ""
        typer.echo(f"{frequency}{number_of(total.documents, 'document')}{relative}", err=True)
        for remark in filter(None, (remark_on(query.words), *(() if total.documents else index.missing_words(query)))):
            typer.echo(remark, err=True)
        if save:
            typer.echo(f"Saved in {save_subcorpus(corpus, save, query, index.ids(query))}", err=True)


@app.command()
@with_recipe("no_filters")
def explain(
    source: Annotated[str, Argument(metavar="SOURCE", help="URL, FILE.html, or - (HTML).")],
    corpus: Annotated[Path | None, Option(help="For URL: folder of the corpus.")] = None,
    page: Annotated[bool, Option("--page", help="For URL: also explain the archived page.")] = False,
    url: Annotated[str, Option(help="Address of the page in FILE.html.")] = "",
    portal: Portal = "",
    template: Template = None,
    profile: Annotated[Path | None, Option(metavar="FILE", help="Profile of the portal of FILE.html.")] = None,
    *,
    make_recipe: "Callable[[], Recipe]",
    format: Annotated[  # noqa: A002
        Literal["text", "json", "html"],
        Option(help="json: one line; html: the page beside its text, fields and log, as one file."),
    ] = "text",
    output: Annotated[Path | None, Option(help="File for --format html; default: standard output.")] = None,
) -> None:
    """Explain the outcome of an address, or of a page.

    For a URL in a corpus: how it was found, when it was fetched, and why it is in or out. For a page: every field with
    agreeing and differing sources, and every block with its label, its score, and the rules or the profile that changed
    it.
    """
    import msgspec

    from newscorpus.urls import is_web
    from newscorpus.views.explain.address import explain as explain_address
    from newscorpus.views.explain.address import explanation_lines, page_lines

    if is_web(source) and (corpus is None or url or template or portal or profile):
        raise typer.BadParameter(
            "a URL needs --corpus CORPUS, and takes none of --url, --portal, --template, --profile"
        )
    if corpus is not None and not is_web(source):
        raise typer.BadParameter(f"--corpus is for a URL; {source!r} begins with neither http:// nor https://")
    if portal and template:
        raise typer.BadParameter("--portal excludes --template")
    if output and format != "html":
        raise typer.BadParameter("--output goes with --format html")
    explanation = explain_address(corpus, source) if corpus else None
    shown = None
    if explanation is None or page or format == "html":  # the imports take a second
        from newscorpus.page.page_files import page_origin, read_source
        from newscorpus.page.recipe import add_profile
        from newscorpus.portal.profile import profiles_of
        from newscorpus.views.explain.page import archived_source, show_page

        origin = page_origin(portal, template, profile)
        place = explanation.entry.archived if explanation and explanation.entry else ("", 0)
        found = archived_source(corpus, source, *place) if corpus else origin(read_source(source, url))
        recipe = make_recipe()
        shown = show_page(recipe, add_profile(recipe, profiles_of(corpus), found) if corpus else found)
    if shown and format == "html":
        from newscorpus.terminal import sink
        from newscorpus.views.explain.page import saved_page

        with sink(output) as file:
            file.write(saved_page(shown, source))
    elif format == "json":
        typer.echo(msgspec.json.encode({"address": explanation, "page": shown.view if shown else None}).decode())
    else:
        lines = [*(explanation_lines(explanation) if explanation else ()), *(page_lines(shown.view) if shown else ())]
        typer.echo("\n".join(lines))


@app.command()
def reasons(
    reason: Annotated[str, Argument(metavar="REASON", help="Such as fetch/http_404; without it, all.")] = "",
    corpus: Annotated[Path | None, Option(help="Folder of a corpus: only its reasons, with examples.")] = None,
) -> None:
    """Explain why pages are rejected, and what to change.

    With --corpus: the number of its pages by reason, the most frequent first, with examples.
    """
    from newscorpus.layout import LEDGER, REJECTED
    from newscorpus.store.reasons import find_reason, known_reasons, refusals
    from newscorpus.tokens import number_of, printable

    if reason:
        find_reason(reason)  # an unknown reason is an error
    if corpus and not any((check_corpus(corpus) / name).exists() for name in (LEDGER, REJECTED)):
        raise CorpusError(f"{corpus}: not the corpus of a crawl; it holds neither {LEDGER} nor {REJECTED}")
    met = {f"{one.stage}/{one.reason}": one for one in refusals([corpus])} if corpus else {}
    if corpus and not (met or reason):
        typer.echo("no page was rejected")
    for name in (reason,) if reason else met if corpus else known_reasons():
        entry, found = find_reason(name), met.get(name)
        pages = f"  {number_of(found.number if found else 0, 'page')}" if corpus else ""
        typer.echo(printable(name) + pages)
        typer.echo(f"  {entry.means}\n  {entry.change}")
        for one in found.samples if found else ():
            typer.echo(f"    {printable(f'{one.url}  {one.detail}'.rstrip())}")
