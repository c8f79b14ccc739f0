"""Try the rules of a portal's file on some pages, and show how often they found something lately."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from newscorpus.data import Rejected
from newscorpus.page.extractor import parse_page
from newscorpus.page.source_page import SourcePage
from newscorpus.page.template import FITS, TemplateRules
from newscorpus.portal.portal import Portal, TemplateSection
from newscorpus.store.ledger.looks import Look
from newscorpus.store.redesigns import MISSING

EXAMPLES = 3
EXAMPLE_CHARACTERS = 120
PATTERNS = ("articles", "sections", "ignore")
PAGES_A_STEP = 10
"""Pages that are counted together, so that a share can be seen to change."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What a rule found on some pages."""

    key: str  # of the portal's file
    rule: str
    hits: int  # pages on which it found something, or whose address it matches
    pages: int  # that could be read
    examples: tuple[str, ...]  # what it found
    misfit: str = ""  # a value that cannot be what the field is


def try_rules(portal: Portal, pages: Sequence[SourcePage]) -> list[RuleTrial]:
    """Try each rule of the template that holds now, and each pattern of addresses."""
    return [*_tried_template(portal, pages), *_tried_patterns(portal, [page.page.url for page in pages])]


def _tried_patterns(portal: Portal, urls: Sequence[str]) -> Iterator[RuleTrial]:
    for key in PATTERNS:
        for position, pattern in enumerate(getattr(portal, key)):
            alone = replace(portal, **{key: (pattern,)})  # type: ignore[arg-type]
            found = [url for url in urls if alone.find_pattern(key, url)]
            yield RuleTrial(f"{key}[{position}]", pattern, len(found), len(urls), tuple(found[:EXAMPLES]))


def _tried_template(portal: Portal, pages: Sequence[SourcePage]) -> Iterator[RuleTrial]:
    section = portal.template_for("")
    if section is None:
        return
    rules = TemplateRules(portal.name, section)
    parsed = (parse_page(page.page) for page in pages)
    trees = [one.tree for one in parsed if not isinstance(one, Rejected)]
    for key in TemplateSection.__slots__:
        for position, rule in enumerate(getattr(section, key)):
            found = [values for tree in trees if (values := rules.found_by(key, position, tree))]
            firsts = dict.fromkeys(values[0][:EXAMPLE_CHARACTERS] for values in found)
            misfit = next((values[0] for values in found if not FITS.get(key, bool)(values[0])), "")
            yield RuleTrial(
                f"template.{key}[{position}]", rule, len(found), len(trees), tuple(firsts)[:EXAMPLES], misfit
            )


def found_lately(looks: Sequence[Look]) -> Mapping[str, Sequence[float]]:
    """Of what was missing on some of the last pages, the shares of pages on which it was found, oldest first."""
    missing = sorted({sign for look in looks for sign in look.signs if sign.startswith(MISSING)})
    steps = [looks[start : start + PAGES_A_STEP] for start in range(0, len(looks), PAGES_A_STEP)]
    return {
        sign.removeprefix(MISSING): [sum(sign not in look.signs for look in step) / len(step) for step in steps]
        for sign in missing
    }
