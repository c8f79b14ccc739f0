"""The default: boosted trees over block features in two passes, then post-analysis, then a verdict on the page."""

from newscorpus.data import Label, LabelledBlock, Rejected
from newscorpus.extraction.assemble import MainText, good_paragraphs
from newscorpus.extraction.classify import Classifier, label_by
from newscorpus.extraction.features import Hints, measure
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
        return self._label(reading)[0] if reading.blocks else ()

    def find(self, reading: Reading) -> MainText | Rejected:
        """The good blocks; rejected where there are none, or where the page is no article."""
        if not reading.blocks:
            return Rejected("extract", "no_main_text", url=reading.page.url)
        labelled, words = self._label(reading)
        if not any(item.label is Label.GOOD for item in labelled):
            return Rejected("extract", "no_main_text", url=reading.page.url)
        confidence, is_article = self.verdict(labelled, words, reading.fields, reading.page.url)
        if not is_article:
            return Rejected("extract", "no_article", f"confidence {confidence:.2f}", reading.page.url)
        return MainText(good_paragraphs(labelled), self.name, round(confidence, 3))

    def _label(self, reading: Reading) -> tuple[tuple[LabelledBlock, ...], list[float]]:
        """The blocks, of which there is one at least, with the final verdict on each, and the words of each."""
        fields = reading.fields
        features = measure(reading.blocks, Hints(fields.title, fields.description, reading.article_body))
        labelled = label_by(self.classifier(features), features, reading.blocks)
        return revise(labelled, fields.title), features.words.tolist()
