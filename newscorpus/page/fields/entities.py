"""Read what schema.org entities, from JSON-LD or microdata, say of the document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from newscorpus.data import Evidence, Image
from newscorpus.page.fields.markup import join, plain, plain_lines
from newscorpus.page.fields.structured import Node

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
