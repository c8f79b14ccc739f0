"""Learn the profiles of a crawled corpus from its archive, and judge the affected pages again.

A profile is learned from the verdicts of the model alone on a sample of pages, drawn by hash, and applied to all pages
of its portal. So the result depends on the archive, not on the order in which pages arrived. Sampled pages whose
verdicts the profile does not change keep their rows.
"""

import logging
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import ne

from newscorpus.config import Limits
from newscorpus.corpus.reextract import Applied, Archived, apply
from newscorpus.layout import inside
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Judgement, Rules
from newscorpus.page.loading import prepare
from newscorpus.page.profiles.learn import LEAST_PAGES, MOST_PAGES, SeenPage, learn
from newscorpus.page.profiles.review import SiteReview, load_review
from newscorpus.page.recipe import Recipe, add_profile
from newscorpus.page.source_page import Named, SourcePage
from newscorpus.page.text.classify import GOOD
from newscorpus.portal.profile import Profiles, profile_path, profiles_of, read_profile, write_profile
from newscorpus.store.archive.read import read_capture
from newscorpus.store.archive.values import ArchiveError, Capture
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.portals import Place, UsedProfile, name_sample
from newscorpus.store.pages import page_of_capture
from newscorpus.workers import Lost, in_order

CHANGED_SHARE = 0.01
"""Minimum share of the sampled pages on which a new profile must change a verdict to replace the existing one."""

logger = logging.getLogger(__name__)


def use_profiles(archived: Archived, most_pages: int = MOST_PAGES) -> Applied:
    """Learn the profiles of a corpus's portals, and judge again the pages that a new profile affects.

    If it is killed, the next call completes it.

    Raises:
        CorpusError, LedgerError, ArchiveError, ValueError, ImportError, OSError: as for `reextract.apply`.
    """
    profiles = profiles_of(archived.corpus)

    def hash_of(portal: str) -> str:
        return profiles[portal].hash if portal in profiles else ""

    with Ledger.open(archived.corpus) as ledger:
        found = ledger.profiles.samples([portal.name for portal in archived.portals])
        pages = {name: places for name, places in found.items() if len(places) >= LEAST_PAGES}
        samples = {name: places[:most_pages] for name, places in pages.items()}
        noted = {name: used for name in samples if (used := ledger.profiles.of(name))}
    standing = {name: used.sample for name, used in noted.items() if used.hash == hash_of(name)}
    due = {name: places for name, places in samples.items() if standing.get(name) != name_sample(places)}
    renewed, untouched = _learn(archived, due, profiles) if due else ({}, set())
    profiles = {**profiles, **renewed}
    new = {name for name in due if name in renewed or (name in profiles and name not in standing)}
    untouched |= _untouched(archived, {name: pages[name][most_pages:] for name in new}, profiles)
    applied = apply(archived, sources=new, untouched=untouched) if new else Applied({}, 0)
    with Ledger.open(archived.corpus) as ledger:
        for name, places in due.items():
            ledger.profiles.note(name, UsedProfile(name_sample(places), hash_of(name)))
    return applied


def _untouched(archived: Archived, places: Mapping[str, list[Place]], profiles: Profiles) -> set[Named]:
    """Find the documents at places of the archive on which the profile changes no verdict of the model alone."""
    recipe = archived.recipe
    pages = (add_profile(recipe, profiles, page) for page in _pages(archived, places))
    found = in_order(partial(_find_untouched, recipe), pages, archived.jobs, Limits().page_seconds)
    return {(page.source, document) for page, document in found if document and not isinstance(document, Lost)}


def _find_untouched(recipe: Recipe, page: SourcePage) -> str:
    """Return the document on a page, or "" if its profile changes a verdict or it is no article."""
    seen = judge(page, Rules(recipe, for_profile=True)).seen if page.profile else None
    return seen.id if seen and page.profile and load_review(page.profile).good(seen) == _verdicts(seen) else ""


def _verdicts(page: SeenPage) -> tuple[bool, ...]:
    """Return the verdicts of the model alone on the blocks of a page."""
    return tuple(item.score > GOOD for item in page.labelled)


def _learn(archived: Archived, samples: Mapping[str, list[Place]], profiles: Profiles) -> tuple[Profiles, set[Named]]:
    """Learn profiles, and write those that are new or change enough verdicts.

    Returns:
        The written profiles, and the sampled documents on which the profile in force changes no verdict.
    """
    written, untouched = {}, set()
    recipe, pages = archived.recipe, _pages(archived, samples)
    label = partial(judge, rules=Rules(recipe, for_profile=True))
    judged = in_order(label, pages, archived.jobs, Limits().page_seconds, partial(prepare, recipe))
    for portal, pairs in groupby(judged, key=lambda pair: pair[0].source):
        sample = {one.seen.id: one.seen for _, one in pairs if isinstance(one, Judgement) and one.seen}.values()
        profile = learn(sample, portal, recipe.extractor)
        if len(profile.pages) < LEAST_PAGES:
            continue
        there = profiles.get(portal)
        verdicts = list(map(SiteReview(profile).good, sample))
        keeps = there is not None and there.hash == profile.hash
        if there and not keeps:
            before = list(map(SiteReview(read_profile(there.path)).good, sample))
            keeps = sum(map(ne, before, verdicts)) < CHANGED_SHARE * len(sample)
            verdicts = before if keeps else verdicts
        if not keeps:
            written[portal] = write_profile(profile_path(archived.corpus, portal), profile)
            logger.info("The profile of %s is learned from %d pages", portal, len(profile.pages))
        same = (page for page, good in zip(sample, verdicts, strict=True) if good == _verdicts(page))
        untouched |= {(portal, page.id) for page in same}
    return written, untouched


def _pages(archived: Archived, samples: Mapping[str, list[Place]]) -> Iterator[SourcePage]:
    """Read the pages at places, portal by portal; skip unreadable ones and those of other sources."""
    for portal, places in samples.items():
        for file, offset in places:
            try:
                found = read_capture(inside(archived.corpus, file), offset)
            except ArchiveError as error:
                logger.warning("%s", error)
                continue
            if isinstance(found, Capture) and (page := page_of_capture(found, archived.portals)).source == portal:
                yield page
