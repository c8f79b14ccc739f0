"""Load the extractors by name, or by the folder of a model.

The published systems and the extractors of others are found by their entry points (docs/architecture.md): adding one is
a module, a line of `pyproject.toml` and a test.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from newscorpus.artifacts import METADATA, ArtifactError, load_artifact, own_models, read_metadata
from newscorpus.config import Part, Revision
from newscorpus.data import Rejected
from newscorpus.page.extractor import BlockSystemExtractor, Extractor, Reading, SystemExtractor
from newscorpus.page.fields.learned import MODEL as FIELDS_MODEL
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.main_text import INPUTS, MainTextSystem
from newscorpus.resources import data_folder

DEFAULT, NO_FALLBACK = "main-text", "main-text-alone"
"""The default extractor, with and without falling back on a second opinion."""

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

    def refuse(reading: Reading) -> Rejected:
        return Rejected("extract", reason, detail, reading.page.url)

    return SystemExtractor(refuse, template)


OWN: Mapping[str, MakeSystem] = {DEFAULT: _main_text, NO_FALLBACK: _main_text, "template": _template_alone}
"""Built-in systems."""


@cache
def _found(group: str) -> Mapping[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=group))}


def systems() -> tuple[str, ...]:
    """Return the names of the systems, which accept templates, models and thresholds; the default first."""
    return (*OWN, *_found("newscorpus.systems"))


def names() -> tuple[str, ...]:
    """Return the names of all extractors; the default first."""
    return (*systems(), *_found("newscorpus.extractors"))


def own_names(system: Callable[[str], bool] = lambda name: name in systems()) -> tuple[str, ...]:
    """Return the user's own models in `models/` whose system fulfils a condition, as `models/NAME`."""
    folder = own_models()
    found = []
    for path in sorted(folder.glob(f"*/{METADATA}")):
        with suppress(ArtifactError):  # said where it is used
            metadata = read_metadata(str(path.parent))
            is_shipped = metadata and not metadata.system and folder.samefile(data_folder("models"))
            if metadata and not is_shipped and system(metadata.system or metadata.name):
                found.append(f"{folder.name}/{path.parent.name}")
    return tuple(found)


def choices() -> tuple[str, ...]:
    """Return the names of all extractors, and the user's own models."""
    return (*names(), *own_names())


def load(
    name: str,
    template: TemplateRules | None = None,
    *,
    respect_paywall: bool = True,
    revision: Revision = Revision(),
    leave_out: tuple[Part, ...] = (),
    second_opinion: bool = True,
    fields_model: str = FIELDS_MODEL,
) -> Extractor:
    """Load the extractor called `name`, or that of the model in the folder `name`.

    Where the portal's `template` matches text, that is used. With `respect_paywall`, systems ignore hidden text of
    pages declared paywalled. The default system also leaves out the parts in `leave_out` and, with `second_opinion`,
    asks another extractor where it is unsure. `fields_model`, a name or a folder, reads the fields that a page does not
    declare.

    Raises:
        ValueError: there is no such extractor, or it does not accept the template, the `revision` or the
            `fields_model`; one line.
    """
    if name not in OWN and name in _found("newscorpus.extractors"):
        if template or revision != Revision() or fields_model != FIELDS_MODEL:
            raise ValueError(
                f"the extractor {name!r} cannot be combined with a template, rules, thresholds or a model of fields"
            )
        make: MakeExtractor = _found("newscorpus.extractors")[name].load()
        return make(name)
    system, model = (name, "") if name in systems() else (_system_of(name), name)
    if fields_model != FIELDS_MODEL:
        check_fields_model(fields_model)
    system = NO_FALLBACK if system == DEFAULT and not second_opinion else system
    make_system: MakeSystem = OWN[system] if system in OWN else _found("newscorpus.systems")[system].load()
    made = make_system(system, template, model, revision)
    extractor = replace(made, respect_paywall=respect_paywall, leave_out=leave_out, fields_model=fields_model)
    if revision != Revision() and not isinstance(extractor, BlockSystemExtractor):
        raise ValueError(f"the extractor {name!r} does not decide block by block: no post-analysis and no thresholds")
    return extractor


def _system_of(model: str) -> str:
    """Return the system to which the model in a folder belongs."""
    metadata = read_metadata(model)
    if metadata is None:
        raise ValueError(f"unknown extractor {model!r}; known are: {', '.join(names())}, and folders of models")
    system = metadata.system or metadata.name
    if system not in systems():
        raise ValueError(f"the model {model!r} is one of {system}, which finds no main text")
    return system


def check_name(name: str) -> None:
    """Refuse a name that is neither an extractor nor the folder of a model.

    Raises:
        ValueError: it is neither; one line.
    """
    if name not in names():
        _system_of(name)


def check_fields_model(model: str) -> None:
    """Refuse a name or folder that is no field model.

    Raises:
        ValueError: it is no field model; one line.
    """
    metadata = read_metadata(model)
    if metadata is None:
        raise ValueError(f"unknown model of fields {model!r}; it is {FIELDS_MODEL}, or the folder of one of your own")
    if (system := metadata.system or metadata.name) != FIELDS_MODEL:
        raise ValueError(f"the model {model!r} is one of {system}, which reads no fields")


def load_whole(name: str) -> Extractor:
    """Load the extractor called `name` for pages with gold text: it also reads hidden text of paywalled pages."""
    return load(name, respect_paywall=False)
