"""What every training of a shipped model shares: the sets it may learn from, and how its metadata describes them."""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from newscorpus.evaluation.conventions import has_article
from newscorpus.learning.examples import LICENCES
from newscorpus.learning.pages import GoldPage, read_pages

Progress = Callable[[str], None]
"""Is told each step."""

SITES_ASIDE = 5
"""One site of so many is set aside by trainings that score their model on it."""

Described = dict[str, dict[str, str | int]]
"""By set: licence, pages learned from, SHA-256 of the file; as `Metadata.data`."""


@dataclass(frozen=True, slots=True)
class Source:
    """Pages to learn from.

    Attributes:
        pages: with their text; read once.
        describe: the number of pages of each set that were learned from, to the description of the sets.
    """

    pages: Iterable[GoldPage]
    describe: Callable[[Mapping[str, int]], Described]


class TrainingError(ValueError):
    """Training cannot begin; the message is one line."""


def gold_source(data: Path, progress: Progress) -> Source:
    """The articles of the train split of the sets in `data` whose licence allows to train shipped models.

    Reading it raises TrainingError where a set is missing.
    """
    return Source(training_articles(data, progress), partial(describe_data, data))


def training_files(data: Path, licences: Mapping[str, str] = LICENCES) -> dict[str, Path]:
    """The files in `data` of the sets of `licences`, by set: those that allow to train shipped models.

    Raises:
        TrainingError: one is missing.
    """
    files = {name: data / f"{name}.jsonl.zst" for name in licences}
    missing = [str(path) for path in files.values() if not path.is_file()]
    if missing:
        raise TrainingError(f"the pages with gold text are not all here: {missing[0]} is missing")
    return files


def training_articles(data: Path, progress: Progress) -> Iterator[GoldPage]:
    """The pages with an article of the train split of those sets.

    Raises:
        TrainingError: a set is missing.
    """
    for file in training_files(data).values():
        yield from (page for page in read_pages(file) if page.split == "train" and has_article(page.page_type))
        progress(f"{file.name} read")


def first_of_each_set(pages: Iterable[GoldPage], limit: int) -> Iterator[GoldPage]:
    """Of each set the first `limit` of `pages`."""
    seen: Counter[str] = Counter()
    for page in pages:
        seen[page.dataset] += 1
        if seen[page.dataset] <= limit:
            yield page


def is_aside(site: str) -> bool:
    """Whether the pages of `site` are set aside: not learned from, but scored on."""
    return zlib.crc32(site.encode()) % SITES_ASIDE == 0


def describe_data(data: Path, pages: Mapping[str, int], licences: Mapping[str, str] = LICENCES) -> Described:
    """The sets in `data`, with the number of `pages` of each that were learned from."""
    return {
        name: {
            "licence": licences[name],
            "pages": pages[name],
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for name, path in training_files(data, licences).items()
    }


def describe_versions(packages: Iterable[str]) -> dict[str, str]:
    """The versions of Python and of `packages` that a model is made with."""
    return {"python": python_version(), **{name: version(name) for name in packages}}
