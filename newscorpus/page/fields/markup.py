"""Gather the elements that describe the document in one pass over the tree, and read `<meta>` and `<link>`.

Values are converted to plain text. Texts of other elements are read only as far as needed, since an element may hold
the whole page and be read often.
"""

import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from newscorpus.data import ROBOTS_TXT, Evidence, Image, Page, Rights
from newscorpus.page.parsing.segment import BLOCK_TAGS
from newscorpus.resources import read_toml
from newscorpus.tokens import clean, collapse
from newscorpus.urls import MAX_ADDRESS, web_address

TAG = re.compile(r"<[/!]?[a-zA-Z-][^<>]{0,500}>")
CONTROLS = re.compile("[\ud800-\udfff\x00-\x08\x0e-\x1f\x7f]")
"""Lone surrogates and control characters."""
PLACEHOLDER = re.compile(r"\{\{|\}\}|\$\{|\[object |<%|%>")
NO_VALUE = frozenset("none null undefined nan n/a false true unknown [] {} () \"\" '' - -- …".split())
MAX_CHARACTERS = 5_000
"""Longest value of a field; of the 4,733 pages of our sets 99.9 % have descriptions below 1,400 characters."""
MAX_OF_A_KIND = 300
"""Maximum number of elements kept of a kind, twice that for `<meta>` and `<link>`: 999 of 1,000 pages have fewer."""

PLAIN_ADDRESS = re.compile(r"https?://[\w.-]+(?:/[\w.~%+,/-]*)?", re.ASCII)
"""Addresses that `urljoin` leaves unchanged."""
RELATIONS = frozenset({"canonical", "license"})
RSL = "application/rsl+xml"
"""Media type of licences for machines (RSL 1.0, 2025); their links have a relation of their own, "rsl"."""
HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
"""An address and its parameters in a `Link` header (RFC 8288)."""
YEAR = re.compile(r"\b(?:19|20)\d\d\b")

MAX_INSIDE = 1_000
"""Descendants examined of an element; a paragraph of our sets has at most 411, a heading seldom 10."""

LINES = BLOCK_TAGS | {"br"}
"""Elements that end a line."""
LINE_END = "\n"

NAMES: Mapping[str, Sequence[str]] = read_toml(__package__, "meta_names.toml")
"""Names of `<meta>` elements by field, lower case, most trusted first."""
MAX_IMAGES = 50
"""Maximum number of images kept of a page."""
REPEATED = frozenset({"authors", "tags"})
"""Fields whose `<meta>` may be repeated, each with a further value."""
AUTHOR_LABEL = frozenset(read_toml(__package__, "people.toml")["written_by"])
"""Values of `twitter:label1`, lower case, with which `twitter:data1` is the author's name."""


