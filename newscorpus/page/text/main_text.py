"""Find the main text by boosted trees over block features in two passes, post-analysis and a verdict on the page."""

from dataclasses import replace

import msgspec
import numpy as np

from newscorpus.arrays import Floats
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.config import Revision
from newscorpus.data import LOW_CONFIDENCE, Label, LabelledBlock, Rejected
from newscorpus.page.extractor import NO_MAIN_TEXT, PROFILE, FoundText, Reading
from newscorpus.page.text.additions import drop_additions
from newscorpus.page.text.carried import complete
from newscorpus.page.text.classify import ALMOST, COLUMNS, GOOD, Classifier, label_by
from newscorpus.page.text.conventions import apply_conventions, lacks_parts, lines_of
from newscorpus.page.text.features import Hints, PageFeatures, measure
from newscorpus.page.text.post_analysis import DEFAULT_RULES, revise
from newscorpus.page.text.post_analysis.headline import Labelled
from newscorpus.page.text.second_opinion import PAIR_SIGNS, Arbiter, decide
from newscorpus.page.text.streams import OTHER_ARTICLE, find_others
from newscorpus.page.text.verdict import (
    DOUBTFUL_PAGE,
    LEAST_CONFIDENCE,
    LIKELY_ARTICLE,
    SIGNS,
    PageJudge,
    Verdict,
    looks_like_list,
    read_signs,
)

MODEL = "main-text"
INPUTS = (*COLUMNS, *(f"page: {name}" for name in SIGNS), *(f"pair: {name}" for name in PAIR_SIGNS))
"""All that the model's trees and numbers were trained on."""
MOST_ROUNDS = 3
"""Times that a page is judged again without other articles that it appends."""


class MainTextSystem:
    """The default system, `main-text`: classify the blocks, revise their labels, judge the page, ask where unsure.

    Args:
        artifact: the trained model; by default the one that travels with the package.
        asks: whether another extractor is asked where the model is unsure.
        revision: how the blocks are labelled; whatever the rules say, the headline is left out.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
    """

    def __init__(self, artifact: Artifact | None = None, *, asks: bool = True, revision: Revision = Revision()) -> None:
        artifact = artifact or load_artifact(MODEL, INPUTS)
        self.classify = Classifier(artifact)
        self.judge = PageJudge.of(artifact)
        self.arbiter = Arbiter.of(artifact) if asks else None
        self.name = artifact.metadata.extractor
        self.config = revision.config
        self.rules = (*(revision.post_analysis or ()), *DEFAULT_RULES)
        self.good_above = GOOD if revision.upper is None else revision.upper
        self.almost_above = ALMOST if revision.lower is None else revision.lower

    def label(self, reading: Reading) -> tuple[LabelledBlock, ...]:
        """The blocks of what was read, with the final verdict on each."""
        if not reading.blocks:
            return ()
        labelled, _, others = self._label(reading)
        return tuple(sorted((*labelled, *others), key=lambda item: item.block.position))

    def find(self, reading: Reading) -> FoundText | Rejected:
        """The main text that a page shows, or that it carries besides; rejected where there is none, or no article.

        Another extractor is asked on what the page shows, unless it is declared not free: that one reads more.
        """
        shown = self._find(reading, None if reading.is_closed else self.arbiter)
        return complete(shown, reading, self._find)

    def _find(self, reading: Reading, arbiter: Arbiter | None = None) -> FoundText | Rejected:
        """The good blocks, or what `arbiter` prefers; rejected where there is no text, or no article."""
        url = reading.page.url
        if not reading.blocks:
            return Rejected("extract", NO_MAIN_TEXT, url=url)
        labelled, features, others = self._label(reading)
        signs = read_signs(labelled, features, reading.fields, url)
        verdict = self.judge(signs)
        if self.judge.refuses(verdict):
            return Rejected("extract", "no_article", f"probability of an article {verdict.article:.2f}", url)
        found = FoundText(lines_of(labelled), self.name, verdict.confidence)
        if arbiter and not others and not lacks_parts(labelled, reading.leave_out):  # the other one takes all
            found = decide(arbiter, reading, labelled, signs, found)
        if not found.paragraphs:
            return Rejected("extract", NO_MAIN_TEXT, url=url)
        return self._doubt(found, verdict, looks_like_list(signs))

    def _doubt(self, found: FoundText, verdict: Verdict, is_list: bool) -> FoundText:
        """The text with the final confidence and what there is to doubt."""
        confidence, flags = found.confidence, found.flags
        if verdict.article < LIKELY_ARTICLE:
            confidence *= verdict.article
            flags += (DOUBTFUL_PAGE,)
        confidence = max(round(confidence, 3), 0.001)  # 0 says that none is stated
        if confidence < LEAST_CONFIDENCE:
            flags += (LOW_CONFIDENCE,)
        return replace(found, confidence=confidence, flags=flags, is_article=verdict.article, is_list=is_list)

    def _label(self, reading: Reading) -> tuple[Labelled, PageFeatures, Labelled]:
        """The final verdicts on the blocks of the article, at least one, their features, and those of other articles.

        Where a page appends other articles, the article is judged again without them, and then the next ones may show.
        """
        labelled, features = self._judged(reading)
        dropped: Labelled = ()
        for _ in range(MOST_ROUNDS):
            others = find_others(labelled, reading.fields.title)
            if not others:
                break
            dropped += tuple(
                msgspec.structs.replace(labelled[at], label=Label.BAD, reasons=(OTHER_ARTICLE,)) for at in others
            )
            left = tuple(item.block for at, item in enumerate(labelled) if at not in others)
            labelled, features = self._judged(replace(reading, blocks=left))
        return labelled, features, dropped

    def _judged(self, reading: Reading) -> tuple[Labelled, PageFeatures]:
        fields = reading.fields
        features = measure(reading.blocks, Hints(fields.title, fields.description, reading.article_body))
        probability = self.classify(features)
        labelled = self._by(probability, features, reading)
        if reading.review:
            words = features.words.astype(np.float64)
            reviewed = self._by(reading.review(reading, probability, words), features, reading)
            labelled = tuple(map(_note_change, labelled, reviewed))
        revised = revise(labelled, fields.title, self.rules, self.config)
        return apply_conventions(drop_additions(revised, features), fields, reading.leave_out), features

    def _by(self, probability: Floats, features: PageFeatures, reading: Reading) -> Labelled:
        """The blocks labelled by the probability of each."""
        return label_by(probability, features, reading.blocks, self.good_above, self.almost_above)


def _note_change(alone: LabelledBlock, reviewed: LabelledBlock) -> LabelledBlock:
    """The second verdict, with a reason and the first score where it differs from the one by the page alone."""
    if alone.label is reviewed.label:
        return reviewed
    return msgspec.structs.replace(reviewed, reasons=(PROFILE,), given=alone.score)
