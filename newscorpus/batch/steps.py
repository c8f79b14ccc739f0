"""Read, extract, judge, sign and write documents as steps of a datatrove pipeline.

A document is a `Document` of datatrove: `text`, `id`, and the other keys of a record in `metadata`. Rejected documents
are counted by stage and reason, and passed to the step's `exclusion_writer`, if any.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter
from datatrove.utils.typeshelper import StatHints

from newscorpus.batch.inputs import divide, find_inputs, read_pages
from newscorpus.config import BuildConfig
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.reextract import extract_pages
from newscorpus.data import Article, Fields, Page, Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import INTAKE_SEGMENT
from newscorpus.lines import writable
from newscorpus.page.judge import make_row
from newscorpus.page.parsing.decode import decode
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.schema import list_portals, load_portal
from newscorpus.store.intake import write_segment
from newscorpus.tokens import count_words
from newscorpus.urls import site_key

PAGE = "page"
"""Key of the `SourcePage` of a document from `ReadArchives`; `Extract` removes it."""

SIGNATURE = "signature"
"""Key of the signature that `Sign` adds, in hex."""

OUTCOME = "outcome"
"""Key of the outcome that `Extract` passes to its filter."""

DROPPED = "dropped_"
"""Prefix of the statistics of rejected documents, as in datatrove's filters."""

RECORD_KEYS, ARTICLE_KEYS, FIELD_KEYS = (
    frozenset(field.name for field in fields(kind)) for kind in (Record, Article, Fields)
)
"""Keys of the metadata that our steps read."""


def document_of(record: Record) -> Document:
    """Convert a record to a document."""
    metadata = msgspec.to_builtins(record)
    return Document(metadata.pop("text"), metadata.pop("id"), metadata=metadata)


def record_of(document: Document) -> Record:
    """Convert a document to a record, without unknown keys.

    Raises:
        CorpusError: keys of a record are missing.
    """
    known = {key: value for key, value in document.metadata.items() if key in RECORD_KEYS}
    try:
        record = msgspec.convert({**known, "id": document.id, "text": document.text}, Record)
    except msgspec.ValidationError as error:
        raise CorpusError(f"document {document.id}: no record ({error}); put Extract or Judge before") from error
    return replace(record, n_words=count_words(record.text))


