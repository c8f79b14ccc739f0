"""Assemble: the verdicts on a page to an article."""

from collections.abc import Sequence
from dataclasses import dataclass

from newscorpus.data import Article, Label, LabelledBlock, Rejected
from newscorpus.extraction.read import Reading


@dataclass(frozen=True, slots=True)
class MainText:
    """What an extractor found.

    Attributes:
        paragraphs: the main text in order, headline excluded.
        extractor: what decided: "template:NAME@VERSION", "model:NAME@VERSION" or the extractor's name.
        confidence: probability that the text is right, 0..1; 0 where the extractor does not say.
        flags: remarks, snake_case.
    """

    paragraphs: Sequence[str]
    extractor: str
    confidence: float = 0.0
    flags: tuple[str, ...] = ()


def good_paragraphs(labelled: Sequence[LabelledBlock]) -> list[str]:
    """The texts of the good blocks, in order."""
    return [item.block.text for item in labelled if item.label is Label.GOOD]


def assemble(reading: Reading, found: MainText) -> Article | Rejected:
    """The article of what was read and found; rejected where no text was found."""
    text = "\n".join(paragraph for paragraph in found.paragraphs if paragraph)
    if not text:
        return Rejected("extract", "no_main_text", url=reading.page.url)
    return Article(
        url=reading.page.url,
        text=text,
        fields=reading.fields,
        extractor=found.extractor,
        confidence=found.confidence,
        flags=found.flags,
        fetched=reading.page.fetched,
    )
