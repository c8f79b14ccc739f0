"""Find the main text as the interval of the page with the most words and the fewest tags.

Body Text Extraction (Finn, Kushmerick and Smyth 2001, "Fact or Fiction", DELOS workshop; section 3): a page is a
sequence of tokens, each a tag or a word; the main text is the interval that maximises the number of tags outside it
plus the number of words inside it. `python -m benchmarks.reproduce DATA --only bakic` compares it with what Bakić
(2012) measured.
"""

import re
from html import unescape
from itertools import groupby

from newscorpus.config import Revision
from newscorpus.data import Rejected
from newscorpus.page.extractor import FoundText, PreparedPage, SystemExtractor
from newscorpus.page.parsing.segment import BLOCK_TAGS
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.features.place import best_interval
from newscorpus.tokens import collapse

_UNREAD = re.compile(r"(?is)<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)")
_TOKEN = re.compile(r"<[/!?a-zA-Z][^>]*(?:>|\Z)|[^<]+|<")
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")


def find(prepared: PreparedPage) -> FoundText | Rejected:
    """Return the text of the interval that BTE chooses; paragraphs end at block-level tags and `<br>`."""
    text = body_text(prepared.html)
    if not text:
        return Rejected("extract", "no_main_text", url=prepared.page.url)
    return FoundText(text.split("\n"), "bte")


def load(_name: str, template: TemplateRules | None, _model: str, _revision: Revision) -> SystemExtractor:
    """Make the extractor, which has no model."""
    return SystemExtractor(find, template)


def body_text(html: str) -> str:
    """Return the text of the best interval of `html`, one paragraph per line; "" if the empty interval is best.

    Runs of tags and of words are grouped first. Words around tags are joined by a space, around block-level tags by a
    newline.
    """
    tokens = _TOKEN.findall(_UNREAD.sub(" ", html))
    grouped = groupby(tokens, key=lambda token: len(token) > 1 and token[0] == "<")
    runs = [(is_tags, list(run)) for is_tags, run in grouped]
    gains = [-len(run) if is_tags else len(" ".join(run).split()) for is_tags, run in runs]
    start, end = best_interval(gains)
    pieces = []
    for is_tags, run in runs[start:end]:
        if not is_tags:
            pieces.append(unescape("".join(run)))
            continue
        names = (match.group(1).lower() for match in map(_TAG_NAME.match, run) if match)
        ends_paragraph = any(name in BLOCK_TAGS or name == "br" for name in names)
        pieces.append("\v" if ends_paragraph else " ")  # no text contains a vertical tab
    return "\n".join(filter(None, map(collapse, "".join(pieces).split("\v"))))
