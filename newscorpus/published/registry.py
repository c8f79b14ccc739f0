"""Load the extractors by name. Adding one is one entry here, one file and one test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from newscorpus.data import Rejected
from newscorpus.extraction.extractor import (
    BlockSystemExtractor,
    Extractor,
    Reading,
    SystemExtractor,
    Template,
    keep_good,
)
from newscorpus.extraction.main_text import MainTextSystem
from newscorpus.extraction.nodes import load_linear
from newscorpus.extraction.post_analysis import DEFAULT_RULES
from newscorpus.published import bte
from newscorpus.published.node_svm.find import NodeSystem
from newscorpus.published.paragraph_svm.find import ParagraphSvm
from newscorpus.published.peers import PEERS
from newscorpus.published.segment_systems.find import load_segment_system
from newscorpus.published.shallow_tree.find import ShallowTree
from newscorpus.published.texttractor.find import Texttractor

DEFAULT, ALONE = "main-text", "main-text-alone"
"""The default, and the same without a second opinion."""


def _main_text(template: Template | None, rules: Sequence[str], *, asks: bool) -> SystemExtractor:
    system = MainTextSystem(asks=asks, rules=rules)
    return BlockSystemExtractor(find=system.find, template=template, label_blocks=system.label)


def _template_alone(template: Template | None, _rules: Sequence[str]) -> SystemExtractor:
    """The template extractor of Bakić (2012): where the rules of a portal find no text, there is none."""
    reason = "no_main_text" if template else "no_template"
    detail = f"the template {template.name!r} found none" if template else "the portal has no template"

    def refuse(reading: Reading) -> Rejected:
        return Rejected("extract", reason, detail, reading.page.url)

    return SystemExtractor(refuse, template)


SYSTEMS: Mapping[str, Callable[[Template | None, Sequence[str]], SystemExtractor]] = {
    DEFAULT: partial(_main_text, asks=True),
    ALONE: partial(_main_text, asks=False),
    "bte": lambda template, _: SystemExtractor(bte.find, template),
    "texttractor": lambda template, rules: keep_good(Texttractor(), template, rules),
    "texttractor-unrevised": lambda template, rules: keep_good(Texttractor(rules=()), template, rules),
    "shallow-tree": lambda template, rules: keep_good(ShallowTree(), template, rules),
    "paragraph-svm": lambda template, rules: keep_good(ParagraphSvm(), template, rules),
    "segment-svm": lambda template, _: SystemExtractor(load_segment_system("segment-svm").find, template),
    "hybrid-section": lambda template, _: SystemExtractor(load_segment_system("hybrid-section").find, template),
    "hybrid-document": lambda template, _: SystemExtractor(load_segment_system("hybrid-document").find, template),
    "node-svm": lambda template, _: SystemExtractor(NodeSystem(load_linear("node-svm")).find, template),
    "template": _template_alone,
}
"""Our systems; a template is handed to them, and the rules of post-analysis, which those use that label blocks."""

NAMES = (*SYSTEMS, *PEERS)


def load(
    name: str,
    template: Template | None = None,
    *,
    respect_paywall: bool = True,
    rules: Sequence[str] = DEFAULT_RULES,
) -> Extractor:
    """The extractor called `name`, ready to use; a portal's `template` decides where it gives text.

    Systems that label blocks apply `rules` of post-analysis, by name. Our systems leave out what a page that is
    declared not free does not show, unless `respect_paywall` is false.

    Raises:
        ValueError: there is no such extractor, or a peer that takes no template is given one; one line.
    """
    if name in SYSTEMS:
        return replace(SYSTEMS[name](template, rules), respect_paywall=respect_paywall)
    if name not in PEERS:
        raise ValueError(f"unknown extractor {name!r}; known are: {', '.join(NAMES)}")
    if template:
        raise ValueError(f"the extractor {name!r} cannot be combined with a template")
    return PEERS[name]()


def load_whole(name: str) -> Extractor:
    """The extractor called `name`, for pages with gold text: it reads what paid pages do not show, too."""
    return load(name, respect_paywall=False)
