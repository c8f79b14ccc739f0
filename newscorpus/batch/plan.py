"""Read the recipe of a batch, and divide its inputs among tasks.

OUTPUT/                    a corpus; `intake/` and `corpus/` come when all is extracted
  tasks/plan.json          what the tasks do, written once
  tasks/extract/parts/N/   what task N made: `intake/` and `rejected.jsonl`
  tasks/STAGE/             datatrove's: `completions/`, `logs/`, `stats/`
"""

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import msgspec

from newscorpus.config import BuildConfig, DuplicateConfig, QualityConfig, Survivor
from newscorpus.corpus.quality.judge import read_quality
from newscorpus.crawl.archive.values import Capture
from newscorpus.crawl.ledger.status import unfinished_captures
from newscorpus.crawl.robots import RightsPolicy
from newscorpus.data import Page, Rejected
from newscorpus.errors import CorpusError
from newscorpus.files import replacing
from newscorpus.layout import LEDGER
from newscorpus.portals.portal import Portal
from newscorpus.portals.schema import list_portals, load_portal
from newscorpus.published.registry import DEFAULT
from newscorpus.recipe import Recipe, SourcePage
from newscorpus.resources import read_config
from newscorpus.stored.archives import archive_files, finished_captures, named_files, page_of_capture
from newscorpus.stored.pages import PAGES_SUFFIXES, given_pages

TASKS = "tasks"
PLAN = "plan.json"
PARTS = "parts"
OWNER_ONLY = 0o700
"""Mode of the folder of the tasks: Slurm's jobs read their pipeline from there by dill, which can run any code."""


@dataclass(frozen=True, slots=True)
class SlurmSection:
    """What Slurm is asked for; docs/scale.md explains the keys."""

    partition: str = ""
    time: str = "12:00:00"  # longest time of a task
    memory_gb: int = 4  # of a task
    at_once: int = -1  # most tasks at the same time; -1: as many as there is room for
    setup: str = ""  # lines of shell before a task; "" activates the environment that this command runs in


@dataclass(frozen=True, slots=True)
class BatchRecipe:
    """The file of a batch; relative paths start in its folder."""

    inputs: tuple[str, ...]  # WARC files, files of pages and patterns of both; folders of crawled corpora
    output: str  # folder of the new corpus
    tasks: int = 1
    portals: tuple[str, ...] = ()  # whose rules and languages count, by name or file; empty: all that are found
    extractor: str = DEFAULT
    rights: RightsPolicy = RightsPolicy.RECORD
    quality: str = ""  # file of filters and masks
    survivor: Survivor = Survivor.FIRST  # which of several near-duplicates stays
    slurm: SlurmSection = SlurmSection()


