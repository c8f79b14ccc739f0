"""Read what `<meta>` and `<link>` elements say: fields, rights of machine use, and images."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from newscorpus.data import Evidence, Image, Rights
from newscorpus.page.fields.markup import Markup, join, plain
from newscorpus.resources import read_toml

NAMES: Mapping[str, Sequence[str]] = read_toml(__package__, "meta_names.toml")
"""Names of `<meta>` elements by the field that they give, lower case, the most trusted first."""
MAX_IMAGES = 50
"""Most images that are kept of a page."""
REPEATED = frozenset({"authors", "tags"})
"""Fields whose names may stand on the page several times, each time with one more value."""
AUTHOR_LABEL = (
    "written by", "verfasst von", "geschrieben von", "écrit par", "escrito por", "scritto da", "author", "autor",
)  # fmt: skip
"""What publishing systems write into `twitter:label1` before the author's name in `twitter:data1`, lower case."""


def read_metas(markup: Markup) -> Iterator[Evidence]:
    """Evidence of the meta elements, of each field the most trusted first; `<title>` comes after the titles proper."""
    for field, names in NAMES.items():
        for name in names:
            contents = markup.metas.get(name, ())
            for content in contents if field in REPEATED else contents[:1]:
                if value := plain(content):
                    yield Evidence(field, value, "meta")
    for number in "12":
        label, value = markup.first_meta(f"twitter:label{number}"), plain(markup.first_meta(f"twitter:data{number}"))
        if value and label.strip(" :").lower() in AUTHOR_LABEL:
            yield Evidence("authors", value, "meta")
    if title := plain(markup.title):
        yield Evidence("title", title, "meta")
    for link in markup.links.get("license", ()):
        yield Evidence("license", link, "meta")


def read_rights(markup: Markup, headers: Mapping[str, str]) -> Rights:
    """The rights signals of a page and of the response that carried it; a header comes before a meta element."""
    directives = map(plain, (headers.get("x-robots-tag", ""), *markup.metas.get("robots", ())))
    robots = ", ".join(dict.fromkeys(filter(None, directives)))
    words = {word.strip() for word in robots.lower().replace(";", ",").split(",")}
    return Rights(
        robots=robots,
        tdm=plain(headers.get("tdm-reservation") or markup.first_meta("tdm-reservation")),
        tdm_policy=plain(headers.get("tdm-policy") or markup.first_meta("tdm-policy")),
        content_usage=plain(headers.get("content-usage") or markup.first_meta("content-usage")),
        noai=", ".join(word for word in ("noai", "noimageai") if word in words),
    )


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
