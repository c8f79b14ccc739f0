"""Run the demo: serve the portal, crawl it as any user would, compare the corpus with the gold, and print that.

The gold has the right text and the right outcome of every page.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from newscorpus.corpus.duplicates.find import DuplicateKind
from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Record
from newscorpus.errors import DemoError
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.layout import CRAWL_REPORT, DUPLICATES, PUBLISHED, REJECTED
from newscorpus.store.intake import read_journal
from newscorpus.urls import canonical_url
from newscorpus.views.demo.server import PLACEHOLDER, SITE, read_routes, serving

KEPT, DUPLICATE, NOT_MET = "kept", "duplicate", "not met"

PAGES = "newscorpus/pages"
"""Stat of the pages that the spider yielded."""

CRAWL_SECONDS = 600.0
"""Time limit for the crawl of the demo; it takes some ten seconds."""

LOG_FILE = "crawl.log"
DEMO = "demo"
"""The portal that is crawled."""

EXAMPLE_CHARACTERS = 300
"""How much of the example's text is printed."""


@dataclass(frozen=True, slots=True)
class Gold:
    """Gold of one page, written by its author."""

    url: str  # the page's canonical address; of a page refused in discovery, all addresses below it are meant
    title: str  # headline
    published: str  # ISO 8601, a day where the page gives no time
    authors: tuple[str, ...]  # persons named in the byline
    language: str  # BCP 47 primary tag
    expect: str  # "kept", "duplicate" or "rejected"
    reason: str  # "stage/reason" of a rejection or of a duplicate, or ""
    cluster: str  # name of a group of near-duplicates, any one of which may be kept; "" for none
    text: str  # main text, one paragraph a line; "" where the page is never read

    @property
    def outcome(self) -> str:
        """What should become of the page: "kept", "duplicate" or "stage/reason"."""
        return self.reason if self.expect == "rejected" else self.expect


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """Outcome of one page."""

    name: str  # of the page
    url: str  # of the page
    expected: str  # "kept", "duplicate" or "stage/reason"
    happened: str  # one of these; "not met"; or "kept, language ..." where the language is wrong
    f1: float = 0.0  # of the extracted text against the gold by word 4-grams, 0..1; 0 for a page that was not kept


@dataclass(frozen=True, slots=True)
class DemoReport:
    """Results of a crawl of the demo portal."""

    corpus: Path  # its folder
    fetched: int  # number of article pages that were fetched
    outcomes: tuple[PageOutcome, ...]  # one for each page with gold, by name
    records: tuple[Record, ...]  # what was published
    rejected: Mapping[str, int]  # number of addresses by "stage/reason"
    duplicates: int  # number of documents that were left out as duplicates; earlier revisions do not count
    strangers: tuple[str, ...]  # addresses of published records that have no gold

    @property
    def f1(self) -> float:
        """Mean F1 over the pages that should be kept; one that was lost counts as 0."""
        return fmean([outcome.f1 for outcome in self.outcomes if outcome.expected == KEPT] or [0.0])

    @property
    def words(self) -> int:
        """Words in all published texts."""
        return sum(record.n_words for record in self.records)

    @property
    def surprises(self) -> tuple[PageOutcome, ...]:
        """Pages with an unexpected outcome, and published records without gold."""
        strangers = (PageOutcome("", url, "no such document", KEPT) for url in self.strangers)
        return (*(outcome for outcome in self.outcomes if outcome.happened != outcome.expected), *strangers)


def read_gold(base: str = PLACEHOLDER) -> dict[str, Gold]:
    """Read the gold of all pages, by name, with `base` in place of the placeholder in their addresses."""
    decoder = msgspec.json.Decoder(Gold)
    files = sorted((SITE / "gold").glob("*.json"))
    return {file.stem: decoder.decode(file.read_bytes().replace(PLACEHOLDER.encode(), base.encode())) for file in files}


