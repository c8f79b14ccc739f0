"""Inspect a page: the result of an extractor, the reasons for each field and block, and the page's markup.

The markup keeps only known elements without attributes, and escaped text: no script, style, address or form. Every
piece of a block is marked. A shown page can be saved as one HTML file, with the markup in a frame where nothing runs.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from html import escape
from itertools import count
from pathlib import Path

import msgspec
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import Evidence, Fields, LabelledBlock, Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import inside
from newscorpus.page.extractor import (
    BlockSystemExtractor,
    Options,
    ParsedPage,
    PreparedPage,
    SystemExtractor,
    good_paragraphs,
    parse_page,
    read,
)
from newscorpus.page.fields.decide import RANKS
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Rules
from newscorpus.page.loading import extractor_of
from newscorpus.page.parsing.segment import BLOCK_TAGS, INVISIBLE_TAGS, VOID_TAGS, segment
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.page.text.features import FEATURES, Hints, measure
from newscorpus.portal.schema import list_portals, load_portal
from newscorpus.store.archive.read import read_capture
from newscorpus.store.pages import page_of_capture
from newscorpus.tokens import number_of
from newscorpus.views.theme import STYLE as THEME
from newscorpus.views.theme import environment

INLINE_TAGS = frozenset(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u"
    " var".split()
)
SHOWN_TAGS = (BLOCK_TAGS | INLINE_TAGS | {"br"}) - frozenset(
    "body dialog fieldset form frameset html optgroup option select textarea".split()
)
"""Elements that are kept; of others, such as custom ones, only the content is."""

STANDS_FOR: Mapping[str, str] = {"a": "span", "font": "span", "details": "div", "summary": "div"}
"""Replacements of links, which lead elsewhere, and of elements that hide text."""

SCORE_CLASSES = 10
"""Number of tints for scores from 0 to 1."""

_NUMBER = re.compile("\ue000(\\d+)\ue001")

FIELDS = (
    *("title", "lead", "authors", "published", "modified", "section", "tags", "language", "license"),
    *("site_name", "description"),
)
"""Fields that are shown, in this order."""

TELLING = (
    *("words", "sentences", "link_density", "text_density", "capitalised_share", "title_overlap", "repeated", "depth"),
    *("since_prose", "in_core", "path_blocks", "path_link_density"),
)
"""Features that people understand at sight; the model has some hundred more."""


def marked_page(prepared: PreparedPage, labelled: tuple[LabelledBlock, ...]) -> str:
    """Write the body of a page; a piece of a block is `<span data-block=POSITION class=LABEL tint>`."""
    texts, blocks = _numbered(prepared)
    classes = {item.block.position: f"{item.label} {tint(item.score)}" for item in labelled}
    return "".join(_written(texts, blocks, classes, prepared.tree))


def tint(score: float) -> str:
    """Return the CSS class of a score: "t0" to "t9"."""
    return f"t{min(max(int(score * SCORE_CLASSES), 0), SCORE_CLASSES - 1)}"


def _numbered(prepared: PreparedPage) -> tuple[dict[HtmlElement, tuple[int, int]], dict[int, int]]:
    """Number text and tail of each element, and map the numbers to blocks.

    In a copy of the tree, the numbers replace the texts, so the blocks of the copy consist of numbers.
    """
    copy, numbers = deepcopy(prepared.tree), count(1)
    of_element: dict[HtmlElement, tuple[int, int]] = {}
    for element, twin in zip(prepared.tree.iter(), copy.iter(), strict=True):
        inside, behind = next(numbers), next(numbers)
        of_element[element] = inside, behind
        if twin.text and not twin.text.isspace():
            twin.text = f"\ue000{inside}\ue001"
        if twin.tail and not twin.tail.isspace():
            twin.tail = f"\ue000{behind}\ue001"
    shown = {block.position for block in prepared.blocks}
    blocks = [block for block in segment(copy) if block.position in shown]
    return of_element, {int(number): block.position for block in blocks for number in _NUMBER.findall(block.text)}


def _written(
    texts: dict[HtmlElement, tuple[int, int]], blocks: dict[int, int], classes: dict[int, str], root: HtmlElement
) -> Iterator[str]:
    """Write the markup in order, without recursion, since pages are deeply nested."""
    left_out = 0  # number of open elements whose content is not shown
    for event, element in etree.iterwalk(root, ("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        is_unseen = tag in INVISIBLE_TAGS or not tag
        inside, behind = texts[element]
        if event == "start":
            left_out += is_unseen
            if not left_out:
                yield _tag(tag, "<")
                yield _piece(element.text, blocks.get(inside), classes)
            continue
        if not left_out and tag not in VOID_TAGS:
            yield _tag(tag, "</")
        left_out -= is_unseen
        if not left_out:
            yield _piece(element.tail, blocks.get(behind), classes)


def _tag(tag: str, opening: str) -> str:
    return f"{opening}{STANDS_FOR.get(tag, tag)}>" if tag in SHOWN_TAGS else ""


def _piece(text: str | None, block: int | None, classes: dict[int, str]) -> str:
    if not text:
        return ""
    if block is None:
        return escape(text)
    return f'<span data-block="{block}" class="{classes.get(block, "unjudged")}">{escape(text)}</span>'


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field with its candidates."""

    field: str  # its name
    values: tuple[str, ...]  # as in the record; empty without a value
    source: str  # of the value; "" if the record does not name it
    agree: tuple[str, ...]  # other sources with the same value
    others: tuple[Evidence, ...]  # candidates with other values

    def why_not(self, candidate: Evidence) -> str:
        """Return why another candidate is not the value."""
        if self.field == "language":
            return "fewer sources name it"
        ours, theirs = RANKS.get(self.source, len(RANKS)), RANKS.get(candidate.source, len(RANKS))
        if self.source and ours < theirs:
            return f"{self.source} is trusted before {candidate.source}"
        return "the same source names another" if self.source and ours == theirs else "not fit for the field"


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block and the verdict on it, in the form that `--json` prints."""

    label: str
    score: float
    given: float | None  # the classifier's score, if a rule changed it
    reasons: tuple[str, ...]
    path: str
    text: str
    position: int  # index on the page, also in `ShownPage.markup`
    features: Mapping[str, float]  # those of `TELLING`


@dataclass(frozen=True, slots=True)
class PageView:
    """The result of an extractor. Pages that cannot be parsed have neither fields nor blocks."""

    extractor: str  # of the text; for a rejected page the requested one
    outcome: str  # words and confidence of the article, or the reason of rejection
    fields: tuple[FieldView, ...] = ()
    blocks: tuple[BlockView, ...] = ()  # empty for extractors that do not decide block by block
    log: tuple[str, ...] = ()  # one line per step


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page and its text, to be shown side by side."""

    view: PageView
    result: Record | Rejected
    paragraphs: tuple[str, ...]  # the text; for a page rejected by a filter the good blocks
    markup: str  # the page's markup without anything that runs or loads; "" if it cannot be parsed


