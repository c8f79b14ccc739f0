"""Read the schema.org entities in a page's JSON-LD, microdata and RDFa; broken JSON is repaired where possible."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

import msgspec
from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import Evidence, Image
from newscorpus.page.fields.markup import join, opening, plain, plain_lines
from newscorpus.resources import read_toml
from newscorpus.tokens import collapse

Node = Mapping[str, object]
"""An entity with its keys as written; values are scalars, lists and nodes."""

MAX_CHARACTERS = 2_000_000
"""Longest script parsed; the longest of 1,594 in our sets has 840,919 characters."""
MAX_NODES = 1_000
"""Maximum number of entities examined."""
MAX_DEPTH = 8
"""Maximum depth to which lists, `@graph` and `mainEntity` are opened (a choice; a list with a graph takes three)."""

WRAPPINGS = (("<!--", "-->"), ("//<![CDATA[", "//]]>"), ("/*<![CDATA[*/", "/*]]>*/"), ("<![CDATA[", "]]>"), ("", ";"))
"""Wrappers around a script's text for old browsers."""
TRAILING_COMMA = re.compile(r",(\s*[}\]])")
LEADING_COMMA = re.compile(r"([{\[])\s*,")
MISSING_COMMA = re.compile(r'(["}\]\d])[ \t]*\n(\s*")')
LINE_COMMENT = re.compile(r"^[ \t]*+//[^\n]*", re.MULTILINE)
BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')
PAIR = re.compile(
    r'"(headline|datePublished|dateModified|articleSection|inLanguage)"\s*:\s*"((?:[^"\\\n]|\\.){1,500})"(?=\s*[,}\n])'
)
TYPE = re.compile(r'"@type"\s*:\s*"(\w*(?:Article|Posting))"')

MAX_PROPERTIES = 1_000
"""Maximum number of annotated elements examined."""
MAX_NAMES = 10
"""Maximum number of properties of an element (a choice; more than two are rare)."""
MAX_NESTED = 20
"""Maximum nesting of annotated elements (a choice): each reads its inner text again."""
MAX_TEXT = 2_000
"""Longest text of a property, in characters: article bodies are not needed."""
MICRODATA = etree.XPath("//*[@itemprop or @itemscope]")
RDFA = etree.XPath("//*[@itemprop or @itemscope or @typeof or (@property and not(self::meta))]")
"""The annotated elements. A union of queries for each attribute would take quadratic time."""
NAMED_BY_TEXT = frozenset({"articleSection", "author", "creator", "headline", "keywords", "name", "publisher"})
"""Properties whose text is read, not the link."""
LISTED = "keywords"
"""The property whose element may be a list with one value per item."""
SKIPPED = frozenset({"articleBody", "text", "comment", "itemListElement", "review"})

Item = dict[str, object]

SCHEMA = read_toml(__package__, "schema_org.toml")
ARTICLES: Sequence[str] = SCHEMA["articles"].split()
OTHERS: Sequence[str] = SCHEMA["others"].split()
KINDS = {name.lower(): name for name in (*ARTICLES, *OTHERS)}
RANKS = {name: rank for rank, name in enumerate((*ARTICLES, *OTHERS))}
NAMES_ITSELF = {"headline", "name", "url", "@id", "mainEntityOfPage"}
MAX_VALUES = 50
"""Maximum number of values read of a key: authors, tags, images."""
MAX_BODY_CHARACTERS = 500_000
"""Longest article body read."""

TEXTS: Sequence[tuple[str, Sequence[str]]] = tuple(SCHEMA["fields"].items())
"""Keys of each field, best first; a key counts only if those before it are empty."""
PERSON_WORDS = range(1, 5)
"""Number of words of a person's name that is no property of its own."""
PERSON_KEYS = ("givenName", "familyName")
NAME_KEYS = ("name", "headline", "alternateName", "@value", "url", "@id")
PAGE_TEXTS = [
    (field, keys) for field, keys in TEXTS if field in {"published", "modified", "language", "description", "license"}
]
"""Fields read from a WebPage beside the article."""


def read_json_ld(scripts: Iterable[str]) -> tuple[Node, ...]:
    """Return the entities of the scripts, in document order, within lists, `@graph` and `mainEntity`."""
    nodes: list[Node] = []
    for script in scripts:
        if len(script) <= MAX_CHARACTERS:
            nodes.extend(_entities(parse(script), MAX_NODES - len(nodes)))
    return tuple(nodes)