def read_report(corpus: Path, gold: Mapping[str, Gold]) -> DemoReport:
    """Compare a finished crawl with the gold.

    Raises:
        CorpusError: a part of the corpus is missing or damaged.
        DemoError: the crawl's report is damaged.
        OSError: the crawl's report or the list of duplicates cannot be read.
    """
    records = tuple(open_corpus(corpus).records())
    rejected = tuple(read_journal(corpus / REJECTED)) if (corpus / REJECTED).exists() else ()
    duplicates = [line for line in read_duplicates(corpus / DUPLICATES) if line.kind is not DuplicateKind.REVISION]
    try:
        fetched = int(json.loads((corpus / CRAWL_REPORT).read_bytes())["stats"][PAGES])
    except (ValueError, KeyError, TypeError) as error:
        report = corpus / CRAWL_REPORT
        raise DemoError(f"{report}: not the report of a crawl that fetched pages: {error}") from error
    kept = {canonical_url(record.url): record for record in records}
    # Of an address that ended in several ways the best one counts.
    endings = {canonical_url(each.url): f"{each.stage}/{each.reason}" for each in rejected}
    endings |= {canonical_url(each.url): DUPLICATE for each in duplicates}
    return DemoReport(
        corpus=corpus,
        fetched=fetched,
        outcomes=_accept_clusters([_outcome(name, page, kept, endings) for name, page in gold.items()], gold),
        records=records,
        rejected=Counter(f"{each.stage}/{each.reason}" for each in rejected),
        duplicates=len(duplicates),
        strangers=tuple(sorted(kept.keys() - {canonical_url(page.url) for page in gold.values()})),
    )


def _outcome(name: str, page: Gold, kept: Mapping[str, Record], endings: Mapping[str, str]) -> PageOutcome:
    url = canonical_url(page.url)
    if record := kept.get(url):
        happened = KEPT if record.language == page.language else f"{KEPT}, language {record.language}"
        return PageOutcome(name, page.url, page.outcome, happened, ngram_scores(record.text, page.text).f1)
    # A trap is refused at one of the addresses below it.
    is_trapped = page.outcome.startswith("discovery/") and any(
        ending == page.outcome and address.startswith(url) for address, ending in endings.items()
    )
    return PageOutcome(name, page.url, page.outcome, page.outcome if is_trapped else endings.get(url, NOT_MET))


def _accept_clusters(outcomes: list[PageOutcome], gold: Mapping[str, Gold]) -> tuple[PageOutcome, ...]:
    """Expect what happened in each cluster that as a whole ended as it should, whichever version was kept."""
    for cluster in {page.cluster for page in gold.values()} - {""}:
        members = [outcome for outcome in outcomes if gold[outcome.name].cluster == cluster]
        if sorted(each.happened for each in members) == sorted(each.expected for each in members):
            outcomes = [replace(one, expected=one.happened) if one in members else one for one in outcomes]
    return tuple(outcomes)


def run_demo(corpus: Path, port: int = 0, on_request: Callable[[str], object] | None = None) -> DemoReport:
    """Serve the demo portal (on any free port for 0), crawl it into a new or empty folder, and report.

    `on_request` is called with the path of every page fetched, from another thread.

    Raises:
        CorpusError: the corpus was not written as it should be.
        DemoError: the folder is in use, the port is not free, or the crawl failed.
    """
    corpus = make_folder(corpus)
    with serving(port, on_request) as base:
        crawl(corpus, base)
    return read_report(corpus, read_gold(base))


def make_folder(corpus: Path) -> Path:
    """Make the folder of a corpus, and give its full path.

    Raises:
        DemoError: it cannot be made, or is not empty.
    """
    corpus = corpus.resolve()
    try:
        corpus.mkdir(parents=True, exist_ok=True)
        is_empty = not any(corpus.iterdir())
    except OSError as error:
        raise DemoError(f"{corpus}: {error.strerror}") from error
    if not is_empty:
        raise DemoError(f"{corpus}: not empty; remove it or name another folder")
    return corpus


