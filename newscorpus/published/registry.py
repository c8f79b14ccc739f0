"""The extractors by name. Adding one is one entry here, one file and one test."""

from collections.abc import Callable, Mapping

from newscorpus.extraction.extractor import BlockSystemExtractor, Extractor, SystemExtractor, Template, keep_good
from newscorpus.extraction.main_text import MainTextSystem
from newscorpus.published import bte
from newscorpus.published.bte import finder
from newscorpus.published.node_svm import system
from newscorpus.published.paragraph_svm.system import ParagraphSvm
from newscorpus.published.peers import PEERS
from newscorpus.published.segment_systems import hybrid_document, hybrid_section, segment_svm
from newscorpus.published.shallow_tree.system import ShallowTree
from newscorpus.published.texttractor.system import Texttractor

DEFAULT = "main-text"


def _main_text(template: Template | None) -> Extractor:
    system = MainTextSystem()
    return BlockSystemExtractor(find=system.find, template=template, label_blocks=system.label)


SYSTEMS: Mapping[str, Callable[[Template | None], Extractor]] = {
    "main-text": _main_text,
    "bte": lambda template: SystemExtractor(bte.find, template),
    "texttractor": lambda template: keep_good(Texttractor(), template),
    "texttractor-unrevised": lambda template: keep_good(Texttractor(rules=()), template),
    "shallow-tree": lambda template: keep_good(ShallowTree(), template),
    "paragraph-svm": lambda template: keep_good(ParagraphSvm(), template),
    "segment-svm": lambda template: SystemExtractor(segment_svm.load().find, template),
    "hybrid-section": lambda template: SystemExtractor(hybrid_section.load().find, template),
    "hybrid-document": lambda template: SystemExtractor(hybrid_document.load().find, template),
    "node-svm": lambda template: SystemExtractor(system.load().find, template),
    "template": lambda template: SystemExtractor(finder(template), template),
}
"""Our systems; a template is handed to them."""

NAMES = (*SYSTEMS, *PEERS)


def load(name: str, template: Template | None = None) -> Extractor:
    """The extractor called `name`, ready to use; a portal's `template` decides where it gives text.

    Raises:
        ValueError: there is no such extractor, or a peer that takes no template is given one; one line.
    """
    if name in SYSTEMS:
        return SYSTEMS[name](template)
    if name not in PEERS:
        raise ValueError(f"unknown extractor {name!r}; known are: {', '.join(NAMES)}")
    if template:
        raise ValueError(f"the extractor {name!r} cannot be combined with a template")
    return PEERS[name]()
