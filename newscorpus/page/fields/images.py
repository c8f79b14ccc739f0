"""Find the images of an article: those in and around its text, and the lead image that the page declares.

Icons, portraits of authors, adverts and teasers of other articles are left out, by the size, address and link of an
image and by the names of the elements around it. Thresholds and words were chosen on the training pages of
benchmarks/images.jsonl; `python -m benchmarks.images` measures the result.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, islice, repeat
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Block, Image
from newscorpus.page.fields.markup import MAX_CHARACTERS, MAX_IMAGES, join, opening, plain
from newscorpus.page.parsing.segment import INVISIBLE_TAGS, elements_around
from newscorpus.page.text.features.structure import CACHED, MAX_CACHED, NAMES, kinds_of
from newscorpus.urls import MAX_ADDRESS

LEAD_BLOCKS = 25
"""Blocks before the text in which its lead image is looked for: headline, byline, buttons and caption."""
LEAD_LINES = 3
"""An image before one of the first so many lines of the text is the lead image."""
MIN_PIXELS = 121
"""Least of the longer side of an image, where its size is stated; icons, portraits and thumbnails have less."""
MAX_EXAMINED = 2_000
"""Maximum number of images examined of a page; news pages have some 50."""

FOREIGN_TAGS = frozenset({"aside", "nav", "footer", "form"})
FOREIGN_KINDS = sum(1 << NAMES.index(name) for name in ("comment", "share", "advert", "footer", "subscribe"))
"""Kinds of boxes whose images are not the article's; those whose words galleries share are not among them."""
FOREIGN_NAME = re.compile(
    r"author|autor|byline|profile|related|similar|recommend|recirc|teaser|promo|popular|trending|outbrain|taboola"
    r"|suggest|more[-_]?(?:news|stories|topic|article)|(?:read|see|you)[-_]?(?:also|may|more)|\bcta|[-_]cta",
    re.IGNORECASE,
)
"""Names of further such boxes: of authors, and of other articles."""
NO_PICTURE = re.compile(
    r"logo|icon|avatar|placeholder|pixel|spacer|blank|spinner|button|badge|banner|arrow|transparent"
    r"|no-?(?:preview|image)|[{}]|\.svg\b|\.ico\b|(?:^|[/_-])ads?[_./-]"
    r"|[/_-](?:default|themes|close|print|resize|nav|share|facebook|twitter|email|rss)[_.-]"
)
"""Words in the name of an image or its folder, in lower case, that show nothing of the article."""
DESIGN = re.compile(r"/wp-content/(?:themes|plugins)/")
"""Folders of images that belong to the design of a site."""

ADDRESSES = (
    "data-src", "data-original", "data-lazy-src", "data-lazy", "data-full-src", "data-delayed-url", "data-src-lg",
    "data-lazyimage-src", "data-ezsrc", "data-dt-lazy-src", "data-image", "data-url", "src",
)  # fmt: skip
"""Attributes with the address of an image, those of lazy loaders first."""
SOURCE_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
WIDTH = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)[wx],?")
"""The width or density of an address in a source set."""

FILE = re.compile(r"\.(?:jpe?g|png|webp|gif|avif)\b", re.IGNORECASE)
RENDITION = re.compile(
    r"[-_.]+(?:(?:size_)?\d{2,4}x\d{2,4}|scaled|fit_lim|\d{3,4}-\d\d|(?:std|[swh]d?)\d{3,4}(?:-c\d\d+)?|@[1-4]x"
    r"|X{0,2}[SML]\d?)(?=$|[-_.])"
)
"""A size in a file name, by which renditions of an image differ."""
MIN_NAME, MIN_FOLDER = 6, 12
"""Lengths from which the last part of a path identifies an image, and the last but one if it has a digit."""
GENERIC = frozenset("original standard thumbnail facebook twitter featured download master square".split())
"""Last parts of paths that identify none."""


def find_images(
    tree: HtmlElement, url: str, blocks: Sequence[Block], paragraphs: Collection[str], declared: Sequence[Image]
) -> tuple[Image, ...]:
    """Return the images of the article on the page at `url`, the lead image first, the others in order.

    `blocks` are all of the `tree`, `paragraphs` the lines of the text, `declared` the images of the page's metadata: of
    those only the first is taken that the page does not show, unless it shows a lead image.
    """
    own = url.rstrip("/")
    declared = [one for one in declared if is_picture(one.url) and one.url.partition("#")[0].rstrip("/") != own]
    stated = {image_key(image.url): image for image in reversed(declared)}
    found: dict[str, Image] = {}
    has_lead = False
    for is_lead, image in islice(_shown(tree, url, blocks, set(paragraphs), stated.keys()), MAX_IMAGES):
        has_lead |= is_lead
        key = image_key(image.url)
        known = found.get(key) or stated.get(key, image)
        found[key] = replace(known, alt=known.alt or image.alt, caption=known.caption or image.caption)
    if declared and ((key := image_key(declared[0].url)) in found or not has_lead):
        found = {key: found.get(key, declared[0]), **found}
    return tuple(found.values())[:MAX_IMAGES]


def is_picture(url: str) -> bool:
    """Tell whether an image may show something of an article, by its address."""
    path = url.lower().partition("?")[0]
    return not (NO_PICTURE.search("/".join(path.rsplit("/", 2)[-2:])) or DESIGN.search(path))


