"""Read the texts that a page hands to its scripts: the state that script frameworks embed as JSON or JavaScript.

No framework is known by name. A text is a long string of prose, or a list whose items hold prose; it is the article's
where what stands around it names the title or the address of the page.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast
from urllib.parse import unquote, urlsplit

import msgspec
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import Fields
from newscorpus.tokens import count_words, folded_words

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
    names, budget = _names_of(fields, url), _Budget()
    found = {text for value in _values(tree, budget) for text in _named_texts(value, names, budget)}
    return sorted(found, key=lambda text: (-len(text), text))


def _named_texts(value: object, names: Names, budget: _Budget) -> Iterator[str]:
    """The texts in a value around which something names the article; each object is looked at once."""
    known: dict[int, bool] = {}  # by identity: the objects live as long as the value
    for text, around in _texts(value, budget):
        for item in around:
            if id(item) not in known:
                known[id(item)] = _is_named(item, names)
        if any(known[id(item)] for item in around):
            yield text


def _names_of(fields: Fields, url: str) -> Names:
    """What names the article, as words: its title, its addresses, their paths and the last parts of those."""
    addresses = [address for address in (url, fields.canonical_url) if address]
    paths = [unquote(urlsplit(address).path).rstrip("/") for address in addresses]
    slugs = [path.rpartition("/")[2] for path in paths]
    names = (fields.title, *addresses, *paths, *slugs)
    return frozenset(tuple(folded_words(name)) for name in names if len(name) >= MIN_SLUG)


def _is_named(item: Mapping[str, object], names: Names) -> bool:
    """Whether an object, or one right inside it, has a value that names the article."""
    inner = (each for value in item.values() if isinstance(value, dict) for each in value.values())
    return any(
        isinstance(value, str) and MIN_SLUG <= len(value) < MAX_NAME and tuple(folded_words(value)) in names
        for value in (*item.values(), *inner)
    )


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
    lines = [line for part in parts for line in _marked_up(part).split("\n") if line.strip()]
    text = "".join(f"<p>{line}</p>" for line in lines)
    return text if n_prose >= min(len(parts), 2) and len(text) >= MIN_CHARACTERS else ""


def _marked_up(text: str) -> str:
    """Text as HTML of a paragraph a line; in HTML, line ends mean nothing."""
    return text.replace("\n", " ") if TAG.search(text) else text.replace("<", "&lt;")


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
