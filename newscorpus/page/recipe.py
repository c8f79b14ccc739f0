"""Define how pages become rows, name each version of it, and load the models that it needs."""

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata

import msgspec

from newscorpus.config import Part, QualityConfig, Revision
from newscorpus.data import SCHEMA
from newscorpus.model_folders import FIELDS_MODEL, LETTERS_MODEL, REVIEW_MODEL, fields_within, read_metadata
from newscorpus.page.registry import DEFAULT, NO_FALLBACK, SECOND_OPINION
from newscorpus.page.rights import RightsPolicy
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.profile import Profiles

REVIEWED = frozenset({DEFAULT, NO_FALLBACK})
"""Extractors that use the profile of a portal."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How pages become rows; the same for all pages of a run."""

    extractor: str = DEFAULT  # name, or folder of the model; any but the default overrides the portal's
    rights: RightsPolicy = RightsPolicy.RECORD  # handling of sites that reserve the use
    # Filters and masks; None: keep all articles, in any language, without tags and masks.
    quality: QualityConfig | None = QualityConfig()
    revision: Revision = Revision()  # how blocks are labelled
    leave_out: tuple[Part, ...] = ()  # parts of articles to leave out of all texts
    second_opinion: bool = True  # whether main-text asks another extractor where unsure
    # Model that reads the fields that a page does not declare; any but the default overrides the portal's.
    fields_model: str = FIELDS_MODEL

    def decider_for(self, page: SourcePage) -> tuple[str, Revision]:
        """Return a page's extractor and its revision of labels: the portal's, unless the recipe overrides them."""
        if self.extractor not in (DEFAULT, NO_FALLBACK):
            return self.extractor, self.revision
        return page.extractor or self.extractor, self.revision.or_else(page.revision)

    def fields_model_for(self, page: SourcePage) -> str:
        """Return the field model for a page: the recipe's, else the portal's, else that in the extractor's folder."""
        if self.fields_model != FIELDS_MODEL:
            return self.fields_model
        return page.fields_model or _fields_within(self.decider_for(page)[0]) or FIELDS_MODEL

    def version_for(self, page: SourcePage) -> str:
        """Name the version of all settings that decide on a page, e.g. "main-text@2+0c4f9a2b7d"."""
        name, revision = self.decider_for(page)
        of_source = page.template, page.languages, page.trust, page.respect_paywall, page.leave_out
        # the path of the profile does not count
        profile, fields_model = page.profile.hash if page.profile else "", self.fields_model_for(page)
        return _version(name, self, fields_model, *of_source, profile, revision=revision)


def add_profile(recipe: Recipe, profiles: Profiles, page: SourcePage) -> SourcePage:
    """Add the profile of its source to a page, if there is one and the extractor uses it."""
    profile = profiles.get(page.source)
    return replace(page, profile=profile) if profile and recipe.decider_for(page)[0] in REVIEWED else page


_fields_within = cache(fields_within)  # the models of a process do not change


@cache
def _version(name: str, recipe: Recipe, fields_model: str, *of_source: Hashable, revision: Revision) -> str:
    decider = DEFAULT if name == NO_FALLBACK else name
    models = [_model(model) for model in (decider, fields_model, LETTERS_MODEL, REVIEW_MODEL)]
    packages = [metadata.version(package) for package in ("newscorpus", SECOND_OPINION, "ftfy")]
    decides = msgspec.json.encode([packages, SCHEMA, models, name, recipe, *of_source, revision])
    return f"{name}@{models[0].get('version', '0')}+{hashlib.sha256(decides).hexdigest()[:10]}"


def _model(name: str) -> dict[str, object]:
    """Return version and file hashes of a model; empty where the extractor has no model."""
    known = read_metadata(name)
    return {"version": known.version, "files": known.files} if known else {}
