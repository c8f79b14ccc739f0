"""Apply a portal's template to a page; read the plain template files of Bakić (2012)."""

import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import Evidence, RuleHit
from newscorpus.page.fields.dates import Setting, parse_date
from newscorpus.page.fields.decide import MAX_TITLE, primary_tag
from newscorpus.page.parsing.segment import segment
from newscorpus.portal.portal import TemplateSection, version_of
from newscorpus.portal.schema import compile_rules, read_plain_rules
from newscorpus.tokens import collapse

FIELDS = tuple(name for name in TemplateSection.__slots__ if name not in {"remove", "text"})
UNWANTED = "newscorpus-unwanted"

logger = logging.getLogger(__name__)


MOST_NAME_CHARACTERS = 100
"""Longest plausible value of `authors`; the longest list of authors in the gold pages is shorter."""
MISFIT_CHARACTERS = 60
"""Characters quoted of an implausible value."""


FITS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("published", "modified"), lambda value: parse_date(value, Setting(datetime.now(UTC)))),
    "language": primary_tag,
    "authors": lambda value: len(value) <= MOST_NAME_CHARACTERS,
    "title": lambda value: len(value) <= MAX_TITLE,
}
"""Plausibility checks of values, for the fields that have one."""


class TemplateRules:
    """The compiled template of a portal, after the template extractor of Bakić (2012).

    The text is the union of all text rules' matches, in document order. For other fields the first rule that matches
    decides. A match inside an element matched already is not repeated. The template's version is a hash of its rules,
    so that each text can name the rules that found it.

    Raises:
        ValueError: a rule is broken.
    """

    def __init__(self, name: str, section: TemplateSection) -> None:
        self.name = name
        self.version = version_of(section)
        self.section = section
        # The matches of all rules together are in document order
        self._unwanted = compile_rules(*section.remove) if section.remove else None
        self._text = compile_rules(*section.text) if section.text else None
        self._rules = {key: tuple(map(compile_rules, getattr(section, key))) for key in TemplateSection.__slots__}

    def remove_unwanted(self, tree: HtmlElement) -> None:
        """Remove the elements matched by the `remove` rules from `tree`; the text after them stays."""
        for match in self._matches(self._unwanted, tree):
            if isinstance(match, HtmlElement) and match is not tree:
                match.tag = UNWANTED
        # In one pass: calling `drop_tree` on each joins the texts after them repeatedly, in quadratic time.
        etree.strip_elements(tree, UNWANTED, with_tail=False)

    def read_fields(self, tree: HtmlElement) -> tuple[Evidence, ...]:
        """Return the values that the rules find for the fields, source "template"."""
        found: list[Evidence] = []
        for field in FIELDS:
            values = next(filter(None, (self._values(rule, tree) for rule in self._rules[field])), ())
            found += [Evidence(field, value, "template") for value in values]
        return tuple(found)

    def read_text(self, tree: HtmlElement) -> tuple[str, ...]:
        """Return the paragraphs that the rules find for the main text."""
        return tuple(paragraph for match in self._matches(self._text, tree) for paragraph in _paragraphs(match))

    def hits(self, tree: HtmlElement) -> tuple[RuleHit, ...]:
        """Return all rules that match `tree`, before removals, including those that an earlier rule overrides."""
        found: list[RuleHit] = []
        for key, rules in self._rules.items():
            for position, rule in enumerate(rules):
                values = self._values(rule, tree) if key in FIELDS else ()
                if values or (key not in FIELDS and self._matches(rule, tree)):
                    misfit = "" if not values or FITS.get(key, bool)(values[0]) else values[0][:MISFIT_CHARACTERS]
                    found.append(RuleHit(key, position, misfit))
        return tuple(found)

    def found_by(self, key: str, position: int, tree: HtmlElement) -> tuple[str, ...]:
        """Return the matches of one rule in `tree`: values of its field, or paragraphs of selected elements."""
        rule = self._rules[key][position]
        return self._values(rule, tree) if key in FIELDS else tuple(map(_value, self._matches(rule, tree)))

    def _values(self, rule: etree.XPath, tree: HtmlElement) -> tuple[str, ...]:
        return tuple(dict.fromkeys(filter(None, map(_value, self._matches(rule, tree)))))

    def _matches(self, rule: etree.XPath | None, tree: HtmlElement) -> list[Any]:
        """Return the matches outside earlier ones, in document order; none without a rule."""
        try:
            found: Any = rule(tree) if rule else []  # nodes only: `compile_rules` refuses rules that compute a value
        except etree.XPathError as error:  # a hostile page may exceed libxml2's limits
            logger.warning("template %s: rule %s cannot be applied: %s", self.name, rule and rule.path, error)
            return []
        matches: list[Any] = []
        taken: HtmlElement | None = None
        for match in found:
            # The element of a match: itself, or the parent of a text; none of an attribute
            holder = match if isinstance(match, HtmlElement) else None
            if holder is None and not getattr(match, "is_attribute", True):
                holder = match.getparent().getparent() if match.is_tail else match.getparent()
            if taken is None or holder is None or not (holder is taken or taken in holder.iterancestors()):
                taken = match if isinstance(match, HtmlElement) else taken
                matches.append(match)
        return matches


def _paragraphs(match: Any) -> tuple[str, ...]:
    if isinstance(match, HtmlElement):
        return tuple(block.text for block in segment(match))
    text = collapse(match) if isinstance(match, str) else ""  # beside text there may be comments
    return (text,) if text else ()


def _value(match: Any) -> str:
    value = " ".join(_paragraphs(match))
    if not value and isinstance(match, HtmlElement):  # such as <title>, which shows no text on the page
        value = collapse(match.text_content())
    return value


def load_plain_template(path: Path) -> TemplateRules:
    """Read a plain template file; the template is named after the file.

    Raises:
        PortalError: as for `read_plain_rules`.
    """
    return TemplateRules(path.stem, TemplateSection(text=read_plain_rules(path)))
