"""Run the demo: serve the portal, crawl it as a user would, and compare text and outcome of each page with the gold."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import msgspec

from newscorpus.corpus.duplicates.verify import DuplicateKind
from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Record
from newscorpus.errors import DemoError
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.layout import CRAWL_REPORT, DUPLICATES, PUBLISHED, REJECTED
from newscorpus.store.intake import read_journal
from newscorpus.terminal import print_table, table_console
from newscorpus.tokens import printable
from newscorpus.urls import canonical_url
from newscorpus.views.demo.server import PLACEHOLDER, SITE, serving
from newscorpus.workers import Commands

KEPT, DUPLICATE, NOT_MET = "kept", "duplicate", "not met"

PAGES = "newscorpus/pages"
"""Stat of the pages that the spider yielded."""

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
    expect: str  # "kept", "duplicate" or the "stage/reason" of a rejection
    text: str  # main text, one paragraph a line; "" for pages that are never extracted


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """Outcome of one page."""

    name: str  # of the page; its address if it has no gold
    expected: str  # as in `Gold`; "no such document" without gold
    happened: str  # as `expected`; "not met"; or "kept, language ..." with a wrong language
    f1: float = 0.0  # of the extracted text against the gold by word 4-grams, 0..1; 0 for a page that was not kept


@dataclass(frozen=True, slots=True)
class DemoReport:
    """Results of a crawl of the demo portal."""

    corpus: Path  # its folder
    counts: Mapping[str, int]  # number of pages by outcome, for people
    outcomes: tuple[PageOutcome, ...]  # one for each page with gold, by name; then published ones without gold
    records: tuple[Record, ...]  # published ones

    @property
    def f1(self) -> float:
        """Mean F1 over the pages that should be kept; a lost page counts as 0."""
        return fmean([outcome.f1 for outcome in self.outcomes if outcome.expected == KEPT] or [0.0])

    @property
    def words(self) -> int:
        """Words in all published texts."""
        return sum(record.n_words for record in self.records)

    @property
    def surprises(self) -> list[PageOutcome]:
        """Pages with an unexpected outcome."""
        return [outcome for outcome in self.outcomes if outcome.happened != outcome.expected]


def read_gold(base: str = PLACEHOLDER) -> dict[str, Gold]:
    """Read the gold of all pages, by name, with `base` in place of the placeholder in their addresses."""
    decoder = msgspec.json.Decoder(Gold)
    files = sorted((SITE / "gold").glob("*.json"))
    return {file.stem: decoder.decode(file.read_bytes().replace(PLACEHOLDER.encode(), base.encode())) for file in files}


def read_report(corpus: Path, gold: Mapping[str, Gold]) -> DemoReport:
    """Compare a finished crawl with the gold.

    Raises:
        CorpusError: a part of the corpus is missing or damaged.
        OSError: a file beside it cannot be read.
    """
    records = tuple(open_corpus(corpus).records())
    rejected = tuple(read_journal(corpus / REJECTED)) if (corpus / REJECTED).exists() else ()
    repeated = list(read_duplicates(corpus / DUPLICATES))
    duplicates = [line for line in repeated if line.kind is not DuplicateKind.REVISION]
    kept = {canonical_url(record.url): record for record in records}
    # If an address has several outcomes, the best one counts.
    endings = {canonical_url(each.url): f"{each.stage}/{each.reason}" for each in rejected}
    endings |= {canonical_url(each.url): DUPLICATE for each in duplicates}
    outcomes = []
    for name, page in gold.items():
        url = canonical_url(page.url)
        if record := kept.pop(url, None):
            happened = KEPT if record.language == page.language else f"{KEPT}, language {record.language}"
            outcomes.append(PageOutcome(name, page.expect, happened, ngram_scores(record.text, page.text).f1))
            continue
        # A trap is refused at one of the addresses below it.
        below = {ending for address, ending in endings.items() if address.startswith(url)}
        is_trapped = page.expect.startswith("discovery/") and page.expect in below
        outcomes.append(PageOutcome(name, page.expect, page.expect if is_trapped else endings.get(url, NOT_MET)))
    outcomes += [PageOutcome(url, "no such document", KEPT) for url in sorted(kept)]
    counts = {
        "fetched": json.loads((corpus / CRAWL_REPORT).read_bytes())["stats"][PAGES],
        KEPT: len(records),
        DUPLICATE: len(duplicates),
        "earlier text of a kept page": len(repeated) - len(duplicates),
    }
    reasons = Counter(f"rejected: {each.stage}/{each.reason}" for each in rejected)
    return DemoReport(corpus, counts | dict(sorted(reasons.items())), tuple(outcomes), records)


def run_demo(corpus: Path, port: int = 0, on_request: Callable[[str], object] | None = None) -> DemoReport:
    """Serve the demo portal (on any free port for 0), crawl it into a new or empty folder, and report.

    `on_request` is called with the path of every request, from another thread.

    Raises:
        CorpusError: the corpus was not written as it should be.
        DemoError: the folder is in use, the port is not free, or the crawl failed.
        OSError: the folder cannot be made.
    """
    corpus = corpus.resolve()
    corpus.mkdir(parents=True, exist_ok=True)
    if any(corpus.iterdir()):
        raise DemoError(f"{corpus}: not empty; remove it or name another folder")
    with serving(port, on_request) as base:
        crawl(corpus, base)
    return read_report(corpus, read_gold(base))


def crawl(corpus: Path, base: str) -> None:
    """Run `newscorpus crawl demo` on the server at `base`, with its output in `corpus/crawl.log`.

    Raises:
        DemoError: the crawl failed.
    """
    log = corpus / LOG_FILE
    command = ["crawl", DEMO, "-a", f"base={base}", "-s", f"NEWSCORPUS_CORPUS={corpus}"]
    command += ["-s", "NEWSCORPUS_PAUSE_SECONDS=1"]  # a failing page of our own server needs no long pause
    with log.open("wb") as file:
        code = Commands().run(command, file, environment={"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"})
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
        report = {"portals": [DEMO]}
    except (OSError, ValueError):  # not a demo's report
        report = None
    if isinstance(report, dict) and report.get("portals") == [DEMO]:
        shutil.rmtree(corpus)


def print_report(report: DemoReport) -> None:
    """Print the counts, one record, the pages with an unexpected outcome, and the folder of the corpus."""
    counts = [*report.counts.items(), ("words kept", f"{report.words:,}")]
    counts.append(("mean F1 against the gold (word 4-grams)", f"{report.f1:.3f}"))
    print_table(("outcome", "pages"), counts, "The demo portal", numbers=True)
    if report.records:
        record = max(report.records, key=lambda record: (record.confidence, record.id))
        names = ("id", "url", "title", "published", "language", "n_words", "extractor")
        text = record.text[:EXAMPLE_CHARACTERS] + " …" * (len(record.text) > EXAMPLE_CHARACTERS)
        rows = [(name, getattr(record, name)) for name in names] + [
            ("authors", ", ".join(record.authors)),
            ("text", text),
        ]
        print_table(("key", "value"), rows, "One record")
    lines = [f"Unexpected {one.name}: {one.happened}, should be: {one.expected}" for one in report.surprises]
    lines = lines or [f"All {len(report.outcomes)} pages ended as they should."]
    for line in ("", *lines, f"The corpus lies in {report.corpus / PUBLISHED}"):
        table_console().out(printable(line), highlight=False)
