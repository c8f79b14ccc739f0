"""Images that a page names as its own."""

from collections.abc import Iterable, Iterator

from newscorpus.data import Image
from newscorpus.extraction.fields.clean import plain
from newscorpus.extraction.fields.markup import Markup, join

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
