"""Compare title, date and authors with the gold and with the peers, with and without structured data."""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np
from lxml import etree
from rich.console import Console

from newscorpus.data import Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import Estimate, estimate
from newscorpus.lab.evaluation.summary import print_table
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.lab.systems.peers import FIELD_PEERS, Claim, FieldReader, load_field_peer
from newscorpus.model_folders import FIELDS_MODEL, fields_within
from newscorpus.page.fields.dates import find_dates, read_address
from newscorpus.page.fields.reading import read_fields
from newscorpus.page.parsing.parse import parse
from newscorpus.page.registry import check_fields_model
from newscorpus.resources import read_toml
from newscorpus.tokens import folded_words

STRUCTURED_ATTRIBUTES = (
    "itemprop", "itemscope", "itemtype", "itemid", "itemref", "typeof", "property", "vocab", "datetime", "pubdate",
)  # fmt: skip
PARTED = re.compile(r"\s*[,;|]\s*|\s+(?:and|&|with)\s+")
DEGREE = re.compile(r"Ph\.?D\.?|[A-Z][A-Z-]+(?: \d+)?")
NEWSPAPERS = read_toml(__package__, "newspapers.toml")
"""Pages, by set, whose gold author is no person; claims are not scored there."""
UNSEEN_TAGS = ("script", "style", "noscript", "template", "head")


@dataclass(frozen=True, slots=True)
class FieldResult:
    """The claim of one reader on one page and its scores, which are None where the gold has no value."""

    page: GoldPage  # its `html` is what the reader read
    reader: str
    claim: Claim
    title_exact: bool | None  # equal after normalisation (letters and digits, one case)
    title_f1: float | None  # F1 of the words
    date_exact: bool | None  # the same day
    authors_f1: float | None  # F1 of the sets of names
    seconds: float  # CPU time


@dataclass(frozen=True, slots=True)
class FieldSummary:
    """Figures of one reader on one group of pages, over the pages whose gold has the field; None if there are none."""

    scope: str
    group: str
    reader: str
    titles: int
    title_exact: Estimate | None
    title_f1: Estimate | None
    dates: int
    date_exact: Estimate | None
    bylines: int
    authors_f1: Estimate | None
    cpu_ms: float


def evaluate_fields(
    datasets: Sequence[Path], readers: Sequence[str], split: str = "dev", hidden: bool = False
) -> Iterator[FieldResult]:
    """Run all field readers on each page of the sets in turn.

    Readers are names in `READERS` or folders of models. `hidden` removes structured data first, and evaluates
    only dates that remain on the page or in its address (`shows_date`, or found by one of the readers).

    Raises:
        LabError: an unknown reader, a set without a page in the split that has a title, date or authors, or a file that
            cannot be read.
        MissingPeerError: a reader's package is not installed.
    """
    loaded: dict[str, FieldReader] = {}
    for name in readers:
        try:
            model = name if name in READERS else fields_within(name) or name
            loaded[name] = READERS[name]() if name in READERS else partial(read_own_fields, model=model)
            if name not in READERS:
                check_fields_model(model)
        except ValueError as error:
            raise LabError(f"unknown field reader: {error}; others: {', '.join(READERS)}") from error
    for path in datasets:
        found = False
        for page in read_pages(path):
            if page.is_in(split) and (page.title or page.date or page.authors):
                found = True
                yield from _evaluate_page(page, loaded, hidden)
        if not found:
            raise LabError(f"{path}: no page with title, date or authors in the split '{split}'")


def hide_structured(html: str) -> str:
    """Remove JSON-LD, microdata, RDFa, meta elements and `datetime` attributes; "" for invalid HTML."""
    tree = parse(html)
    if isinstance(tree, Rejected):
        return ""
    for script in tree.xpath("//script[contains(@type, 'ld+json')]"):
        script.drop_tree()
    etree.strip_elements(tree, "meta", with_tail=False)
    for name in STRUCTURED_ATTRIBUTES:
        for element in tree.xpath(f"//*[@{name}]"):
            del element.attrib[name]
    return etree.tostring(tree, encoding="unicode", method="html")


def shows_date(html: str, url: str, day: str) -> bool:
    """Tell whether the day (ISO 8601) occurs in the visible text or the address, in any form that we parse."""
    tree = parse(html)
    if isinstance(tree, Rejected):
        return False
    if any(item.value == day for item in read_address(url)):
        return True
    etree.strip_elements(tree, *UNSEEN_TAGS, with_tail=False)
    text = "\n".join(piece.strip() for piece in tree.itertext() if piece.strip())
    return any(date.value[:10] == day for date in find_dates(text))


