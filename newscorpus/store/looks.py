"""Say what a page looked like, for the watch over its portal."""

import sys
from collections.abc import Iterator

from newscorpus.data import Rejected
from newscorpus.page.rows import Row
from newscorpus.page.source_page import JudgedPage, SourcePage
from newscorpus.page.template import version_of
from newscorpus.portal.portal import TemplateSection
from newscorpus.store.ledger.looks import Look
from newscorpus.store.redesigns import MISSING

WATCHED_FIELDS = ("title", "authors", "published", "section", "tags")
"""Fields that a redesign may lose; the others follow these, or are rare."""
WORDS = (25, 50, 100, 200, 400)
"""Numbers of words, each twice the last: a text that is cut off falls below some that most texts reach."""
CONFIDENCES = (0.5, 0.7, 0.9)
OTHER_STAGES = frozenset({"discovery", "fetch", "language", "rights"})
"""Stages whose rejections say nothing of a page's design."""


def look_of(page: SourcePage, judged: JudgedPage) -> Look | None:
    """What a page looked like when it was judged; None where that says nothing of its design."""
    outcome = judged.outcome
    if not judged.markup or (isinstance(outcome, Rejected) and outcome.stage in OTHER_STAGES):
        return None
    signs = judged.markup | {MISSING + what for what in _missing(page.template, judged)}
    template = version_of(page.template) if page.template else ""
    return Look(page.source, page.page.url, page.page.fetched, template, frozenset(map(sys.intern, signs)))


def _missing(template: TemplateSection | None, judged: JudgedPage) -> Iterator[str]:
    """Name what was not found, or less than there may be."""
    hits = {(hit.field, hit.position) for hit in judged.rule_hits or ()}
    for field in TemplateSection.__slots__ if template and judged.rule_hits is not None else ():
        for position, rule in enumerate(getattr(template, field)):
            if (field, position) not in hits:
                yield f"rule {rule!r} of {field}"
    if not isinstance(judged.outcome, Row):
        yield "a page that is accepted"
        return
    record = judged.outcome.record
    yield from (field for field in WATCHED_FIELDS if not getattr(record, field))
    yield from (f"a text of {words} words" for words in WORDS if record.n_words < words)
    yield from (f"a confidence of {least}" for least in CONFIDENCES if record.confidence < least)
    if record.paywalled:
        yield "a page that is free"
