"""Read JSON-LD, microdata and RDFa of a page, and what their schema.org entities say of the document.

Broken JSON is repaired where it can be.
"""

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
from newscorpus.tokens import collapse

Node = Mapping[str, object]
"""One entity: its keys as written; values are scalars, lists and further nodes."""

MAX_CHARACTERS = 2_000_000
"""Longest script that is parsed; the longest of 1,594 in our sets has 840,919 characters."""
MAX_NODES = 1_000
"""Most entities that are looked at."""
MAX_DEPTH = 8
"""Levels of lists, `@graph` and `mainEntity` that are opened (a choice; a list that holds a graph takes three)."""

WRAPPINGS = (("<!--", "-->"), ("//<![CDATA[", "//]]>"), ("/*<![CDATA[*/", "/*]]>*/"), ("<![CDATA[", "]]>"), ("", ";"))
"""What pages put around a script's text for old browsers."""
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
"""Most annotated elements that are looked at."""
MAX_NAMES = 10
"""Most properties that one element gives (a choice; more than two are rare)."""
MAX_NESTED = 20
"""Most annotated elements around one that is looked at (a choice): each reads the text inside it again."""
MAX_TEXT = 2_000
"""Longest text of a property, in characters: article bodies are not wanted."""
MICRODATA = etree.XPath("//*[@itemprop or @itemscope]")
RDFA = etree.XPath("//*[@itemprop or @itemscope or @typeof or (@property and not(self::meta))]")
"""The annotated elements. To ask for the attributes and unite the answers would take quadratic time over them."""
NAMED_BY_TEXT = frozenset({"author", "creator", "name", "publisher"})
"""Properties whose text is wanted, not the link."""
LISTED = "keywords"
"""The property whose element may be a list with one value an item."""
SKIPPED = frozenset({"articleBody", "text", "comment", "itemListElement", "review"})

Item = dict[str, object]

ARTICLES = (
    "NewsArticle", "ReportageNewsArticle", "AnalysisNewsArticle", "OpinionNewsArticle", "BackgroundNewsArticle",
    "ReviewNewsArticle", "AskPublicNewsArticle", "AdvertiserContentArticle", "LiveBlogPosting", "BlogPosting",
    "Article", "SatiricalArticle", "TechArticle", "ScholarlyArticle", "Report", "SocialMediaPosting",
    "DiscussionForumPosting",
)  # fmt: skip
OTHERS = (
    "Review", "Recipe", "ImageGallery", "MediaGallery", "VideoObject", "AudioObject", "PodcastEpisode", "QAPage",
    "Quiz", "Event", "SportsEvent", "Product", "JobPosting", "HowTo", "CreativeWork", "MedicalWebPage", "ItemPage",
    "CollectionPage", "ProfilePage", "AboutPage", "ContactPage", "FAQPage", "SearchResultsPage", "WebPage",
)  # fmt: skip
KINDS = {name.lower(): name for name in (*ARTICLES, *OTHERS)}
RANKS = {name: rank for rank, name in enumerate((*ARTICLES, *OTHERS))}
MAX_VALUES = 50
"""Most values of one key that are read: authors, tags, images."""
MAX_BODY_CHARACTERS = 500_000
"""Longest article body that is read."""

TEXTS = (
    ("title", ("headline",)),
    ("published", ("datePublished", "dateCreated", "uploadDate")),
    ("modified", ("dateModified",)),
    ("section", ("articleSection", "genre")),
    ("description", ("description", "abstract")),
    ("authors", ("author", "creator")),
    ("language", ("inLanguage",)),
    ("license", ("license",)),
    ("site_name", ("publisher", "sourceOrganization", "provider")),
    ("tags", ("keywords",)),
)
"""Field and the keys that give it, the best first; a key counts only where those before it are empty."""
PERSON_KEYS = ("givenName", "familyName")
NAME_KEYS = ("name", "headline", "alternateName", "@value", "url", "@id")
PAGE_TEXTS = [
    (field, keys) for field, keys in TEXTS if field in {"published", "modified", "language", "description", "license"}
]
"""What a WebPage beside the article may say."""


def read_json_ld(scripts: Iterable[str]) -> tuple[Node, ...]:
    """The entities at the top of the scripts, in document order; lists, `@graph` and `mainEntity` are opened."""
    nodes: list[Node] = []
    for script in scripts:
        if len(script) <= MAX_CHARACTERS:
            nodes.extend(_entities(parse(script), MAX_NODES - len(nodes)))
    return tuple(nodes)


