"""Find the article in what a page carries but does not show, and decide whether that takes the place of what it shows.

Candidates are read like pages, each as if it were what the page shows, by the same system; one rule decides among the
texts that come of it (docs/main-text.md). Some stand in the state that script frameworks embed as JSON or JavaScript;
no framework is known by name. A text there is a long string of prose, or a list whose items hold prose; it is the
article's where the values around it name the title or the address of the page.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import cast
from urllib.parse import unquote, urlsplit

import msgspec
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import PAYWALLED_TEXT_NOT_USED, Block, Fields, Rejected
from newscorpus.page.extractor import NO_MAIN_TEXT, FoundText, Reading
from newscorpus.page.fields.structured import ARTICLES
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import HIDDEN, find_excess, segment
from newscorpus.tokens import count_words, folded_words, words

MAX_CHARACTERS = 5_000_000
"""Of all that is read on a page; of 3,600 pages the longest state has 2.6 million."""
MAX_VALUES = 300_000
"""Values that are looked at on a page."""
CHARACTERS_A_VALUE = 100
"""Characters of a text that count as one more value."""
MAX_DEPTH = 60
"""Levels to which references are followed."""
MAX_PART_DEPTH = 12
"""Levels of lists and objects that a part of a text has: paragraph, link, emphasis, each with a list of its own."""
MAX_STARTS = 20
"""Places of a script, or attributes of a page, at which a value is tried, since each failure may read to the end."""
MIN_CHARACTERS = 200
"""Shortest text: two sentences; the filters refuse what is not much longer."""
MIN_PART_WORDS = 5
"""Fewest words of an item of a list that counts as prose."""
AROUND = 4
"""Objects around a text in which the title may stand: an article, its content, its body, a part of that."""
MIN_SLUG = 8
"""Fewest characters of the last part of an address that names a page: those of "index" and "news" name none."""
MAX_NAME = 500
"""Longest value that is compared with title and address."""

START = re.compile(r"""[=(,:]\s*(?=[{\["])""")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*+"?')
"""A text in code; what is not closed is taken too, so that nothing is read twice."""
ROW = re.compile(r"^([0-9a-f]{1,6}):(T[0-9a-f]+,)?", re.MULTILINE)
"""What begins a row of a stream of components; behind a `T` and its length the row is plain text."""
TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
LONG_ATTRIBUTES = etree.XPath(
    f"//@*[string-length(.) > {MIN_CHARACTERS} and starts-with(., '{{')]", smart_strings=False
)

TEXT_KEYS = ("html", "text", "value", "content", "body", "children", "model", "paragraphs", "items", "blocks", "data")
"""Keys under which parts of an article hold their text, the best first."""
KIND_KEYS = ("type", "nodeType", "__typename", "kind", "component")
"""Keys that say what a part of an article is."""
NO_TEXT = re.compile(
    r"image|picture|photo|video|audio|gallery|embed|advert|\bad\b|promo|related|teaser|newsletter", re.IGNORECASE
)
"""In the name of a kind: not the article's text."""
INLINE = re.compile(r"text|link|hyperlink|fragment|leaf|inline|span|strong|em|bold|italic|a|b|i", re.IGNORECASE)
"""Kinds that stand inside a paragraph."""

Names = frozenset[tuple[str, ...]]
Objects = tuple[Mapping[str, object], ...]

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
    for tag in MARKUP:
        outermost = [each for each in tree.iter(tag) if next(each.iterancestors(tag), None) is None]
        if _hold(outermost, tag, missing, limits):
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


@dataclass(slots=True)
class _Budget:
    """How many values may still be looked at; a long text counts as many, since references may repeat it."""

    left: int = MAX_VALUES

    def spend(self, value: object = None) -> bool:
        """Whether another value may be looked at."""
        self.left -= 1 + (len(value) // CHARACTERS_A_VALUE if isinstance(value, str) else 0)
        return self.left >= 0


def read_state(tree: HtmlElement, fields: Fields, url: str) -> list[str]:
    """The texts of the article that the page at `url` embeds for its scripts, as HTML, the longest first."""
    addresses = [address for address in (url, fields.canonical_url) if address]
    paths = [unquote(urlsplit(address).path).rstrip("/") for address in addresses]
    slugs = [path.rpartition("/")[2] for path in paths]
    named = (fields.title, *addresses, *paths, *slugs)
    names, budget = frozenset(tuple(folded_words(name)) for name in named if len(name) >= MIN_SLUG), _Budget()
    found = {text for value in _values(tree, budget) for text in _named_texts(value, names, budget)}
    return sorted(found, key=lambda text: (-len(text), text))


def _named_texts(value: object, names: Names, budget: _Budget) -> Iterator[str]:
    """The texts in a value around which something names the article; each object is looked at once."""
    known: dict[int, bool] = {}  # by identity: the objects live as long as the value
    for text, around in _texts(value, budget):
        for item in around:
            if id(item) not in known:
                inner = (each for value in item.values() if isinstance(value, dict) for each in value.values())
                known[id(item)] = any(
                    isinstance(value, str) and MIN_SLUG <= len(value) < MAX_NAME and tuple(folded_words(value)) in names
                    for value in (*item.values(), *inner)
                )
        if any(known[id(item)] for item in around):
            yield text


def _values(tree: HtmlElement, budget: _Budget) -> Iterator[object]:
    """The values that the scripts of a page hold, and its long attributes; last those of a stream in pieces."""
    scripts = (each.text or "" for each in tree.iter("script") if "ld+json" not in each.get("type", ""))
    attributes = cast("list[str]", LONG_ATTRIBUTES(tree))
    left = MAX_CHARACTERS
    stream: list[str] = []
    for text in (*scripts, *attributes[:MAX_STARTS]):
        if MIN_CHARACTERS <= len(text) <= left:
            left -= len(text)
            for value in _of_script(text, budget):
                yield value
                stream += [piece for piece in value if isinstance(piece, str)] if isinstance(value, list) else []
    # References may repeat a text so often that all together fit in no memory.
    joined = "".join(stream) if sum(map(len, stream)) <= MAX_CHARACTERS else ""
    if ROW.match(joined):
        yield _rows(joined, budget)


def _of_script(text: str, budget: _Budget) -> list[object]:
    """The value that a script is, or those in it; where they are less than half of it, its texts too."""
    try:
        return [_revived(msgspec.json.decode(text), budget)]
    except (msgspec.DecodeError, RecursionError):
        values, n_read = _embedded(text)
    if 2 * n_read >= len(text):
        return values
    literals = (each for each in LITERAL.findall(text) if len(each) >= MIN_SLUG)
    return [*values, {str(at): _decoded(literal) for at, literal in enumerate(literals)}]


def _embedded(text: str) -> tuple[list[object], int]:
    """The values that code assigns or hands on, JSON in strings too, and how many characters objects and lists take."""
    decoder = json.JSONDecoder(strict=False)
    values: list[object] = []
    position = n_read = 0
    for _ in range(MAX_STARTS):
        start = START.search(text, position)
        if start is None:
            break
        position = start.end()
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            continue
        values.append(_decoded(value) if isinstance(value, str) and value[:1] in {"{", "["} else value)
        n_read += position - start.end() if isinstance(values[-1], dict | list) else 0
    return values, n_read


def _decoded(text: str) -> object:
    """The value of JSON, or the text itself."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _rows(stream: str, budget: _Budget) -> object:
    """The rows of a stream of components, what they refer to put in place."""
    starts = list(ROW.finditer(stream))
    ends = [each.start() for each in starts[1:]] + [len(stream)]
    texts = [(each, stream[each.end() : end].strip()) for each, end in zip(starts, ends, strict=True)]
    rows = {each[1]: text if each[2] else _decoded(text) for each, text in texts}

    def refer(value: object) -> object:
        return rows.get(value.lstrip("$L"), value) if isinstance(value, str) and value.startswith("$") else value

    return [_resolved(value, refer, budget) for value in rows.values()]


def _revived(value: object, budget: _Budget) -> object:
    """A list of values that refer to each other by number becomes what its first one stands for."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict | list):
        return value
    slots = value[0].values() if isinstance(value[0], dict) else value[0]
    if not all(isinstance(slot, int | str) for slot in slots) or not any(isinstance(slot, int) for slot in slots):
        return value

    def refer(slot: object) -> object:
        return value[slot] if isinstance(slot, int) and 0 <= slot < len(value) else slot

    return _resolved(0, refer, budget)


def _resolved(value: object, refer: Callable[[object], object], budget: _Budget, depth: int = 0) -> object:
    if depth > MAX_DEPTH or not budget.spend():
        return None
    value = refer(value)
    inner = partial(_resolved, refer=refer, budget=budget, depth=depth + 1)
    if isinstance(value, dict):
        return {key: inner(each) for key, each in value.items()}
    return [inner(each) for each in value] if isinstance(value, list) else value


def _texts(value: object, budget: _Budget) -> Iterator[tuple[str, Objects]]:
    """The texts in a value, as HTML, each with the objects around it."""
    left: list[tuple[object, Objects]] = [(value, ())]
    while left:
        here, around = left.pop()
        if not budget.spend(here):
            return
        if isinstance(here, str):
            text = _paragraphs([here]) if len(here) >= MIN_CHARACTERS else ""
        elif isinstance(here, list):
            text = _paragraphs([_part(item, budget) for item in here])
            left.extend((item, around) for item in here)
        elif isinstance(here, dict):
            text = ""
            left.extend((item, (*around, here)[-AROUND:]) for item in here.values())
        else:
            continue
        if text:
            yield text, around


def _paragraphs(parts: list[str]) -> str:
    """Parts of an article as HTML; "" where they are no prose, or together too short."""
    n_prose = sum(count_words(part) >= MIN_PART_WORDS for part in parts)
    lines = [
        line
        for part in parts
        for line in (part.replace("\n", " ") if TAG.search(part) else part.replace("<", "&lt;")).split("\n")
        if line.strip()
    ]
    text = "".join(f"<p>{line}</p>" for line in lines)
    return text if n_prose >= min(len(parts), 2) and len(text) >= MIN_CHARACTERS else ""


def _part(item: object, budget: _Budget, depth: int = 0) -> str:
    """The text of an item of an article."""
    if depth > MAX_PART_DEPTH or not budget.spend(item):
        return ""
    inner = partial(_part, budget=budget, depth=depth + 1)
    match item:
        case str():
            text = item
        case ["$", str(tag), _, {"children": children}]:
            text = f"<{tag}>{inner(children)}</{tag}>" if tag.isalnum() else inner(children)
        case list():
            text = "".join(map(inner, item))
        case dict():
            text = _part_of_object(item, inner)
        case _:
            text = ""
    return text


def _part_of_object(item: Mapping[str, object], inner: Callable[[object], str]) -> str:
    """What an object holds of an article; "" for pictures, promotion, and what names another document."""
    kind = next((kind for key in KIND_KEYS if isinstance(kind := item.get(key), str)), "")
    is_document = not {"title", "headline"}.isdisjoint(item) and not {"url", "slug", "href"}.isdisjoint(item)
    if is_document or NO_TEXT.search(kind):
        return ""
    text = next(filter(None, (inner(item[key]) for key in TEXT_KEYS if key in item)), "")
    return text if not kind or INLINE.fullmatch(kind) else f"{text}\n"
