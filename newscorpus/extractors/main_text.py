"""The default: boosted trees over block features in two passes, then post-analysis, then a verdict on the page."""

from newscorpus.data import Label, LabelledBlock, Rejected
from newscorpus.extraction.assemble import MainText, good_paragraphs
from newscorpus.extraction.classify import Classifier
from newscorpus.extraction.features import Hints
from newscorpus.extraction.post_analysis import revise
from newscorpus.extraction.read import Reading
from newscorpus.extraction.verdict import Verdict


class MainTextSystem:
    """What is peculiar to `main-text`: classify, revise, judge.

    Args:
        classifier: the trained model; by default the one that travels with the package.
    """

    def __init__(self, classifier: Classifier | None = None) -> None:
        self.classifier = classifier or Classifier()
        self.verdict = Verdict.of(self.classifier.metadata.parameters)
        self.name = f"model:{self.classifier.metadata.name}@{self.classifier.metadata.version}"

    def label(self, reading: Reading) -> tuple[LabelledBlock, ...]:
        """The blocks of what was read, with the final verdict on each."""
        fields = reading.fields
        hints = Hints(fields.title, fields.description, reading.article_body)
        return revise(self.classifier(reading.blocks, hints), fields.title)

    def find(self, reading: Reading) -> MainText | Rejected:
        """The good blocks; rejected where there are none, or where the page is no article."""
        labelled = self.label(reading)
        if not any(item.label is Label.GOOD for item in labelled):
            return Rejected("extract", "no_main_text", url=reading.page.url)
        confidence, is_article = self.verdict(labelled, reading.fields, reading.page.url)
        if not is_article:
            return Rejected("extract", "no_article", f"confidence {confidence:.2f}", reading.page.url)
        return MainText(good_paragraphs(labelled), self.name, round(confidence, 3))
