"""Find the article in what a page carries but does not show, and decide whether that takes the place of what it shows.

Candidates are read like pages, each as if it were what the page shows, by the same system; one rule decides among the
texts that come of it (docs/main-text.md).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import cast

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import PAYWALLED_TEXT_NOT_USED, Block, Fields, Rejected
from newscorpus.page.extractor import NO_MAIN_TEXT, FoundText, Reading
from newscorpus.page.fields.entities import ARTICLES
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import HIDDEN, find_excess, segment
from newscorpus.page.parsing.state import MIN_CHARACTERS, read_state
from newscorpus.tokens import words

CLOSED = PAYWALLED_TEXT_NOT_USED.replace("_", " ")
"""Detail of a rejection for the same reason."""

MARKUP = ("noscript", "template")
"""Elements whose content is shown only without scripts, or by them."""
SOURCES = {"template": "template-element"}
"""Name of the source, where that of the element means something else already."""

MOST_CHARACTERS = etree.XPath("string-length(.) + count(.//br)")
"""The most characters that the blocks of an element can have; a `<br>` is a space in them."""

RUN_WORDS = 4
"""Words in a run; texts are compared by their runs."""
MAX_SHARE = 0.67
"""Most runs, of a candidate's, that a text has in whose place it is taken: of 137 texts in JSON-LD those that exceed
what was found by less have only boxes and captions to add (2026-11)."""
MIN_SHARED = 0.5
"""Share of a text's runs that stand in the candidate of which it is a part."""
MIN_SAME = 0.8
"""Share of a text's runs, of one that is not to be trusted, in a trusted candidate that is the same text (a choice):
where a page shows its headline alone, the second opinion may have taken the text from there and found nothing else."""
MAX_TEASER_RUNS = 150
"""Longest text that is taken for a teaser though it does not stand in the candidate: that of the filter of stubs."""
STATE_CHARACTERS = 2_000
"""Shortest trusted text that is taken for whole without a look at what scripts get; teasers are shorter."""
MAX_STATE_TEXTS = 3
"""Most texts of the state that are read, the longest: the same article may stand there as HTML and in parts."""
COMPARED_CHARACTERS = 30
"""Shortest opening of a paragraph by which it is known for one that breaks off."""
MAX_ALIKE = 10
"""Most paragraphs of one beginning with which each is compared."""

Find = Callable[[Reading], FoundText | Rejected]


def complete(shown: FoundText | Rejected, reading: Reading, find: Find) -> FoundText | Rejected:
    """The best of what `find` makes of the blocks that a page shows, `shown`, and of what the page carries besides."""
    best = shown
    for source, blocks in _candidates(shown, reading):
        is_usual = blocks and not find_excess(blocks, reading.limits, reading.page.url)
        found = find(replace(reading, blocks=blocks)) if is_usual else shown
        if isinstance(found, FoundText):
            found = replace(found, paragraphs=_without_copies(found.paragraphs), source=source)
            best = found if _takes_the_place(found, best) else best
    if best is shown or not reading.is_closed:
        return best
    if isinstance(shown, Rejected):
        return replace(shown, detail=CLOSED)
    return replace(shown, flags=(*shown.flags, PAYWALLED_TEXT_NOT_USED))


def _candidates(shown: FoundText | Rejected, reading: Reading) -> Iterator[tuple[str, tuple[Block, ...]]]:
    """The sources of what the page carries, and the blocks that it would show, where they can hold enough."""
    tree, limits = reading.tree, reading.limits
    n_trusted = sum(map(len, shown.paragraphs)) if isinstance(shown, FoundText) and shown.is_trusted else 0
    least = max(MIN_CHARACTERS, n_trusted / MAX_SHARE)
    missing = max(MIN_CHARACTERS, least - n_trusted)
    hidden = (block for block in reading.all_blocks if block.element.is_unseen)
    if (reading.is_closed or isinstance(shown, Rejected)) and _amount(hidden) >= missing:
        yield "hidden", segment(tree, limits, shown=frozenset({HIDDEN}))
    for tag, elements in _outermost(tree).items():
        if _hold(elements, tag, missing, limits):
            yield SOURCES.get(tag, tag), segment(tree, limits, shown=frozenset({tag}))
    if not _may_be_article(shown, reading.fields):
        return
    if len(reading.article_body) >= least:
        lines = "".join(f"<p>{escape(line)}</p>" for line in reading.article_body.split("\n"))
        yield "json-ld", _as_page(reading, lines)
    if n_trusted < STATE_CHARACTERS:
        for text in read_state(tree, reading.fields, reading.page.url)[:MAX_STATE_TEXTS]:
            if len(text) >= least:
                yield "state", _as_page(reading, text)


