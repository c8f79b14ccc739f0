"""Time the browser side and its search: `python -m benchmarks.ui FOLDER`; the corpora are made there, once.

The documents are drawn from a made vocabulary whose words are as unequally frequent as those of a language (Zipf's
law): how long a search takes depends on how many documents hold a word. Writes benchmarks/results/ui.md.
"""

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, partial
from itertools import islice
from pathlib import Path
from statistics import median

import numpy as np
from starlette.testclient import TestClient

from newscorpus.config import BuildConfig
from newscorpus.corpus.published import open_corpus, publish
from newscorpus.corpus.query import QueryError
from newscorpus.corpus.search import Query, SearchIndex, in_order, opened_index
from newscorpus.corpus.search_index import index_path, make_index
from newscorpus.data import Article, Fields, Page, Record, Rejected
from newscorpus.layout import LEDGER, PUBLISHED, REJECTED
from newscorpus.page.recipe import Recipe
from newscorpus.page.records import make_record
from newscorpus.page.source_page import SourcePage
from newscorpus.store.intake import journal_line
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of
from newscorpus.views.explain.page import saved_page, show_page
from newscorpus.views.ui.app import make_app
from newscorpus.views.ui.documents import LINED, LISTED

RESULTS = Path(__file__).parent / "results" / "ui.md"
N_DOCUMENTS, WORDS_A_DOCUMENT = 100_000, 200
VOCABULARY = 200_000
SYLLABLES = (
    "ba če di đo gra je ko la ma na no pre ra sta ti u vi za že lju ост ний град ική ων sto ver lit men kra"
).split()
PORTALS = 20
FIRST_DAY, DAYS = date(2015, 1, 1), 3650
REASONS = (("fetch", "http_404"), ("quality", "too_short"), ("discovery", "section"), ("extract", "no_text"))
REPEATED = 5
PAGE_BYTES = 1_000_000
LATIN = re.compile("[a-zčđž]+")
NUMBER = re.compile(r"{(\d+)}")

QUERIES: Mapping[str, tuple[str, str]] = {
    "the most frequent word, in nearly all": ("{0}", "{0}"),
    "a frequent word (rank 100)": ("{100}", "{100}"),
    "a rare word (rank 20,000)": ("{20000}", "{20000}"),
    "the three most frequent words": ("{0} OR {1} OR {2}", "(?:{0}|{1}|{2})"),
    "all words with a beginning": ("gra*", r"gra\w*"),
    "all words with an end": ("*gradi", r"\w*gradi"),
    "all words with beginning and end": ("gra*ju", r"gra\w*ju"),
    "a phrase of frequent words": ('"{3} {5}"', r"{3}\W+{5}"),
    "a phrase with a pattern": ('"{3} *gradi"', r"{3}\W+\w*gradi"),
}
"""Queries, and the regular expression that counts their hits by hand; a number stands for the word of that rank."""

OTHER_QUERIES: Mapping[str, Query] = {
    "one word of two, without a third": Query("({10} OR {50}) NOT {70}"),
    "a frequent word of a portal in a month": Query("{100}", source="portal-7", since="2019-05-01", until="2019-05-31"),
    "all documents with little confidence": Query(below=0.5),
}

HOSTILE: Mapping[str, str] = {
    "10 kB": "a " * 5000,
    "400 parentheses": "(" * 400 + "a" + ")" * 400,
    "five `*` in a word": "*a*a*a*a*",
    "a pattern for most words": "*a*",
    "all words by their first letters": " OR ".join(f"{letter}*" for letter in "abcdefghijklmnopqrstuvwxyz"),
    "fifty patterns": " OR ".join(f"*{letter}a*" for letter in "bcdfghjklmnprstvz" * 3)[:900].rpartition(" OR ")[0],
}


@cache
def vocabulary() -> list[str]:
    """Made words, the most frequent first."""
    random = np.random.default_rng(1)
    made = dict.fromkeys("".join(random.choice(SYLLABLES, random.integers(1, 6))) for _ in range(3 * VOCABULARY))
    return list(made)[:VOCABULARY]


