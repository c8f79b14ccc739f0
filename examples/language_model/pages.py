"""Read pages to train on and gold texts to test on, from the demo portal or from files of pages with gold text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from newscorpus.data import Page, Rejected
from newscorpus.lab.gold.pages import as_gold_has_it, has_article, read_pages
from newscorpus.lab.systems.peers import PEERS, MissingPeerError
from newscorpus.page import registry
from newscorpus.page.extractor import Extractor, read
from newscorpus.page.loading import load
from newscorpus.views.demo.run import read_gold
from newscorpus.views.demo.server import SITE, read_routes

RAW, GOLD = "the whole page", "gold"
EVERY = 3
"""Of the demo's articles in a language every third is held out."""


@dataclass(frozen=True, slots=True)
class Example:
    """A page with its gold text."""

    dataset: str  # name of the set
    language: str  # primary tag
    page: Page  # the page
    gold: str  # its main text, written down by people
    held_out: bool  # whether its gold text is for testing; else the page is for training


def demo_examples() -> Iterator[Example]:
    """Read the articles of the demo portal; those expected as duplicates are left out."""
    files = {route.path: SITE / route.file for route in read_routes().values() if route.file}
    seen: dict[str, int] = {}
    for _, gold in sorted(read_gold().items()):
        path = files.get("/" + gold.url.partition("://")[2].partition("/")[2])
        if gold.expect == "kept" and gold.text and path:
            number = seen[gold.language] = seen.get(gold.language, -1) + 1
            page = Page(gold.url, path.read_bytes())
            yield Example("demo", "in all its languages", page, gold.text, number % EVERY == EVERY - 1)


def gold_examples(path: Path) -> Iterator[Example]:
    """Read the articles of a file of docs/data.md: the split "train" to train on, "dev" to test on."""
    for page in read_pages(path):
        if page.text and has_article(page.page_type) and page.split:
            fetched = Page.from_html(page.html, page.url)
            yield Example(page.dataset, page.language, fetched, page.text, page.split == "dev")


def installed_systems() -> dict[str, Extractor]:
    """Load our default extractor and every peer whose package is installed."""
    found = {registry.DEFAULT: load(registry.DEFAULT)}
    for name in PEERS:
        try:
            found[name] = load(name)
        except MissingPeerError:
            continue
    return found


def training_texts(examples: Sequence[Example], systems: dict[str, Extractor]) -> dict[str, list[str]]:
    """Extract each page by each system, "" where it finds no text; also all text of the page, and the gold."""
    texts = {RAW: [all_text(example.page) for example in examples]}
    texts |= {name: [_text(extract, one) for one in examples] for name, extract in systems.items()}
    return texts | {GOLD: [example.gold for example in examples]}


def all_text(page: Page) -> str:
    """Join every block of the page, menus included."""
    prepared = read(page)
    return "" if isinstance(prepared, Rejected) else "\n".join(block.text for block in prepared.blocks)


def _text(extract: Extractor, example: Example) -> str:
    found = extract(example.page)
    return "" if isinstance(found, Rejected) else as_gold_has_it(example.dataset, found.fields.title, found.text)