def plain(value: object, max_characters: int = MAX_CHARACTERS) -> str:
    """Convert a scalar to text without entities and tags, white space collapsed; "" for empty and other values."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value)[: max_characters * 2]
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = TAG.sub(" ", text)
    text = collapse(CONTROLS.sub("", clean(text)))[:max_characters]
    return "" if text.lower() in NO_VALUE or PLACEHOLDER.search(text) else text


def plain_lines(value: object, max_characters: int) -> str:
    """Convert a text to plain lines, empty ones left out; a tag ends a line."""
    if not isinstance(value, str):
        return ""
    text = html.unescape(value[:max_characters]) if "&" in value else value[:max_characters]
    lines = (plain(line, max_characters) for line in TAG.sub("\n", text).split("\n"))
    return "\n".join(line for line in lines if line)


def join(base: str, link: str) -> str:
    """Make `link` absolute; "" where it is no web address, or too long."""
    if len(link) <= MAX_ADDRESS and PLAIN_ADDRESS.fullmatch(link):
        return link
    return web_address(base, link).removesuffix("#").removesuffix("?")  # Python 3.14 keeps an empty query or fragment


@dataclass(frozen=True, slots=True)
class Markup:
    """Elements that describe a page, and their values."""

    url: str  # address of the page, after redirects
    base: str  # address that relative links refer to
    language: str  # `lang` of the root element
    title: str  # text of `<title>`
    metas: Mapping[str, tuple[str, ...]]  # contents of `<meta>` by lower-case name, in document order
    links: Mapping[str, tuple[str, ...]]  # addresses of `<link>` by lower-case relation or "rsl", absolute
    scripts: tuple[str, ...]  # texts of the JSON-LD scripts
    code: tuple[HtmlElement, ...]  # the other `<script>` elements
    headings: tuple[HtmlElement, ...]  # the `<h1>` elements
    times: tuple[HtmlElement, ...]  # the `<time>` elements, and each `<abbr>` that has a year in its `title`

    def first_meta(self, *names: str) -> str:
        """Return the content of the first of `names` on the page; "" if none."""
        return next((self.metas[name][0] for name in names if name in self.metas), "")


def gather(tree: HtmlElement, url: str) -> Markup:
    """Collect the elements of interest of `tree`, the page at `url`."""
    tags = ("title", "meta", "link", "script", "h1", "time", "abbr", "base")
    kinds: dict[str, list[HtmlElement]] = {tag: [] for tag in tags}
    for element in tree.iter(*kinds):
        kinds[element.tag].append(element)
        if element.tag == "abbr" and YEAR.search(element.get("title", "")):
            kinds["time"].append(element)
    code = dict.fromkeys(each for each in kinds["script"] if "ld+json" not in each.get("type", ""))
    base = (join(url, kinds["base"][0].get("href", "")) if kinds["base"] else url) or url
    metas: dict[str, list[str]] = defaultdict(list)
    for meta in kinds["meta"][: MAX_OF_A_KIND * 2]:
        names = " ".join(meta.get(attribute, "") for attribute in ("property", "name", "http-equiv"))
        for name in names.lower().split() if meta.get("content") else ():
            metas[name].append(meta.get("content"))
    links: dict[str, list[str]] = defaultdict(list)
    for each in kinds["link"][: MAX_OF_A_KIND * 2]:
        for relation in RELATIONS.intersection(each.get("rel", "").lower().split()):
            if link := join(base, each.get("href", "")):
                is_rsl = relation == "license" and RSL in each.get("type", "").lower()
                links["rsl" if is_rsl else relation].append(link)
    # SVG drawings may have titles, too.
    title = next((each for each in kinds["title"] if each.getparent().tag in {"head", "html", "body"}), None)
    return Markup(
        url=url,
        base=base,
        language=tree.get("lang")
        or tree.get("{http://www.w3.org/XML/1998/namespace}lang")
        or tree.get("xml:lang")
        or "",
        title=collapse(title.text_content()) if title is not None else "",
        metas={name: tuple(contents) for name, contents in metas.items()},
        links={relation: tuple(found) for relation, found in links.items()},
        scripts=tuple(each.text or "" for each in kinds["script"] if each not in code)[:MAX_OF_A_KIND],
        code=tuple(code)[:MAX_OF_A_KIND],
        headings=tuple(kinds["h1"][:MAX_OF_A_KIND]),
        times=tuple(kinds["time"][:MAX_OF_A_KIND]),
    )


def holds_many(element: HtmlElement) -> bool:
    """Tell whether an element has more descendants than are examined."""
    return next(islice(element.iter(), MAX_INSIDE, None), None) is not None


def opening(element: HtmlElement, characters: int, inside: int = MAX_INSIDE) -> str:
    """Return the first `characters` of an element's text."""
    text = element.text or ""
    if len(text) < characters and len(element):  # unlike most elements
        text = "".join(enough(pieces(element, inside=inside), characters))
    return text[:characters]


def enough(found: Iterable[str], characters: int) -> Iterator[str]:
    """Yield texts until they are longer than `characters` together."""
    length = 0
    for piece in found:
        yield piece
        length += len(piece)
        if length > characters:
            return