def records(number: int) -> Iterator[Record]:
    """Made documents."""
    known, random = np.array(vocabulary()), np.random.default_rng(2)
    shares = 1 / np.arange(1, len(known) + 1)
    ends = np.cumsum(shares / shares.sum())
    plain = make_record(Article("https://portal.example/", "text", Fields(title="title"), "made"), "portal", "hr", 1.0)
    for at in range(number):
        drawn = known[np.searchsorted(ends, random.random(WORDS_A_DOCUMENT))]
        yield replace(
            plain,
            id=f"{at:016x}",
            url=f"https://portal.example/{at}",
            source=f"portal-{at % PORTALS}",
            title=" ".join(drawn[:6]),
            text="\n".join(" ".join(part) for part in np.split(drawn, 4)),
            published=(FIRST_DAY + timedelta(days=int(random.integers(DAYS)))).isoformat(),
            confidence=random.random(),
        )


def made_corpus(folder: Path, number: int) -> Path:
    """A published corpus of so many documents, with its index, and the ledger of a crawl that rejected half as many."""
    corpus = folder / f"made-{number}"
    if not corpus.is_dir():
        publish(corpus / PUBLISHED, records(number), BuildConfig())
    if not (corpus / LEDGER).is_file():
        rejected = []
        with Ledger.open(corpus) as ledger:  # which cuts the lists of a crawl to what it noted
            for at, record in enumerate(open_corpus(corpus).records()):
                day = f"2026-{at * 12 // number + 1:02}-{at % 28 + 1:02}T08:00:00+00:00"
                crawled(ledger, record.url, record.source, day, UrlOutcome("", "kept", "", "r", record.n_words))
                if at % 2:
                    lost = Rejected(*REASONS[at % len(REASONS)], "detail", f"{record.url}/{at % 50}/x", record.title)
                    crawled(ledger, lost.url, record.source, day, UrlOutcome.of(lost))
                    rejected.append(journal_line(lost))
                if at % 1000 == 0:
                    ledger.commit()
        (corpus / REJECTED).write_bytes(b"".join(rejected))
    if not index_path(corpus).is_file():
        print(f"index of {number:,} documents: {seconds(lambda: make_index(corpus)):.0f} s")
    return corpus


def crawled(ledger: Ledger, url: str, portal: str, time: str, outcome: UrlOutcome) -> None:
    """Note a fetched page in a ledger."""
    ledger.add(Link(key_of(url), url, portal, "article", 1))
    assert ledger.queue.lease(portal)
    ledger.finish(ledger.serial(url), (outcome,), Fetched(url, 200, time, 50_000))


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def milliseconds(call: Callable[[], object]) -> str:
    """The median of some calls, and how much of that was spent computing in this process."""
    begun = time.process_time()
    taken = [seconds(call) for _ in range(REPEATED)]
    computing = (time.process_time() - begun) / REPEATED
    return f"{1000 * median(taken):.0f} ({1000 * computing:.0f})"


def shown_lines(index: SearchIndex, query: Query) -> object:
    """The lines of a concordance as the browser shows them."""
    return list(in_order(islice(index.lines(query), LINED), "right"))


def shown_sample(index: SearchIndex, query: Query) -> object:
    """A random sample of the lines."""
    return list(index.lines(query, LINED))


def by_hand(corpus: Path, pattern: str) -> int:
    """Count the matches of a regular expression in all texts."""
    found = re.compile(rf"(?<!\w){pattern}(?!\w)")
    texts = (f"{one.title}\n{one.text}".casefold() for one in open_corpus(corpus).records())
    return sum(len(found.findall(text)) for text in texts)


def search_rows(corpus: Path) -> Iterator[str]:
    """Rows of a table: each search as a list, as frequencies, as a sorted concordance and as a random sample."""
    known = vocabulary()

    def filled(text: str) -> str:
        return NUMBER.sub(lambda found: known[int(found[1])], text)

    queries = {what: (Query(words), pattern) for what, (words, pattern) in QUERIES.items()}
    for what, (query, pattern) in (queries | {what: (query, "") for what, query in OTHER_QUERIES.items()}).items():
        asked = replace(query, words=filled(query.words))
        with opened_index(corpus) as index:
            assert index
            calls: tuple[Callable[[], object], ...] = (
                partial(index.documents, asked, LISTED),
                partial(index.count, asked),
                partial(shown_lines, index, asked),
                partial(shown_sample, index, asked),
            )
            taken = " | ".join(milliseconds(call) for call in calls)
            total = index.count(asked).total
            counted = f"{by_hand(corpus, filled(pattern)):,}" if pattern else ""
            yield f"| {what} | {total.documents:,} | {total.hits:,} | {counted} | {taken} |"


