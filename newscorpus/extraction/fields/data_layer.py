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


def read_data_layer(markup: Markup) -> Iterator[Evidence]:
    """Evidence of the publication in scripts other than JSON-LD: the first values named so."""
    found = 0
    for script in markup.code:
        for match in PUBLISHED.finditer((script.text or "")[:MAX_CHARACTERS]):
            yield Evidence("published", match["value"], "meta")
            found += 1
            if found == MAX_VALUES:
                return
