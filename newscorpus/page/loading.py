"""Load the extractors and the models that they need."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from newscorpus.artifacts import load_artifact
from newscorpus.config import Part, Revision
from newscorpus.data import Page, Rejected
from newscorpus.model_folders import FIELDS_MODEL
from newscorpus.page.extractor import (
    WHOLE,
    BlockSystemExtractor,
    Extractor,
    Options,
    PreparedPage,
    SystemExtractor,
)
from newscorpus.page.profiles.review import load_review
from newscorpus.page.quality.language import LanguageDetector, by_fasttext, by_langid
from newscorpus.page.recipe import REVIEWED, Recipe
from newscorpus.page.registry import DEFAULT, NO_FALLBACK, TEMPLATE, check_fields_model, entries, system_of, systems
from newscorpus.page.source_page import SourcePage
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.main_text import INPUTS, MainTextSystem
from newscorpus.portal.addresses import AddressTrust
from newscorpus.portal.portal import TemplateSection

MakeSystem = Callable[[str, TemplateRules | None, str, Revision], SystemExtractor]
"""Entry point of the group `newscorpus.systems`: makes an extractor from the name of a system, a portal's template, a
model ("" for the shipped one) and the revision of labels."""

MakeExtractor = Callable[[str], Extractor]
"""Entry point of the group `newscorpus.extractors`: makes an extractor from its name alone."""


def _main_text(name: str, template: TemplateRules | None, model: str, revision: Revision) -> SystemExtractor:
    system = MainTextSystem(load_artifact(model or DEFAULT, INPUTS), asks=name == DEFAULT, revision=revision)
    return BlockSystemExtractor(find=system.find, template=template, label_blocks=system.label)


def _template_alone(_name: str, template: TemplateRules | None, _model: str, _revision: Revision) -> SystemExtractor:
    """Make the template extractor of Bakić (2012), which rejects pages where no rule matches."""
    reason = "no_main_text" if template else "no_template"
    detail = f"the template {template.name!r} found none" if template else "the portal has no template"

    def refuse(prepared: PreparedPage) -> Rejected:
        return Rejected("extract", reason, detail, prepared.page.url)

    return SystemExtractor(refuse, template)


OWN: Mapping[str, MakeSystem] = {DEFAULT: _main_text, NO_FALLBACK: _main_text, TEMPLATE: _template_alone}
"""Built-in systems."""


def load(name: str, template: TemplateRules | None = None, options: Options = Options()) -> Extractor:
    """Load the extractor called `name`, or that of the model in the folder `name`.

    Where the portal's `template` matches text, that is used.

    Raises:
        ValueError: there is no such extractor, or it does not accept the template or the options; one line.
    """
    revision, fields_model = options.revision, options.fields_model
    if name not in OWN and name in entries("newscorpus.extractors"):
        if template or revision != Revision() or fields_model != FIELDS_MODEL:
            raise ValueError(
                f"the extractor {name!r} cannot be combined with a template, rules, thresholds or a model of fields"
            )
        make: MakeExtractor = entries("newscorpus.extractors")[name].load()
        return make(name)
    system, model = (name, "") if name in systems() else (system_of(name), name)
    if fields_model != FIELDS_MODEL:
        check_fields_model(fields_model)
    system = NO_FALLBACK if system == DEFAULT and not options.second_opinion else system
    make_system: MakeSystem = OWN[system] if system in OWN else entries("newscorpus.systems")[system].load()
    made = make_system(system, template, model, revision)
    extractor = replace(made, options=options)
    if revision != Revision() and not isinstance(extractor, BlockSystemExtractor):
        raise ValueError(f"the extractor {name!r} does not decide block by block: no post-analysis and no thresholds")
    return extractor


def load_whole(name: str) -> Extractor:
    """Load the extractor called `name` for pages with gold text: it also reads hidden text of paywalled pages."""
    return load(name, options=WHOLE)


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
    second_opinion = recipe.second_opinion and recipe.extractor != NO_FALLBACK
    fields_model = recipe.fields_model_for(page)
    options = Options(page.respect_paywall, leave_out, fields_model, revision, second_opinion)
    extractor = _load(name, source, page.template, options)
    if page.trust is not AddressTrust.CERTAIN and isinstance(extractor, SystemExtractor):
        extractor = replace(extractor, seeks_listing=True)
    if page.profile is None:
        return extractor
    if name not in REVIEWED or not isinstance(extractor, SystemExtractor):
        raise ValueError(f"the extractor {name!r} uses no profile of a portal; {DEFAULT} does")
    return replace(extractor, review=load_review(page.profile))


@cache
def _load(name: str, source: str, template: TemplateSection | None, options: Options) -> Extractor:
    return load(name, TemplateRules(source, template) if template else None, options)
