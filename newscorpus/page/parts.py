"""Find the pages of an article of several by their addresses and links."""

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from newscorpus.page.judgement import PageLinks, PartLink
from newscorpus.portal.addresses import DOCUMENT
from newscorpus.urls import document_id

MAX_PARTS = 20
"""Maximum number of pages of an article, the first included."""
FIRST_FOLLOWING = 2
"""Number of the second page."""

PARAMETERS = ("page", "p", "strana", "str", "stranica", "strona", "seite", "pg", "paged", "part")
STEPS = ("", "page/", "strana/", "stranica/", "strona/", "seite/", "page-", "strana-")
MARKS = ("-", "_", ",", "-page-", "-strana-", ",strana-")
MAY_FOLLOW = re.compile(rf"(?<!\d)\d{{1,2}}(?:\.\w{{2,5}})?/?$|[?&](?:{'|'.join(PARAMETERS)})=\d{{1,2}}(?!\d)")
"""An address that may be that of a further page of an article."""
FIRST = re.compile(r"(?<=[/,])1(?=(?:\.\w{2,5})?/?$)")
"""The page number in the path of an article's first page."""


def next_part(first: str, number: int, links: Iterable[PartLink]) -> str:
    """Find the address of page `number` of the article that begins at `first`; "" where no link leads there.

    A link counts if its address is the article's with the number added in a usual way, and if it has `rel=next` or
    shows the number: this excludes a second story with the same name.
    """
    shown = [link.url for link in links if link.is_next or link.number == number]
    spellings = _spellings(first, number) if shown else set()
    return next((url for url in shown if document_id(url) in spellings), "")


def first_part(url: str, links: Iterable[PartLink]) -> str:
    """Find the first page of the article of which `url` is a further page; "" where it is none.

    A link must show the number 1, and `url` must be its address with another number added, as for `next_part`.
    """
    firsts = dict.fromkeys(link.url for link in links if link.number == 1)
    own = document_id(url)
    shown = {int(number) for number in re.findall(r"(?<!\d)\d{1,2}(?!\d)", url)} if firsts else set()
    numbers = sorted(number for number in shown | {one + 1 for one in shown} if 1 < number <= MAX_PARTS)
    return next((first for first in firsts for number in numbers if own in _spellings(first, number)), "")


def continues(first: PageLinks, part: PageLinks, url: str) -> bool:
    """Tell whether `part` may continue the article that begins at `url` with the page `first`.

    It declares `url` canonical, or the two pages share a title or headline, or one has neither.
    """
    if part.canonical and document_id(part.canonical) == document_id(url):
        return True
    named = [(one, other) for one in first.names for other in part.names]
    return not named or any(one in other or other in one for one, other in named)


def _spellings(first: str, number: int) -> set[str]:
    """Return the document ids of all usual addresses of page `number` of the article at `first`."""
    parts = urlsplit(first)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    queries = []
    for name in PARAMETERS:
        own = [pair for pair in pairs if pair not in {(name, "0"), (name, "1")}]
        queries += [urlencode([*own, (name, counted)]) for counted in (number, number - 1)]  # from 1 or from 0
    path = parts.path.rstrip("/")
    found = DOCUMENT.search(path)
    stem, ending = (path[: found.start()], found[0]) if found else (path, "")
    paths = [FIRST.sub(str(number), parts.path)]
    paths += [f"{path}/{step}{number}{end}" for step in STEPS for end in ("", "/")]
    paths += [f"{stem}{mark}{number}{ending}" for mark in MARKS]
    addresses = [parts._replace(query=query) for query in queries] + [parts._replace(path=path) for path in paths]
    return {document_id(urlunsplit(address)) for address in addresses}
