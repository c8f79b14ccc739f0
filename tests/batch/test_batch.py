"""Batches as users run them: on this machine, killed, and by Slurm."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from prose import article

from newscorpus.batch.plan import begin
from newscorpus.cli import main
from newscorpus.corpus.remove import remove
from newscorpus.errors import STOPPED, CorpusError
from newscorpus.files import exclusive
from newscorpus.workers import COMMAND

pytest.importorskip("datatrove", reason="datatrove is not installed (pip install 'newscorpus[batch]')")

from newscorpus.batch.engine import Stage, task_lock

PROGRAM = [*COMMAND, "batch"]
N_PAGES = 24


def pages(folder: Path) -> None:
    """Write pages of which the last four repeat others, one is no article, and a line is broken."""
    with (folder / "pages.jsonl").open("w") as file:
        for number in range(N_PAGES):
            html = repeated(article(f"story {number % 20}"), number)
            file.write(
                json.dumps({"id": f"n{number}", "url": f"https://a.example/story-{number}", "html": html}) + "\n"
            )
        file.write(json.dumps({"id": "empty", "html": "<p>Nothing"}) + "\n{broken\n")


def repeated(html: str, number: int) -> str:
    """A page as it is, but for one that is changed, and one that lacks its last two paragraphs."""
    if number == 21:
        return html.replace(" the ", " that ", 3)
    return re.sub(r"(<p>.*?</p>\n){2}(?=</article>)", "", html) if number == 22 else html


def recipe(folder: Path, tasks: int, more: str = "", output: str = "") -> Path:
    output = output or f"out-{tasks}"
    path = folder / f"{output}.toml"
    path.write_text(f'inputs = ["pages.jsonl"]\noutput = "{output}"\ntasks = {tasks}\nextractor = "bte"\n{more}')
    return path


def run(path: Path, *options: str, environment: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PROGRAM, str(path), *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )


def published(folder: Path) -> Mapping[str, bytes]:
    """What a corpus consists of, by name."""
    files = [*(folder / "corpus").glob("shard-*"), folder / "duplicates.jsonl"]
    rejected = sorted((folder / "rejected.jsonl").read_bytes().splitlines())
    return {path.name: path.read_bytes() for path in files} | {"rejected": b"\n".join(rejected)}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus made by one task."""
    folder = tmp_path_factory.mktemp("batch")
    pages(folder)
    done = run(recipe(folder, 1))
    assert done.returncode == 0, done.stderr
    return folder


def test_one_task_publishes_what_the_lines_hold(undisturbed: Path) -> None:
    rows = published(undisturbed / "out-1")

    duplicates = [json.loads(line) for line in rows["duplicates.jsonl"].splitlines()]
    assert {line["id"] for line in duplicates} <= {f"n{number}" for number in range(N_PAGES)}
    assert sorted(line["kind"] for line in duplicates) == ["exact", "exact", "excerpt", "near"]
    assert [json.loads(line)["reason"] for line in rows["rejected"].splitlines()].count("broken_record") == 1


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_batch_that_is_killed_at_ten_moments_goes_on_and_repeats_no_task(undisturbed: Path) -> None:
    path, output = recipe(undisturbed, 3, output="killed"), undisturbed / "killed"
    chance = random.Random(0)
    for _ in range(10):
        before = marks(output)
        with subprocess.Popen([*PROGRAM, str(path)], start_new_session=True, stderr=subprocess.DEVNULL) as killed:
            while len(marks(output)) == len(before):
                assert killed.poll() is None
                time.sleep(0.02)
            time.sleep(chance.random() / 2)
            os.killpg(killed.pid, signal.SIGKILL)
        assert before.items() <= marks(output).items()
    before = marks(output)

    assert run(path).returncode == 0
    assert before.items() <= marks(output).items()
    assert len(marks(output)) == 24
    assert published(undisturbed / "killed") == published(undisturbed / "out-1")


def marks(output: Path) -> dict[Path, int]:
    """The marks of the tasks that are done, each with the time when it was set."""
    return {mark: mark.stat().st_mtime_ns for mark in output.glob("tasks/*/completions/*")}


@pytest.mark.slow
def test_a_task_that_fails_is_named_and_the_others_stay_done(undisturbed: Path) -> None:
    path = recipe(undisturbed, 2, output="failing")
    part = undisturbed / "failing" / "tasks" / "extract" / "parts"
    part.mkdir(parents=True)
    (part / ".00001.tmp").write_text("a file where the task writes a folder")

    failed = run(path)
    assert failed.returncode == 1
    assert "newscorpus: extract, task 1: " in failed.stderr
    assert ".00001.tmp" in failed.stderr
    assert "tries them again; what is done stays done" in failed.stderr
    status = run(path, "--status").stdout.splitlines()
    assert status[:2] == ["extract: 1 of 2 done; not done: 1", "link: 0 of 2 done; not done: 0, 1"]
    assert status[-1] == "publish: 0 of 1 done; not done: 0"
    refused = run(path, "--task", "link/0")
    assert "failing: 1 tasks of extract are not done, 1 for one" in refused.stderr

    (part / ".00001.tmp").unlink()
    assert run(path).returncode == 0
    assert published(undisturbed / "failing") == published(undisturbed / "out-1")


