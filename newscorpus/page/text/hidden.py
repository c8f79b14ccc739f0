"""Find the article in a page's hidden content, and decide whether it replaces the visible text.

The same system reads each candidate as if the page showed it; one rule chooses among the resulting texts
(docs/main-text.md). Some candidates come from the state that script frameworks embed as JSON or JavaScript; frameworks
are not known by name. A text there is a long string of prose, or a list of items with prose; it belongs to the article
if the values around it name the title or address of the page.
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

from newscorpus.data import PAYWALLED_TEXT_NOT_USED, Block, Fields, Rejected
from newscorpus.page.extractor import NO_MAIN_TEXT, FoundText, PreparedPage
from newscorpus.page.fields.structured import ARTICLES
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import HIDDEN, find_excess, segment
from newscorpus.tokens import count_words, folded_words, word_ngrams, words

MAX_CHARACTERS = 5_000_000
"""Maximum number of characters read on a page; of 3,600 pages the longest state has 2.6 million."""
MAX_VALUES = 300_000
"""Maximum number of values examined on a page."""
CHARACTERS_A_VALUE = 100
"""Characters of a text that count as one more value."""
MAX_DEPTH = 60
"""Maximum depth to which references are followed."""
MAX_PART_DEPTH = 12
"""Maximum nesting of lists and objects in a part of a text: paragraph, link, emphasis, each with its own list."""
MAX_STARTS = 20
"""Maximum number of script positions, or attributes, where parsing is tried: each failure may read to the end."""
MIN_CHARACTERS = 200
"""Shortest text: two sentences; the filters reject texts hardly longer than that."""
MIN_PART_WORDS = 5
"""Minimum number of words of a list item that counts as prose."""
AROUND = 4
"""Enclosing objects of a text that are searched for the title: article, content, body, part."""
MIN_SLUG = 8
"""Minimum length of a last path segment that identifies a page: "index" and "news" do not."""
MAX_NAME = 500
"""Longest value compared with title and address."""

START = re.compile(r"""[=(,:]\s*(?=[{\["])""")
LITERAL = re.compile(r'"(?>(?:[^"\\\n]|\\.)*)"?')
"""A string literal in code, closed or not, so that nothing is read twice."""
ROW = re.compile(r"^([0-9a-f]{1,6}):(T[0-9a-f]+,)?", re.MULTILINE)
"""Beginning of a row in a stream of components; after a `T` and its length the row is plain text."""
TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
LONG_ATTRIBUTES = etree.XPath(
    f"//@*[string-length(.) > {MIN_CHARACTERS} and starts-with(., '{{')]", smart_strings=False
)

TEXT_KEYS = ("html", "text", "value", "content", "body", "children", "model", "paragraphs", "items", "blocks", "data")
"""Keys under which parts of an article hold their text, in order of preference."""
KIND_KEYS = ("type", "nodeType", "__typename", "kind", "component")
"""Keys that say what a part of an article is."""
NO_TEXT = re.compile(
    r"image|picture|photo|video|audio|gallery|embed|advert|\bad\b|promo|related|teaser|newsletter", re.IGNORECASE
)
"""Marks kinds that are not the article's text."""
INLINE = re.compile(r"text|link|hyperlink|fragment|leaf|inline|span|strong|em|bold|italic|a|b|i", re.IGNORECASE)
"""Kinds inside a paragraph."""

Names = frozenset[tuple[str, ...]]
Objects = tuple[Mapping[str, object], ...]

CLOSED = PAYWALLED_TEXT_NOT_USED.replace("_", " ")
"""Detail of a rejection for the same reason."""

MARKUP = ("noscript", "template")
"""Elements whose content appears only without scripts, or only by them."""
SOURCES = {"template": "template-element"}
"""Source names that differ from the element's: the source "template" is a portal's template."""

MOST_CHARACTERS = etree.XPath("string-length(.) + count(.//br)")
"""Upper bound of the characters in an element's blocks, where a `<br>` is a space."""

NGRAM_WORDS = 4
"""Words of the n-grams by which texts are compared."""
MAX_SHARE = 0.67
"""A candidate replaces a text that has at most this share of its number of n-grams: of 137 texts in JSON-LD, those that
add less add only boxes and captions (2026-11)."""
MIN_SHARED = 0.5
"""A text is part of a candidate that has at least this share of the text's n-grams."""
MIN_SAME = 0.8
"""An untrusted text equals a trusted candidate that has this share of the text's n-grams (a choice): where a page shows
only its headline, the second opinion may have found the same hidden text."""
MAX_TEASER_NGRAMS = 150
"""Maximum n-grams of a teaser, a text that need not be part of the candidate: the limit of the stub filter."""
STATE_CHARACTERS = 2_000
"""Shortest trusted text that counts as complete, so that the state is not searched; teasers are shorter."""
MAX_STATE_TEXTS = 3
"""Maximum number of texts read from the state, longest first: it may hold an article as HTML and in parts."""
COPIED_CHARACTERS = 80
"""Minimum length of a repeated paragraph that is a copy: of 5,164 pages (2026-11), shorter ones recur in lists, tables
and refrains."""
COMPARED_CHARACTERS = 30
"""Minimum length of a truncated paragraph that is recognised by its beginning."""
ELLIPSES = ("…", "...")
MAX_ALIKE = 10
"""Maximum number of paragraphs of the same beginning compared with each."""

Find = Callable[[PreparedPage], FoundText | Rejected]


def pick_best_candidate(shown: FoundText | Rejected, prepared: PreparedPage, find: Find) -> FoundText | Rejected:
    """Choose between the visible text `shown` and those that `find` extracts from hidden content, without copies."""
    if isinstance(shown, FoundText):
        shown = replace(shown, paragraphs=_without_copies(shown.paragraphs))
    best = shown
    for source, blocks in _candidates(shown, prepared):
        is_usual = blocks and not find_excess(blocks, prepared.page.url)
        found = find(replace(prepared, blocks=blocks)) if is_usual else shown
        if isinstance(found, FoundText):
            found = replace(found, paragraphs=_without_copies(found.paragraphs), source=source)
            best = found if _replaces(found, best) else best
    if best is shown or not prepared.is_closed:
        return best
    if isinstance(shown, Rejected):
        return replace(shown, detail=CLOSED)
    return replace(shown, flags=(*shown.flags, PAYWALLED_TEXT_NOT_USED))


def _candidates(shown: FoundText | Rejected, prepared: PreparedPage) -> Iterator[tuple[str, tuple[Block, ...]]]:
    """Yield the hidden contents that are long enough: source and blocks."""
    tree = prepared.tree
    n_trusted = sum(map(len, shown.paragraphs)) if isinstance(shown, FoundText) and shown.is_trusted else 0
    least = max(MIN_CHARACTERS, n_trusted / MAX_SHARE)
    missing = max(MIN_CHARACTERS, least - n_trusted)
    hidden = (block for block in prepared.all_blocks if block.element.is_unseen)
    if (prepared.is_closed or isinstance(shown, Rejected)) and _amount(hidden) >= missing:
        yield "hidden", segment(tree, shown=frozenset({HIDDEN}))
    for tag in MARKUP:
        outermost = [each for each in tree.iter(tag) if next(each.iterancestors(tag), None) is None]
        taken = frozenset({tag})
        if sum(cast("float", MOST_CHARACTERS(element)) for element in outermost) >= missing and (
            _amount(block for element in outermost for block in segment(element, shown=taken)) >= missing
        ):
            yield SOURCES.get(tag, tag), segment(tree, shown=taken)
    # The page declares an article, or declares nothing and its text or date suggests one
    fields = prepared.fields
    if isinstance(shown, FoundText):
        is_likely = shown.is_trusted or fields.declares_date
    else:
        is_likely = fields.declares_date and shown.reason == NO_MAIN_TEXT
    if not (fields.kind in ARTICLES if fields.kind else is_likely):
        return
    if len(prepared.article_body) >= least:
        lines = "".join(f"<p>{escape(line)}</p>" for line in prepared.article_body.split("\n"))
        yield "json-ld", _as_page(prepared, lines)
    if n_trusted < STATE_CHARACTERS:
        for text in read_state(tree, fields, prepared.page.url)[:MAX_STATE_TEXTS]:
            if len(text) >= least:
                yield "state", _as_page(prepared, text)


def _amount(blocks: Iterable[Block]) -> int:
    """Count the characters of blocks outside links."""
    return sum(len(block.text) - len(block.link_text) for block in blocks)


def _as_page(prepared: PreparedPage, text: str) -> tuple[Block, ...]:
    """Segment a page of the title and the HTML `text` alone."""
    tree = parse(f"<body><main><article><h1>{escape(prepared.fields.title)}</h1>{text}</article></main></body>")
    return () if isinstance(tree, Rejected) else segment(tree)


def _replaces(found: FoundText, best: FoundText | Rejected) -> bool:
    """Tell whether `found` replaces `best`, which is rejected, a part of it, a teaser or untrusted."""
    if isinstance(best, Rejected):
        return True
    ours, theirs = _ngrams(best), _ngrams(found)
    n_shared = len(ours & theirs)
    if found.is_trusted > best.is_trusted and n_shared >= MIN_SAME * len(ours):
        return True
    if len(ours) > MAX_SHARE * len(theirs) or found.is_trusted < best.is_trusted:
        return False
    is_part = n_shared >= MIN_SHARED * len(ours)
    return is_part or not best.is_trusted or len(ours) < MAX_TEASER_NGRAMS


def _ngrams(found: FoundText) -> set[tuple[str, ...]]:
    """Return the distinct word n-grams of a text: some pages embed their article twice."""
    text = words("\n".join(found.paragraphs))
    return set(word_ngrams(text, NGRAM_WORDS)) or {tuple(text)}


def _without_copies(paragraphs: Sequence[str]) -> list[str]:
    """Drop long repeated paragraphs, and truncated copies of others."""
    beginnings: dict[str, list[str]] = {}
    for text in paragraphs:
        beginnings.setdefault(text[:COMPARED_CHARACTERS], []).append(text)

    def breaks_off(text: str) -> bool:
        opening = text.rstrip(" .…") if text.endswith(ELLIPSES) else ""
        alike = beginnings[text[:COMPARED_CHARACTERS]] if len(opening) >= COMPARED_CHARACTERS else ()
        return any(len(other) > len(text) and other.startswith(opening) for other in alike[:MAX_ALIKE])

    first = {text: at for at, text in reversed([*enumerate(paragraphs)])}
    once = (text for at, text in enumerate(paragraphs) if first[text] == at or len(text) < COPIED_CHARACTERS)
    return [text for text in once if not breaks_off(text)]


@dataclass(slots=True)
class _Budget:
    """Number of values that may still be examined; a long text counts as many, since references may repeat it."""

    left: int = MAX_VALUES

    def spend(self, value: object = None) -> bool:
        """Tell whether another value may be examined."""
        self.left -= 1 + (len(value) // CHARACTERS_A_VALUE if isinstance(value, str) else 0)
        return self.left >= 0


def read_state(tree: HtmlElement, fields: Fields, url: str) -> list[str]:
    """Return the article's texts that the page at `url` embeds for scripts, as HTML, longest first."""
    addresses = [address for address in (url, fields.canonical_url) if address]
    paths = [unquote(urlsplit(address).path).rstrip("/") for address in addresses]
    slugs = [path.rpartition("/")[2] for path in paths]
    named = (fields.title, *addresses, *paths, *slugs)
    names, budget = frozenset(tuple(folded_words(name)) for name in named if len(name) >= MIN_SLUG), _Budget()
    found = set[str]()
    for value in _values(tree, budget):
        verdicts: dict[int, bool] = {}  # by `id`, which stays unique while `value` holds the objects
        for text, around in _texts(value, budget):
            for item in reversed(around):
                if id(item) not in verdicts:
                    verdicts[id(item)] = _names_article(item, names)
                if verdicts[id(item)]:
                    found.add(text)
                if verdicts[id(item)] or _is_document(item):  # another article, such as the next one
                    break
    return sorted(found, key=lambda text: (-len(text), text))


def _is_document(item: Mapping[str, object]) -> bool:
    """Tell whether an object describes a document, by its title and address."""
    return not {"title", "headline"}.isdisjoint(item) and not {"url", "slug", "href"}.isdisjoint(item)


def _names_article(item: Mapping[str, object], names: Names) -> bool:
    """Tell whether a value of an object, or of an object in it, names the article."""
    inner = (each for value in item.values() if isinstance(value, dict) for each in value.values())
    return any(
        isinstance(value, str) and MIN_SLUG <= len(value) < MAX_NAME and tuple(folded_words(value)) in names
        for value in (*item.values(), *inner)
    )


def _values(tree: HtmlElement, budget: _Budget) -> Iterator[object]:
    """Yield the values in scripts and long attributes, and last those of a stream of components."""
    scripts = (each.text or "" for each in tree.iter("script") if "ld+json" not in each.get("type", ""))
    attributes = cast("list[str]", LONG_ATTRIBUTES(tree))
    left = MAX_CHARACTERS
    stream: list[str] = []
    for text in (*scripts, *attributes[:MAX_STARTS]):
        if MIN_CHARACTERS <= len(text) <= left:
            left -= len(text)
            for value in _script_values(text, budget):
                yield value
                stream += [piece for piece in value if isinstance(piece, str)] if isinstance(value, list) else []
    # Repeated references may make the stream larger than the memory.
    joined = "".join(stream) if sum(map(len, stream)) <= MAX_CHARACTERS else ""
    if ROW.match(joined):
        yield _rows(joined, budget)


def _script_values(text: str, budget: _Budget) -> list[object]:
    """Return the value of a script, or those that its code assigns or passes, JSON in strings included.

    String literals are added if objects and lists are less than half of the code.
    """
    try:
        return [_resolve_indices(msgspec.json.decode(text), budget)]
    except (msgspec.DecodeError, RecursionError):
        pass
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
        values.append(_decode(value) if isinstance(value, str) and value[:1] in {"{", "["} else value)
        n_read += position - start.end() if isinstance(values[-1], dict | list) else 0
    if 2 * n_read < len(text):
        literals = (each for each in LITERAL.findall(text) if len(each) >= MIN_SLUG)
        values.append({str(at): _decode(literal) for at, literal in enumerate(literals)})
    return values


def _decode(text: str) -> object:
    """Decode JSON; other text is returned as is."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _rows(stream: str, budget: _Budget) -> object:
    """Return the rows of a stream of components with references resolved."""
    starts = list(ROW.finditer(stream))
    ends = [each.start() for each in starts[1:]] + [len(stream)]
    texts = [(each, stream[each.end() : end].strip()) for each, end in zip(starts, ends, strict=True)]
    rows = {each[1]: text if each[2] else _decode(text) for each, text in texts}

    def refer(value: object) -> object:
        return rows.get(value.lstrip("$L"), value) if isinstance(value, str) and value.startswith("$") else value

    return [_resolve(value, refer, budget) for value in rows.values()]


def _resolve_indices(value: object, budget: _Budget) -> object:
    """Return the first value of a list whose values refer to each other by index; return others as is."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict | list):
        return value
    slots = value[0].values() if isinstance(value[0], dict) else value[0]
    if not all(isinstance(slot, int | str) for slot in slots) or not any(isinstance(slot, int) for slot in slots):
        return value

    def refer(slot: object) -> object:
        return value[slot] if isinstance(slot, int) and 0 <= slot < len(value) else slot

    return _resolve(0, refer, budget)


def _resolve(value: object, refer: Callable[[object], object], budget: _Budget, depth: int = 0) -> object:
    if depth > MAX_DEPTH or not budget.spend():
        return None
    value = refer(value)
    inner = partial(_resolve, refer=refer, budget=budget, depth=depth + 1)
    if isinstance(value, dict):
        return {key: inner(each) for key, each in value.items()}
    return [inner(each) for each in value] if isinstance(value, list) else value


def _texts(value: object, budget: _Budget) -> Iterator[tuple[str, Objects]]:
    """Yield the texts in a value, as HTML, each with its enclosing objects."""
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
    """Render parts of an article as HTML; "" if they are no prose or too short."""
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
    """Return the text of an item of an article; "" for pictures, promotion and references to other documents."""
    if depth > MAX_PART_DEPTH or not budget.spend(item):
        return ""
    inner = partial(_part, budget=budget, depth=depth + 1)
    text = ""
    match item:
        case str():
            text = item
        case ["$", str(tag), _, {"children": children}]:
            text = f"<{tag}>{inner(children)}</{tag}>" if tag.isalnum() else inner(children)
        case list():
            text = "".join(map(inner, item))
        case dict():
            kind = next((kind for key in KIND_KEYS if isinstance(kind := item.get(key), str)), "")
            if not _is_document(item) and not NO_TEXT.search(kind):
                text = next(filter(None, (inner(item[key]) for key in TEXT_KEYS if key in item)), "")
                text += "" if not kind or INLINE.fullmatch(kind) else "\n"
    return text
