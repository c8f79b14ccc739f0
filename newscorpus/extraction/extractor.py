"""The line: from a page to an article, or to the reason why not."""

from typing import Protocol

from lxml.html import HtmlElement

from newscorpus.data import Article, Evidence, LabelledBlock, Page, Rejected


class Extractor(Protocol):
    """Anything that makes an article of a page. Never raises for what a page may hold."""

    def __call__(self, page: Page) -> Article | Rejected:
        """The article on `page`, or why there is none."""
        ...


class BlockExtractor(Extractor, Protocol):
    """An extractor that decides block by block and can show its verdicts."""

    def label(self, page: Page) -> tuple[LabelledBlock, ...]:
        """Every block of `page` with the verdict on it; empty where the page cannot be read."""
        ...


class Template(Protocol):
    """A portal's own rules: what it reads is trusted before anything else."""

    name: str
    version: str

    def remove_unwanted(self, tree: HtmlElement) -> None:
        """Take the elements that the rules call unwanted out of `tree`."""
        ...

    def read(self, tree: HtmlElement) -> tuple[Evidence, ...]:
        """The values that the rules find, source "template"; main text is field "text", one value a paragraph."""
        ...
