"""Pages with gold text to what the segment and hybrid systems learn from (Bakić 2012)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newscorpus.data import Page, Rejected
from newscorpus.evaluation.scores import Overlap
from newscorpus.extraction.extractor import read
from newscorpus.gold.pages import GoldPage
from newscorpus.published.segment_systems.experts import Expert, ask, share_found
from newscorpus.published.segment_systems.hybrid_document import measure_page
from newscorpus.published.segment_systems.hybrid_section import measure_kept
from newscorpus.published.segment_systems.segment_svm import Matrix, measure
from newscorpus.published.segment_systems.segments import Segment, cut
from newscorpus.tokens import words

GOOD_SHARE = 0.9
"""A segment is good in training when more than this share of its words stands in the gold text."""

Measure = Callable[[str, str], Overlap]
"""What an extracted text and the gold text share."""


@dataclass(frozen=True, slots=True)
class SegmentedPage:
    """A page to learn from.

    Attributes:
        page: the page with its gold text.
        segments: what it is cut into.
        features: of the segments: shape (segments, 37).
        kept: the share of each segment that each expert kept: shape (segments, experts).
        good: per segment whether it is main text.
        whole: the 37 features of the whole page.
        texts: what each expert holds to be the main text.
    """

    page: GoldPage
    segments: tuple[Segment, ...]
    features: Matrix
    kept: Matrix
    good: NDArray[np.bool_]
    whole: Matrix
    texts: Mapping[str, str]

    @property
    def hybrid_features(self) -> Matrix:
        """Of the segments, with what the experts kept: shape (segments, 37 + experts)."""
        return np.hstack((self.features, self.kept))

    @property
    def good_text(self) -> str:
        """The text of the good segments: the best that a choice of segments can do."""
        return self.text_of(self.good)

    def text_of(self, chosen: Iterable[object]) -> str:
        """The text of the chosen segments; one truth value a segment."""
        kept = (segment for segment, is_chosen in zip(self.segments, chosen, strict=True) if is_chosen)
        return "\n".join(paragraph for segment in kept for paragraph in segment.paragraphs)

    def best_expert(self, overlap: Measure) -> int:
        """The place of the expert whose text has the best F1; of equals the first."""
        f1 = [overlap(text, self.page.text).scores.f1 for text in self.texts.values()]
        return f1.index(max(f1))


def make_segmented(page: GoldPage, experts: Mapping[str, Expert]) -> SegmentedPage | None:
    """What there is to learn of `page`; None where it cannot be read."""
    reading = read(Page.from_html(page.html, page.url))
    if isinstance(reading, Rejected):
        return None
    segments, texts, gold = cut(reading.tree), ask(experts, reading), words(page.text)
    shares = [share_found(words(" ".join(segment.paragraphs)), gold) for segment in segments]
    return SegmentedPage(
        page=page,
        segments=segments,
        features=measure(reading, segments),
        kept=measure_kept(segments, texts),
        good=np.array(shares) > GOOD_SHARE,
        whole=np.array(measure_page(reading.tree), np.float32),
        texts=texts,
    )
