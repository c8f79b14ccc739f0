"""What travels from a spider through the pipelines.

A spider yields a `FetchedPage` or a `Rejected`. Each step of the pipelines turns what it knows into the next value or
into a `Rejected`, and hands on what it does not know; the last step writes both down.
"""

from dataclasses import dataclass

from newscorpus.data import Article, Page
from newscorpus.portals.schema import TemplateSection


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that may hold an article.

    Attributes:
        page: the page.
        source: name of the portal.
        languages: the languages that the portal is declared to write; empty: any.
        template: the portal's own rules; None where it has none.
        following: the further pages of an article that is spread over several.
    """

    page: Page
    source: str
    languages: tuple[str, ...] = ()
    template: TemplateSection | None = None
    following: tuple[Page, ...] = ()

    def __str__(self) -> str:
        return f"page {self.page.url}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article on its way into the corpus; each step adds what it found.

    Attributes:
        article: the article.
        source: name of the portal.
        languages: as on the page.
        language: by the language filter.
        language_score: of the detector, 0..1.
        signature: of the text, as bytes.
    """

    article: Article
    source: str
    languages: tuple[str, ...] = ()
    language: str = ""
    language_score: float = 0.0
    signature: bytes = b""

    def __str__(self) -> str:
        return f"article {self.article.url}"
