"""Find the main text by boosted trees over block features in two passes, post-analysis and a verdict on the page."""

from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.data import Label, LabelledBlock, Rejected
from newscorpus.extraction.carried import complete
from newscorpus.extraction.classify import COLUMNS, Classifier, label_by
from newscorpus.extraction.extractor import LOW_CONFIDENCE, NO_MAIN_TEXT, FoundText, Reading, good_paragraphs
from newscorpus.extraction.features import Hints, PageFeatures, measure
from newscorpus.extraction.post_analysis import revise
from newscorpus.extraction.verdict import SIGNS, PageJudge, looks_like_list, read_signs

MODEL = "main-text"
INPUTS = (*COLUMNS, *(f"page: {name}" for name in SIGNS))
"""All that the model's trees and numbers were trained on."""


class MainTextSystem:
    """The default system, `main-text`: classify the blocks, revise their labels, judge the page.

    Args:
        artifact: the trained model; by default the one that travels with the package.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
    """

    def __init__(self, artifact: Artifact | None = None) -> None:
        artifact = artifact or load_artifact(MODEL, INPUTS)
        self.classify = Classifier(artifact)
        self.judge = PageJudge.of(artifact)
        self.name = artifact.metadata.extractor

    def label(self, reading: Reading) -> tuple[LabelledBlock, ...]:
        """The blocks of what was read, with the final verdict on each."""
        return self._label(reading)[0] if reading.blocks else ()

    def find(self, reading: Reading) -> FoundText | Rejected:
        """The main text that a page shows, or that it carries besides; rejected where there is none, or no article."""
        return complete(self._find(reading), reading, self._find)

    def _find(self, reading: Reading) -> FoundText | Rejected:
        """The good blocks; rejected where there are none, or where the page is no article."""
        url = reading.page.url
        if not reading.blocks:
            return Rejected("extract", NO_MAIN_TEXT, url=url)
        labelled, features = self._label(reading)
        if not any(item.label is Label.GOOD for item in labelled):
            return Rejected("extract", NO_MAIN_TEXT, url=url)
        signs = read_signs(labelled, features, reading.fields, url)
        confidence, article = self.judge(signs)
        if article < self.judge.least_article:
            return Rejected("extract", "no_article", f"probability of an article {article:.2f}", url)
        confidence = max(round(confidence, 3), 0.001)  # 0 says that none is stated
        flags = (LOW_CONFIDENCE,) if confidence < self.judge.min_confidence else ()
        is_list = looks_like_list(signs)
        return FoundText(good_paragraphs(labelled), self.name, confidence, flags, is_article=article, is_list=is_list)

    def _label(self, reading: Reading) -> tuple[tuple[LabelledBlock, ...], PageFeatures]:
        """The blocks, at least one, with the final verdict on each, and their features."""
        fields = reading.fields
        features = measure(reading.blocks, Hints(fields.title, fields.description, reading.article_body))
        labelled = label_by(self.classify(features), features, reading.blocks)
        return revise(labelled, fields.title), features
