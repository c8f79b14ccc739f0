"""Duplicates over 64 partitions, beside datatrove's MinHash: `python -m benchmarks.batch`.

Made documents repeat each other in known ways, as docs/duplicates.md measures them, and with skew: one text stands in
two of a hundred documents, and five of a hundred are weather reports and odds that differ in their numbers, just below
the threshold. Each task runs in a process of its own, one after the other. Times are those of the processor, since
others may use the machine; the two seconds in which a process loads its libraries do not count, of neither.
"""

import argparse
import os
import platform
import random
import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.utils.hashing import HashConfig
from datatrove.utils.word_tokenizers import WhitespaceTokenizer

from benchmarks.duplicates.texts import as_text, make_words
from newscorpus.batch.duplicates import DuplicateTask, index_part
from newscorpus.batch.engine import DUPLICATE_STAGES, Stage, build_parts, publish_parts, tasks_of, write_ranges
from newscorpus.batch.plan import Plan
from newscorpus.config import BuildConfig
from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.verify import verify
from newscorpus.data import Article, Fields
from newscorpus.layout import DUPLICATES, INDEX, INTAKE, INTAKE_SEGMENT, PUBLISHED, REJECTED
from newscorpus.page.recipe import Recipe
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import estimate, jaccard, sign, stack
from newscorpus.store.intake import read_intake, write_segment

RESULTS = Path(__file__).parent / "results" / "batch"

PARTS = 64
HUNDRED = 100
"""Of so many documents in a row each kind below has its number."""
OURS, THEIRS = "newscorpus", "datatrove's MinHash, 16 x 8, split at spaces"
TEMPLATES = 20
MB = 1e6


@dataclass(frozen=True, slots=True)
class Kind:
    """How some documents repeat others."""

    name: str
    of_hundred: int
    replaced: int = 0  # words of a hundred that are replaced
    spots: int = 1  # passages in a hundred words in which they stand
    share: float = 1.0  # of the text that is there
    is_repeat: bool = True  # whether it is to be found


ONE_TEXT = Kind("one text, again and again", 2)
TEMPLATE = Kind("weather and odds, 0.66", 5, 4, 4, is_repeat=False)
KINDS = (
    ONE_TEXT,
    TEMPLATE,
    Kind("copy", 5),
    Kind("near-duplicate, 0.9", 5, 1, 1),
    Kind("near-duplicate, 0.8", 5, 7, 1),
    Kind("near-duplicate, 0.7", 3, 8, 2),
    Kind("excerpt of 60 %", 3, share=0.6),
    Kind("hard negative, 0.4", 3, 33, 2, is_repeat=False),
)

ALONE = Kind("nothing", 0, is_repeat=False)
"""Of the documents that repeat nothing and are not repeated."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the tasks of a stage took."""

    seconds: float  # of the processor, all tasks
    longest: float  # the same, of the longest task
    peak_mb: float  # most memory of a task


def main() -> None:
    """Make documents, find their duplicates both ways, and write the results."""
    parser = argparse.ArgumentParser(description="duplicates by tasks")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=200, help="of a document, a multiple of 100")
    parser.add_argument("--only", choices=("newscorpus", "datatrove"), help="one of the two")
    parser.add_argument("--folder", type=Path, help="kept: the same command resumes after the last stage done")
    parser.add_argument("--at-once", type=int, default=1, help="tasks at the same time")
    arguments = parser.parse_args()
    signature = stack([sign(" ".join(make_words(random.Random(0), HUNDRED)))], 128)  # loads what each process would
    estimate(signature[0], signature)
    jaccard(signature[0].astype("u8"), signature[0].astype("u8"))
    results: dict[str, tuple[Mapping[str, Cost], set[int]]] = {}
    note = ""
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.folder or Path(name)
        plan = Plan(f"{folder}/ours", ((),) * PARTS, Recipe(), (), BuildConfig(), 1.0, (), {}, "")
        made = [partial(make_part, plan, number, arguments.documents, arguments.words) for number in range(PARTS)]
        intake = Costs(folder / "made.json", arguments.at_once).take({"made": made})["made"]
        note += f" Texts are made, signed and stored as an intake in {intake.seconds:,.0f} seconds."
        if arguments.only != "newscorpus":
            results[THEIRS] = run_datatrove(plan, folder, arguments.at_once)
        if arguments.only != "datatrove":
            costs = run_ours(plan, arguments.at_once)
            gone = {int(line.url.rpartition("/")[2]) for line in read_duplicates(plan.folder / DUPLICATES)}
            results = {OURS: (costs, gone), **results}
            groups = [np.load(path)[:, 1] for path in plan.made(Stage.GROUP, 0).parent.glob("*.npy")]
            largest = max(np.unique_counts(numbers).counts.max(initial=0) for numbers in groups)
            places = (plan.folder / INTAKE, plan.folder / INDEX, plan.file.parent, plan.folder / PUBLISHED)
            sizes = (sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) for place in places)
            intake_bytes, index, tasks, corpus = (f"{size / arguments.documents:,.0f}" for size in sizes)
            note += (
                f" Bytes a document in the end: intake {intake_bytes}, index {index}, `tasks/` {tasks}, corpus "
                f"{corpus}. The largest group of linked documents has {largest:,}."
            )
    text = render(results, arguments, note)
    suffix = f"-{arguments.only}" if arguments.only else ""
    (RESULTS / f"{arguments.documents}x{arguments.words}{suffix}.md").write_text(text, encoding="utf-8")
    print(text)