def hostile_rows(corpus: Path) -> Iterator[str]:
    """Rows of a table: how long a hostile query takes until its error."""
    for what, words in HOSTILE.items():
        said, begun = "", time.perf_counter()
        with opened_index(corpus) as index:
            assert index
            try:
                index.count(Query(words))
            except QueryError as error:
                said = str(error)
        yield f"| {what} | {1000 * (time.perf_counter() - begun):.0f} | {said} |"


def page_of(share: float) -> str:
    """A page of `PAGE_BYTES`, of which a share is text in paragraphs; scripts make the rest, as on real pages.

    Its words are in one alphabet: words that mix several look like mojibake, which is undone line by line.
    """
    known = [word for word in vocabulary() if LATIN.fullmatch(word)]
    words = (known[at % 5000] for at in range(PAGE_BYTES))
    paragraphs, size = [], 0
    while size < share * PAGE_BYTES:
        paragraphs.append(f"<p class=text>{' '.join(islice(words, 60))}.</p>")
        size += len(paragraphs[-1].encode())
    menu = "".join(f'<li><a href="/{at}">{known[at]}</a></li>' for at in range(100))
    script = f"<script>{'x=1;' * ((PAGE_BYTES - size) // 4)}</script>"
    return f"<html><title>T</title><body><ul>{menu}</ul><h1>Title</h1>{''.join(paragraphs)}{script}</body></html>"


def explained(page: SourcePage) -> bytes:
    """A page beside its text, as the browser gets it."""
    return saved_page(show_page(Recipe(), page), "a page")


def view_rows(corpus: Path) -> Iterator[str]:
    """Rows of a table: what the first call of each view computes, and how long the next take."""
    app, name = make_app([corpus], ["bench"]), corpus.name
    context = f"/documents/{name}?words={vocabulary()[100]}&shown=lines&sort=left"
    with TestClient(app, base_url="http://bench") as client:
        calls: dict[str, Callable[[], object]] = {
            "the first page": partial(client.get, "/"),
            "all documents": partial(client.get, f"/documents/{name}"),
            "a document": partial(client.get, f"/documents/{name}/{1000:016x}"),
            "left out": partial(client.get, f"/left-out/{name}"),
            "pages to mark": partial(client.get, f"/mark/{name}"),
            "the list of pages to measure": partial(client.get, f"/mark/{name}/portal-1/measure?who=ann"),
            "the crawl": partial(client.get, f"/watch/{name}"),
            "the contents, loaded behind the crawl": partial(client.get, f"/watch/{name}/contents"),
            "portals": partial(client.get, f"/portal/{name}"),
            "a page to try": partial(client.get, "/try"),
            "a frequent word in context": partial(client.get, context),
        }
        for what, share in (("a tenth of it text", 0.1), ("all of it text", 1.0)):
            page = SourcePage(Page.from_html(page_of(share)))
            calls[f"a page of 1 MB explained and written as HTML, {what}"] = partial(explained, page)
        for what, call in calls.items():
            begun = time.process_time()
            answer = call()
            first = 1000 * (time.process_time() - begun)
            assert getattr(answer, "status_code", 200) == 200, what
            yield f"| {what} | {first:.0f} | {milliseconds(call)} |"


def main() -> None:
    """Measure, and write the results."""
    corpus = made_corpus(Path(sys.argv[1]), N_DOCUMENTS)
    lines = [
        "# The browser side",
        "",
        "`python -m benchmarks.ui FOLDER`, on a machine shared with others: median of five calls in ms, and in",
        "brackets the mean of what the process computed, which a machine of one's own takes. The first call after a",
        "change of the ledger counts its addresses. The frequencies are loaded behind the list.",
        f"{N_DOCUMENTS:,} documents of {WORDS_A_DOCUMENT} made words; the crawl left out {N_DOCUMENTS // 2:,} pages.",
        "",
        "| view | first call, computing | ms |",
        "|---|--:|--:|",
        *view_rows(corpus),
        "",
        "| search | documents | hits | hits by hand | list | frequencies | sorted lines | random sample |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        *search_rows(corpus),
        "",
        "| hostile query | ms | error |",
        "|---|--:|---|",
        *hostile_rows(corpus),
        "",
        f"The index has {index_path(corpus).stat().st_size / 1e6:,.0f} MB.",
    ]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
