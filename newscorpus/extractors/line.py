"""What the extractors share: read the page, let the template or the system decide, assemble."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from newscorpus.data import Article, LabelledBlock, Page, Rejected
from newscorpus.extraction.assemble import MainText, assemble, good_paragraphs
from newscorpus.extraction.extractor import Template
from newscorpus.extraction.post_analysis import revise
from newscorpus.extraction.read import Reading, read


@dataclass(frozen=True, slots=True)
class Line:
    """An extractor made of the one step that is its own.

    Attributes:
        find: the main text of what was read, or why there is none.
        template: rules of the portal; where they give text they decide.
    """

    find: Callable[[Reading], MainText | Rejected]
    template: Template | None = None

    def __call__(self, page: Page) -> Article | Rejected:
        """The article on `page`, or why there is none."""
        reading = read(page, self.template)
        if isinstance(reading, Rejected):
            return reading
        found = self._template_text(reading) or self.find(reading)
        return found if isinstance(found, Rejected) else assemble(reading, found)

    def _template_text(self, reading: Reading) -> MainText | None:
        if self.template is None or not reading.template_text:
            return None
        return MainText(reading.template_text, f"template:{self.template.name}@{self.template.version}", confidence=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLine(Line):
    """An extractor that decides block by block and can show its verdicts.

    Attributes:
        label_blocks: the blocks of what was read, with the final verdict on each.
    """

    label_blocks: Callable[[Reading], tuple[LabelledBlock, ...]]

    def label(self, page: Page) -> tuple[LabelledBlock, ...]:
        """Every block of `page` with the verdict on it; empty where the page cannot be read."""
        reading = read(page, self.template)
        return () if isinstance(reading, Rejected) else self.label_blocks(reading)


class BlockSystem(Protocol):
    """A system that decides block by block; `name` says what decides."""

    name: str

    def label(self, reading: Reading) -> tuple[LabelledBlock, ...]:
        """The blocks of what was read, with the final verdict on each."""
        ...


def keep_good(system: BlockSystem, template: Template | None = None) -> BlockLine:
    """The extractor whose text is the blocks that `system` holds to be good; the headline leaves as the title."""

    def label(reading: Reading) -> tuple[LabelledBlock, ...]:
        return revise(system.label(reading), reading.fields.title)

    return BlockLine(
        find=lambda reading: MainText(good_paragraphs(label(reading)), system.name),
        template=template,
        label_blocks=label,
    )