class Costs:
    """What stages took, in a file."""

    def __init__(self, file: Path, at_once: int) -> None:
        self._file = file
        self._at_once = at_once

    def take(self, stages: Mapping[str, Iterable[Callable[[], Any]]]) -> Mapping[str, Cost]:
        """Run the stages that were not run yet."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        costs = msgspec.json.decode(self._file.read_bytes(), type=dict[str, Cost]) if self._file.exists() else {}
        for name, tasks in stages.items():
            if name not in costs:
                costs[name] = measured(tasks, self._at_once)
                self._file.write_bytes(msgspec.json.encode(costs))
        return costs


def kind_of(number: int) -> Kind | None:
    """The kind of a document; None for one that repeats nothing."""
    place = number % HUNDRED
    for kind in KINDS:
        if place < kind.of_hundred:
            return kind
        place -= kind.of_hundred
    return None


def alone(number: int) -> Kind | None:
    """The kind of a document without kind; None for the original of another."""
    kind = kind_of(original_of(number))
    return None if kind and kind not in (ONE_TEXT, TEMPLATE) else ALONE


def words_of(number: int, n_words: int) -> list[str]:
    """The words of a document; what it repeats lies in the same hundred, and so in other parts."""
    kind = kind_of(number)
    choose = random.Random(number)
    if kind is None:
        return make_words(choose, n_words)
    if kind is ONE_TEXT:
        return make_words(random.Random("one"), n_words)
    original = f"template {number // HUNDRED % TEMPLATES}" if kind is TEMPLATE else original_of(number)
    words = make_words(random.Random(original), n_words)
    spots, replaced = (count * n_words // 100 for count in (kind.spots, kind.replaced))
    for spot in range(spots):
        size = replaced // spots + (spot < replaced % spots)
        start = n_words * (2 * spot + 1) // (2 * spots)
        words[start : start + size] = [f"x{choose.randrange(10**6)}" for _ in range(size)]
    return words[: round(len(words) * kind.share)]


def original_of(number: int) -> int:
    """The document that another repeats: its hundred's last ones are originals."""
    return number - number % HUNDRED + HUNDRED - 1 - number % HUNDRED


def make_part(plan: Plan, part: int, documents: int, n_words: int) -> None:
    """Write the part of a task of the first stage, but for the index, and mark it as done."""
    folder = plan.parts[part]
    with write_segment(folder / INTAKE_SEGMENT.format(1), plan.build.signature) as append:
        (folder / REJECTED).touch()
        for number in range(part, documents, PARTS):
            day = "2026-01-02" if kind_of(number) else "2026-01-01"
            text = as_text(words_of(number, n_words))
            article = Article(f"https://p{number % 50}.example/{number}", text, Fields(published=day), "made")
            append(Row(make_record(article, f"p{number % 50}", "cs", 1.0), sign(text)))


def run_ours(plan: Plan, at_once: int) -> Mapping[str, Cost]:
    """Run the stages after the first, and what that one does with texts: they are signed and indexed."""
    stages: dict[str, list[Callable[[], Any]]] = {
        "sign": [partial(sign_part, plan, number) for number in range(PARTS)],
        "index": [partial(index_part, part, plan.build) for part in plan.parts],
    }
    for stage in Stage:
        if stage in DUPLICATE_STAGES:
            tasks = [DuplicateTask(plan, number) for number in range(tasks_of(plan, stage))]
            stages[stage] = [getattr(task, stage) for task in tasks]
    stages |= {
        Stage.SURVIVORS: [partial(build_parts, plan)],
        Stage.WRITE: [partial(write_ranges, plan, number) for number in range(PARTS)],
        Stage.PUBLISH: [partial(publish_parts, plan)],
        "verify": [partial(verify_corpus, plan)],
    }
    return Costs(plan.folder / "costs.json", at_once).take(stages)


def verify_corpus(plan: Plan) -> None:
    """Verify what is published."""
    _, findings = verify(plan.folder)
    if findings:
        raise SystemExit("\n".join(findings))


def sign_part(plan: Plan, number: int) -> None:
    """Sign the texts of a part, once more."""
    for document in documents(plan, number):
        sign(document.text)


