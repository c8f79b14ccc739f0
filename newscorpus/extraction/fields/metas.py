"""What `<meta>` and `<link>` elements say: OpenGraph, Dublin Core and the names that publishing systems use.

What a page says of machine use: robots, text and data mining reservations, AI training.

Images that a page names as its own.
"""

from collections.abc import Iterable, Iterator, Mapping

from newscorpus.data import Evidence, Image, Rights
from newscorpus.extraction.fields.markup import Markup, join, plain

NAMES = {
    "title": (
        "og:title", "twitter:title", "dc.title", "dcterms.title", "headline", "title", "parsely-title",
        "sailthru.title", "cxenseparse:title", "mrc__share_title",
    ),
    "published": (
        "article:published_time", "og:article:published_time", "article:published", "bt:pubdate", "datepublished",
        "date_published", "publishdate", "publish-date", "publish_date", "published_date", "published-date",
        "published_time", "publication_date", "pubdate", "pub_date", "publishtime", "published_at",
        "parsely-pub-date", "sailthru.date", "cxenseparse:recs:publishtime", "cxenseparse:publishtime",
        "vr:published_time", "mediator_published_time", "article_date_original", "originalpublicationdate",
        "rnews:datepublished", "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created",
        "dcterms.date", "dc.date", "dc:date", "dc:created", "prism.publicationdate",
        "citation_publication_date", "citation_date", "citation_online_date", "article:created",
        "article.created", "article.published", "displaydate", "date", "created", "creation_date", "doc_date",
        "gentime", "timestamp",
    ),
    "modified": (
        "article:modified_time", "og:updated_time", "og:article:modified_time", "article:modified",
        "article:updated_time", "article.updated", "bt:moddate", "datemodified", "dcterms.modified",
        "dc.date.modified", "last-modified", "lastmod", "last_modified", "modified", "revised",
        "cxenseparse:recs:modifiedtime",
    ),
    "authors": (
        "author", "article:author_name", "article:author", "og:article:author", "og:author", "authors", "byl",
        "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author", "cxenseparse:author",
        "bt:author", "citation_author", "twitter:creator:name",
    ),
    "section": (
        "article:section", "og:article:section", "og:section", "section", "parsely-section",
        "cxenseparse:recs:category", "channel", "category", "dc.subject",
    ),
    "tags": ("article:tag", "og:article:tag", "news_keywords", "parsely-tags", "sailthru.tags", "keywords"),
    "description": ("description", "og:description", "twitter:description", "dc.description", "dcterms.description"),
    "language": ("content-language", "dc.language", "dcterms.language", "language", "og:locale"),
    "site_name": ("og:site_name", "application-name", "apple-mobile-web-app-title", "dc.publisher", "publisher"),
    "license": ("dc.rights.license", "dcterms.license"),
}  # fmt: skip
"""Names that tell a field, lower case, the most trusted first."""

REPEATED = frozenset({"authors", "tags"})
"""Fields whose names may stand on the page several times, each time with one more value."""
AUTHOR_LABEL = (
    "written by",
    "verfasst von",
    "geschrieben von",
    "écrit par",
    "escrito por",
    "scritto da",
    "author",
    "autor",
)
"""What publishing systems write into `twitter:label1` before the author's name in `twitter:data1`, lower case."""


def read_metas(markup: Markup) -> Iterator[Evidence]:
    """Evidence of the meta elements, of each field the most trusted first; `<title>` comes after the titles proper."""
    for field, names in NAMES.items():
        for name in names:
            contents = markup.metas.get(name, ())
            for content in contents if field in REPEATED else contents[:1]:
                if value := plain(content):
                    yield Evidence(field, value, "meta")
    yield from _labelled_authors(markup)
    if title := plain(markup.title):
        yield Evidence("title", title, "meta")
    for link in markup.links.get("license", ()):
        yield Evidence("license", link, "meta")


def _labelled_authors(markup: Markup) -> Iterator[Evidence]:
    for number in "12":
        label, value = markup.first_meta(f"twitter:label{number}"), markup.first_meta(f"twitter:data{number}")
        if label.strip(" :").lower() in AUTHOR_LABEL and plain(value):
            yield Evidence("authors", plain(value), "meta")


AI_WORDS = ("noai", "noimageai")


def read_rights(markup: Markup, headers: Mapping[str, str]) -> Rights:
    """The rights signals of a page and of the response that carried it; a header comes before a meta element."""
    robots = _joined(headers.get("x-robots-tag", ""), *markup.metas.get("robots", ()))
    words = {word.strip() for word in robots.lower().replace(";", ",").split(",")}
    return Rights(
        robots=robots,
        tdm=plain(headers.get("tdm-reservation") or markup.first_meta("tdm-reservation")),
        tdm_policy=plain(headers.get("tdm-policy") or markup.first_meta("tdm-policy")),
        content_usage=plain(headers.get("content-usage") or markup.first_meta("content-usage")),
        noai=", ".join(word for word in AI_WORDS if word in words),
    )


def _joined(*values: str) -> str:
    return ", ".join(dict.fromkeys(text for value in values if (text := plain(value))))


MAX_IMAGES = 50
"""Most images that are kept of a page."""


def meta_images(markup: Markup) -> Iterator[Image]:
    """The images of OpenGraph and Twitter cards, addresses absolute."""
    alt = plain(markup.first_meta("og:image:alt", "twitter:image:alt"))
    for name in ("og:image", "og:image:url", "twitter:image", "twitter:image:src"):
        for number, address in enumerate(markup.metas.get(name, ())):
            if link := join(markup.base, address):
                yield Image(link, alt if number == 0 else "")


def merge_images(images: Iterable[Image]) -> tuple[Image, ...]:
    """Each address once, in order, with the first alternative text and caption that any source gives it."""
    merged: dict[str, Image] = {}
    for image in images:
        known = merged.get(image.url, image)
        merged[image.url] = Image(image.url, known.alt or image.alt, known.caption or image.caption)
    return tuple(merged.values())[:MAX_IMAGES]
