"""What `<meta>` and `<link>` elements say: OpenGraph, Dublin Core and the names that publishing systems use."""

from collections.abc import Iterator

from newscorpus.data import Evidence
from newscorpus.extraction.fields.clean import plain
from newscorpus.extraction.fields.markup import Markup

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
