"""The template extractor of Bakić (2012): a portal's rules alone decide."""

from collections.abc import Callable

from newscorpus.data import Rejected
from newscorpus.extraction.extractor import Template
from newscorpus.extraction.read import Reading


def finder(template: Template | None) -> Callable[[Reading], Rejected]:
    """What to say of a page on which `template` found no text, or of any page where there is no template."""
    reason = "no_main_text" if template else "no_template"
    detail = f"the template {template.name!r} found none" if template else "the portal has no template"
    return lambda reading: Rejected("extract", reason, detail, reading.page.url)
