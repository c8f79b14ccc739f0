"""The further pages of an article that is spread over several."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from newscorpus.urls import document_id

from .judge import DOCUMENT

MAX_PARTS = 20
"""Most pages of one article, the first included."""

PARAMETERS = ("page", "p", "strana", "str", "stranica", "strona", "seite", "pg", "paged", "part")
STEPS = ("", "page/", "strana/", "stranica/", "strona/", "seite/", "page-", "strana-")
MARKS = ("-", "_", ",", "-page-", "-strana-", ",strana-")


@dataclass(frozen=True, slots=True)
class Turn:
    """A link that may turn to the next page.

    Attributes:
        url: absolute address.
        text: of the link, white space trimmed.
        says_next: the link says `rel=next`.
    """

    url: str
    text: str = ""
    says_next: bool = False


def next_part(first: str, number: int, turns: Iterable[Turn]) -> str:
    """The address of page `number` of the article that begins at `first`; "" where no link leads there.

    A link counts if its address is that of the article with the number added in a usual way, and if it says "next" or
    shows the number: so a second story of the same name is not taken for a second page.
    """
    shown = [turn.url for turn in turns if turn.says_next or turn.text == str(number)]
    spellings = {document_id(url) for url in _spellings(first, number)} if shown else set()
    return next((url for url in shown if document_id(url) in spellings), "")


def _spellings(first: str, number: int) -> Iterator[str]:
    parts = urlsplit(first)
    for name in PARAMETERS:
        added = urlencode({name: number})
        yield urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
    path = parts.path.rstrip("/")
    for step in STEPS:
        for end in ("", "/"):
            yield urlunsplit(parts._replace(path=f"{path}/{step}{number}{end}"))
    found = DOCUMENT.search(path)
    stem, ending = (path[: found.start()], found[0]) if found else (path, "")
    for mark in MARKS:
        yield urlunsplit(parts._replace(path=f"{stem}{mark}{number}{ending}"))