@dataclass(frozen=True, slots=True)
class Slice:
    """Every `of`-th page of a file, from page `first` on."""

    file: str
    first: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What the tasks of a batch do; equal for all of them, on whatever machine."""

    output: str  # folder of the corpus
    shares: tuple[tuple[Slice, ...], ...]  # what each task reads
    recipe: Recipe
    portals: tuple[Portal, ...]
    build: BuildConfig
    unfinished: tuple[tuple[str, str, int], ...]  # pages of crawled corpora that are passed over: corpus, file, offset
    inputs: str  # hash of names, sizes and times of the inputs

    @property
    def folder(self) -> Path:
        """The folder of the corpus."""
        return Path(self.output)

    @property
    def file(self) -> Path:
        """Where the plan lies once the batch was begun."""
        return self.folder / TASKS / PLAN

    def part(self, number: int) -> Path:
        """The folder of what a task made; it is there when all of it is."""
        return self.folder / TASKS / "extract" / PARTS / f"{number:05}"

    def pages(self, number: int) -> Iterator[SourcePage | Rejected]:
        """The pages of a task, and what of its files cannot be read."""
        for one in self.shares[number]:
            yield from islice(self._pages_of(Path(one.file)), one.first, None, one.of)

    def _pages_of(self, file: Path) -> Iterator[SourcePage | Rejected]:
        if file.name.endswith(PAGES_SUFFIXES):
            for given in given_pages(file):
                yield given if isinstance(given, Rejected) else self._given_page(given.html, given.url, given.id)
            return
        corpus = str(file.parent.parent)
        unfinished = {(name, offset) for where, name, offset in self.unfinished if where == corpus}
        for found in finished_captures([file], unfinished):
            yield found if isinstance(found, Rejected) else page_of_capture(found, self.portals)

    def _given_page(self, html: str, url: str | None, document: str | int) -> SourcePage:
        page = page_of_capture(Capture(Page.from_html(html, url or "")), self.portals)
        return replace(page, document=str(document))


def read_recipe(path: Path) -> BatchRecipe:
    """Read the file of a batch.

    Raises:
        CorpusError: it cannot be read or is wrong; the message names file and key.
    """
    recipe = read_config(path, BatchRecipe)
    if recipe.tasks < 1 or not recipe.inputs:
        raise CorpusError(f"{path}: tasks is {recipe.tasks} and inputs has {len(recipe.inputs)}; at least one of each")
    return recipe


def plan_file(recipe_file: Path) -> Path:
    """Where the plan of a recipe lies once its batch was begun; errors as for `read_recipe`."""
    return recipe_file.parent.absolute() / read_recipe(recipe_file).output / TASKS / PLAN


def begin(recipe_file: Path, tasks: int | None = None) -> Plan:
    """Make the plan of a batch, and write it if it is not there; `tasks` goes before the number in the file.

    Raises:
        CorpusError: the recipe is wrong, an input is missing, or the output was begun with another plan or by a crawl.
    """
    plan = make_plan(recipe_file, tasks)
    if plan.file.is_file() and read_plan(plan.file) != plan:
        raise CorpusError(f"{plan.output}: was begun with other inputs, settings or tasks; name another output")
    if not plan.file.is_file() and (plan.folder / LEDGER).exists():
        raise CorpusError(f"{plan.output}: the corpus of a crawl lies here; name another output")
    plan.file.parent.mkdir(OWNER_ONLY, parents=True, exist_ok=True)
    with replacing(plan.file) as file:
        file.write(msgspec.json.encode(plan))
    return plan


def read_plan(path: Path) -> Plan:
    """Read a plan that `begin` wrote.

    Raises:
        CorpusError: it cannot be read.
    """
    if not path.is_file():
        raise CorpusError(f"{path.parent.parent}: no batch was begun here")
    try:
        return msgspec.json.decode(path.read_bytes(), type=Plan)
    except msgspec.DecodeError as error:
        raise CorpusError(f"{path}: not the plan of a batch: {error}") from error


def make_plan(recipe_file: Path, tasks: int | None = None) -> Plan:
    """Make the plan of a batch; arguments and errors as for `begin`."""
    wanted = read_recipe(recipe_file)
    home = recipe_file.parent.absolute()
    files, unfinished = _find_inputs(home, wanted.inputs)
    states = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    quality = read_quality(home / wanted.quality) if wanted.quality else QualityConfig()
    return Plan(
        output=str(home / wanted.output),
        shares=divide([(name, size) for name, size, _ in states], tasks or wanted.tasks),
        recipe=Recipe(wanted.extractor, wanted.rights, quality),
        portals=tuple(map(load_portal, wanted.portals or list_portals())),
        build=BuildConfig(duplicates=DuplicateConfig(survivor=wanted.survivor)),
        unfinished=unfinished,
        inputs=hashlib.sha256(msgspec.json.encode(states)).hexdigest(),
    )


def divide(files: Sequence[tuple[str, int]], tasks: int) -> tuple[tuple[Slice, ...], ...]:
    """Give each task some of the files (name, bytes), with about the same bytes for all of them.

    A file larger than a task's share is sliced; each slice reads the whole file, and extracts a part of its pages.
    """
    share = sum(size for _, size in files) / tasks
    cuts = [(name, size, max(1, round(size / share)) if share else 1) for name, size in sorted(files)]
    slices = [(size / of, Slice(name, first, of)) for name, size, of in cuts for first in range(of)]
    shares: list[list[Slice]] = [[] for _ in range(tasks)]
    loads = [(0.0, number) for number in range(tasks)]
    for size, one in sorted(slices, key=lambda pair: -pair[0]):
        load, number = loads[0]
        shares[number].append(one)
        heapq.heapreplace(loads, (load + size, number))
    return tuple(map(tuple, shares))


def _find_inputs(home: Path, inputs: Sequence[str]) -> tuple[list[Path], tuple[tuple[str, str, int], ...]]:
    """List the files that a recipe names, and those of their pages that are passed over."""
    files: list[Path] = []
    unfinished: list[tuple[str, str, int]] = []
    for name in inputs:
        path = home / name
        if path.is_dir():
            files += archive_files(path)
            unfinished += [(str(path), *place) for place in sorted(unfinished_captures(path))]
        else:
            files += named_files(str(path))
    return sorted(dict.fromkeys(files)), tuple(unfinished)
