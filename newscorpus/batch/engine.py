"""Run the tasks of a batch with datatrove: on this machine, or as job arrays of Slurm.

Each stage is a datatrove pipeline with one partition per task. datatrove marks finished tasks, and runs only the others
when called again. A killed task leaves no partial result, and can be repeated.
"""

import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec
from datatrove.executor import LocalPipelineExecutor, SlurmPipelineExecutor

from newscorpus.batch.duplicates import DuplicateTask, index_part, known_duplicates
from newscorpus.batch.plan import Plan, SlurmSection, read_plan
from newscorpus.corpus.build import BuildReport, Survivors, build, records_of
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.corpus.duplicates.store import Covered, Store, layout_of
from newscorpus.corpus.published import publish, publish_joined
from newscorpus.corpus.reextract import extract_pages, store
from newscorpus.errors import ArgumentError, CorpusError
from newscorpus.files import exclusive, replace_file, replacing, sync_folder
from newscorpus.layout import INDEX, INTAKE, INTAKE_SEGMENT, PUBLISHED, REJECTED
from newscorpus.workers import Commands

TRIES = 2
"""Attempts at a task that a signal ended, such as that of the kernel when memory runs out."""


def extract_part(plan: Plan, number: int) -> Mapping[str, int]:
    """Extract the pages of a task into its part.

    Returns:
        Numbers of "kept" and of rejections, as "stage/reason".

    Raises:
        ArchiveError, ValueError, ImportError: as for `extract_pages`.
        OSError: the disk is full; the part does not exist then.
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


def build_parts(plan: Plan) -> BuildReport:
    """Join the parts of all tasks into one intake with its index, and build the corpus; errors as for `build`.

    Of several parts only the survivors are written, for `write_ranges`.
    """
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
        if not len(index):
            continue
        covered += tuple(replace(one, name=Path(INTAKE_SEGMENT.format(number)).name) for one in index.state.covered)
        joined = joined.append_index(index, len(covered) - 1, covered)
    if len(plan.shares) == 1:
        return build(plan.folder, plan.build)
    files = plan.made(Stage.SURVIVORS, 0).parent

    def hand_over(ranges: Iterable[Survivors]) -> None:
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir(parents=True)
        for number, survivors in enumerate(ranges):
            replace_file(plan.made(Stage.SURVIVORS, number), msgspec.json.encode(survivors))

    return build(plan.folder, plan.build, find=known_duplicates(plan), publisher=hand_over)


def write_ranges(plan: Plan, number: int) -> None:
    """Write a corpus for each of a task's ranges of days; errors as for `publish`."""
    collection = Collection([Store.open(plan.folder / INDEX, layout_of(plan.build))])
    for path in _survivor_files(plan)[number :: len(plan.shares)]:
        of_days = msgspec.json.decode(path.read_bytes(), type=Survivors)
        records = records_of(collection, of_days, plan.build.duplicates)
        publish(plan.made(Stage.WRITE, int(path.name)), records, plan.build)


def publish_parts(plan: Plan) -> None:
    """Publish the corpora of all ranges of days as one, or build that of a single part; errors as for these."""
    if len(plan.shares) == 1:
        build_parts(plan)
        return
    parts = [plan.made(Stage.WRITE, int(path.name)) for path in _survivor_files(plan)]
    publish_joined(plan.folder / PUBLISHED, parts, plan.build)


def _survivor_files(plan: Plan) -> list[Path]:
    return sorted(plan.made(Stage.SURVIVORS, 0).parent.iterdir())


class Stage(StrEnum):
    """The stages of a batch, in order."""

    EXTRACT = "extract"
    LINK = "link"
    GROUP = "group"
    LISTS = "lists"
    REPEATS = "repeats"
    RUNS = "runs"
    EXCERPTS = "excerpts"
    SURVIVORS = "survivors"
    WRITE = "write"
    PUBLISH = "publish"


ONE_TASK = {Stage.GROUP, Stage.SURVIVORS, Stage.PUBLISH}
"""Stages with a single task."""

DUPLICATE_STAGES = {Stage.LINK, Stage.GROUP, Stage.LISTS, Stage.REPEATS, Stage.RUNS, Stage.EXCERPTS}
"""Stages that find duplicates across parts."""

OF_PARTS = {*DUPLICATE_STAGES, Stage.SURVIVORS, Stage.WRITE}
"""Stages that a batch of one part does not need."""


