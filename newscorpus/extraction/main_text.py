"""Find the main text by boosted trees over block features in two passes, post-analysis and a verdict on the page."""

from dataclasses import replace

import msgspec

from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.data import Label, LabelledBlock, Rejected
from newscorpus.extraction.carried import complete
from newscorpus.extraction.classify import COLUMNS, Classifier, label_by
from newscorpus.extraction.extractor import LOW_CONFIDENCE, NO_MAIN_TEXT, FoundText, Reading, good_paragraphs
from newscorpus.extraction.features import Hints, PageFeatures, measure
from newscorpus.extraction.post_analysis import revise
from newscorpus.extraction.post_analysis.headline import Labelled
from newscorpus.extraction.streams import OTHER_ARTICLE, find_others
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
        if not reading.blocks:
            return ()
        labelled, _, others = self._label(reading)
        return tuple(sorted((*labelled, *others), key=lambda item: item.block.position))

    def find(self, reading: Reading) -> FoundText | Rejected:
        """The main text that a page shows, or that it carries besides; rejected where there is none, or no article."""
        return complete(self._find(reading), reading, self._find)

    def _find(self, reading: Reading) -> FoundText | Rejected:
        """The good blocks; rejected where there are none, or where the page is no article."""
        url = reading.page.url
        if not reading.blocks:
            return Rejected("extract", NO_MAIN_TEXT, url=url)
        labelled, features, _ = self._label(reading)
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

    def _label(self, reading: Reading) -> tuple[Labelled, PageFeatures, Labelled]:
        """The final verdicts on the blocks of the article, at least one, their features, and those of other articles.

        Where a page appends other articles, the article is judged again without them.
        """
        labelled, features = self._judged(reading)
        others = find_others(labelled, reading.fields.title)
        if not others:
            return labelled, features, ()
        left = tuple(item.block for at, item in enumerate(labelled) if at not in others)
        dropped = [msgspec.structs.replace(labelled[at], label=Label.BAD, reasons=(OTHER_ARTICLE,)) for at in others]
        return *self._judged(replace(reading, blocks=left)), tuple(dropped)

    def _judged(self, reading: Reading) -> tuple[Labelled, PageFeatures]:
        fields = reading.fields
        features = measure(reading.blocks, Hints(fields.title, fields.description, reading.article_body))
        labelled = label_by(self.classify(features), features, reading.blocks)
        return revise(labelled, fields.title), features