def archived_source(corpus: Path, url: str, file: str, offset: int) -> SourcePage:
    """Read a page from its place in the archive, with the current portal files applied.

    Raises:
        ArchiveError: the file cannot be read.
        CorpusError: it lies outside the corpus, or has no page there.
    """
    found = read_capture(inside(corpus, file), offset) if file else None
    if found is None or isinstance(found, Rejected):
        raise CorpusError(f"{url}: {found.detail if found else 'the archive of this corpus has no page of it'}")
    return page_of_capture(found, tuple(map(load_portal, list_portals())))


def show_page(recipe: Recipe, page: SourcePage, *, is_blind: bool = False) -> ShownPage:
    """Process a page and show the reasons for each field and block, and its markup.

    With `is_blind` the markup does not show the labels, for independent annotation.

    Raises:
        ValueError: the recipe or a rule is invalid.
        ImportError: the extractor needs a package that is not installed.
    """
    extractor = extractor_of(recipe, page)
    parsed = parse_page(page.page)
    if isinstance(parsed, ParsedPage):
        page = replace(page, page=parsed)
    if isinstance(extractor, SystemExtractor):
        prepared = extractor.read(page.page)
        once = extractor.after(prepared) if isinstance(prepared, PreparedPage) else extractor
    else:  # another tool with its own parser
        prepared, once = read(page.page, options=Options(page.respect_paywall)), extractor
    found = judge(page, Rules(recipe, extractor=once)).decided
    result = found.record if isinstance(found, Row) else found
    if isinstance(result, Rejected):
        decided, outcome = recipe.extractor, f"rejected: {result.stage}/{result.reason} {result.detail}".rstrip()
    else:
        decided = result.extractor
        outcome = f"article: {result.n_words} words, {result.language}, confidence {result.confidence:.2f}"
    if isinstance(prepared, Rejected):
        return ShownPage(PageView(decided, outcome, log=(f"{prepared.stage}: {outcome}",)), result, (), "")
    labelled = extractor.label_blocks(prepared) if isinstance(extractor, BlockSystemExtractor) else ()
    fields = tuple(_field(field, prepared.fields, prepared.evidence) for field in FIELDS)
    log = tuple(_log(page, prepared, labelled, f"{decided}: {outcome}"))
    paragraphs = result.text.split("\n") if isinstance(result, Record) else good_paragraphs(labelled)
    view = PageView(decided, outcome, fields, _blocks(prepared, labelled), log)
    return ShownPage(view, result, tuple(paragraphs), marked_page(prepared, () if is_blind else labelled))


