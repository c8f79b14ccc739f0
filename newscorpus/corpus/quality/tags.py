"""Remarks on articles that are kept: flash news, and texts that say they were made by a machine.

A tag is a function from a measured article to whether it applies; it becomes a flag of the record.
"""

from newscorpus.config import QualityConfig
from newscorpus.corpus.quality.measured import Measured
from newscorpus.corpus.quality.news import is_flash
from newscorpus.corpus.quality.phrases import any_of

EDGE_LINES = 2
"""Paragraphs at either end where a page says how its text was made; inside, an article may tell of such things."""
NOTE_WORDS = 40
"""Most words of a paragraph that says it."""


def flash_news(measured: Measured, config: QualityConfig) -> bool:
    """Very short, or called flash news by its headline."""
    return measured.n_words < config.max_flash_words or is_flash(measured)


def machine_translated(measured: Measured, _config: QualityConfig) -> bool:
    """Says that it was translated by a machine."""
    return _noted(measured, "machine_translated")


def generated(measured: Measured, _config: QualityConfig) -> bool:
    """Says that it was written by a machine, or shows what language models say of themselves."""
    return _noted(measured, "generated")


def _noted(measured: Measured, kind: str) -> bool:
    """Whether a short paragraph near the start or the end holds a phrase of that kind."""
    last = len(measured.lines) - EDGE_LINES
    return any(
        (at < EDGE_LINES or at >= last) and len(words) <= NOTE_WORDS and any_of(kind).search(line)
        for at, (line, words) in enumerate(zip(measured.lines, measured.line_words, strict=True))
    )
