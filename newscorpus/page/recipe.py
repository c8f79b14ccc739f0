"""Define how pages become rows, name each version of it, and load the models that it needs."""

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.artifacts import fields_within, read_metadata
from newscorpus.config import Part, QualityConfig, Revision
from newscorpus.data import SCHEMA, Page
from newscorpus.page.extractor import Extractor, SystemExtractor
from newscorpus.page.fields.learned import MODEL as FIELDS_MODEL
from newscorpus.page.profiles.review import MODEL as REVIEW_MODEL
from newscorpus.page.profiles.review import load_review
from newscorpus.page.quality.language import LanguageDetector, by_fasttext, by_langid
from newscorpus.page.quality.letters import MODEL as LETTERS_MODEL
from newscorpus.page.registry import DEFAULT, NO_FALLBACK, load
from newscorpus.page.rights import RightsPolicy
from newscorpus.page.source_page import SourcePage
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.second_opinion import PACKAGE
from newscorpus.portal.portal import TemplateSection
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


def prepare(recipe: Recipe) -> None:
    """Load the models in advance, so that the first page need not wait; errors as for `judge`.

    Raises:
        CorpusError: the user's language model cannot be read.
    """
    extractor_of(recipe)
    detector_of(recipe)("any text")


def detector_of(recipe: Recipe) -> LanguageDetector:
    """Return the language detector of a recipe."""
    model = recipe.quality.language_model if recipe.quality else ""
    return by_fasttext(Path(model)) if model else by_langid


def extractor_of(recipe: Recipe, page: SourcePage | None = None) -> Extractor:
    """Load, once per process, the extractor of a recipe, with template and profile of the page's source.

    Raises:
        ValueError: there is no such extractor, its model is missing, or a rule of the template is broken.
        ImportError: the extractor needs a package that is not installed.
    """
    page = page or SourcePage(Page("", b""))
    name, revision = recipe.decider_for(page)
    source = page.source if page.template else ""
    leave_out = tuple(part for part in Part if part in {*recipe.leave_out, *page.leave_out})
    extractor = _load(
        name,
        source,
        page.template,
        respect_paywall=page.respect_paywall,
        revision=revision,
        leave_out=leave_out,
        second_opinion=recipe.second_opinion and recipe.extractor != NO_FALLBACK,
        fields_model=recipe.fields_model_for(page),
    )
    if page.profile is None:
        return extractor
    if name not in REVIEWED or not isinstance(extractor, SystemExtractor):
        raise ValueError(f"the extractor {name!r} uses no profile of a portal; {DEFAULT} does")
    return replace(extractor, review=load_review(page.profile))


_fields_within = cache(fields_within)  # the models of a process do not change


@cache
def _load(name: str, source: str, template: TemplateSection | None, **options: Any) -> Extractor:
    return load(name, TemplateRules(source, template) if template else None, **options)


@cache
def _version(name: str, recipe: Recipe, fields_model: str, *of_source: Hashable, revision: Revision) -> str:
    decider = DEFAULT if name == NO_FALLBACK else name
    models = [_model(model) for model in (decider, fields_model, LETTERS_MODEL, REVIEW_MODEL)]
    packages = [metadata.version(package) for package in ("newscorpus", PACKAGE, "ftfy")]
    decides = msgspec.json.encode([packages, SCHEMA, models, name, recipe, *of_source, revision])
    return f"{name}@{models[0].get('version', '0')}+{hashlib.sha256(decides).hexdigest()[:10]}"


def _model(name: str) -> dict[str, object]:
    """Return version and file hashes of a model; empty where the extractor has no model."""
    known = read_metadata(name)
    return {"version": known.version, "files": known.files} if known else {}
