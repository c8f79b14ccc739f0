"""Remove documents from a corpus for good, at the request of a publisher or a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from newscorpus.config import BuildConfig
from newscorpus.corpus.build import build
from newscorpus.corpus.duplicates.find import Watch, unwatched
from newscorpus.corpus.erase import (
    ID,
    Removing,
    end_removing,
    erase,
    find_named,
    now,
    read_removing,
    write_removing,
)
from newscorpus.corpus.manifest import read_manifest
from newscorpus.corpus.published import copies_of, is_published, open_corpus, publish, published_folder
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import BUILD_LOCK, INTAKE, PLAN, TASKS, check_corpus, refuse_strangers
from newscorpus.store.intake import segments
from newscorpus.store.removals import note_removal, removals_of
from newscorpus.urls import canonical_url, document_id, is_web


@dataclass(frozen=True, slots=True)
class RemovalReport:
    """Counts of a removal."""

    unknown: tuple[str, ...]  # given names that the corpus does not hold
    earlier: Mapping[str, str]  # those of them that were removed before, with the time, ISO 8601
    rows: int  # removed lines of the intake, or documents of a corpus without one
    archived: int  # overwritten responses of the archive
    linking: int  # archived pages of other documents that link to the removed ones, and stay
    copies: tuple[str, ...]  # folders and addresses that documents of the corpus were copied to


def remove(
    corpus: Path, names: Sequence[str], reason: str, *, from_archive: bool = False, watch: Watch = unwatched
) -> RemovalReport:
    """Remove documents from a corpus, and exclude them from every later build, crawl, merge and re-extraction.

    A killed removal is completed by the next removal, build or crawl. The reason is recorded with the removal, and
    should not name the documents.

    Raises:
        CorpusError: a name is neither; there is no corpus; a crawl or a build is running.
    """
    for name in names:
        if not (is_web(name) or ID.fullmatch(name)):
            raise CorpusError(f"{name!r} is neither an address nor the id of a document, 16 digits of 0-9 and a-f")
    asked = {name: document_id(name) if is_web(name) else name for name in names}
    before = removals_of(check_corpus(corpus))
    with exclusive(corpus / BUILD_LOCK):
        refuse_strangers(corpus)
        if (corpus / PLAN).is_file() and not any(corpus.glob(f"{TASKS}/publish/completions/*")):
            raise CorpusError(f"{corpus}: its batch is not done; remove documents when newscorpus batch has made it")
        found = find_named(corpus, frozenset(asked.values()))
        given = {canonical_url(name) for name in names if is_web(name)}
        # Record the removal before the work that it needs: later commands exclude the documents at once.
        when = now()
        note_removal(corpus, found.documents, reason, when)
        old = read_removing(corpus) or Removing(when, ())
        documents = tuple(sorted({*old.documents, *found.documents}))
        urls = tuple(sorted({*old.urls, *found.urls, *given}))
        from_archive = from_archive or old.from_archive
        write_removing(corpus, Removing(when, documents, urls, from_archive=from_archive))
    done = finish_removal(corpus, watch) or Removing("", ())
    unknown = tuple(name for name, document in asked.items() if document not in found.met)
    earlier = {name: removal.removed for name in unknown if (removal := before.of(asked[name]))}
    return RemovalReport(unknown, earlier, found.rows, len(done.parts or ()), done.n_linking, copies_of(corpus))


def finish_removal(corpus: Path, watch: Watch = unwatched) -> Removing | None:
    """Complete the removal in progress in a corpus, if there is one, publish the rest, and return the removal.

    Raises:
        CorpusError: a crawl or a build is running, or a file cannot be read or written.
    """
    removing = read_removing(corpus)
    if removing is None:
        return None
    with exclusive(corpus / BUILD_LOCK):
        removing = erase(corpus, removing)
        if not segments(corpus / INTAKE):
            if is_published(corpus):
                published, removals = open_corpus(corpus), removals_of(corpus)
                left = (record for record in published.records() if not removals.of(record.id))
                publish(published.folder, left, published.manifest.parameters)
            end_removing(corpus)
    if segments(corpus / INTAKE):
        parameters = read_manifest(published_folder(corpus)).parameters if is_published(corpus) else BuildConfig()
        build(corpus, parameters, watch)
    return removing
