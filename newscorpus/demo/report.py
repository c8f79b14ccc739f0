"""What the demo portal should become: the main text of every page, and its fate.

What a crawl of the demo portal came to, held against its gold.
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import msgspec

from newscorpus.corpus.intake import JOURNAL, read_journal
from newscorpus.corpus.lines import complete_lines
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Record, Rejected
from newscorpus.dedup.duplicates import Kind
from newscorpus.demo.site import PLACEHOLDER, SITE
from newscorpus.errors import DemoError
from newscorpus.evaluation.scores import ngram_scores
from newscorpus.publish.left_out import DUPLICATES, DuplicateLine
from newscorpus.urls import canonical_url


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right for one page, written by its author.

    Attributes:
        url: the page's canonical address; of a page refused in discovery, all addresses below it are meant.
        title: headline.
        published: ISO 8601, a day where the page gives no time.
        authors: persons named in the byline.
        language: BCP 47 primary tag.
        expect: "kept", "duplicate" or "rejected".
        reason: "stage/reason" of a rejection or of a duplicate, or "".
        cluster: name of a group of near-duplicates, of which it does not matter which one is kept; "" for none.
        text: main text, one paragraph a line; "" where the page is never read.
    """

    url: str
    title: str
    published: str
    authors: tuple[str, ...]
    language: str
    expect: str
    reason: str
    cluster: str
    text: str

    @property
    def fate(self) -> str:
        """What should become of the page: "kept", "duplicate" or "stage/reason"."""
        return self.reason if self.expect == "rejected" else self.expect


def read_gold(base: str = PLACEHOLDER) -> dict[str, Gold]:
    """The gold of all pages by name, with `base` in place of the placeholder in their addresses."""
    decoder = msgspec.json.Decoder(Gold)
    files = sorted((SITE / "gold").glob("*.json"))
    return {file.stem: decoder.decode(file.read_bytes().replace(PLACEHOLDER.encode(), base.encode())) for file in files}


KEPT, DUPLICATE, NOT_MET = "kept", "duplicate", "not met"

PAGES = "newscorpus/pages"
"""The stat that counts the pages that the spider handed on."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one page.

    Attributes:
        name: of the page.
        url: of the page.
        expected: "kept", "duplicate" or "stage/reason".
        happened: likewise; "not met"; or "kept, language ..." where that is wrong.
        f1: of the extracted text against the gold by word 4-grams, 0..1; 0 for a page that was not kept.
    """

    name: str
    url: str
    expected: str
    happened: str
    f1: float = 0.0


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What a crawl of the demo portal came to.

    Attributes:
        corpus: its folder.
        fetched: number of article pages that were fetched.
        outcomes: one for each page with gold, by name.
        records: what was published.
        rejected: number of addresses by "stage/reason".
        duplicates: number of documents that were taken out for another one.
        strangers: addresses of published records that have no gold.
    """

    corpus: Path
    fetched: int
    outcomes: tuple[Outcome, ...]
    records: tuple[Record, ...]
    rejected: Mapping[str, int]
    duplicates: int
    strangers: tuple[str, ...]

    @property
    def f1(self) -> float:
        """Mean F1 over the pages that should be kept; one that was lost counts as 0."""
        return fmean([outcome.f1 for outcome in self.outcomes if outcome.expected == KEPT] or [0.0])

    @property
    def words(self) -> int:
        """Words in all published texts."""
        return sum(record.n_words for record in self.records)

    @property
    def surprises(self) -> tuple[Outcome, ...]:
        """The pages of which something else became than should have, and records of pages that nobody wrote."""
        unforeseen = (Outcome("", url, "no such document", KEPT) for url in self.strangers)
        return (*(outcome for outcome in self.outcomes if outcome.happened != outcome.expected), *unforeseen)


def read_report(corpus: Path, gold: Mapping[str, Gold]) -> DemoReport:
    """Hold a finished crawl against the gold.

    Raises:
        CorpusError: a part of the corpus is missing or damaged.
        DemoError: likewise, the crawl's report or the list of duplicates.
    """
    records = tuple(open_corpus(corpus).records())
    rejected = tuple(_read_rejected(corpus / JOURNAL))
    duplicates = tuple(_read_duplicates(corpus / DUPLICATES))
    kept = {canonical_url(record.url): record for record in records}
    fates = _fates(kept, rejected, duplicates)
    return DemoReport(
        corpus=corpus,
        fetched=_read_fetched(corpus / "crawl-report.json"),
        outcomes=_settle([_outcome(name, page, kept, fates) for name, page in gold.items()], gold),
        records=records,
        rejected=Counter(f"{each.stage}/{each.reason}" for each in rejected),
        duplicates=len(duplicates),
        strangers=tuple(sorted(kept.keys() - {canonical_url(page.url) for page in gold.values()})),
    )


def _fates(kept: Iterable[str], rejected: Iterable[Rejected], duplicates: Iterable[DuplicateLine]) -> dict[str, str]:
    """What became of each address; of one met in several ways, the best."""
    fates = {canonical_url(each.url): f"{each.stage}/{each.reason}" for each in rejected}
    fates |= {canonical_url(each.url): DUPLICATE for each in duplicates}
    return fates | dict.fromkeys(kept, KEPT)


def _outcome(name: str, page: Gold, kept: Mapping[str, Record], fates: Mapping[str, str]) -> Outcome:
    url = canonical_url(page.url)
    if record := kept.get(url):
        happened = KEPT if record.language == page.language else f"{KEPT}, language {record.language}"
        return Outcome(name, page.url, page.fate, happened, ngram_scores(record.text, page.text).f1)
    return Outcome(name, page.url, page.fate, _fate_below(url, page.fate, fates) or fates.get(url, NOT_MET))


def _fate_below(url: str, fate: str, fates: Mapping[str, str]) -> str:
    """A fate of discovery, if it befell an address below `url`: a trap is refused at one of its pages; "" otherwise."""
    found = fate.startswith("discovery/") and any(
        each == fate and address.startswith(url) for address, each in fates.items()
    )
    return fate if found else ""


def _settle(outcomes: list[Outcome], gold: Mapping[str, Gold]) -> tuple[Outcome, ...]:
    """The outcomes, each cluster that ended as a whole as it should taken for right, whichever version stayed."""
    for cluster in sorted({page.cluster for page in gold.values()} - {""}):
        members = [outcome for outcome in outcomes if gold[outcome.name].cluster == cluster]
        if sorted(each.happened for each in members) == sorted(each.expected for each in members):
            settled = {each.name: dataclasses.replace(each, expected=each.happened) for each in members}
            outcomes = [settled.get(outcome.name, outcome) for outcome in outcomes]
    return tuple(outcomes)


def _read_rejected(path: Path) -> Iterable[Rejected]:
    return read_journal(path) if path.exists() else ()


def _read_duplicates(path: Path) -> Iterable[DuplicateLine]:
    """The documents taken out for another one; revisions of one document are none."""
    decoder = msgspec.json.Decoder(DuplicateLine)
    try:
        lines = [decoder.decode(line) for _, line in complete_lines(path)]
    except OSError as error:
        raise DemoError(f"{path}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise DemoError(f"{path}: {error}") from error
    return [line for line in lines if line.kind is not Kind.REVISION]


def _read_fetched(path: Path) -> int:
    try:
        return int(json.loads(path.read_bytes())["stats"][PAGES])
    except OSError as error:
        raise DemoError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DemoError(f"{path}: not the report of a crawl that fetched pages: {error}") from error
