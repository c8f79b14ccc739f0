"""Load the extractors by name, or by the folder of a model. Adding one is one entry here, one file and one test."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from newscorpus.artifacts import Artifact, load_artifact, read_metadata
from newscorpus.config import Part, Revision
from newscorpus.data import Rejected
from newscorpus.lab.systems import bte
from newscorpus.lab.systems.node_svm import find as node_svm
from newscorpus.lab.systems.paragraph_svm import find as paragraph_svm
from newscorpus.lab.systems.peers import PEERS
from newscorpus.lab.systems.segment_systems.find import (
    HYBRID_DOCUMENT,
    HYBRID_SECTION,
    SEGMENT_SVM,
    load_segment_system,
)
from newscorpus.lab.systems.shallow_tree import find as shallow_tree
from newscorpus.lab.systems.texttractor import find as texttractor
from newscorpus.page.extractor import (
    BlockSystem,
    BlockSystemExtractor,
    Extractor,
    Reading,
    SystemExtractor,
    Template,
    keep_good,
)
from newscorpus.page.fields.learned import MODEL as FIELDS_MODEL
from newscorpus.page.fields.nodes import load_linear
from newscorpus.page.text.main_text import INPUTS, MainTextSystem

DEFAULT, ALONE = "main-text", "main-text-alone"
"""The default, and the same without a second opinion."""

MakeSystem = Callable[[Template | None, str, Revision], SystemExtractor]
"""From a portal's template, a model ("" for the shipped one) and how blocks are labelled to a system's extractor."""


_BLOCK_SYSTEMS: Mapping[str, tuple[Callable[[Artifact, Revision], BlockSystem], tuple[str, ...]]] = {
    texttractor.MODEL: (texttractor.Texttractor, texttractor.FEATURES),
    shallow_tree.MODEL: (shallow_tree.ShallowTree, shallow_tree.FEATURES),
    paragraph_svm.MODEL: (paragraph_svm.ParagraphSvm, tuple(paragraph_svm.FEATURES)),
}
"""Those that decide block by block, each with the columns of its model."""


def _main_text(template: Template | None, model: str, revision: Revision, *, asks: bool) -> SystemExtractor:
    system = MainTextSystem(load_artifact(model or DEFAULT, INPUTS), asks=asks, revision=revision)
    return BlockSystemExtractor(find=system.find, template=template, label_blocks=system.label)


def _block_system(template: Template | None, model: str, revision: Revision, *, name: str) -> SystemExtractor:
    system, features = _BLOCK_SYSTEMS[name]
    return keep_good(system(load_artifact(model or name, features), revision), template)


def _unrevised(template: Template | None, model: str, revision: Revision) -> SystemExtractor:
    return _block_system(template, model, revision.or_else(Revision(())), name=texttractor.MODEL)


def _segment_system(template: Template | None, model: str, _revision: Revision, *, name: str) -> SystemExtractor:
    return SystemExtractor(load_segment_system(name, model).find, template)


def _node_svm(template: Template | None, model: str, _revision: Revision) -> SystemExtractor:
    return SystemExtractor(node_svm.NodeSystem(load_linear(model or node_svm.MODEL)).find, template)


def _bte(template: Template | None, _model: str, _revision: Revision) -> SystemExtractor:
    return SystemExtractor(bte.find, template)


def _template_alone(template: Template | None, _model: str, _revision: Revision) -> SystemExtractor:
    """The template extractor of Bakić (2012): where the rules of a portal find no text, there is none."""
    reason = "no_main_text" if template else "no_template"
    detail = f"the template {template.name!r} found none" if template else "the portal has no template"

    def refuse(reading: Reading) -> Rejected:
        return Rejected("extract", reason, detail, reading.page.url)

    return SystemExtractor(refuse, template)


SYSTEMS: Mapping[str, MakeSystem] = {
    DEFAULT: partial(_main_text, asks=True),
    ALONE: partial(_main_text, asks=False),
    "bte": _bte,
    **{name: partial(_block_system, name=name) for name in _BLOCK_SYSTEMS},
    "texttractor-unrevised": _unrevised,
    **{name: partial(_segment_system, name=name) for name in (SEGMENT_SVM, HYBRID_SECTION, HYBRID_DOCUMENT)},
    node_svm.MODEL: _node_svm,
    "template": _template_alone,
}
"""Our systems."""

NAMES = (*SYSTEMS, *PEERS)


def load(
    name: str,
    template: Template | None = None,
    *,
    respect_paywall: bool = True,
    revision: Revision = Revision(),
    leave_out: tuple[Part, ...] = (),
    second_opinion: bool = True,
    fields_model: str = FIELDS_MODEL,
) -> Extractor:
    """The extractor called `name`, or that of a model in a folder, ready to use.

    A portal's `template` decides where it gives text. Our systems leave out what a page that is declared not free does
    not show, unless `respect_paywall` is false; the default one also leaves out the parts that `leave_out` names, and
    asks another one where it is unsure if `second_opinion` is true. `fields_model`, a name or a folder, reads the
    fields that a page does not declare.

    Raises:
        ValueError: there is no such extractor, or it cannot take the template, the `revision` or the
            `fields_model`; one line.
    """
    if name in PEERS:
        if template or revision != Revision() or fields_model != FIELDS_MODEL:
            raise ValueError(
                f"the extractor {name!r} cannot be combined with a template, rules, thresholds or a model of fields"
            )
        return PEERS[name]()
    system, model = (name, "") if name in SYSTEMS else (_system_of(name), name)
    if fields_model != FIELDS_MODEL:
        check_fields_model(fields_model)
    made = SYSTEMS[ALONE if system == DEFAULT and not second_opinion else system](template, model, revision)
    extractor = replace(made, respect_paywall=respect_paywall, leave_out=leave_out, fields_model=fields_model)
    if revision != Revision() and not isinstance(extractor, BlockSystemExtractor):
        raise ValueError(f"the extractor {name!r} does not decide block by block: no post-analysis and no thresholds")
    return extractor


def _system_of(model: str) -> str:
    """The system that a model in a folder belongs to."""
    metadata = read_metadata(model)
    if metadata is None:
        raise ValueError(f"unknown extractor {model!r}; known are: {', '.join(NAMES)}, and folders of models")
    system = metadata.system or metadata.name
    if system not in SYSTEMS:
        raise ValueError(f"the model {model!r} is one of {system}, which finds no main text")
    return system


def check_name(name: str) -> None:
    """Refuse what is neither the name of an extractor nor the folder of its model.

    Raises:
        ValueError: it is neither; one line.
    """
    if name not in NAMES:
        _system_of(name)


def check_fields_model(model: str) -> None:
    """Refuse what is no model of fields.

    Raises:
        ValueError: it is none; one line.
    """
    metadata = read_metadata(model)
    if metadata is None:
        raise ValueError(f"unknown model of fields {model!r}; it is {FIELDS_MODEL}, or the folder of one of your own")
    if (system := metadata.system or metadata.name) != FIELDS_MODEL:
        raise ValueError(f"the model {model!r} is one of {system}, which reads no fields")


def load_whole(name: str) -> Extractor:
    """The extractor called `name`, for pages with gold text: it reads what paid pages do not show, too."""
    return load(name, respect_paywall=False)
