"""Learn the profiles of a crawled corpus from its archive, and judge the pages again that these touch.

What comes of it depends on the archive, not on the order in which pages came: a profile is learned from a sample by
hash, of what the model alone makes of it, and used for all pages of its portal. Pages of the sample on whose blocks it
gives the verdicts of the model alone keep their rows.
"""

import logging
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import groupby

from newscorpus.config import Limits
from newscorpus.corpus.reextract import Applied, Archived, apply
from newscorpus.layout import inside
from newscorpus.page.judge import see_page
from newscorpus.page.profiles.learn import LEAST_PAGES, MOST_PAGES, Named, SeenPage, learn
from newscorpus.page.profiles.review import SiteReview
from newscorpus.page.recipe import prepare
from newscorpus.page.source_page import SourcePage
from newscorpus.page.text.classify import GOOD
from newscorpus.portal.profile import Profile, Profiles, profile_path, profiles_of, read_profile, write_profile
from newscorpus.store.archive.read import read_capture
from newscorpus.store.archive.values import ArchiveError, Capture
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.portals import Place, UsedProfile, name_sample
from newscorpus.store.pages import page_of_capture
from newscorpus.workers import in_order

CHANGED_SHARE = 0.01
"""Share of the sampled pages on which a new profile changes a verdict, from which on it takes the place of the one that
is there, and all pages of the portal are judged again."""

logger = logging.getLogger(__name__)


def use_profiles(archived: Archived) -> Applied:
    """Learn the profiles of the portals of a corpus, and judge the pages again that a new profile touches.

    A run that was broken off is completed by the next one.

    Raises:
        CorpusError, LedgerError, ArchiveError, ValueError, ImportError, OSError: as for `reextract.apply`.
    """
    profiles = profiles_of(archived.corpus)
    with Ledger.open(archived.corpus) as ledger:
        found = ledger.profiles.samples([portal.name for portal in archived.portals], MOST_PAGES)
        samples = {name: places for name, places in found.items() if len(places) >= LEAST_PAGES}
        noted = {name: used for name in samples if (used := ledger.profiles.of(name))}
    standing = {name: used.sample for name, used in noted.items() if used.hash == _hash(profiles, name)}
    due = {name: places for name, places in samples.items() if standing.get(name) != name_sample(places)}
    renewed, untouched = _renew(archived, due, profiles) if due else ({}, set())
    profiles = {**profiles, **renewed}
    new = {name for name in due if name in renewed or (name in profiles and name not in standing)}
    applied = apply(archived, sources=new, untouched=untouched) if new else Applied({}, 0)
    with Ledger.open(archived.corpus) as ledger:
        for name, places in due.items():
            ledger.profiles.note(name, UsedProfile(name_sample(places), _hash(profiles, name)))
    return applied


def _hash(profiles: Profiles, portal: str) -> str:
    return profiles[portal].hash if portal in profiles else ""


def _renew(
    archived: Archived, samples: Mapping[str, list[Place]], profiles: Profiles
) -> tuple[Profiles, Collection[Named]]:
    """Write the profiles of portals.

    Returns:
        Those that were not there, or that change enough; and the documents of the samples on which the profile that
        counts from now on changes no verdict of the model alone.
    """
    new, untouched = {}, set()
    for profile, pages in _learn(archived, samples):
        there = profiles.get(profile.source)
        used = read_profile(there.path) if there else profile
        if there is None or _changes_enough(used, profile, pages):
            used, new[profile.source] = profile, write_profile(profile_path(archived.corpus, profile.source), profile)
            logger.info("The profile of %s is learned from %d pages", profile.source, len(profile.pages))
        review = SiteReview(used)
        for page in pages:
            if review.good(page) == tuple(item.score > GOOD for item in page.labelled):
                untouched.add((profile.source, page.id))
    return new, untouched


def _learn(archived: Archived, samples: Mapping[str, list[Place]]) -> Iterator[tuple[Profile, Collection[SeenPage]]]:
    """The profiles of portals of which enough articles are there, each with the pages that it was learned from."""
    recipe, pages = archived.recipe, _pages(archived, samples)
    seconds = Limits().page_seconds
    found = in_order(partial(see_page, recipe), pages, archived.jobs, seconds, partial(prepare, recipe))
    for portal, pairs in groupby(found, key=lambda pair: pair[0].source):
        seen = {page.id: page for _, page in pairs if isinstance(page, SeenPage)}
        profile = learn(seen.values(), portal, recipe.extractor)
        if len(profile.pages) >= LEAST_PAGES:
            yield profile, seen.values()


def _pages(archived: Archived, samples: Mapping[str, list[Place]]) -> Iterator[SourcePage]:
    """The pages at these places, portal by portal; what cannot be read, or is of another source, is passed over."""
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
