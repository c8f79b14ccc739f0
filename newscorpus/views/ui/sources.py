"""Find the pages that people mark and systems are compared on: those of a corpus, or of a folder of saved pages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from newscorpus.corpus.published import is_published, open_corpus
from newscorpus.data import Rejected
from newscorpus.errors import CorpusError
from newscorpus.lab.gold.marking import SPLITS, ListName, journal_of, place_of
from newscorpus.layout import ARCHIVE, LEDGER
from newscorpus.page.source_page import SourcePage
from newscorpus.store.archive.values import ByteRange
from newscorpus.store.ledger.addresses import archived_articles, find, states
from newscorpus.store.pages import read_saved, saved_pages
from newscorpus.urls import document_id
from newscorpus.views.explain.page import archived_source


@dataclass(frozen=True, slots=True)
class CorpusPages:
    """The archived pages of a corpus, grouped by portal."""

    folder: Path

    def groups(self) -> list[str]:
        """Return the crawled portals."""
        return sorted({portal for portal, _ in states(self.folder) if portal})

    def names(self) -> Sequence[str]:
        """Return nothing: a corpus has too many pages."""
        return ()

    def place(self, page: str) -> ByteRange | None:
        """Return where a page lies, relative to `gold/`; None if there is no such page."""
        entry = find(self.folder, page) if (self.folder / LEDGER).is_file() else None
        file, offset = entry.archived if entry else ("", 0)
        return place_of(f"{ARCHIVE}/{Path(file).name}", offset) if file else None

    def read(self, page: str) -> SourcePage:
        """Read a page from the archive, with the current portal files; raises CorpusError where there is none."""
        if (entry := find(self.folder, page)) is None:
            raise CorpusError(f"{page}: never met in this corpus")
        return archived_source(self.folder, page, *entry.archived)

    def draw(self, group: str, name: ListName, taken: Collection[str]) -> str:
        """Return the page with the least address hash (measure) or the least certain text; "" if none is left."""
        if name == "measure":  # a fair choice, whatever the model thinks of them
            return next((url for url, *_ in archived_articles(self.folder, group) if url not in taken), "")
        if not is_published(self.folder):
            return ""
        records = (one for one in open_corpus(self.folder).records() if one.source == group and one.url not in taken)
        least = min(records, key=lambda one: (one.confidence, one.id), default=None)
        return least.url if least else ""

    def data(self, group: str) -> Path:
        """Return the path for `train --data`: the gold pages of a portal."""
        return journal_of(self.folder, group).with_suffix(".jsonl")

    def evaluation(self, group: str) -> tuple[list[str], Path]:
        """Return arguments that evaluate on the measured pages of a portal, and the table that they write."""
        gold = self.data(group)
        output = gold.with_name(f"{group}-scores")
        return ["evaluate", "--dataset", str(gold), "--split", SPLITS["measure"], "--output", str(output)], (
            output / "texts.csv"
        )


@dataclass(frozen=True, slots=True)
class FolderPages:
    """The pages of a folder, `newscorpus.store.pages.saved_pages`, as one group."""

    folder: Path

    def groups(self) -> list[str]:
        """Return the name of the folder."""
        return [self.folder.resolve().name]

    def names(self) -> Sequence[str]:
        """Return the names of the pages."""
        return list(saved_pages(self.folder))

    def place(self, page: str) -> ByteRange | None:
        """Return where a page lies, relative to `gold/`; None if there is no such page."""
        place = saved_pages(self.folder).get(page)
        return place_of(place.file, place.offset) if place else None

    def read(self, page: str) -> SourcePage:
        """Read a page; raises CorpusError where there is none."""
        place = saved_pages(self.folder).get(page)
        found = read_saved(self.folder, place) if place else None
        if found is None or isinstance(found, Rejected):
            raise CorpusError(f"{page}: {found.detail if found else f'{self.folder} has no page of this name'}")
        return SourcePage(found)

    def draw(self, group: str, name: ListName, taken: Collection[str]) -> str:  # noqa: ARG002 -- one group
        """Return the page with the least name hash (measure), or the first by name; "" if none is left."""
        left = (page for page in saved_pages(self.folder) if page not in taken)
        return min(left, key=document_id, default="") if name == "measure" else next(left, "")

    def data(self, group: str) -> Path:  # noqa: ARG002 -- one group
        """Return the path for `train --data`."""
        return self.folder

    def evaluation(self, group: str) -> tuple[list[str], Path]:  # noqa: ARG002 -- one group
        """Return arguments that evaluate on the pages with a text or measured, and the table that they write."""
        return ["evaluate", str(self.folder)], self.folder / "evaluation.csv"


Source = CorpusPages | FolderPages
"""Pages to be marked, in groups; the marks lie in `gold/` of the folder."""