@dataclass(frozen=True)
class BatchTask:
    """The only step of a stage's pipeline."""

    plan: str
    stage: Stage

    def __call__(self, _data: Any, rank: int, _world_size: int) -> None:
        """Run one task, in one process at a time; its results are files.

        Raises:
            CorpusError: an earlier stage is incomplete; Slurm starts a job whatever became of the one it depends on.
        """
        plan = read_plan(Path(self.plan))
        stages = stages_of(plan)
        for before in stages[: stages.index(self.stage)]:
            if undone := missing(plan, before):
                raise CorpusError(f"{plan.output}: {len(undone)} tasks of {before} are not done, {undone[0]} for one")
        lock = task_lock(plan, self.stage, rank)
        lock.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(lock, f"process of {self.stage}/{rank}"):
            match self.stage:
                case Stage.EXTRACT:
                    extract_part(plan, rank)
                case Stage.SURVIVORS:
                    build_parts(plan)
                case Stage.WRITE:
                    write_ranges(plan, rank)
                case Stage.PUBLISH:
                    publish_parts(plan)
                case stage:
                    getattr(DuplicateTask(plan, rank), stage)()


class JobArrays(SlurmPipelineExecutor):  # type: ignore[misc]
    """Submits tasks to Slurm, by default to its default partition."""

    def get_sbatch_args(self, max_array: int = 1) -> dict[str, Any]:
        """Return the options of `sbatch` without an empty partition; a job that can never start is removed."""
        options = super().get_sbatch_args(max_array) | {"kill-on-invalid-dep": "yes"}
        return {name: value for name, value in options.items() if name != "partition" or value}


@dataclass(frozen=True, slots=True)
class Failure:
    """A task that failed."""

    number: int
    why: str  # one line
    log: Path


def stages_of(plan: Plan) -> list[Stage]:
    """Return the stages of a batch, in order; the duplicates of a single part are found when it is published."""
    return [stage for stage in Stage if len(plan.shares) > 1 or stage not in OF_PARTS]


def tasks_of(plan: Plan, stage: Stage) -> int:
    """Return the number of tasks of a stage."""
    return 1 if stage in ONE_TASK else len(plan.shares)


def missing(plan: Plan, stage: Stage) -> list[int]:
    """Return the unfinished tasks of a stage."""
    found: list[int] = _local(plan, stage).get_incomplete_ranks()
    return found


def run_task(plan: Plan, stage: Stage, number: int) -> None:
    """Run one task in this process, unless it is finished.

    Raises:
        ArgumentError: the batch has no such task.
        ValueError, OSError, ImportError: as for the functions that the stage calls.
    """
    if stage not in stages_of(plan):
        raise ArgumentError(f"this batch has no stage {stage}; it has {', '.join(stages_of(plan))}")
    if not 0 <= number < (n_tasks := tasks_of(plan, stage)):
        raise ArgumentError(f"{stage} has the tasks 0 to {n_tasks - 1}, and no {number}")
    _local(plan, stage, number).run()


def run_here(recipe_file: Path, plan: Plan, stage: Stage, at_once: int) -> Generator[Failure | None]:
    """Run the unfinished tasks of a stage in child processes, which end with the iterator.

    The pool of datatrove is not used because it waits forever for a process that was killed.

    Returns:
        The failure of each task, or None.
    """
    commands = Commands()

    def run(number: int) -> Failure | None:
        for _ in range(TRIES):
            with TemporaryFile() as errors:
                code = commands.run(["batch", str(recipe_file), "--task", f"{stage}/{number}"], errors)
                errors.seek(0)
                said = errors.read().decode("utf-8", "replace")
            if code == 0:
                return None
            why = said.strip().rpartition("\n")[2].removeprefix("newscorpus: ")
            if code > 0:
                break
            why = f"killed by signal {-code}, {TRIES} times"
        return Failure(number, why, _folder(plan, stage) / "logs" / f"task_{number:05}.log")

    with ThreadPoolExecutor(at_once) as threads:
        try:
            yield from threads.map(run, missing(plan, stage))
        finally:
            commands.stop(signal.SIGKILL)


def submit(plan: Plan, slurm: SlurmSection) -> Mapping[Stage, str]:
    """Submit the unfinished tasks of all stages to Slurm.

    Returns:
        Job numbers by stage; "" if all its tasks are finished.

    Raises:
        CorpusError: Slurm is not installed, or refuses the job.
    """
    activate = Path(sys.prefix, "bin", "activate")
    jobs: dict[Stage, str] = {}
    before = None
    for stage in stages_of(plan):
        executor = JobArrays(
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
            run_on_dependency_fail=True,  # the task then names the unfinished ones
            logging_dir=str(_folder(plan, stage)),
        )
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
    """Return the lock of a running task: a batch may be started twice, and Slurm may restart a job."""
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
