"""Print explanations as lines for a person."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from newscorpus.corpus.duplicates.find import DuplicateKind
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.tokens import printable
from newscorpus.views.explain.address import Explanation, Fate, Found

if TYPE_CHECKING:  # what reads pages takes a second to load
    from newscorpus.views.explain.page import FieldView, PageView

WORDS = {
    Fate.NEVER_MET: "never met: nothing that was read named it, or it lies outside the portals or the days asked for",
    Fate.MET: "met on a page that is still being read",
    Fate.QUEUED: "queued: it is asked for when the crawl goes on",
    Fate.UNDER_WAY: "being asked for now, or again when the crawl goes on",
    Fate.READ: "read for the addresses that it names",
    Fate.NO_RESPONSE: "nothing came back",
    Fate.REJECTED: "rejected",
    Fate.DOUBTFUL: "in the intake; not in the corpus: left out by the build",
    Fate.DUPLICATE: "in the intake; not in the corpus, since it repeats another document",
    Fate.SUPERSEDED: "in the intake; not in the corpus, where another text of the same document stands",
    Fate.NOT_BUILT: "in the intake; not in the corpus yet, which `newscorpus build` writes",
    Fate.PUBLISHED: "in the corpus",
}

LABEL_WIDTH = 12
MOST_SHOWN = 10
"""Documents that one stands for."""
MOST_CHARACTERS = 100
"""Of a block or a value."""


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Print what a corpus holds on an address."""
    yield printable(explanation.url)
    yield from _labelled("fate", WORDS[explanation.fate])
    published = explanation.published
    if rejected := explanation.rejected:
        yield from _labelled("why", f"{rejected.stage}/{rejected.reason}  {rejected.detail}".rstrip())
        yield from _labelled("text", rejected.excerpt)
        if published:
            yield from _labelled("but", f"an earlier text stands in the corpus, fetched {published.fetched}")
    if left_out := explanation.left_out:
        yield from _labelled("why", f"{_how(left_out)} of {left_out.duplicate_of}")
        yield from _labelled("instead", f"{published.id}, {published.url}" if published else "")
    if found := explanation.found:
        yield from _found(found, explanation.url)
    if answered := explanation.answered:
        yield from _labelled("fetched", f"{answered.fetched}, status {answered.status}, {answered.n_bytes} bytes")
        yield from _labelled("redirected", answered.redirected_to and f"to {answered.redirected_to}")
        place = f"{answered.archive_file}, offset {answered.archive_offset}"
        yield from _labelled("archived", place if answered.archive_file else "")
    yield from _document(explanation)


def page_lines(view: "PageView") -> Iterator[str]:
    """Print what an extractor makes of a page: fields with their candidates, then blocks."""
    yield from _labelled("extractor", view.extractor)
    yield from _labelled("outcome", view.outcome)
    for field in view.fields:
        yield from _field(field)
    if view.blocks:
        yield from ("", f"{'label':<12}{'score':>6}  text [rules that changed the label]")
    for block in view.blocks:
        given = "" if block.given is None else f"; score was {block.given:.3f}"
        rules = f"  [{', '.join(block.reasons)}{given}]" if block.reasons else ""
        yield f"{block.label:<12}{block.score:6.3f}  {_cut(block.text)}{rules}"


def _labelled(label: str, text: str) -> Iterator[str]:
    if text:
        yield f"  {label:<{LABEL_WIDTH}}{printable(text)}"


def _found(found: Found, url: str) -> Iterator[str]:
    yield from _labelled("asked as", found.url if found.url != url else "")
    yield from _labelled("portal", ", ".join(filter(None, (found.portal, found.kind))))
    for label, address in zip(("found on", *[""] * len(found.trail)), found.trail, strict=False):
        yield from _labelled(label, address)
    for item in found.evidence:
        yield from _labelled(item.source, f"{item.field}: {_cut(item.value)}")
    yield from _labelled("next visit", found.next_visit)
    yield from _labelled("attempts", str(found.attempts) if found.attempts > 1 else "")


def _document(explanation: Explanation) -> Iterator[str]:
    if row := explanation.row:
        yield from _labelled("document", f"{row.id}, {row.url}")
        yield from _labelled("title", row.title)
        yield from _labelled("text", f"{row.n_words} words, {row.language}, by {row.extractor}")
        yield from _labelled("revision", row.revision)
        yield from _labelled("flags", ", ".join(row.flags))
    for line in explanation.stands_for[:MOST_SHOWN]:
        yield from _labelled("stands for", f"{line.url}, {_how(line)}")
    if (left := len(explanation.stands_for) - MOST_SHOWN) > 0:
        yield from _labelled("", f"and {left} more")


def _how(line: DuplicateLine) -> str:
    if line.kind is DuplicateKind.REVISION:
        return f"revision {line.revision}"
    return f"{line.kind} duplicate, similarity {line.similarity:.2f}"


def _field(view: "FieldView") -> Iterator[str]:
    if not view.values and not view.others:
        return
    source = f"  ({', '.join(filter(None, (view.source, *view.agree)))})" if view.source or view.agree else ""
    yield from _labelled(view.field, (_cut("; ".join(view.values)) or "nothing") + source)
    for item in view.others:
        yield from _labelled("", f"not {_cut(item.value)}  ({item.source})")


def _cut(text: str) -> str:
    text = printable(text)  # what a page says must not steer the terminal
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
