"""Bakić (2012) on cleaneval: the four extractors, the two hybrids and the segments, by her own measure."""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path

from benchmarks.reproduce.segmented import by_document, by_segment, drawn, ideal, segmented, summed, texts_of, why_empty
from benchmarks.reproduce.tables import table
from newscorpus.lab.evaluation.scores import lcs_overlap
from newscorpus.lab.gold.pages import read_pages
from newscorpus.lab.systems.segment_systems import EXPERTS, load_experts
from newscorpus.lab.training.segment_systems import SegmentedPage

TRAIN_A, TRAIN_B = 300, 60
"""Pages that the thesis trained on: for the choice of an extractor, and for segments."""

PUBLISHED_A = dict(zip((*EXPERTS, "hybrid-document"), (0.944, 0.874, 0.760, 0.703, 0.930), strict=True))
PUBLISHED_B = dict(
    zip((*EXPERTS, "hybrid-section", "segment-svm"), (0.943, 0.871, 0.761, 0.703, 0.915, 0.901), strict=True)
)
COLUMNS = ("system", "P", "R", "F1", "published F1", "difference")


def reproduce(data: Path) -> str:
    """The two tables of the thesis, and how often each extractor was chosen."""
    pages = segmented(read_pages(data / "cleaneval.jsonl.zst"), load_experts())
    return (
        "# Hybrids and segments (Bakić 2012) on cleaneval\n\n"
        f"{len(pages)} pages; longest common subsequence of words, lengths summed over the pages.\n\n"
        f"{_documents(pages)}\n{_segments(pages)}"
    )


def _documents(pages: Sequence[SegmentedPage]) -> str:
    train, test = drawn(pages, TRAIN_A)
    chosen, best = by_document(train, test, lcs_overlap), ideal(test, lcs_overlap)
    texts = _experts(test)
    texts |= {"hybrid-document": texts_of(test, chosen), "ideal choice": texts_of(test, best)}
    of_train = _experts(train) | {"hybrid-document": texts_of(train, by_document(train, train, lcs_overlap))}
    times_chosen, times_best = Counter(chosen), Counter(best)
    counts = [(name, times_chosen[name], times_best[name]) for name in EXPERTS]
    return (
        f"## Choice of an extractor: {len(train)} pages to train on, {len(test)} to test\n\n"
        f"{_scores(test, texts, PUBLISHED_A)}\n{table(('extractor', 'chosen', 'best'), counts)}"
        f"\nOn the pages trained on:\n\n{_scores(train, of_train, {})}"
    )


def _segments(pages: Sequence[SegmentedPage]) -> str:
    train, test = drawn(pages, TRAIN_B)
    texts = _by_segments(train, test)
    return (
        f"## Choice of segments: {len(train)} pages to train on, {len(test)} to test\n\n"
        f"{_scores(test, texts, PUBLISHED_B)}\n{why_empty(test, texts['segment-svm'])}"
        f"\nOn the pages trained on:\n\n{_scores(train, _by_segments(train, train), {})}"
    )


def _by_segments(train: Sequence[SegmentedPage], test: Sequence[SegmentedPage]) -> dict[str, list[str]]:
    return {
        **_experts(test),
        "hybrid-section": by_segment(train, test, attrgetter("hybrid_features")),
        "segment-svm": by_segment(train, test, attrgetter("features")),
        "perfect choice of segments": [page.text_of(page.good) for page in test],
    }


def _experts(pages: Sequence[SegmentedPage]) -> dict[str, list[str]]:
    return {name: [page.texts[name] for page in pages] for name in EXPERTS}


def _scores(pages: Sequence[SegmentedPage], texts: dict[str, list[str]], published: dict[str, float]) -> str:
    rows = []
    for name, found in texts.items():
        scores, theirs = summed(pages, found, lcs_overlap).scores, published.get(name)
        difference = None if theirs is None else f"{scores.f1 - theirs:+.3f}"
        rows.append((name, scores.precision, scores.recall, scores.f1, theirs, difference))
    return table(COLUMNS, rows)
