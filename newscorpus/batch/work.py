"""Do what a task of a batch does. A task that is killed leaves nothing that counts, and can be done again."""

import shutil
from collections.abc import Mapping

from newscorpus.batch.plan import Plan
from newscorpus.errors import CorpusError
from newscorpus.files import replacing, sync_folder
from newscorpus.layout import INTAKE, INTAKE_SEGMENT, REJECTED
from newscorpus.publish.build import BuildReport, build
from newscorpus.publish.reextract import extract_pages, store
from newscorpus.stored.remote import upload_corpus


def extract_part(plan: Plan, number: int) -> Mapping[str, int]:
    """Extract the pages of a task into its part; gives the numbers of outcomes, as `reextract`.

    Raises:
        ArchiveError, ValueError, ImportError: as `extract_pages`.
        OSError: the disk is full; the part is not there.
    """
    part = plan.part(number)
    unfinished = part.with_name(f".{part.name}.tmp")
    for folder in (unfinished, part):
        shutil.rmtree(folder, ignore_errors=True)
    outcomes = store(extract_pages(plan.pages(number), plan.recipe), unfinished).outcomes
    unfinished.rename(part)
    sync_folder(part.parent)
    return outcomes


def publish_parts(plan: Plan) -> BuildReport:
    """Join the parts of all tasks to one intake, and build the corpus.

    Raises:
        CorpusError: tasks are missing; or as `build`.
    """
    parts = [plan.part(number) for number in range(len(plan.shares))]
    if missing := [part.name for part in parts if not part.is_dir()]:
        raise CorpusError(f"{plan.output}: {len(missing)} tasks of extract are not done, {missing[0]} for one")
    (plan.folder / INTAKE).mkdir(exist_ok=True)
    with replacing(plan.folder / REJECTED) as journal:
        for number, part in enumerate(parts, 1):
            for segment in (part / INTAKE).iterdir():
                segment.rename(plan.folder / INTAKE_SEGMENT.format(number))
            with (part / REJECTED).open("rb") as lines:
                shutil.copyfileobj(lines, journal)
    sync_folder(plan.folder / INTAKE)
    return build(plan.folder, plan.build)


def upload_result(plan: Plan) -> None:
    """Bring the corpus to the address that the recipe names; errors as for `upload_corpus`."""
    upload_corpus(plan.folder, plan.upload)
