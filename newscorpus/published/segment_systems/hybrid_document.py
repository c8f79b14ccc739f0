"""SVM-A (Bakić 2012): by the 37 features of the page, a vector machine chooses which of four extractors to believe."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from lxml.html import HtmlElement

from newscorpus.data import Rejected
from newscorpus.extraction.extractor import FoundText, Reading
from newscorpus.published.segment_systems.experts import Expert, load_experts
from newscorpus.published.segment_systems.segment_svm import Svm, load_svm
from newscorpus.published.segment_systems.segments import FEATURES, measure_segment, outer_html, read_body

MODEL = "hybrid-document"


@dataclass(frozen=True, slots=True)
class DocumentSystem:
    """Gives the text of the expert that a machine chooses for the page.

    Attributes:
        svm: the machine; its classes are places in `experts`.
        experts: by name.
    """

    svm: Svm
    experts: Mapping[str, Expert]

    def find(self, reading: Reading) -> FoundText | Rejected:
        """The text of the chosen expert; its name stands in the article's flags."""
        name = self.choose(reading.tree)
        text = self.experts[name](reading)
        if not text:
            return Rejected("extract", "no_main_text", f"{name} found none", reading.page.url)
        return FoundText(text.split("\n"), self.svm.name, flags=(f"by_{name.replace('-', '_')}",))

    def choose(self, tree: HtmlElement) -> str:
        """The name of the expert for a page."""
        row = np.array([measure_page(tree)], np.float32)
        return tuple(self.experts)[int(self.svm.classify(row)[0])]


def measure_page(tree: HtmlElement) -> list[float]:
    """The 37 features of a whole page."""
    return measure_segment(outer_html(read_body(tree)))


def load() -> DocumentSystem:
    """The system with the model that travels with the package and the experts of the thesis.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
        MissingPeerError: the package of an expert is not installed.
    """
    return DocumentSystem(load_svm(MODEL, FEATURES), load_experts())