def pieces(
    element: HtmlElement, skips: Callable[[HtmlElement], bool] | None = None, inside: int = MAX_INSIDE
) -> Iterator[str]:
    """Yield the texts of an element and its first descendants; those in `skips` are left out.

    Line ends, at a `<br>` and around block-level elements, are yielded separately.
    """
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, each in islice(walk, 2 * inside):
        if each is not element and each.tag in LINES:
            yield LINE_END
        if event == "end":
            if each is not element and each.tail:
                yield each.tail
        elif skips and skips(each):
            walk.skip_subtree()
        elif each.text:
            yield each.text


def read_metas(markup: Markup) -> Iterator[Evidence]:
    """Yield evidence of the meta elements, most trusted first per field; `<title>` follows the other titles.

    Tags come from the first element that has any: `keywords` are often the site's.
    """
    for field, names in NAMES.items():
        for name in names:
            contents = markup.metas.get(name, ())
            for content in contents if field in REPEATED else contents[:1]:
                if value := plain(content):
                    yield Evidence(field, value, "meta")
            if contents and field == "tags":
                break
    for number in "12":
        label, value = markup.first_meta(f"twitter:label{number}"), plain(markup.first_meta(f"twitter:data{number}"))
        if value and label.strip(" :").lower() in AUTHOR_LABEL:
            yield Evidence("authors", value, "meta")
    if title := plain(markup.title):
        yield Evidence("title", title, "meta")
    for link in markup.links.get("license", ()):
        yield Evidence("license", link, "meta")


def read_rights(markup: Markup, page: Page) -> Rights:
    """Read the rights signals of a page, its response and its robots.txt; the response takes precedence.

    The addresses of licences are collected from all three.
    """
    headers, robots_txt = page.headers, {one.field: one.value for one in page.evidence if one.source == ROBOTS_TXT}
    directives = map(plain, (headers.get("x-robots-tag", ""), *markup.metas.get("robots", ())))
    robots = ", ".join(dict.fromkeys(filter(None, directives)))
    words = {word.strip() for word in robots.lower().replace(";", ",").split(",")}
    linked = HEADER_LINK.findall(headers.get("link", ""))
    licenses = (join(page.url, link) for link, said in linked if RSL in said.lower() and "license" in said.lower())
    return Rights(
        robots=robots,
        tdm=plain(headers.get("tdm-reservation") or markup.first_meta("tdm-reservation")),
        tdm_policy=plain(headers.get("tdm-policy") or markup.first_meta("tdm-policy")),
        content_usage=plain(headers.get("content-usage") or markup.first_meta("content-usage")),
        noai=", ".join(word for word in ("noai", "noimageai") if word in words),
        content_signal=plain(headers.get("content-signal") or robots_txt.get("content_signal")),
        rsl=plain(" ".join(dict.fromkeys((*licenses, *markup.links.get("rsl", ()), robots_txt.get("rsl", ""))))),
    )


def meta_images(markup: Markup) -> Iterator[Image]:
    """Yield the images of OpenGraph and Twitter cards, with absolute addresses."""
    alt = plain(markup.first_meta("og:image:alt", "twitter:image:alt"))
    for name in ("og:image", "og:image:url", "twitter:image", "twitter:image:src"):
        for number, address in enumerate(markup.metas.get(name, ())):
            if link := join(markup.base, address):
                yield Image(link, alt if number == 0 else "")


def merge_images(images: Iterable[Image]) -> tuple[Image, ...]:
    """Deduplicate images by address, in order, with the first alternative text and caption of any source."""
    merged: dict[str, Image] = {}
    for image in images:
        known = merged.get(image.url, image)
        merged[image.url] = Image(image.url, known.alt or image.alt, known.caption or image.caption)
    return tuple(merged.values())[:MAX_IMAGES]