def parse(text: str) -> object:
    """Parse the value in `text`, several to a list; None for none. Never raises."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        return None
    except msgspec.DecodeError:
        return _parse_leniently(text)


def _parse_leniently(text: str) -> object:
    """Parse a sequence of values, control characters allowed; else repair usual errors; else read only pairs."""
    for start, end in WRAPPINGS:
        text = text.strip().removeprefix(start).removesuffix(end)
    repaired = BAD_ESCAPE.sub(r"\\\\", LINE_COMMENT.sub("", text))
    repaired = LEADING_COMMA.sub(r"\1", TRAILING_COMMA.sub(r"\1", repaired))
    for candidate in (text, MISSING_COMMA.sub(r"\1,\n\2", repaired)):
        try:
            return list(islice(_decode_each(candidate), MAX_NODES))
        except (ValueError, RecursionError):
            continue
    # The first value of each plain key is salvaged from invalid JSON, if it describes an article.
    if not (found := TYPE.search(text)):
        return None
    node: dict[str, object] = {}
    for key, value in PAIR.findall(text):
        node.setdefault(key, value.replace('\\"', '"').replace("\\/", "/"))
    return {"@type": found[1], **node}


def _decode_each(text: str) -> Iterator[object]:
    """Yield the values of a text; extra closing brackets, commas and semicolons between them are skipped."""
    decoder = json.JSONDecoder(strict=False)
    position = 0
    while True:
        while position < len(text) and (text[position].isspace() or text[position] in "}],;\ufeff"):
            position += 1
        if position >= len(text):
            return
        value, position = decoder.raw_decode(text, position)
        yield value


def _entities(value: object, limit: int) -> Iterator[Node]:
    """Yield entities of a parsed script, breadth bounded by `limit`, depth by MAX_DEPTH."""
    stack: list[tuple[object, int]] = [(value, 0)]
    seen = 0
    while stack and seen < limit:
        here, depth = stack.pop()
        inner: list[object] = here if isinstance(here, list) else []
        if isinstance(here, dict):
            seen += 1
            yield here
            graph = here.get("@graph")
            inner = [*(graph if isinstance(graph, list) else [graph]), here.get("mainEntity")]
        if depth < MAX_DEPTH:
            stack.extend((each, depth + 1) for each in reversed(inner[:MAX_NODES]))


def read_microdata(tree: HtmlElement, body: bytes) -> tuple[Node, ...]:
    """Return the top-level items of `tree`, parsed from `body`, in document order.

    Properties outside any item, a common error, form another article at the end.
    """
    marked = RDFA if b" typeof=" in body else MICRODATA if b"itemprop" in body else None
    if marked is None:  # most pages; searching the bytes is cheap
        return ()
    # Each item or property with those around it, innermost first; None for a property that is no item.
    chains: dict[HtmlElement, tuple[Item | None, ...]] = {}
    nested: set[HtmlElement] = set()
    stray: Item = {"@type": "Article"}
    for element in cast("list[HtmlElement]", marked(tree))[:MAX_PROPERTIES]:
        above = next((chain for ancestor in element.iterancestors() if (chain := chains.get(ancestor))), ())
        if len(above) == MAX_NESTED:
            continue
        holder = next(filter(None, above), stray)
        is_item = element.get("itemscope") is not None or element.get("typeof") is not None
        types = (element.get("itemtype") or element.get("typeof") or "").split()
        item: Item | None = {"@type": types} if is_item else None
        chains[element] = (item, *above)
        for name, value in _properties(element, item):
            present = holder.get(name)
            if isinstance(present, list):
                present.append(value)
            else:
                holder[name] = value if present is None else [present, value]
        if item and holder is not stray and element.get("itemprop", element.get("property")):
            nested.add(element)
    for element, (item, *_) in chains.items():
        if item and "person" in _types(item) and item.keys().isdisjoint((*PERSON_KEYS, "name")):
            shown = collapse(opening(element, MAX_TEXT))
            if len(shown.split()) in PERSON_WORDS:  # only its link is a property
                item["name"] = shown
    found = [item for element, (item, *_) in chains.items() if item and element not in nested]
    return tuple(found if len(stray) == 1 else [*found, stray])


def _properties(element: HtmlElement, item: Item | None) -> Iterator[tuple[str, object]]:
    """Yield names, without prefix and vocabulary, and values of an element's properties."""
    given = (element.get("itemprop") or element.get("property") or "").split(maxsplit=MAX_NAMES)[:MAX_NAMES]
    names = [name for each in given if (name := each.rpartition(":")[2].rpartition("/")[2]) not in SKIPPED]
    declared = item or element.get("content") or element.get("datetime")
    if not declared and LISTED in names and (parts := element.findall(".//a") or element.findall(".//li")):
        return ((LISTED, collapse(opening(part, MAX_TEXT))) for part in parts[:MAX_PROPERTIES])
    shown = declared or (collapse(opening(element, MAX_TEXT)) if names else "")
    linked = declared or element.get("href") or element.get("src") or shown
    return ((name, shown if name in NAMED_BY_TEXT else linked) for name in names)


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities of a page."""

    main: Node  # the document itself, or empty
    page: Node  # the WebPage around it, or empty
    known: Mapping[str, Node]  # all entities by `@id`
    site_name: str  # name of the WebSite, or ""


def choose(nodes: Sequence[Node], addresses: frozenset[str]) -> Entities:
    """Find the main entity of the page with these `addresses`.

    Articles come first, then entities that name this page, are dated and titled, or are more specific. A gallery or
    video without a name is a part of the document.
    """
    main = max(
        (node for node in nodes if NAMES_ITSELF & node.keys() or kind(node) in ARTICLES or kind(node).endswith("Page")),
        key=lambda node: (
            kind(node) in ARTICLES,
            not addresses.isdisjoint(_addresses(node)),
            "datePublished" in node,
            "headline" in node,
            -RANKS.get(kind(node), len(RANKS)),
        ),
        default={},
    )
    page = next((node for node in nodes if kind(node).endswith("Page") and node is not main), {})
    site = next((node for node in nodes if "website" in _types(node)), {})
    known: dict[str, Node] = {}
    for node in nodes:
        if isinstance(identity := node.get("@id"), str):
            known.setdefault(identity, node)
    return Entities(main if kind(main) else {}, page, known, plain(site.get("name")))


def kind(node: Node) -> str:
    """Return the most specific schema.org type of `node`; "" for unknown types."""
    names = (KINDS[name] for name in _types(node) if name in KINDS)
    return min(names, key=RANKS.__getitem__, default="")


def read_entities(entities: Entities, source: str) -> Iterator[Evidence]:
    """Yield evidence of the main entity, then of the page around it."""
    for node, fields in ((entities.main, TEXTS), (entities.page, PAGE_TEXTS)):
        for field, keys in fields if node else ():
            values = next((found for key in keys if (found := _values(entities, node.get(key)))), [])
            yield from (Evidence(field, value, source) for value in values)
    if entities.site_name:
        yield Evidence("site_name", entities.site_name, source)


def organisations(entities: Entities) -> Iterator[str]:
    """Yield the names of those authors of the main entity that are declared organisations."""
    for item in _items(entities.main.get("author")):
        node = _resolved(entities, item)
        if isinstance(node, dict) and all(name.endswith("organization") for name in _types(node) or [""]):
            yield from _names(node)


def is_free(node: Node) -> bool | None:
    """Tell whether the document is declared free; None where undeclared."""
    answers = [node.get("isAccessibleForFree", node.get("isAccessibleforFree"))]
    answers += [part.get("isAccessibleForFree") for part in _items(node.get("hasPart")) if isinstance(part, dict)]
    scalars = [str(answer) for answer in answers if isinstance(answer, str | bool | int)]
    is_paid = any(text.strip().lower().rpartition("/")[2] in {"false", "no", "0"} for text in scalars)
    return not is_paid if scalars else None


def article_body(node: Node) -> str:
    """Return the entity's article text, one paragraph per line, or ""."""
    body = node.get("articleBody") or node.get("text")
    return "\n".join(plain_lines(part, MAX_BODY_CHARACTERS) for part in _items(body))


