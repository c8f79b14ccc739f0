"""Add the verb `newscorpus batch`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from newscorpus.cli.app import app, needs_extra

if TYPE_CHECKING:
    from newscorpus.batch.plan import Plan

SHOWN = 20
"""Tasks that are named at most."""


class Engine(StrEnum):
    """Where tasks run."""

    LOCAL = "local"
    SLURM = "slurm"


@app.command()
def batch(
    recipe: Annotated[Path, Argument(metavar="RECIPE.toml", help="What is extracted, and where to.")],
    engine: Annotated[Engine, Option(help="Where tasks run.")] = Engine.LOCAL,
    tasks: Annotated[int | None, Option(min=1, help="Number of tasks. Default: as the recipe says.")] = None,
    at_once: Annotated[int, Option(min=1, help="With --engine local: tasks at the same time.")] = 1,
    task: Annotated[str, Option(metavar="STAGE/N", help="Do this task alone, in this process.")] = "",
    status: Annotated[bool, Option("--status", help="Show which tasks are done, and do nothing.")] = False,
) -> None:
    """Make one corpus of many archives, on many machines.

    The least recipe: inputs = ["crawls/*.warc.gz"], output = "corpus". Run it again after a failure: only tasks that
    are not done run.
    """
    with needs_extra("batch"):
        from newscorpus.batch import engine as engines
    from newscorpus.batch.plan import EXPORT, begin, plan_file, read_plan, read_recipe
    from newscorpus.corpus.published import open_corpus

    if task:
        stage, _, number = task.partition("/")
        if stage not in list(engines.Stage) or not number.isdecimal():
            raise typer.BadParameter(f"--task is {task!r}; expected one of {', '.join(engines.Stage)}, and /N")
        begun = plan_file(recipe)
        plan = read_plan(begun) if begun.is_file() else begin(recipe, tasks)
        engines.run_task(plan, engines.Stage(stage), int(number))
        return
    plan = read_plan(plan_file(recipe)) if status else begin(recipe, tasks)
    if status:
        for one in engines.stages_of(plan):
            missing, n_tasks = engines.missing(plan, one), engines.tasks_of(plan, one)
            named = f"; not done: {', '.join(map(str, missing[:SHOWN]))}" if missing else ""
            typer.echo(f"{one}: {n_tasks - len(missing)} of {n_tasks} done{named}")
    elif engine is Engine.SLURM:
        for one, job in engines.submit(plan, read_recipe(recipe).slurm).items():
            typer.echo(f"{one}: {f'job {job}' if job else 'done already'}")
        typer.echo(f"squeue shows them; newscorpus batch {recipe} --status says what is done")
    else:
        _run_here(recipe, plan, at_once)
        published = open_corpus(plan.folder)
        manifest = published.manifest
        typer.echo(f"{manifest.documents} documents, {manifest.words} words; the corpus lies in {published.folder}")
        if plan.export.format:
            typer.echo(f"The export lies in {plan.folder / EXPORT}")
        for address in filter(None, (plan.upload, plan.export.upload)):
            typer.echo(f"uploaded: {address}")


def _run_here(recipe: Path, plan: "Plan", at_once: int) -> None:
    """Do all stages; the first that has a failure is the last, and the exit code is 1."""
    from newscorpus.batch.engine import run_here, stages_of
    from newscorpus.terminal import complain, progress

    for stage in stages_of(plan):
        failures = list(filter(None, progress(run_here(recipe, plan, stage, at_once), f"tasks of {stage}")))
        for failure in failures:
            complain(f"{stage}, task {failure.number}: {failure.why} ({failure.log})")
        if failures:
            complain(f"newscorpus batch {recipe} tries them again; what is done stays done")
            raise typer.Exit(1)