def _field(field: str, fields: Fields, evidence: tuple[Evidence, ...]) -> FieldView:
    held = getattr(fields, field)
    values = (held if isinstance(held, tuple) else (held,)) if held else ()
    candidates = dict.fromkeys(item for item in evidence if item.field == field)
    source = getattr(fields.provenance, field, "")
    same = [item for item in candidates if item.value in values or {*item.value.split(", ")} <= {*values}]
    agree = dict.fromkeys(item.source for item in same if item.source != source)
    others = tuple(item for item in candidates if item not in same)
    return FieldView(field, values, source, tuple(agree), others)


def _blocks(prepared: PreparedPage, labelled: tuple[LabelledBlock, ...]) -> tuple[BlockView, ...]:
    if not labelled:
        return ()
    fields = prepared.fields
    features = measure(prepared.blocks, Hints(fields.title, fields.description, prepared.article_body))
    columns = [tuple(FEATURES).index(name) for name in TELLING]
    row_of = {block.position: row for block, row in zip(prepared.blocks, features.matrix[:, columns], strict=True)}
    shown = []
    for one in labelled:
        block, row = one.block, row_of[one.block.position]
        measured = {name: round(float(value), 3) for name, value in zip(TELLING, row, strict=True)}
        given = None if one.given is None else round(one.given, 4)
        verdict = (one.label, round(one.score, 4), given, one.reasons)
        shown.append(BlockView(*verdict, block.element.path, block.text, block.position, measured))
    return tuple(shown)


def _log(page: SourcePage, prepared: PreparedPage, labelled: tuple[LabelledBlock, ...], end: str) -> Iterator[str]:
    """Describe the processing of a page, one line per step."""
    declared = page.page.headers.get("content-type", "")
    yield f"decode: {len(page.page.body):,} bytes, {declared or 'no declared type'}; {len(prepared.html):,} characters"
    sources = Counter(item.source for item in prepared.evidence)
    yield f"fields: candidates from {', '.join(f'{name} ({n})' for name, n in sources.items()) or 'nowhere'}"
    if page.template:
        hits = ", ".join(f"{hit.field} {hit.position + 1}" for hit in prepared.rule_hits)
        yield f"template of {page.source}: {hits or 'no rule'} found something"
    yield f"segment: {len(prepared.blocks)} blocks"
    if page.profile:
        yield f"profile: {page.profile.path.name}, {page.profile.hash}"
    if prepared.is_closed:
        yield "paywall: the page is declared not free; hidden blocks are left out"
    if labelled:
        yield f"classify: {sum(item.is_good for item in labelled)} blocks are main text"
    for rule, n in Counter(rule for item in labelled for rule in item.reasons).items():
        yield f"{rule}: changed {number_of(n, 'block')}"
    yield end


FOLDER = Path(__file__).parent / "templates"

TEMPLATES = environment(FOLDER)
TEMPLATES.policies["json.dumps_function"] = lambda value, **_: msgspec.json.encode(value).decode()

STYLE = THEME + (FOLDER / "shown.css").read_text("utf-8")
SCRIPT = (FOLDER / "shown.js").read_text("utf-8")
FRAME_STYLE = (FOLDER / "frame.css").read_text("utf-8")


def source_hash(text: str) -> str:
    """Return the hash that allows an inline style or script in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def frame(markup: str, language: str = "") -> str:
    """Return the document of the frame: the markup of a page, with its own content security policy."""
    policy = f"default-src 'none'; style-src {source_hash(FRAME_STYLE)}"
    return TEMPLATES.get_template("frame.html").render(
        markup=markup, policy=policy, style=FRAME_STYLE, language=language
    )


def saved_page(shown: ShownPage, name: str) -> bytes:
    """Return a shown page as one self-contained HTML file in UTF-8; `name` is its heading."""
    styles = " ".join(map(source_hash, (STYLE, FRAME_STYLE)))
    policy = f"default-src 'none'; script-src {source_hash(SCRIPT)}; style-src {styles}"
    text = TEMPLATES.get_template("saved.html").render(
        shown=shown, name=name, frame=frame, policy=policy, style=STYLE, script=SCRIPT
    )
    return text.encode("utf-8", "replace")
