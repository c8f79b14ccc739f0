"""Learn the profiles of a crawled corpus from its archive, and judge the pages again that these touch.

The result depends on the archive, not on the order in which pages came: a profile is learned from the verdicts of the
model alone on a sample by hash, and used for all pages of its portal. Pages keep their rows if it changes none of these
verdicts on their blocks.
"""

import logging
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import groupby

from newscorpus.config import Limits
from newscorpus.corpus.reextract import Applied, Archived, apply
from newscorpus.layout import inside
from newscorpus.page.judge import Judgement, Rules, judge
from newscorpus.page.profiles.learn import LEAST_PAGES, MOST_PAGES, Named, SeenPage, learn
from newscorpus.page.profiles.review import SiteReview, load_review
from newscorpus.page.recipe import Recipe, add_profile, prepare
from newscorpus.page.source_page import SourcePage
from newscorpus.page.text.classify import GOOD
from newscorpus.portal.profile import Profile, Profiles, profile_path, profiles_of, read_profile, write_profile
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
    """Learn the profiles of the portals of a corpus, and judge the pages again that a new profile touches.

    An interrupted run is completed by the next one.

    Args:
        archived: the corpus, and how its pages are extracted.
        most_pages: maximum pages that a profile is learned from.

    Raises:
        CorpusError, LedgerError, ArchiveError, ValueError, ImportError, OSError: as for `reextract.apply`.
    """
    profiles = profiles_of(archived.corpus)
    with Ledger.open(archived.corpus) as ledger:
        found = ledger.profiles.samples([portal.name for portal in archived.portals])
        pages = {name: places for name, places in found.items() if len(places) >= LEAST_PAGES}
        samples = {name: places[:most_pages] for name, places in pages.items()}
        noted = {name: used for name in samples if (used := ledger.profiles.of(name))}
    standing = {name: used.sample for name, used in noted.items() if used.hash == _hash(profiles, name)}
    due = {name: places for name, places in samples.items() if standing.get(name) != name_sample(places)}
    renewed, untouched = _renew(archived, due, profiles) if due else ({}, set())
    profiles = {**profiles, **renewed}
    new = {name for name in due if name in renewed or (name in profiles and name not in standing)}
    untouched |= _untouched(archived, {name: pages[name][most_pages:] for name in new}, profiles)
    applied = apply(archived, sources=new, untouched=untouched) if new else Applied({}, 0)
    with Ledger.open(archived.corpus) as ledger:
        for name, places in due.items():
            ledger.profiles.note(name, UsedProfile(name_sample(places), _hash(profiles, name)))
    return applied


def _hash(profiles: Profiles, portal: str) -> str:
    return profiles[portal].hash if portal in profiles else ""


def _untouched(archived: Archived, places: Mapping[str, list[Place]], profiles: Profiles) -> set[Named]:
    """Return the documents at places of the archive on which the profile changes no verdict of the model alone."""
    recipe = archived.recipe
    pages = (add_profile(recipe, profiles, page) for page in _pages(archived, places))
    found = in_order(partial(_find_untouched, recipe), pages, archived.jobs, Limits().page_seconds)
    return {(page.source, document) for page, document in found if document and not isinstance(document, Lost)}


def _find_untouched(recipe: Recipe, page: SourcePage) -> str:
    """Return the document on a page, or "" if its profile changes a verdict or it is no article."""
    seen = judge(page, Rules(recipe, for_profile=True)).seen if page.profile else None
    return seen.id if seen and page.profile and _keeps_verdicts(load_review(page.profile), seen) else ""


def _keeps_verdicts(review: SiteReview, page: SeenPage) -> bool:
    return review.good(page) == tuple(item.score > GOOD for item in page.labelled)


def _renew(archived: Archived, samples: Mapping[str, list[Place]], profiles: Profiles) -> tuple[Profiles, set[Named]]:
    """Write the profiles of portals.

    Returns:
        The new profiles, and those that change enough; and the documents of the samples on which the profile in force
        changes no verdict of the model alone.
    """
    new, untouched = {}, set()
    for profile, pages in _learn(archived, samples):
        there = profiles.get(profile.source)
        used = read_profile(there.path) if there else profile
        if there is None or _changes_enough(used, profile, pages):
            used, new[profile.source] = profile, write_profile(profile_path(archived.corpus, profile.source), profile)
            logger.info("The profile of %s is learned from %d pages", profile.source, len(profile.pages))
        review = SiteReview(used)
        untouched |= {(profile.source, page.id) for page in pages if _keeps_verdicts(review, page)}
    return new, untouched


def _learn(archived: Archived, samples: Mapping[str, list[Place]]) -> Iterator[tuple[Profile, Collection[SeenPage]]]:
    """Learn the profiles of portals with enough articles; yield each with the pages that it was learned from."""
    recipe, pages = archived.recipe, _pages(archived, samples)
    seconds = Limits().page_seconds
    label = partial(judge, rules=Rules(recipe, for_profile=True))
    found = in_order(label, pages, archived.jobs, seconds, partial(prepare, recipe))
    for portal, pairs in groupby(found, key=lambda pair: pair[0].source):
        seen = {one.seen.id: one.seen for _, one in pairs if isinstance(one, Judgement) and one.seen}
        profile = learn(seen.values(), portal, recipe.extractor)
        if len(profile.pages) >= LEAST_PAGES:
            yield profile, seen.values()


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


def _changes_enough(there: Profile, new: Profile, pages: Collection[SeenPage]) -> bool:
    """Whether a new profile changes a verdict on enough of these pages."""
    if there.hash == new.hash:
        return False
    before, after = SiteReview(there), SiteReview(new)
    return sum(before.good(page) != after.good(page) for page in pages) >= CHANGED_SHARE * len(pages)