def _hold(elements: Sequence[HtmlElement], tag: str, characters: float, limits: Limits) -> bool:
    """Whether elements of that tag hold so many characters outside links."""
    if sum(cast("float", MOST_CHARACTERS(element)) for element in elements) < characters:
        return False
    taken = frozenset({tag})
    return _amount(block for element in elements for block in segment(element, limits, shown=taken)) >= characters


def _amount(blocks: Iterable[Block]) -> int:
    """The characters of blocks outside links."""
    return sum(len(block.text) - len(block.link_text) for block in blocks)


def _outermost(tree: HtmlElement) -> dict[str, list[HtmlElement]]:
    """By the tags of `MARKUP` the elements that stand in no other of their tag."""
    found: dict[str, list[HtmlElement]] = {tag: [] for tag in MARKUP}
    for element in tree.iter(*MARKUP):
        if next(element.iterancestors(element.tag), None) is None:
            found[element.tag].append(element)
    return found


def _may_be_article(shown: FoundText | Rejected, fields: Fields) -> bool:
    """Whether the page says that it is an article, or does not say and its text or its date speak for it."""
    if fields.kind:
        return fields.kind in ARTICLES
    is_dated = fields.declares_date
    return shown.is_trusted or is_dated if isinstance(shown, FoundText) else is_dated and shown.reason == NO_MAIN_TEXT


def _as_page(reading: Reading, text: str) -> tuple[Block, ...]:
    """The blocks of a page that has the title and nothing but `text`, which is HTML."""
    tree = parse(f"<body><main><article><h1>{escape(reading.fields.title)}</h1>{text}</article></main></body>")
    return () if isinstance(tree, Rejected) else segment(tree, reading.limits)


def _takes_the_place(found: FoundText, best: FoundText | Rejected) -> bool:
    """Whether `found` is the article of which `best` is missing, a part, a teaser or not to be trusted."""
    if isinstance(best, Rejected):
        return True
    ours, theirs = _runs(best), _runs(found)
    n_shared = len(ours & theirs)
    if found.is_trusted > best.is_trusted and n_shared >= MIN_SAME * len(ours):
        return True
    if len(ours) > MAX_SHARE * len(theirs) or found.is_trusted < best.is_trusted:
        return False
    is_part = n_shared >= MIN_SHARED * len(ours)
    return is_part or not best.is_trusted or len(ours) < MAX_TEASER_RUNS


def _runs(found: FoundText) -> set[tuple[str, ...]]:
    """The runs of words of a text, each once: some pages give their article to machines twice over."""
    text = words("\n".join(found.paragraphs))
    return {tuple(text[at : at + RUN_WORDS]) for at in range(max(len(text) - RUN_WORDS + 1, 1))}


def _without_copies(paragraphs: Sequence[str]) -> list[str]:
    """The paragraphs without those that stand there before, and openings of others that break off."""
    once = list(dict.fromkeys(paragraphs))
    beginnings: dict[str, list[str]] = {}
    for text in once:
        beginnings.setdefault(text[:COMPARED_CHARACTERS], []).append(text)

    def breaks_off(text: str) -> bool:
        opening = text.rstrip(" .…")
        alike = beginnings[text[:COMPARED_CHARACTERS]] if len(opening) >= COMPARED_CHARACTERS else ()
        return any(len(other) > len(text) and other.startswith(opening) for other in alike[:MAX_ALIKE])

    return [text for text in once if not breaks_off(text)]
