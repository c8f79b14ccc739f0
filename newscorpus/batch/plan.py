"""Read the recipe of a batch, and divide its inputs among tasks.

OUTPUT/                    a corpus; `intake/` and `corpus/` appear after extraction
  tasks/plan.json          the plan, written once
  tasks/extract/parts/N/   result of task N: `intake/` with its `index/`, `rejected.jsonl`, `links.npy`, `runs.npy`
  tasks/STAGE/parts/N.npy  results of the other stages; of `survivors` JSON, of `write` a corpus, for each range of days
  tasks/STAGE/             of datatrove: `completions/`, `logs/`, `stats/`
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from newscorpus.batch.inputs import Slice, divide, find_inputs, read_pages
from newscorpus.config import BuildConfig, DuplicateConfig, QualityConfig, Survivor
from newscorpus.corpus.published import note_copy
from newscorpus.data import Rejected
from newscorpus.errors import ArgumentError, CorpusError
from newscorpus.files import replace_file
from newscorpus.layout import LEDGER, PLAN
from newscorpus.page.quality.assess import read_quality
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.registry import DEFAULT
from newscorpus.page.rights import RightsPolicy
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal
from newscorpus.portal.profile import ProfileFile, profile_path, write_profile
from newscorpus.portal.schema import list_portals, load_portal
from newscorpus.resources import read_config
from newscorpus.urls import is_remote

PARTS = "parts"
VERSION = 4
"""Version of the tasks' results."""
LEAST_MEMORY_GB = 0.5
"""An idle task takes 0.2 GB."""
OWNER_ONLY = 0o700
"""Mode of the task folder: Slurm jobs load their pipeline from it with dill, which can run any code."""


@dataclass(frozen=True, slots=True)
class SlurmSection:
    """Options for Slurm; docs/scale.md explains the keys."""

    partition: str = ""
    time: str = "12:00:00"  # limit of a task
    memory_gb: int = 4  # of a task
    at_once: int = -1  # most tasks at the same time; -1 for no limit
    setup: str = ""  # shell lines before a task; "" activates the current environment


@dataclass(frozen=True, slots=True)
class BatchRecipe:
    """The recipe file of a batch; relative paths start in its folder."""

    inputs: tuple[str, ...]  # WARC files, files of pages, patterns of both, crawled corpora; paths or addresses
    output: str  # folder of the new corpus
    tasks: int = 1
    memory_gb: float = 1.0  # limit of a task that finds duplicates
    portals: tuple[str, ...] = ()  # portals with their rules and languages, by name or file; empty for all
    extractor: str = DEFAULT
    rights: RightsPolicy = RightsPolicy.RECORD
    quality: str = ""  # file of filters and masks
    survivor: Survivor = Survivor.FIRST  # policy for near-duplicates
    slurm: SlurmSection = SlurmSection()


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a batch, the same for all tasks on any machine."""

    output: str  # folder of the corpus
    shares: tuple[tuple[Slice, ...], ...]  # inputs of each task
    recipe: Recipe
    portals: tuple[Portal, ...]
    build: BuildConfig
    memory_gb: float  # limit of a task that finds duplicates
    unfinished: tuple[tuple[str, int], ...]  # pages of crawled corpora to skip: file and offset
    profiles: Mapping[str, str]  # hashes of the profiles of crawled corpora, by source
    inputs: str  # hash of names, sizes and times of the inputs
    version: int = 1

    @property
    def folder(self) -> Path:
        """The folder of the corpus."""
        return Path(self.output)

    @property
    def file(self) -> Path:
        """The path of the plan."""
        return self.folder / PLAN

    @property
    def parts(self) -> list[Path]:
        """The result folders of the first stage; each appears when complete."""
        return [self.made("extract", number) for number in range(len(self.shares))]

    def made(self, stage: str, number: int) -> Path:
        """Return the path of a task's results."""
        return self.file.parent / stage / PARTS / f"{number:05}"

    def pages(self, number: int) -> Iterator[SourcePage | Rejected]:
        """Read the pages of a task, with a rejection for each that cannot be read."""
        paths = {source: profile_path(self.folder, source) for source in self.profiles}
        profiles = {source: ProfileFile(path, self.profiles[source]) for source, path in paths.items()}
        copies = self.made("extract", number).with_name(f".{number:05}.input")
        for page in read_pages(self.shares[number], self.unfinished, self.portals, copies):
            yield page if isinstance(page, Rejected) else add_profile(self.recipe, profiles, page)