def summarise_fields(results: Iterable[FieldResult]) -> list[FieldSummary]:
    """Summarise per set, per language and over all, sorted; the bootstrap draws whole domains."""
    groups: dict[tuple[str, str, str], list[FieldResult]] = defaultdict(list)
    for result in results:
        for scope, group in (("set", result.page.dataset), ("language", result.page.language), ("all", "all")):
            groups[scope, group, result.reader].append(result)
    summaries = []
    for key in sorted(groups):
        titles, title_exact = _mean(groups[key], "title_exact")
        dates, date_exact = _mean(groups[key], "date_exact")
        bylines, authors_f1 = _mean(groups[key], "authors_f1")
        title_f1 = _mean(groups[key], "title_f1")[1]
        cpu_ms = fmean(1_000 * result.seconds for result in groups[key])
        summary = FieldSummary(*key, titles, title_exact, title_f1, dates, date_exact, bylines, authors_f1, cpu_ms)
        summaries.append(summary)
    return summaries


def print_field_summaries(summaries: Iterable[FieldSummary], console: Console) -> None:
    """Print one table with a line for each group and reader."""
    columns = ("group", "reader", "titles", "exact", "word F1", "dates", "day exact", "bylines", "authors F1", "ms")
    rows = [
        (
            *(row.group, row.reader, row.titles, _cell(row.title_exact), _cell(row.title_f1), row.dates),
            *(_cell(row.date_exact), row.bylines, _cell(row.authors_f1), f"{row.cpu_ms:.1f}"),
        )
        for row in summaries
    ]
    print_table(console, "fields", columns, rows)


def _cell(figure: Estimate | None) -> str:
    return "" if figure is None else f"{figure.value:.3f} ({figure.low:.2f}-{figure.high:.2f})"


def _evaluate_page(page: GoldPage, readers: dict[str, FieldReader], hidden: bool) -> list[FieldResult]:
    shown = replace(page, html=hide_structured(page.html)) if hidden else page
    gold = [] if page.id in NEWSPAPERS.get(page.dataset, ()) else normal_names(page.authors)
    results = []
    for name, reader in readers.items():
        start = time.process_time()
        claim = reader(shown.html, shown.url)
        result = FieldResult(
            page=shown,
            reader=name,
            claim=claim,
            title_exact=folded_words(claim.title) == folded_words(page.title) if page.title else None,
            title_f1=overlap_f1(folded_words(claim.title), folded_words(page.title)) if page.title else None,
            date_exact=claim.date[:10] == page.date[:10] if page.date else None,
            authors_f1=overlap_f1(normal_names(claim.authors), gold) if gold else None,
            seconds=time.process_time() - start,
        )
        results.append(result)
    if not hidden or any(result.date_exact for result in results) or shows_date(shown.html, page.url, page.date[:10]):
        return results
    return [replace(result, date_exact=None) for result in results]


def overlap_f1(claimed: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two multisets, 0..1; 1 for two empty ones."""
    if not claimed or not gold:
        return float(not claimed and not gold)
    shared = (Counter(claimed) & Counter(gold)).total()
    return 2 * shared / (len(claimed) + len(gold))


def normal_names(authors: Iterable[str]) -> list[str]:
    """Return the normalised names, several in one text parted; degrees are left out."""
    parts = (part for text in authors for part in PARTED.split(text) if not DEGREE.fullmatch(part))
    return list(dict.fromkeys(name for part in parts if (name := " ".join(folded_words(part)))))


def _mean(results: Sequence[FieldResult], name: str) -> tuple[int, Estimate | None]:
    """Return the number of results that have the score of this name, and its mean with interval."""
    scored = [(result.page.domain, score) for result in results if (score := getattr(result, name)) is not None]
    sums = np.array([(1, float(score)) for _, score in scored])
    domains = [domain for domain, _ in scored]
    mean = estimate(sums, lambda drawn: drawn[:, 1] / np.maximum(drawn[:, 0], 1), domains) if scored else None
    return len(scored), mean


def read_own_fields(html: str, url: str, model: str = FIELDS_MODEL) -> Claim:
    """Read the fields by `newscorpus`; agencies count as authors, since the gold does not distinguish them."""
    tree = parse(html)
    if isinstance(tree, Rejected):
        return Claim()
    fields = read_fields(tree, Page.from_html(html, url), model=model).fields
    return Claim(fields.title, fields.published, fields.authors + fields.agencies)


READERS: Mapping[str, Callable[[], FieldReader]] = {
    "newscorpus": lambda: read_own_fields,
    **{name: partial(load_field_peer, name) for name in FIELD_PEERS},
}
"""How to load each reader, by name."""