def crawl(corpus: Path, base: str) -> None:
    """Run `scrapy crawl portal -a portal=demo` on the server at `base`; its log goes to `corpus/crawl.log`.

    Raises:
        DemoError: the crawl failed or did not end.
    """
    log = corpus / LOG_FILE
    command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-a", f"portal={DEMO}", "-a", f"base={base}"]
    command += ["-s", f"NEWSCORPUS_CORPUS={corpus}", "-s", f"LOG_FILE={log}"]
    command += ["-s", "NEWSCORPUS_PAUSE_SECONDS=1"]  # a page of our own that fails need not rest for long
    try:
        done = subprocess.run(  # noqa: S603 -- our own interpreter and arguments, no shell
            command,
            env=os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"},
            timeout=CRAWL_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DemoError(f"the crawl did not end within {CRAWL_SECONDS:.0f} seconds; see {log}") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise DemoError(f"the crawl failed with status {done.returncode}{reason and f': {reason}'}; see {log}")


def remove_earlier(corpus: Path) -> None:
    """Remove `corpus` if a demo left it there, finished or broken off; keep anything else.

    Raises:
        OSError: it cannot be removed.
    """
    if not (corpus / LOG_FILE).is_file():
        return
    try:
        report = json.loads((corpus / CRAWL_REPORT).read_bytes())
    except FileNotFoundError:  # the crawl was broken off
        shutil.rmtree(corpus)
    except (OSError, ValueError):  # a report that no demo wrote
        return
    else:
        if isinstance(report, dict) and report.get("portals") == [DEMO]:
            shutil.rmtree(corpus)


def print_report(report: DemoReport, console: Console) -> None:
    """Print the counts, one record, the pages that ended otherwise than they should, and where the corpus lies."""
    console.print(_counts(report))
    if report.records:
        console.print(_example(max(report.records, key=lambda record: (record.confidence, record.id))))
    for outcome in report.surprises:
        line = f"{outcome.name or outcome.url}: {outcome.happened}, should be: {outcome.expected}"
        console.print(f"[red]Unexpected[/red] {escape(line)}", soft_wrap=True)
    if not report.surprises:
        console.print(f"All {len(report.outcomes)} pages ended as they should.")
    console.print(f"The corpus lies in {escape(str(report.corpus / PUBLISHED))}", soft_wrap=True)


@contextmanager
def crawl_progress(console: Console) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on a terminal; yields a function to call with the path of each page that is fetched."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    awaited = set(read_routes())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("pages fetched", total=len(awaited))

        def advance(path: str) -> None:
            if path in awaited:
                awaited.discard(path)
                progress.advance(task)

        yield advance


def _counts(report: DemoReport) -> Table:
    table = Table("outcome", "pages", title="The demo portal")
    table.columns[1].justify = "right"
    table.add_row("fetched", str(report.fetched))
    table.add_row(KEPT, str(len(report.records)))
    table.add_row(DUPLICATE, str(report.duplicates))
    for reason, count in sorted(report.rejected.items()):
        table.add_row(f"rejected: {escape(reason)}", str(count))
    table.add_section()
    table.add_row("words kept", f"{report.words:,}")
    table.add_row("mean F1 against the gold (word 4-grams)", f"{report.f1:.3f}")
    return table


def _example(record: Record) -> Table:
    table = Table("key", "value", title="One record", show_header=False)
    text = record.text if len(record.text) <= EXAMPLE_CHARACTERS else record.text[:EXAMPLE_CHARACTERS] + " …"
    for key in ("id", "url", "title", "authors", "published", "language", "n_words", "extractor"):
        value = getattr(record, key)
        table.add_row(key, escape(", ".join(value) if isinstance(value, tuple) else str(value)))
    table.add_row("text", escape(text))
    return table
