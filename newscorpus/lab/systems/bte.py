"""Find the main text as the interval of the page with most words and fewest tags.

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
from newscorpus.page.extractor import FoundText, Reading, SystemExtractor
from newscorpus.page.parsing.segment import BLOCK_TAGS
from newscorpus.page.template import TemplateRules
from newscorpus.page.text.features.place import best_interval

_UNREAD = re.compile(r"(?is)<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)")
_TOKEN = re.compile(r"<[/!?a-zA-Z][^>]*(?:>|\Z)|[^<]+|<")
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")


def find(reading: Reading) -> FoundText | Rejected:
    """Find the text of the interval that BTE chooses; its paragraphs end where a block-level tag or `<br>` stands."""
    text = body_text(reading.html)
    if not text:
        return Rejected("extract", "no_main_text", url=reading.page.url)
    return FoundText(text.split("\n"), "bte")


def load(_name: str, template: TemplateRules | None, _model: str, _revision: Revision) -> SystemExtractor:
    """Make the extractor, which has no model."""
    return SystemExtractor(find, template)


def body_text(html: str) -> str:
    """Return the text of the best interval of `html`, one paragraph a line; "" where keeping nothing is best.

    Tags or words that follow each other are grouped first. What tags part is joined by one space (a newline where a
    tag is block-level) unless white space is there.
    """
    tokens = _TOKEN.findall(_UNREAD.sub(" ", html))
    grouped = groupby(tokens, key=lambda token: len(token) > 1 and token[0] == "<")
    runs = [(is_tags, list(run)) for is_tags, run in grouped]
    gains = [-len(run) if is_tags else len(" ".join(run).split()) for is_tags, run in runs]
    start, end = best_interval(gains)
    joined = "".join(_separator(run) if is_tags else unescape("".join(run)) for is_tags, run in runs[start:end])
    return "\n".join(line for line in (" ".join(line.split()) for line in joined.split("\v")) if line)


def _separator(tags: list[str]) -> str:
    """A vertical tab, which no text holds, where a paragraph ends; else a space."""
    names = (match.group(1).lower() for match in map(_TAG_NAME.match, tags) if match)
    return "\v" if any(name in BLOCK_TAGS or name == "br" for name in names) else " "
