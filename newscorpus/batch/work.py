"""Do what a task of a batch does. A task that is killed leaves nothing that counts, and can be done again."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from newscorpus.batch.duplicates import index_part, known_duplicates
from newscorpus.batch.plan import EXPORT, Plan
from newscorpus.config import SplitConfig
from newscorpus.corpus.build import BuildReport, build
from newscorpus.corpus.duplicates.find import find_duplicates
from newscorpus.corpus.duplicates.store import Covered, Store, layout_of
from newscorpus.corpus.export.export import export
from newscorpus.corpus.export.source import About
from newscorpus.corpus.reextract import extract_pages, store
from newscorpus.corpus.remote import upload_corpus
from newscorpus.files import replacing, sync_folder
from newscorpus.layout import INDEX, INTAKE, INTAKE_SEGMENT, REJECTED


def extract_part(plan: Plan, number: int) -> Mapping[str, int]:
    """Extract the pages of a task into its part; gives the numbers of outcomes, as `reextract`.

    Raises:
        ArchiveError, ValueError, ImportError: as `extract_pages`.
        OSError: the disk is full; the part is not there.
    """
    part = plan.made("extract", number)
    unfinished = part.with_name(f".{part.name}.tmp")
    for folder in (unfinished, part):
        shutil.rmtree(folder, ignore_errors=True)
    outcomes = store(extract_pages(plan.pages(number), plan.recipe), unfinished).outcomes
    index_part(unfinished, plan.build)
    unfinished.rename(part)
    sync_folder(part.parent)
    return outcomes


def publish_parts(plan: Plan) -> BuildReport:
    """Join the parts of all tasks to one intake with its index, and build the corpus; errors as for `build`."""
    (plan.folder / INTAKE).mkdir(exist_ok=True)
    with replacing(plan.folder / REJECTED) as journal:
        for number, part in enumerate(plan.parts, 1):
            for segment in (part / INTAKE).iterdir():
                segment.rename(plan.folder / INTAKE_SEGMENT.format(number))
            with (part / REJECTED).open("rb") as lines:
                shutil.copyfileobj(lines, journal)
    sync_folder(plan.folder / INTAKE)
    _join_indexes(plan)
    find = known_duplicates(plan) if len(plan.shares) > 1 else find_duplicates
    return build(plan.folder, plan.build, find=find)


def _join_indexes(plan: Plan) -> None:
    """Make the index of the whole intake of those of its parts."""
    layout = layout_of(plan.build)
    joined = Store.create(plan.folder / INDEX, layout)
    covered: tuple[Covered, ...] = ()
    for number, part in enumerate(plan.parts, 1):
        store = Store.open(part / INDEX, layout)
        covered += tuple(replace(one, name=Path(INTAKE_SEGMENT.format(number)).name) for one in store.state.covered)
        documents = store.documents.copy()
        documents["file"] = len(covered) - 1
        joined = joined.take(store, 0, documents, covered)


def export_result(plan: Plan) -> None:
    """Write the corpus in the form that the recipe names; errors as for `export`."""
    wanted = plan.export
    if wanted.format:
        about = About(wanted.name or plan.folder.name, wanted.creator, wanted.url)
        split = SplitConfig(wanted.split, wanted.validation, wanted.test)
        export(plan.folder, plan.folder / EXPORT, wanted.format, about, split)


def upload_result(plan: Plan) -> None:
    """Bring corpus and export to the addresses that the recipe names; errors as for `upload_corpus`."""
    for folder, address in ((plan.folder, plan.upload), (plan.folder / EXPORT, plan.export.upload)):
        if address:
            upload_corpus(folder, address)