def parse(text: str) -> object:
    """The value that `text` holds, a list where it holds several; None where it holds nothing. Never raises."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        return None
    except msgspec.DecodeError:
        return _parse_leniently(text)


def _parse_leniently(text: str) -> object:
    """Values one after another, control characters allowed; then with the usual slips repaired; then by pairs alone."""
    for start, end in WRAPPINGS:
        text = text.strip().removeprefix(start).removesuffix(end)
    for candidate in (text, _repair(text)):
        try:
            return list(islice(_decode_each(candidate), MAX_NODES))
        except (ValueError, RecursionError):
            continue
    return _pairs(text)


def _decode_each(text: str) -> Iterator[object]:
    """The values of a text; closing brackets too many, commas and semicolons between them are passed over."""
    decoder = json.JSONDecoder(strict=False)
    position = 0
    while True:
        while position < len(text) and (text[position].isspace() or text[position] in "}],;\ufeff"):
            position += 1
        if position >= len(text):
            return
        value, position = decoder.raw_decode(text, position)
        yield value


def _repair(text: str) -> str:
    text = BAD_ESCAPE.sub(r"\\\\", LINE_COMMENT.sub("", text))
    text = LEADING_COMMA.sub(r"\1", TRAILING_COMMA.sub(r"\1", text))
    return MISSING_COMMA.sub(r"\1,\n\2", text)


def _pairs(text: str) -> object:
    """What can be saved of a script that is no JSON: the first value of each plain key, if it speaks of an article."""
    kind = TYPE.search(text)
    if not kind:
        return None
    node: dict[str, object] = {}
    for key, value in PAIR.findall(text):
        node.setdefault(key, value.replace('\\"', '"').replace("\\/", "/"))
    return {"@type": kind[1], **node}


def _entities(value: object, limit: int) -> Iterator[Node]:
    """Entities of a parsed script, breadth bounded by `limit`, depth by MAX_DEPTH."""
    stack: list[tuple[object, int]] = [(value, 0)]
    seen = 0
    while stack and seen < limit:
        here, depth = stack.pop()
        if isinstance(here, dict):
            seen += 1
            yield here
        if depth < MAX_DEPTH:
            stack.extend((inner, depth + 1) for inner in reversed(_inner(here)[:MAX_NODES]))


def _inner(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        graph = value.get("@graph")
        return [*(graph if isinstance(graph, list) else [graph]), value.get("mainEntity")]
    return []


def read_microdata(tree: HtmlElement, body: bytes) -> tuple[Node, ...]:
    """The items of `tree`, parsed from `body`, that stand in no other, in document order.

    Properties outside any item, a common slip, make an article of their own at the end.
    """
    marked = RDFA if b" typeof=" in body else MICRODATA if b"itemprop" in body else None
    if marked is None:  # most pages; to search the bytes costs next to nothing
        return ()
    items: dict[HtmlElement, Item | None] = {}  # None for a property that is no item
    nested: set[HtmlElement] = set()
    stray: Item = {"@type": "Article"}
    for element in cast("list[HtmlElement]", marked(tree))[:MAX_PROPERTIES]:
        above = [ancestor for ancestor in element.iterancestors() if ancestor in items]
        if len(above) == MAX_NESTED:
            continue
        holder = next((around for ancestor in above if (around := items[ancestor])), stray)
        item = items[element] = _opened_item(element)
        for name, value in _properties(element, item):
            present = holder.get(name)
            if isinstance(present, list):
                present.append(value)
            else:
                holder[name] = value if present is None else [present, value]
        if item and holder is not stray and element.get("itemprop", element.get("property")):
            nested.add(element)
    found = [item for element, item in items.items() if item and element not in nested]
    return tuple(found if len(stray) == 1 else [*found, stray])


def _opened_item(element: HtmlElement) -> Item | None:
    if element.get("itemscope") is None and element.get("typeof") is None:
        return None
    return {"@type": (element.get("itemtype") or element.get("typeof") or "").split()}


def _properties(element: HtmlElement, item: Item | None) -> Iterator[tuple[str, object]]:
    """Names, without prefix and vocabulary, and values of the properties that an element gives."""
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

    main: Node  # the document itself; empty where no entity is it
    page: Node  # the WebPage around it; empty where there is none
    known: Mapping[str, Node]  # all entities by `@id`
    site_name: str  # name of the WebSite, or ""


def choose(nodes: Sequence[Node], addresses: frozenset[str]) -> Entities:
    """Find the main entity of the page that is known under `addresses`."""
    main = max(nodes, key=lambda node: _fitness(node, addresses), default={})
    page = next((node for node in nodes if kind(node).endswith("Page") and node is not main), {})
    site = next((node for node in nodes if "website" in _types(node)), {})
    known: dict[str, Node] = {}
    for node in nodes:
        if isinstance(identity := node.get("@id"), str):
            known.setdefault(identity, node)
    return Entities(main if kind(main) else {}, page, known, plain(site.get("name")))


def kind(node: Node) -> str:
    """What `node` declares itself to be, as schema.org writes it: the most specific of its types; "" for others."""
    names = (KINDS[name] for name in _types(node) if name in KINDS)
    return min(names, key=RANKS.__getitem__, default="")


def read_entities(entities: Entities, source: str) -> Iterator[Evidence]:
    """Evidence of the main entity, then of the page around it."""
    for node, fields in ((entities.main, TEXTS), (entities.page, PAGE_TEXTS)):
        for field, keys in fields if node else ():
            values = next((found for key in keys if (found := _values(entities, node.get(key)))), [])
            yield from (Evidence(field, value, source) for value in values)
    if entities.site_name:
        yield Evidence("site_name", entities.site_name, source)


def is_free(node: Node) -> bool | None:
    """Whether the document says that all may read it; None where it says nothing."""
    answers = [node.get("isAccessibleForFree", node.get("isAccessibleforFree"))]
    answers += [part.get("isAccessibleForFree") for part in _items(node.get("hasPart")) if isinstance(part, dict)]
    scalars = [str(answer) for answer in answers if isinstance(answer, str | bool | int)]
    is_paid = any(text.strip().lower().rpartition("/")[2] in {"false", "no", "0"} for text in scalars)
    return not is_paid if scalars else None


def article_body(node: Node) -> str:
    """The article's text as the entity gives it, a paragraph a line; "" if it gives none."""
    body = node.get("articleBody") or node.get("text")
    return "\n".join(plain_lines(part, MAX_BODY_CHARACTERS) for part in _items(body))


