"""Run the tasks of a batch by datatrove: on this machine, or as job arrays of Slurm.

Each stage is a pipeline of datatrove, whose tasks are the partitions. datatrove marks every task that is done, and does
only the others when it is asked again. A task that is killed leaves nothing that counts, and can be done again.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from datatrove.executor import LocalPipelineExecutor, SlurmPipelineExecutor

from newscorpus.batch.duplicates import DuplicateTask, index_part, known_duplicates
from newscorpus.batch.plan import EXPORT, Plan, SlurmSection, read_plan
from newscorpus.config import SplitConfig
from newscorpus.corpus.build import BuildReport, build
from newscorpus.corpus.duplicates.find import find_duplicates
from newscorpus.corpus.duplicates.store import Covered, Store, layout_of
from newscorpus.corpus.export.export import export
from newscorpus.corpus.export.source import About
from newscorpus.corpus.reextract import extract_pages, store
from newscorpus.corpus.remote import upload_corpus
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replacing, sync_folder
from newscorpus.layout import INDEX, INTAKE, INTAKE_SEGMENT, REJECTED
from newscorpus.workers import COMMAND

TRIES = 2
"""Times that a task is started which a signal ended, such as that of the kernel when memory runs out."""


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
    outcomes = store(extract_pages(plan.pages(number), plan.recipe, 1), unfinished).outcomes
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
    layout = layout_of(plan.build)
    joined = Store.create(plan.folder / INDEX, layout)
    covered: tuple[Covered, ...] = ()
    for number, part in enumerate(plan.parts, 1):
        index = Store.open(part / INDEX, layout)
        covered += tuple(replace(one, name=Path(INTAKE_SEGMENT.format(number)).name) for one in index.state.covered)
        documents = index.documents.copy()
        documents["file"] = len(covered) - 1
        joined = joined.take(index, 0, documents, covered)
    find = known_duplicates(plan) if len(plan.shares) > 1 else find_duplicates
    return build(plan.folder, plan.build, find=find)


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


class Stage(StrEnum):
    """What the tasks of a batch do, in order."""

    EXTRACT = "extract"
    LINK = "link"
    GROUP = "group"
    LISTS = "lists"
    REPEATS = "repeats"
    RUNS = "runs"
    EXCERPTS = "excerpts"
    PUBLISH = "publish"
    EXPORT = "export"
    UPLOAD = "upload"


ONE_TASK = {Stage.GROUP, Stage.PUBLISH, Stage.EXPORT, Stage.UPLOAD}
"""Stages that have one task only."""

DUPLICATE_STAGES = {Stage.LINK, Stage.GROUP, Stage.LISTS, Stage.REPEATS, Stage.RUNS, Stage.EXCERPTS}
"""Stages that find the duplicates of several parts."""


@dataclass(frozen=True)
class BatchTask:
    """The one step of a stage's pipeline."""

    plan: str
    stage: Stage

    def __call__(self, _data: Any, rank: int, _world_size: int) -> None:
        """Do what the task of that number does, in one process at a time; what it makes lies in files."""
        plan = read_plan(Path(self.plan))
        _refuse_gaps(plan, self.stage)
        lock = task_lock(plan, self.stage, rank)
        lock.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(lock, f"process of {self.stage}/{rank}"):
            match self.stage:
                case Stage.EXTRACT:
                    extract_part(plan, rank)
                case Stage.PUBLISH:
                    publish_parts(plan)
                case Stage.EXPORT:
                    export_result(plan)
                case Stage.UPLOAD:
                    upload_result(plan)
                case stage:
                    getattr(DuplicateTask(plan, rank), stage)()


class JobArrays(SlurmPipelineExecutor):  # type: ignore[misc]
    """Hands tasks to Slurm, to its default partition where none is named."""

    def get_sbatch_args(self, max_array: int = 1) -> dict[str, Any]:
        """The options of `sbatch`; it takes no empty name."""
        options = super().get_sbatch_args(max_array)
        return {name: value for name, value in options.items() if name != "partition" or value}


@dataclass(frozen=True, slots=True)
class Failure:
    """A task that was not done."""

    number: int
    why: str  # one line
    log: Path


def stages_of(plan: Plan) -> list[Stage]:
    """The stages of a batch, in order; the duplicates of a single part are found when it is published."""
    left_out = DUPLICATE_STAGES if len(plan.shares) == 1 else set()
    if not plan.export.format:
        left_out = left_out | {Stage.EXPORT}
    if not (plan.upload or plan.export.upload):
        left_out = left_out | {Stage.UPLOAD}
    return [stage for stage in Stage if stage not in left_out]


