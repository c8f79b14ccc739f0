"""What travels from a spider through the pipelines.

A spider yields a `FetchedPage` or a `Rejected`. Each step of the pipelines turns what it knows into the next value or
into a `Rejected`, and hands on what it does not know; the last step writes both down.
"""

from dataclasses import dataclass

from newscorpus.data import Article
from newscorpus.portals.fetched import FetchedPage

__all__ = ["Candidate", "FetchedPage"]


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