def entity_images(entities: Entities, base: str) -> Iterator[Image]:
    """The images of the main entity, addresses absolute."""
    for item in _items(entities.main.get("image") or entities.main.get("thumbnailUrl")):
        node = _resolved(entities, item)
        if isinstance(node, dict):
            address = next((node[key] for key in ("contentUrl", "url", "@id") if isinstance(node.get(key), str)), "")
            texts = plain(node.get("alternateName") or node.get("name")), plain(node.get("caption"))
        else:
            address, texts = node, ("", "")
        if isinstance(address, str) and (link := join(base, address)):
            yield Image(link, *texts)


def _fitness(node: Node, addresses: frozenset[str]) -> tuple[bool, bool, bool, bool, int]:
    """Sort key: articles first, then what names this page, what is dated and titled, the more special kind."""
    name = kind(node)
    return (
        name in ARTICLES,
        not addresses.isdisjoint(_addresses(node)),
        "datePublished" in node,
        "headline" in node,
        -RANKS.get(name, len(RANKS)),
    )


def _addresses(node: Node) -> Iterator[str]:
    for key in ("url", "@id", "mainEntityOfPage"):
        for item in _items(node.get(key)):
            value = item.get("@id", item.get("url")) if isinstance(item, dict) else item
            if isinstance(value, str):
                yield value.partition("#")[0].rstrip("/")


def _types(node: Node) -> set[str]:
    return {str(item).rpartition("/")[2].rpartition(":")[2].lower() for item in _items(node.get("@type"))}


def _values(entities: Entities, value: object) -> list[str]:
    """Texts of a value: of a scalar itself, of an entity its names, of which some hold those of several people."""
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
    """What a reference `{"@id": …}` stands for, one step far, so that circles do no harm."""
    if isinstance(value, dict) and "name" not in value and isinstance(identity := value.get("@id"), str):
        return entities.known.get(identity, value)
    return value


def _items(value: object) -> list[object]:
    """The values of a key that may hold several, or none."""
    if value is None:
        return []
    return value[:MAX_VALUES] if isinstance(value, list) else [value]
