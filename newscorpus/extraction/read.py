"""Read a page once: everything that the extractors decide on."""

from dataclasses import dataclass

from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Block, Evidence, Fields, Page, Rejected
from newscorpus.extraction.decode import decode
from newscorpus.extraction.extractor import Template
from newscorpus.extraction.fields import read_fields
from newscorpus.extraction.parse import parse
from newscorpus.extraction.segment import segment
from newscorpus.text import collapse


@dataclass(frozen=True, slots=True)
class Reading:
    """A page as the extractors see it.

    Attributes:
        page: the page.
        html: its decoded text.
        tree: the parsed page, without what a template removes, for extractors that cut it in their own way; nobody
            changes it.
        blocks: its blocks, without what a template removes.
        fields: title, dates and the rest.
        article_body: the text that the page's structured data gives for the article, or "".
        template_text: the paragraphs that a template finds; empty where there is none, or it finds nothing.
        evidence: every candidate of every source for the fields.
    """

    page: Page
    html: str
    tree: HtmlElement
    blocks: tuple[Block, ...]
    fields: Fields
    article_body: str
    template_text: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()

    @property
    def head_title(self) -> str:
        """The text of `<title>`, or ""."""
        return collapse(self.tree.findtext("head/title") or "")


def read(page: Page, template: Template | None = None, limits: Limits = Limits()) -> Reading | Rejected:
    """Decode, parse and segment `page`, and read its fields; what is rejected carries the page's address."""
    html = decode(page, limits)
    if isinstance(html, Rejected):
        return html
    tree = parse(html, page.url)
    if isinstance(tree, Rejected):
        return tree
    evidence = template.read(tree) if template else ()
    described = read_fields(tree, page, evidence)
    if template:
        template.remove_unwanted(tree)
    return Reading(
        page=page,
        html=html,
        tree=tree,
        blocks=segment(tree, limits),
        fields=described.fields,
        article_body=described.article_body,
        template_text=tuple(item.value for item in evidence if item.field == "text"),
        evidence=described.evidence,
    )
