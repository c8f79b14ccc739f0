"""Learn profiles from stored pages: which pages, and what the model alone makes of each."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from newscorpus.config import Limits
from newscorpus.data import Article, Rejected
from newscorpus.extraction.extractor import BlockSystemExtractor
from newscorpus.profiles.learn import LEAST_PAGES, MOST_PAGES, SeenPage, document_of, learn, sample_key
from newscorpus.profiles.profile import Profile, ProfileFile
from newscorpus.recipe import REVIEWED, Recipe, SourcePage, extract_article, extractor_of
from newscorpus.workers import in_order

Profiles = Mapping[str, ProfileFile]
"""The profiles of sources, by their names."""
NO_PROFILES: Profiles = {}
Named = tuple[str, str]
"""The name of a source, and what names one of its documents."""


def choose_sample(documents: Iterable[Named]) -> frozenset[Named]:
    """Choose the documents that the profile of each source is learned from, in any order the same ones."""
    by_source: defaultdict[str, set[str]] = defaultdict(set)
    for source, document in documents:
        by_source[source].add(document)
    enough = {source: held for source, held in by_source.items() if len(held) >= LEAST_PAGES}
    return frozenset(
        (source, document) for source, held in enough.items() for document in sorted(held, key=sample_key)[:MOST_PAGES]
    )


def learn_profiles(recipe: Recipe, pages: Iterable[SourcePage], jobs: int = 1) -> Iterator[Profile]:
    """Learn the profiles of the sources of `pages`, of those that have enough articles among them.

    Raises:
        ValueError, ImportError: as for `extractor_of`.
    """
    by_source: defaultdict[str, dict[str, SeenPage]] = defaultdict(dict)
    for page, seen in in_order(partial(see_page, recipe), pages, jobs, Limits().page_seconds):
        if isinstance(seen, SeenPage):
            by_source[page.source][seen.id] = seen
    for source, seen_pages in sorted(by_source.items()):
        profile = learn(seen_pages.values(), source, recipe.extractor)
        if len(profile.pages) >= LEAST_PAGES:
            yield profile


def see_page(recipe: Recipe, page: SourcePage) -> SeenPage | None:
    """What the model alone makes of a page; None where it finds no article. Errors as for `extractor_of`."""
    page = replace(page, profile=None)
    extractor, name = extractor_of(recipe, page), recipe.decider_for(page)[0]
    if name not in REVIEWED or not isinstance(extractor, BlockSystemExtractor):
        return None
    if not isinstance(extract_article(extractor, page), Article):
        return None
    reading = extractor.read(page.page)
    if isinstance(reading, Rejected):
        return None
    return SeenPage(document_of(reading), extractor.label_blocks(reading), reading.fields)