def read_recipe(path: Path) -> BatchRecipe:
    """Read the recipe of a batch.

    Raises:
        ArgumentError: it cannot be read or is invalid; the message names file and key.
    """
    recipe = read_config(path, BatchRecipe)
    if recipe.tasks < 1 or not recipe.inputs:
        raise ArgumentError(
            f"{path}: tasks is {recipe.tasks} and inputs has {len(recipe.inputs)}; at least one of each"
        )
    if recipe.memory_gb < LEAST_MEMORY_GB:
        raise ArgumentError(f"{path}: memory_gb is {recipe.memory_gb:g}; at least {LEAST_MEMORY_GB:g}")
    return recipe


def plan_file(recipe_file: Path) -> Path:
    """Return the path of a recipe's plan; errors as for `read_recipe`."""
    return recipe_file.parent.absolute() / read_recipe(recipe_file).output / PLAN


def begin(recipe_file: Path, tasks: int | None = None) -> Plan:
    """Make the plan of a batch, and write it if it does not exist; `tasks` overrides the number in the recipe.

    Raises:
        ArgumentError: the recipe is invalid.
        CorpusError: an input is missing, or the output belongs to another plan or a crawl.
    """
    wanted, home = read_recipe(recipe_file), recipe_file.parent.absolute()
    inputs = find_inputs(home, wanted.inputs)
    quality = read_quality(home / wanted.quality) if wanted.quality else QualityConfig()
    plan = Plan(
        output=str(home / wanted.output),
        shares=divide(inputs.files, tasks or wanted.tasks),
        recipe=Recipe(wanted.extractor, wanted.rights, quality),
        portals=tuple(map(load_portal, wanted.portals or list_portals())),
        build=BuildConfig(duplicates=DuplicateConfig(survivor=wanted.survivor)),
        memory_gb=wanted.memory_gb,
        unfinished=inputs.unfinished,
        profiles={profile.source: profile.hash for profile in inputs.profiles},
        inputs=hashlib.sha256(msgspec.json.encode(inputs.files)).hexdigest(),
        version=VERSION,
    )
    if plan.file.is_file() and read_plan(plan.file) != plan:
        raise CorpusError(f"{plan.output}: was begun with other inputs, settings or tasks; name another output")
    if not plan.file.is_file() and (plan.folder / LEDGER).exists():
        raise CorpusError(f"{plan.output}: the corpus of a crawl lies here; name another output")
    plan.file.parent.mkdir(OWNER_ONLY, parents=True, exist_ok=True)
    for profile in inputs.profiles:
        write_profile(profile_path(plan.folder, profile.source), profile)
    for corpus in (home / name for name in wanted.inputs if not is_remote(name)):
        if corpus.is_dir():
            note_copy(corpus, plan.folder)
    replace_file(plan.file, msgspec.json.encode(plan))
    return plan


def read_plan(path: Path) -> Plan:
    """Read a plan that `begin` wrote.

    Raises:
        CorpusError: it cannot be read.
    """
    if not path.is_file():
        raise CorpusError(f"{path.parent.parent}: no batch was begun here")
    try:
        plan = msgspec.json.decode(path.read_bytes(), type=Plan)
    except msgspec.DecodeError as error:
        raise CorpusError(f"{path}: not the plan of a batch: {error}") from error
    if plan.version != VERSION:
        raise CorpusError(f"{plan.output}: was begun with another version of newscorpus; name another output")
    return plan