class ReadArchives(PipelineStep):
    """Read the pages of archives as documents whose text is HTML; each task reads some of the files.

    Args:
        inputs: as in the recipe of `newscorpus batch`; relative paths start in the current folder.
        portals: portals with their rules and languages, by name or file; empty for all.
    """

    name = "newscorpus: archives"
    type = "📖 - READER"

    def __init__(self, inputs: Sequence[str], portals: Sequence[str] = ()) -> None:
        super().__init__()
        self._home = Path.cwd()
        self._inputs = inputs
        self._portals = portals

    def run(self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Pass on the incoming documents, then yield those of the task's files."""
        yield from data or ()
        inputs = find_inputs(self._home, self._inputs)
        portals = tuple(map(load_portal, self._portals or list_portals()))
        with TemporaryDirectory(prefix="newscorpus-") as copies:
            slices = divide(inputs.files, world_size)[rank]
            for page in read_pages(slices, inputs.unfinished, portals, Path(copies, "input")):
                self.stat_update(StatHints.total)
                html = page if isinstance(page, Rejected) else decode(page.page)
                if isinstance(html, Rejected):
                    self.stat_update(f"{DROPPED}{html.stage}/{html.reason}")
                elif isinstance(page, SourcePage):
                    url = page.page.url
                    metadata = {"url": url, "source": page.source, "fetched": page.page.fetched, PAGE: page}
                    yield Document(html, page.document or url, metadata=metadata)


class ReadCorpus(PipelineStep):
    """Read the documents of a published corpus; each task reads some of its shards."""

    name = "newscorpus: corpus"
    type = "📖 - READER"

    def __init__(self, corpus: str) -> None:
        super().__init__()
        self._corpus = corpus

    def run(self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Pass on the incoming documents, then yield those of the task's shards."""
        yield from data or ()
        published = open_corpus(Path(self._corpus))
        for shard in published.manifest.shards[rank::world_size]:
            for record in published.shard_records(shard):
                self.stat_update(StatHints.total)
                yield document_of(record)


class Extract(BaseFilter):
    """Extract documents whose text is HTML in `jobs` worker processes, and judge them like a crawl."""

    name = "newscorpus: extract"
    type = "🛢 - EXTRAC"

    def __init__(self, recipe: Recipe = Recipe(), exclusion_writer: DiskWriter | None = None, jobs: int = 1) -> None:
        super().__init__(exclusion_writer)
        self._recipe = recipe
        self._jobs = jobs

    def run(self, data: Iterable[Document], rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the extracted documents."""
        waiting: deque[Document] = deque()

        def pages() -> Iterator[SourcePage]:
            for document in data:
                waiting.append(document)
                yield document.metadata.pop(PAGE, None) or _page_of(document)

        def extracted() -> Iterator[Document]:
            for _, outcome in extract_pages(pages(), self._recipe, self._jobs):
                document = waiting.popleft()
                document.metadata[OUTCOME] = outcome
                yield document

        yield from super().run(extracted(), rank, world_size)

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Replace the HTML of a document by its extracted record."""
        return _apply_outcome(doc, doc.metadata.pop(OUTCOME))


class Judge(BaseFilter):
    """Judge texts by rights, quality and language like a crawl, and add the keys of a record."""

    name = "newscorpus: judge"

    def __init__(self, recipe: Recipe = Recipe(), exclusion_writer: DiskWriter | None = None) -> None:
        super().__init__(exclusion_writer)
        self._recipe = recipe

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Judge a document."""
        page = _page_of(doc)
        known = {key: value for key, value in doc.metadata.items() if key in ARTICLE_KEYS}
        known_fields = {key: value for key, value in doc.metadata.items() if key in FIELD_KEYS}
        values = {"url": page.page.url, "extractor": "given", **known, "text": doc.text, "fields": known_fields}
        outcome = make_row(self._recipe, msgspec.convert(values, Article), replace(page, document=doc.id))
        return _apply_outcome(doc, outcome)


class Sign(PipelineStep):
    """Add the MinHash signature of each text, in hex, as the key `signature`."""

    name = "newscorpus: sign"
    type = "🫂 - DEDUP"

    def run(self, data: Iterable[Document], _rank: int = 0, _world_size: int = 1) -> Iterator[Document]:
        """Yield all documents."""
        for document in data:
            document.metadata[SIGNATURE] = sign(document.text).hex()
            yield document


class WriteIntake(PipelineStep):
    """Write documents to the intake of a new corpus, one segment per task; `newscorpus build FOLDER` publishes it.

    A segment appears when complete, and replaces that of an earlier run. Unknown keys are dropped.
    """

    name = "newscorpus: intake"
    type = "💽 - WRITER"

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = Path(folder)

    def run(self, data: Iterable[Document], rank: int = 0, _world_size: int = 1) -> Iterator[Document]:
        """Write documents, and pass them on."""
        segment = self._folder / INTAKE_SEGMENT.format(rank + 1)
        with write_segment(segment, BuildConfig().signature) as append:
            for document in data:
                record = writable(record_of(document))
                append(Row(record, sign(record.text)))
                self.stat_update(StatHints.total)
                yield document


def _page_of(document: Document) -> SourcePage:
    """Convert a document from another step to a page."""
    url = document.metadata.get("url", "")
    page = Page.from_html(document.text, url)
    return SourcePage(page, document.metadata.get("source") or site_key(url), document="" if url else document.id)


def _apply_outcome(document: Document, outcome: Row | Rejected) -> bool | tuple[bool, str]:
    """Replace a document by its record, unless rejected; return what a datatrove filter returns."""
    if isinstance(outcome, Rejected):
        return False, f"{outcome.stage}/{outcome.reason}"
    made = document_of(outcome.record)
    document.text, document.id = made.text, made.id
    document.metadata |= made.metadata
    return True
