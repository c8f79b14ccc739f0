"""Dates in the scripts by which pages tell their statistics and their own code what they are."""

import re
from collections.abc import Iterator

from newscorpus.data import Evidence
from newscorpus.extraction.fields.markup import Markup

PUBLISHED = re.compile(
    r"\b(?:first_?|article_?|content_?|page_?)?(?:publi(?:sh(?:ed)?|cation)_?(?:date|time|at|on)?|date_?published|pub_?date|upload_?date)"
    r"(?:_?(?:time|gmt|utc|iso))?\\?[\"']?\s*[:=]\s*\\?[\"'](?P<value>[^\"'\\]{8,40})",
    re.IGNORECASE,
)
MAX_CHARACTERS = 300_000
"""Longest part of a script that is searched (a choice)."""
MAX_VALUES = 2
LITERALS = ("publi", "pubdate", "pub_date", "uploaddate", "upload_date")
"""One of these stands in whatever `PUBLISHED` matches; to look for them takes a tenth of the time."""


def read_data_layer(markup: Markup) -> Iterator[Evidence]:
    """Evidence of the publication in scripts other than JSON-LD: the first values named so."""
    found = 0
    for script in markup.code:
        text = (script.text or "")[:MAX_CHARACTERS]
        for match in PUBLISHED.finditer(text) if _may_match(text) else ():
            yield Evidence("published", match["value"], "meta")
            found += 1
            if found == MAX_VALUES:
                return


def _may_match(text: str) -> bool:
    lower = text.lower()
    return any(literal in lower for literal in LITERALS)
