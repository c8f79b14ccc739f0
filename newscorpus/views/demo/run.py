"""Run the demo: serve the portal, crawl it as a user would, and compare text and outcome of each page with the gold."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from signal import SIGTERM
from statistics import fmean
from threading import Timer

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from newscorpus.corpus.duplicates.verify import DuplicateKind
from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Record
from newscorpus.errors import STOPPED, DemoError
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.layout import CRAWL_REPORT, DUPLICATES, PUBLISHED, REJECTED
from newscorpus.store.intake import read_journal
from newscorpus.terminal import counter
from newscorpus.urls import canonical_url
from newscorpus.views.demo.server import PLACEHOLDER, SITE, read_routes, serving
from newscorpus.workers import Commands

KEPT, DUPLICATE, NOT_MET = "kept", "duplicate", "not met"

PAGES = "newscorpus/pages"
"""Stat of the pages that the spider yielded."""

CRAWL_SECONDS = 600.0
"""Time limit for the crawl, which takes some ten seconds."""

LOG_FILE = "crawl.log"
DEMO = "demo"
"""Name of the portal."""

EXAMPLE_CHARACTERS = 300
"""Maximum length of the text that is printed."""


@dataclass(frozen=True, slots=True)
class Gold:
    """Gold of one page, written by its author."""

    url: str  # canonical; for a page refused in discovery it stands for all addresses below it
    title: str  # headline
    published: str  # ISO 8601, a day where the page gives no time
    authors: tuple[str, ...]  # persons named in the byline
    language: str  # BCP 47 primary tag
    expect: str  # "kept", "duplicate" or "rejected"
    reason: str  # "stage/reason" of a rejection or of a duplicate, or ""
    cluster: str  # name of a group of near-duplicates, of which any may be kept; "" for none
    text: str  # main text, one paragraph a line; "" for pages that are never extracted

    @property
    def outcome(self) -> str:
        """The expected outcome: "kept", "duplicate" or "stage/reason"."""
        return self.reason if self.expect == "rejected" else self.expect


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """Outcome of one page."""

    name: str  # of the page
    url: str  # of the page
    expected: str  # "kept", "duplicate" or "stage/reason"
    happened: str  # as `expected`; "not met"; or "kept, language ..." with a wrong language
    f1: float = 0.0  # of the extracted text against the gold by word 4-grams, 0..1; 0 for a page that was not kept


@dataclass(frozen=True, slots=True)
class DemoReport:
    """Results of a crawl of the demo portal."""

    corpus: Path  # its folder
    fetched: int  # number of article pages that were fetched
    outcomes: tuple[PageOutcome, ...]  # one for each page with gold, by name
    records: tuple[Record, ...]  # published ones
    rejected: Mapping[str, int]  # number of addresses by "stage/reason"
    duplicates: int  # number of documents that were left out as duplicates
    revisions: int  # number of earlier texts of kept documents
    strangers: tuple[str, ...]  # addresses of published records that have no gold

    @property
    def f1(self) -> float:
        """Mean F1 over the pages that should be kept; a lost page counts as 0."""
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
    repeated = list(read_duplicates(corpus / DUPLICATES))
    duplicates = [line for line in repeated if line.kind is not DuplicateKind.REVISION]
    try:
        fetched = int(json.loads((corpus / CRAWL_REPORT).read_bytes())["stats"][PAGES])
    except (ValueError, KeyError, TypeError) as error:
        report = corpus / CRAWL_REPORT
        raise DemoError(f"{report}: not the report of a crawl that fetched pages: {error}") from error
    kept = {canonical_url(record.url): record for record in records}
    # If an address has several outcomes, the best one counts.
    endings = {canonical_url(each.url): f"{each.stage}/{each.reason}" for each in rejected}
    endings |= {canonical_url(each.url): DUPLICATE for each in duplicates}
    outcomes = []
    for name, page in gold.items():
        url, happened, f1 = canonical_url(page.url), NOT_MET, 0.0
        if record := kept.get(url):
            happened = KEPT if record.language == page.language else f"{KEPT}, language {record.language}"
            f1 = ngram_scores(record.text, page.text).f1
        elif page.outcome.startswith("discovery/") and any(
            ending == page.outcome and address.startswith(url) for address, ending in endings.items()
        ):
            happened = page.outcome  # a trap is refused at one of the addresses below it
        else:
            happened = endings.get(url, NOT_MET)
        outcomes.append(PageOutcome(name, page.url, page.outcome, happened, f1))
    # Any version of a near-duplicate may be kept, as long as the cluster has the expected outcomes.
    for cluster in {page.cluster for page in gold.values()} - {""}:
        members = [outcome for outcome in outcomes if gold[outcome.name].cluster == cluster]
        if sorted(each.happened for each in members) == sorted(each.expected for each in members):
            outcomes = [replace(one, expected=one.happened) if one in members else one for one in outcomes]
    return DemoReport(
        corpus=corpus,
        fetched=fetched,
        outcomes=tuple(outcomes),
        records=records,
        rejected=Counter(f"{each.stage}/{each.reason}" for each in rejected),
        duplicates=len(duplicates),
        revisions=len(repeated) - len(duplicates),
        strangers=tuple(sorted(kept.keys() - {canonical_url(page.url) for page in gold.values()})),
    )


def run_demo(corpus: Path, port: int = 0, on_request: Callable[[str], object] | None = None) -> DemoReport:
    """Serve the demo portal (on any free port for 0), crawl it into a new or empty folder, and report.

    `on_request` is called with the path of every page fetched, from another thread.

    Raises:
        CorpusError: the corpus was not written as it should be.
        DemoError: the folder is in use, the port is not free, or the crawl failed.
    """
    corpus = corpus.resolve()
    try:
        corpus.mkdir(parents=True, exist_ok=True)
        is_empty = not any(corpus.iterdir())
    except OSError as error:
        raise DemoError(f"{corpus}: {error.strerror}") from error
    if not is_empty:
        raise DemoError(f"{corpus}: not empty; remove it or name another folder")
    with serving(port, on_request) as base:
        crawl(corpus, base)
    return read_report(corpus, read_gold(base))


def crawl(corpus: Path, base: str, seconds: float = CRAWL_SECONDS) -> None:
    """Run `newscorpus crawl demo` on the server at `base`, with its output in `corpus/crawl.log`.

    Raises:
        DemoError: the crawl failed, or took longer than `seconds`.
    """
    log, commands = corpus / LOG_FILE, Commands()
    command = ["crawl", DEMO, "-a", f"base={base}", "-s", f"NEWSCORPUS_CORPUS={corpus}"]
    command += ["-s", "NEWSCORPUS_PAUSE_SECONDS=1"]  # a failing page of our own server needs no long pause
    limit = Timer(seconds, commands.stop, [SIGTERM])
    limit.start()
    try:
        with log.open("wb") as file:
            code = commands.run(command, file, environment={"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"})
    finally:
        limit.cancel()
    if code == STOPPED:
        raise DemoError(f"the crawl did not end within {seconds:.0f} seconds; see {log}")
    if code:
        reason = log.read_text("utf-8", "replace").strip().rpartition("\n")[2]
        raise DemoError(f"the crawl failed with status {code}{reason and f': {reason}'}; see {log}")


def remove_earlier(corpus: Path) -> None:
    """Remove `corpus` if an earlier demo wrote it, finished or not; keep anything else.

    Raises:
        OSError: it cannot be removed.
    """
    if not (corpus / LOG_FILE).is_file():
        return
    try:
        report = json.loads((corpus / CRAWL_REPORT).read_bytes())
    except FileNotFoundError:  # the crawl was interrupted
        shutil.rmtree(corpus)
    except (OSError, ValueError):  # not a demo's report
        return
    else:
        if isinstance(report, dict) and report.get("portals") == [DEMO]:
            shutil.rmtree(corpus)


def print_report(report: DemoReport, console: Console) -> None:
    """Print the counts, one record, the pages with an unexpected outcome, and the folder of the corpus."""
    counts = Table("outcome", "pages", title="The demo portal")
    counts.columns[1].justify = "right"
    counts.add_row("fetched", str(report.fetched))
    counts.add_row(KEPT, str(len(report.records)))
    counts.add_row(DUPLICATE, str(report.duplicates))
    counts.add_row("earlier text of a kept page", str(report.revisions))
    for reason, count in sorted(report.rejected.items()):
        counts.add_row(f"rejected: {escape(reason)}", str(count))
    counts.add_section()
    counts.add_row("words kept", f"{report.words:,}")
    counts.add_row("mean F1 against the gold (word 4-grams)", f"{report.f1:.3f}")
    console.print(counts)
    if report.records:
        example = Table("key", "value", title="One record", show_header=False)
        record = max(report.records, key=lambda record: (record.confidence, record.id))
        for key in ("id", "url", "title", "authors", "published", "language", "n_words", "extractor"):
            value = getattr(record, key)
            example.add_row(key, escape(", ".join(value) if isinstance(value, tuple) else str(value)))
        is_cut = len(record.text) > EXAMPLE_CHARACTERS
        example.add_row("text", escape(record.text[:EXAMPLE_CHARACTERS] + " …" * is_cut))
        console.print(example)
    for outcome in report.surprises:
        line = f"{outcome.name or outcome.url}: {outcome.happened}, should be: {outcome.expected}"
        console.print(f"[red]Unexpected[/red] {escape(line)}", soft_wrap=True)
    if not report.surprises:
        console.print(f"All {len(report.outcomes)} pages ended as they should.")
    console.print(f"The corpus lies in {escape(str(report.corpus / PUBLISHED))}", soft_wrap=True)


@contextmanager
def crawl_progress(console: Console) -> Iterator[Callable[[str], None]]:
    """Count the fetched pages on a terminal; yields a callback for the path of each."""
    awaited = set(read_routes())
    with counter("pages fetched", len(awaited), console) as count:

        def advance(path: str) -> None:
            if path in awaited:
                awaited.discard(path)
                count()

        yield advance