def image_key(url: str) -> str:
    """Return what the addresses of the renditions of an image have in common, mostly the name of the file."""
    parts = urlsplit(url)
    folder, name = (RENDITION.sub("", FILE.sub("", part)) for part in f"//{parts.path}".rsplit("/", 2)[1:])
    if len(name) >= MIN_NAME and name not in GENERIC:
        return name
    return folder if len(folder) >= MIN_FOLDER and any(map(str.isdigit, folder)) else parts.path + parts.query


def _shown(
    tree: HtmlElement, url: str, blocks: Sequence[Block], lines: set[str], stated: Collection[str]
) -> Iterator[tuple[bool, Image]]:
    """Yield the images in and around the text, and those near it with a key in `stated`; tell which may be the lead."""
    good = list[int]()
    for at, block in enumerate(blocks):
        if block.text in lines:
            lines.remove(block.text)  # teasers below the text may repeat a line
            good.append(at)
    if not good:
        return
    first, last = good[0], good[-1]
    start = next((at for at in range(first, max(first - LEAD_BLOCKS, 0) - 1, -1) if blocks[at].tag == "h1"), first)
    around = elements_around([blocks[at] for at in good])
    boxes = {(each.tag, each.classes, each.id) for each in around if each.classes or each.id}
    base = next((join(url, each.get("href") or "") for each in tree.iter("base")), "") or url
    of_picture = cache(lambda picture: _first_address(picture.iter("source"), base))  # one may hold many images
    # The walk of `segment` counts each image with the block that holds or follows it.
    places = (at for at, block in enumerate(blocks) if block.inline for _ in range(block.inline.count("img")))
    nodes = ((node, [*node.iterancestors()]) for node in islice(tree.iter("img"), MAX_EXAMINED))
    visible = ((node, above) for node, above in nodes if INVISIBLE_TAGS.isdisjoint([each.tag for each in above]))
    for (node, above), at in zip(visible, chain(places, repeat(len(blocks))), strict=False):
        if at > last + 1:
            break
        if at < first - LEAD_BLOCKS:
            continue
        is_near = start <= at <= last or (at == last + 1 and any(each.tag in {"figure", "p"} for each in above))
        is_own = is_near and not _is_foreign(node, above, base, url, boxes)
        is_own = is_own or any(len(value) <= MAX_ADDRESS and key in value for value in node.values() for key in stated)
        if is_own and (address := _address(node, above, base, of_picture)):
            yield at <= good[:LEAD_LINES][-1], Image(address, plain(node.get("alt")), _caption(node, above))


def _address(
    node: HtmlElement, above: Sequence[HtmlElement], base: str, of_picture: Callable[[HtmlElement], str]
) -> str:
    """Return the address of an image, from its attributes, a copy for browsers without scripts, or its `<picture>`."""
    picture, below = next((each for each in above if each.tag == "picture"), None), node.getnext()
    copies = below.iter("img") if below is not None and below.tag == "noscript" else ()
    return _first_address((node, *copies), base) or ("" if picture is None else of_picture(picture))


def _first_address(nodes: Iterable[HtmlElement], base: str) -> str:
    """Return the first address of a picture that `nodes` name, in an attribute or a source set."""
    for each in nodes:
        for value in filter(None, map(each.get, ADDRESSES)):
            if not value.startswith("data:") and (address := join(base, value)) and is_picture(address):
                return address
        for value in filter(None, map(each.get, SOURCE_SETS)):
            if (address := join(base, _widest(value))) and is_picture(address):
                return address
    return ""


def _widest(source_set: str) -> str:
    """Return the address of a source set that stands before the highest width or density."""
    widest, found, last = -1.0, "", ""
    for word in re.sub(r"(\s[\d.]{1,9}[wx]),", r"\1 ", source_set).split():
        width = WIDTH.fullmatch(word)
        if width and float(width[1]) > widest:
            widest, found = float(width[1]), last
        elif not width:
            last = word.strip(",")
    return found or last


def _is_foreign(
    node: HtmlElement, above: Sequence[HtmlElement], base: str, url: str, boxes: Collection[tuple[str, str, str]]
) -> bool:
    """Tell whether an image is small, a link to another page, or, up to the `boxes` of the text, in a foreign box."""
    sides = [int(side) for name in ("width", "height") if (side := (node.get(name) or "").removesuffix("px")).isdigit()]
    if sides and max(sides) < MIN_PIXELS:
        return True
    for each in above:
        classes, identifier = each.get("class") or "", each.get("id") or ""
        if (each.tag, classes, identifier) in boxes:
            break
        if each.tag in {"picture", "source"}:
            continue
        if each.tag in FOREIGN_TAGS or _is_foreign_name(f"{classes} {identifier}"[:MAX_CACHED]):
            return True
        if each.tag == "a":
            link = join(base, each.get("href") or "").partition("#")[0]
            if link and not FILE.search(link) and not link.startswith(url):
                return True
    return False


@lru_cache(maxsize=CACHED)
def _is_foreign_name(names: str) -> bool:
    return bool(kinds_of(names) & FOREIGN_KINDS or FOREIGN_NAME.search(names))


def _caption(node: HtmlElement, above: Sequence[HtmlElement]) -> str:
    """Return the text of the `<figcaption>`, or of an element below that calls itself a caption."""
    figure = next((each for each in above if each.tag == "figure"), None)
    below = (each.getnext() for each in (node, *above[:2]))
    named = (each for each in below if each is not None and "caption" in (each.get("class") or ""))
    found = next(named if figure is None else figure.iter("figcaption"), None)
    return "" if found is None else plain(opening(found, MAX_CHARACTERS))
