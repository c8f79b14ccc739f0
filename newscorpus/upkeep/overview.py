"""Give an overview of corpora: what each holds, when it was crawled last, and what needs a look."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from newscorpus.corpus.published import is_published, open_corpus
from newscorpus.errors import CorpusError
from newscorpus.layout import CRAWL_REPORT, LEDGER
from newscorpus.resources import project_folder
from newscorpus.store.crawl_log import crawl_logs, is_crawling
from newscorpus.store.ledger.portals import site_paces
from newscorpus.store.ledger.status import PortalStatus, status


@dataclass(frozen=True, slots=True)
class Need:
    """What needs a look."""

    text: str  # one line
    portal: str = ""  # that the look should begin with; "": with the crawl


@dataclass(frozen=True, slots=True)
class Overview:
    """A corpus at a glance."""

    folder: Path
    documents: int  # published
    words: int  # of the documents
    portals: tuple[PortalStatus, ...]
    is_running: bool  # a crawl
    needs: tuple[Need, ...]

    @property
    def last_kept(self) -> str:
        """When the last page with an article was fetched, ISO 8601; "" for never."""
        return max((one.last_kept for one in self.portals), default="")


def default_corpora() -> list[Path]:
    """Return the crawled corpora in `corpora`, in the folder of the Scrapy project or in the current one."""
    folder = (project_folder() or Path()) / "corpora"
    return sorted(path.parent for path in folder.glob(f"*/{LEDGER}"))


def overview(folder: Path) -> Overview:
    """Look into a corpus; errors are among the needs."""
    documents, words, portals, needs = 0, 0, tuple[PortalStatus, ...](), list[Need]()
    is_running = is_crawling(folder)
    try:
        if (folder / LEDGER).is_file():
            portals = tuple(one for one in status(folder) if one.portal)
            needs += [] if is_running else map(Need, _bad_end(folder))
            needs += _needs(folder, portals)
        if is_published(folder):
            manifest = open_corpus(folder).manifest
            documents, words = manifest.documents, manifest.words
    except CorpusError as error:
        needs.append(Need(str(error)))
    return Overview(folder, documents, words, portals, is_running, tuple(needs))


def _bad_end(folder: Path) -> Iterator[str]:
    """Yield how the last crawl failed or died."""
    report = None
    with suppress(OSError, ValueError):
        report = json.loads((folder / CRAWL_REPORT).read_bytes())
    if isinstance(report, dict) and (failed := report.get("stats", {}).get("newscorpus/failed")):
        yield f"the last crawl failed ({failed}); newscorpus log {folder} --errors shows why"
    elif report is None and crawl_logs(folder):
        yield f"the last crawl died; newscorpus log {folder} shows where"


def _needs(folder: Path, portals: tuple[PortalStatus, ...]) -> Iterator[Need]:
    """Yield what a crawl missed, the redesigns that no template covers, and the sites that rest or are given up."""
    for portal in portals:
        yield from map(Need, portal.shortfalls())
    for portal in portals:
        yield from (Need(str(redesign), portal.portal) for redesign in portal.redesigns)
    for site in site_paces(folder):
        if said := site.describe(datetime.now(UTC)):
            yield Need(f"{site.name}: {said}")