def living() -> list[tuple[int, int, int]]:
    """All living processes: number, parent, group."""
    listed = subprocess.run(["ps", "-Ao", "pid=,ppid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    found = [line.split() for line in listed.splitlines()]
    return [(int(pid), int(parent), int(group)) for pid, parent, group, state in found if state[0] != "Z"]


def members(task: int) -> list[int]:
    """The living processes of a task."""
    return [pid for pid, _, group in living() if group == task]


def task_at_work(batch: "subprocess.Popen[str]", *others: int) -> int:
    """A task of a batch that has started processes of its own."""
    while batch.poll() is None:
        for task in {pid for pid, parent, _ in living() if parent == batch.pid}.difference(others):
            if len(members(task)) > 1:
                return task
    raise AssertionError(batch.communicate()[1])


@pytest.mark.timeout(120)
def test_a_task_that_is_killed_is_tried_twice_and_no_process_of_it_is_left(undisturbed: Path) -> None:
    path = recipe(undisturbed, 1, output="out-of-memory")
    with subprocess.Popen([*PROGRAM, str(path)], stderr=subprocess.PIPE, text=True) as batch:
        killed: list[int] = []
        for _ in range(2):
            killed.append(task_at_work(batch, *killed))
            os.kill(killed[-1], signal.SIGKILL)
        said = batch.communicate()[1]

    assert batch.returncode == 1
    assert "newscorpus: extract, task 0: killed by signal 9, 2 times" in said
    assert not any(map(members, killed))


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGINT, signal.SIGKILL))],
)
def test_a_stopped_batch_leaves_no_process(undisturbed: Path, number: int) -> None:
    path = recipe(undisturbed, 1, output=f"stopped-{number}")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # children of background jobs ignore it
    with subprocess.Popen([*PROGRAM, str(path)], stderr=subprocess.PIPE, text=True) as batch:
        task = task_at_work(batch)
        batch.send_signal(number)
        said = batch.communicate()[1]

    assert batch.returncode == (-number if number == signal.SIGKILL else STOPPED)
    assert said == ""
    while members(task):
        time.sleep(0.05)


def test_a_task_is_done_by_one_process_at_a_time(undisturbed: Path) -> None:
    path = recipe(undisturbed, 1, output="twice")
    lock = task_lock(begin(path), Stage.EXTRACT, 0)
    lock.parent.mkdir(parents=True)
    with exclusive(lock):
        refused = run(path, "--task", "extract/0")
    assert refused.returncode == 1
    assert "another process of extract/0 is at work here" in refused.stderr
    assert not list(lock.parent.glob("parts/*"))
    assert run(path, "--task", "extract/0").returncode == 0


def test_nothing_of_a_removed_document_is_left_with_the_tasks(undisturbed: Path, tmp_path: Path) -> None:
    corpus = shutil.copytree(undisturbed, tmp_path / "copy") / "out-1"
    done, tasks = marks(corpus), corpus / "tasks"
    remove(corpus, ["https://a.example/story-3"], "asked")
    assert marks(corpus).keys() == done.keys()
    assert {path for path in tasks.rglob("*") if path.is_file()} == {*done, tasks / "plan.json"}
    (tasks / "publish" / "completions" / "00000").unlink()
    with pytest.raises(CorpusError, match="its batch is not done"):
        remove(corpus, ["https://a.example/story-4"], "asked")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("out-1.toml --task extract", "--task is 'extract'; expected one of extract, link, "),
        ("out-1.toml --task extract/x", "--task is 'extract/x'; expected one of extract, link, "),
        ("out-1.toml --task build/0", "--task is 'build/0'; expected one of extract, link, "),
        ("out-1.toml --task link/0", "this batch has no stage link; it has extract, publish"),
        ("out-1.toml --task extract/9", "extract has the tasks 0 to 0, and no 9"),
        ("pages.jsonl", "pages.jsonl: not valid TOML"),
    ],
)
def test_wrong_usage_of_a_batch_is_refused_in_a_line(
    undisturbed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    monkeypatch.chdir(undisturbed)
    with pytest.raises(SystemExit) as ended:
        main(["batch", *arguments.split()])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


SLURM = '[slurm]\nmemory_gb = 1\ntime = "00:10:00"\n'


def run_slurm(path: Path, environment: Mapping[str, str]) -> None:
    """Submit a batch, and wait until no job is queued."""
    done = run(path, "--engine", "slurm", environment=environment)
    assert done.returncode == 0, done.stderr
    while subprocess.run(
        ["squeue", "--noheader"], capture_output=True, env={**os.environ, **environment}, check=True
    ).stdout:
        time.sleep(0.5)


@pytest.mark.slow
def test_jobs_behind_a_failed_task_of_slurm_leave_the_queue(undisturbed: Path, slurm: Path) -> None:
    path = recipe(undisturbed, 2, SLURM, output="failed-job")
    part = undisturbed / "failed-job" / "tasks" / "extract" / "parts"
    part.mkdir(parents=True)
    (part / ".00001.tmp").write_text("a file where the task writes a folder")

    run_slurm(path, {"SLURM_CONF": str(slurm)})

    assert run(path, "--status").stdout.splitlines()[0] == "extract: 1 of 2 done; not done: 1"


def test_slurm_makes_the_same_corpus_by_its_default_partition(undisturbed: Path, slurm: Path) -> None:
    path = recipe(undisturbed, 4, SLURM)
    environment = {"SLURM_CONF": str(slurm)}

    run_slurm(path, environment)

    assert "not done" not in run(path, "--status").stdout
    assert published(undisturbed / "out-4") == published(undisturbed / "out-1")
    again = run(path, "--engine", "slurm", environment=environment)
    assert again.stdout.count("done already\n") == 10
