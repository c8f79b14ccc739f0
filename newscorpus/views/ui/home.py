"""Show the start page: what each corpus holds, when it was crawled last, and what needs a look."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from newscorpus.corpus.published import open_corpus, published_folder
from newscorpus.errors import CorpusError, LedgerError
from newscorpus.files import is_held
from newscorpus.layout import CRAWL_LOCK, LEDGER, MANIFEST
from newscorpus.store.ledger.addresses import last_pages, states
from newscorpus.store.ledger.portals import alarms, site_paces
from newscorpus.store.ledger.status import status
from newscorpus.views.ui.state import state_of


@dataclass(frozen=True, slots=True)
class CorpusCard:
    """A corpus at a glance."""

    name: str  # in addresses
    folder: Path
    documents: int
    words: int
    portals: tuple[str, ...]
    last_fetched: str  # ISO 8601; "" without a crawl
    is_running: bool  # a crawl
    needs: tuple[tuple[str, str], ...]  # what needs a look: a line for people, and the view


def view(request: Request) -> Response:
    """Show a card of each corpus."""
    cards = [_card(name, folder) for name, folder in state_of(request).corpora.items()]
    return state_of(request).render(request, "home.html", "Corpora", cards=cards)


def _card(name: str, folder: Path) -> CorpusCard:
    documents, words, portals, last, needs = 0, 0, tuple[str, ...](), "", list[tuple[str, str]]()
    try:
        if (folder / LEDGER).is_file():
            portals = tuple(sorted({portal for portal, _ in states(folder) if portal}))
            last = next((page.fetched for page in last_pages(folder)), "")
            needs += _needs(folder)
        if (published_folder(folder) / MANIFEST).is_file():
            manifest = open_corpus(folder).manifest
            documents, words = manifest.documents, manifest.words
    except (CorpusError, LedgerError) as error:
        needs.append((str(error), "watch"))
    return CorpusCard(name, folder, documents, words, portals, last, is_held(folder / CRAWL_LOCK), tuple(needs))


def _needs(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what a crawl missed, the redesigns that no template covers, and the sites that rest or are given up."""
    for portal in status(folder):
        yield from ((line, "watch") for line in portal.shortfalls())
    for alarm in alarms(folder):
        if not (alarm.until and alarm.template):
            yield str(alarm), f"portal/{alarm.portal}"
    for site in site_paces(folder):
        if said := site.describe(datetime.now(UTC)):
            yield f"{site.name}: {said}", "watch"