def run_datatrove(plan: Plan, folder: Path, at_once: int) -> tuple[Mapping[str, Cost], set[int]]:
    """Run datatrove's stages; gives the numbers of the documents that it removes."""
    hashing = HashConfig(hash_fc="sha1")  # its default, xxhash, does not work with xxhash 4
    config = MinhashConfig(n_grams=5, num_buckets=16, hashes_per_bucket=8, hash_config=hashing)
    signed, buckets, removed = (str(folder / name) for name in ("signed", "buckets", "removed"))
    signer = MinhashDedupSignature(signed, config, language=Spaces())
    finder = MinhashDedupBuckets(signed, buckets, config=config)
    stages = {
        "signature": [partial(run_step, signer, plan, number, PARTS) for number in range(PARTS)],
        "buckets": [partial(run_step, finder, None, number, 16) for number in range(16)],
        "cluster": [partial(run_step, MinhashDedupCluster(buckets, removed, config=config), None, 0, 1)],
    }
    costs = Costs(folder / "datatrove.json", at_once).take(stages)
    gone: set[int] = set()
    for number in range(PARTS):
        path = Path(removed, f"{number:06}.remove")
        rows = memoryview(path.read_bytes()).cast("I").tolist() if path.exists() else []
        gone.update(number + row * PARTS for row in rows)
    for name in (signed, buckets):
        shutil.rmtree(name, ignore_errors=True)
    return costs, gone


class Spaces(WhitespaceTokenizer):  # type: ignore[misc]
    """Splits at spaces; datatrove's own tokenizer of Czech, spaCy's, takes many times longer."""

    def word_tokenize(self, text: str) -> list[str]:
        """The words."""
        return text.split()


def run_step(step: PipelineStep, plan: Plan | None, number: int, tasks: int) -> None:
    """Run a step of datatrove's on a part."""
    for _ in step.run(documents(plan, number) if plan else None, number, tasks) or ():
        pass


def documents(plan: Plan, number: int) -> Iterator[Document]:
    """The texts of a part as datatrove's documents."""
    for _, row in read_intake(plan.parts[number] / INTAKE, plan.build.signature):
        if isinstance(row, Row):
            yield Document(row.record.text, row.record.id)


def measured(tasks: Iterable[Callable[[], Any]], at_once: int = 1) -> Cost:
    """Run tasks in processes of their own, some at a time."""
    seconds, peaks, running = list[float](), list[float](), 0

    def reap() -> None:
        _, status, used = os.wait3(0)
        if status:
            raise SystemExit("a task failed")
        seconds.append(used.ru_utime + used.ru_stime)
        peaks.append(used.ru_maxrss * 1024 / MB)

    for task in tasks:
        if running == at_once:
            reap()
            running -= 1
        running += 1
        if os.fork() == 0:
            try:
                task()
                os._exit(0)
            finally:
                traceback.print_exc()
                os._exit(1)
    for _ in range(running):
        reap()
    return Cost(sum(seconds), max(seconds), max(peaks))


def render(results: Mapping[str, tuple[Mapping[str, Cost], set[int]]], arguments: argparse.Namespace, note: str) -> str:
    """The results as Markdown."""
    documents, option = arguments.documents, f" --only {arguments.only}" if arguments.only else ""
    what = (
        f"Made by `python -m benchmarks.batch --documents {documents} --words {arguments.words}{option}`: "
        f"{documents:,} documents of {arguments.words} words in {PARTS} partitions, `memory_gb = 1`. One text is "
        f"that of {ONE_TEXT.of_hundred} %; weather and odds, {TEMPLATE.of_hundred} %, come from {TEMPLATES} templates, "
        f"and two of one have a Jaccard similarity of 0.66. Seconds of the processor (the machine was shared), without "
        f"the start of processes. Python {platform.python_version()}.{note}"
    )
    head = "| stage | seconds | longest task | µs a document | most memory of a task, MB |\n|---|--:|--:|--:|--:|"
    lines = ["# Duplicates by tasks", "", what, ""]
    for name, (costs, _) in results.items():
        rows = [row(stage, cost, documents) for stage, cost in costs.items()]
        every = Cost(sum(one.seconds for one in costs.values()), 0, max(one.peak_mb for one in costs.values()))
        lines += [f"## {name}", "", head, *rows, row("all", every, documents), ""]
    planted = Counter(kind.name for number in range(documents) if (kind := kind_of(number) or alone(number)))
    found = []  # for each system, by kind, the documents that went or whose original did: the tool chooses which of two
    for _, one in results.values():
        counts: Counter[str] = Counter()
        for number in range(documents):
            if kind := kind_of(number) or alone(number):
                is_shared = kind in (ONE_TEXT, TEMPLATE, ALONE)
                counts[kind.name] += number in one or (not is_shared and original_of(number) in one)
        found.append(counts)
    lines += ["## What goes", "", f"| planted | documents | {' | '.join(results)} |", "|---|--:|" + "--:|" * len(found)]
    for kind in (*KINDS, ALONE):
        shares = " | ".join(f"{one[kind.name] / planted[kind.name]:.4f}" for one in found)
        lines.append(f"| {kind.name}{'' if kind.is_repeat else ' (to be kept)'} | {planted[kind.name]:,} | {shares} |")
    return "\n".join([*lines, ""])


def row(stage: str, cost: Cost, documents: int) -> str:
    """A line of the table of stages."""
    longest = f"{cost.longest:.1f}" if cost.longest else ""
    return (
        f"| {stage} | {cost.seconds:,.0f} | {longest} | {cost.seconds / documents * 1e6:,.1f} | {cost.peak_mb:,.0f} |"
    )


if __name__ == "__main__":
    main()