def entity_images(entities: Entities, base: str) -> Iterator[Image]:
    """Yield the images of the main entity, with absolute addresses."""
    for item in _items(entities.main.get("image") or entities.main.get("thumbnailUrl")):
        node = _resolved(entities, item)
        if isinstance(node, dict):
            address = next((node[key] for key in ("contentUrl", "url", "@id") if isinstance(node.get(key), str)), "")
            texts = plain(node.get("alternateName") or node.get("name")), plain(node.get("caption"))
        else:
            address, texts = node, ("", "")
        if isinstance(address, str) and (link := join(base, address)):
            yield Image(link, *texts)


def _addresses(node: Node) -> Iterator[str]:
    for key in ("url", "@id", "mainEntityOfPage"):
        for item in _items(node.get(key)):
            value = item.get("@id", item.get("url")) if isinstance(item, dict) else item
            if isinstance(value, str):
                yield value.partition("#")[0].rstrip("/")


def _types(node: Node) -> set[str]:
    return {str(item).rpartition("/")[2].rpartition(":")[2].lower() for item in _items(node.get("@type"))}


def _values(entities: Entities, value: object) -> list[str]:
    """Return the texts of a value: a scalar itself, or an entity's names, which may be those of several people."""
    return [text for item in _items(value) for text in _names(_resolved(entities, item)) if text]


def _names(value: object) -> list[str]:
    if not isinstance(value, dict):
        return [plain(value)]
    in_parts = " ".join(filter(None, (plain(value.get(key)) for key in PERSON_KEYS)))
    if in_parts and not value.get("name"):
        return [in_parts]
    named = (list(filter(None, map(plain, _items(value.get(key))))) for key in NAME_KEYS)
    return next(filter(None, named), [])


def _resolved(entities: Entities, value: object) -> object:
    """Resolve a reference `{"@id": …}`, only one step, so that cycles do no harm."""
    if isinstance(value, dict) and "name" not in value and isinstance(identity := value.get("@id"), str):
        return entities.known.get(identity, value)
    return value


def _items(value: object) -> list[object]:
    """Return the values of a key that may hold several, or none."""
    if value is None:
        return []
    return value[:MAX_VALUES] if isinstance(value, list) else [value]
