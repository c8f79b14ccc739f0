"""Make the published systems; `pyproject.toml` names these functions as entry points."""

from collections.abc import Callable, Mapping

from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.config import Revision
from newscorpus.lab.systems import bte as intervals
from newscorpus.lab.systems.node_svm.find import NodeSystem
from newscorpus.lab.systems.paragraph_svm import find as paragraph_svm
from newscorpus.lab.systems.segment_systems.find import load_segment_system
from newscorpus.lab.systems.shallow_tree import find as shallow_tree
from newscorpus.lab.systems.texttractor import find as texttractor
from newscorpus.page.extractor import BlockSystem, SystemExtractor, Template, keep_good
from newscorpus.page.fields.nodes import load_linear

_BLOCK_SYSTEMS: Mapping[str, tuple[Callable[[Artifact, Revision], BlockSystem], tuple[str, ...]]] = {
    texttractor.MODEL: (texttractor.Texttractor, texttractor.FEATURES),
    shallow_tree.MODEL: (shallow_tree.ShallowTree, shallow_tree.FEATURES),
    paragraph_svm.MODEL: (paragraph_svm.ParagraphSvm, tuple(paragraph_svm.FEATURES)),
}
"""Those that decide block by block, each with the columns of its model."""


def block_system(name: str, template: Template | None, model: str, revision: Revision) -> SystemExtractor:
    """Texttractor (Mrózek 2014), the shallow tree (Brezovnik 2021) or the paragraph SVM (Novotný 2016)."""
    system, features = _BLOCK_SYSTEMS[name]
    return keep_good(system(load_artifact(model or name, features), revision), template)


def texttractor_unrevised(_name: str, template: Template | None, model: str, revision: Revision) -> SystemExtractor:
    """Texttractor without its four rules."""
    return block_system(texttractor.MODEL, template, model, revision.or_else(Revision(())))


def segment_system(name: str, template: Template | None, model: str, _revision: Revision) -> SystemExtractor:
    """The segment SVM or one of the two hybrids (Bakić 2012)."""
    return SystemExtractor(load_segment_system(name, model).find, template)


def node_svm(name: str, template: Template | None, model: str, _revision: Revision) -> SystemExtractor:
    """The element classifier (Kazennikov 2013)."""
    return SystemExtractor(NodeSystem(load_linear(model or name)).find, template)


def bte(_name: str, template: Template | None, _model: str, _revision: Revision) -> SystemExtractor:
    """Body text extraction (Finn et al. 2001)."""
    return SystemExtractor(intervals.find, template)