def tasks_of(plan: Plan, stage: Stage) -> int:
    """How many tasks a stage has."""
    return 1 if stage in ONE_TASK else len(plan.shares)


def missing(plan: Plan, stage: Stage) -> list[int]:
    """The tasks of a stage that are not done."""
    found: list[int] = _local(plan, stage).get_incomplete_ranks()
    return found


def _refuse_gaps(plan: Plan, stage: Stage) -> None:
    """Refuse a task whose stage would build on one that is not done; Slurm starts it whatever became of that.

    Raises:
        CorpusError: it names the first task that is not done.
    """
    stages = stages_of(plan)
    for before in stages[: stages.index(stage)]:
        if undone := missing(plan, before):
            raise CorpusError(f"{plan.output}: {len(undone)} tasks of {before} are not done, {undone[0]} for one")


def run_task(plan: Plan, stage: Stage, number: int) -> None:
    """Do one task in this process, unless it is done.

    Raises:
        ValueError, OSError, ImportError: as the functions of `work`.
    """
    if stage not in stages_of(plan):
        raise CorpusError(f"this batch has no stage {stage}; it has {', '.join(stages_of(plan))}")
    if not 0 <= number < (n_tasks := tasks_of(plan, stage)):
        raise CorpusError(f"{stage} has the tasks 0 to {n_tasks - 1}, and no {number}")
    _local(plan, stage, number).run()


def run_here(recipe_file: Path, plan: Plan, stage: Stage, at_once: int) -> Iterator[Failure | None]:
    """Do the missing tasks of a stage in processes of their own; gives what became of each, None where it is done.

    The processes are ours, since datatrove's pool waits for ever for a process that was killed.
    """
    with ThreadPoolExecutor(at_once) as threads:
        yield from threads.map(partial(_run_apart, recipe_file, plan, stage), missing(plan, stage))


def submit(plan: Plan, slurm: SlurmSection) -> Mapping[Stage, str]:
    """Hand the missing tasks of all stages to Slurm; gives the numbers of the jobs, "" where all was done.

    Raises:
        CorpusError: Slurm is not here, or refuses the job.
    """
    jobs: dict[Stage, str] = {}
    before = None
    for stage in stages_of(plan):
        executor = _slurm(plan, stage, slurm, before)
        try:
            executor.run()
        except FileNotFoundError as error:
            raise CorpusError(f"{error.filename}: not found; is this a machine that hands jobs to Slurm?") from error
        except subprocess.CalledProcessError as error:
            raise CorpusError(f"sbatch ended with exit code {error.returncode}; its message stands above") from error
        jobs[stage] = str(executor.job_id) if executor.job_id != -1 else ""
        before = executor
    return jobs


def _folder(plan: Plan, stage: Stage) -> Path:
    return plan.file.parent / stage


def task_lock(plan: Plan, stage: Stage, number: int) -> Path:
    """What a task holds while it is done: the same batch may be run twice, and Slurm may begin a job anew."""
    return _folder(plan, stage) / f".{number:05}.lock"


def _local(plan: Plan, stage: Stage, number: int = 0) -> LocalPipelineExecutor:
    return LocalPipelineExecutor(
        [BatchTask(str(plan.file), stage)],
        tasks=tasks_of(plan, stage),
        workers=1,
        local_tasks=1,
        local_rank_offset=number,
        logging_dir=str(_folder(plan, stage)),
    )


def _slurm(plan: Plan, stage: Stage, slurm: SlurmSection, before: JobArrays | None) -> JobArrays:
    activate = Path(sys.prefix, "bin", "activate")
    return JobArrays(
        [BatchTask(str(plan.file), stage)],
        tasks=tasks_of(plan, stage),
        workers=slurm.at_once,
        time=slurm.time,
        partition=slurm.partition,
        mem_per_cpu_gb=slurm.memory_gb,
        job_name=f"newscorpus-{stage}",
        qos="",
        env_command=slurm.setup or (f"source {activate}" if activate.is_file() else "true"),
        depends=before,
        run_on_dependency_fail=True,  # it then names the tasks that are missing
        logging_dir=str(_folder(plan, stage)),
    )


def _run_apart(recipe_file: Path, plan: Plan, stage: Stage, number: int) -> Failure | None:
    """Do a task in a process; what was killed is tried again."""
    command = [*COMMAND, "batch", str(recipe_file), "--task", f"{stage}/{number}"]
    for _ in range(TRIES):
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 -- our own
        if ended.returncode == 0:
            return None
        why = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("newscorpus: ")
        if ended.returncode > 0:
            break
        why = f"killed by signal {-ended.returncode}, {TRIES} times"
    return Failure(number, why, _folder(plan, stage) / "logs" / f"task_{number:05}.log")
