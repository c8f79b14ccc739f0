"""Define the values that travel from a fetched page to a row of the corpus. All are immutable.

They are frozen dataclasses, except the three of which a page has hundreds: creating a frozen msgspec struct is some ten
times faster. These never form cycles, so the garbage collector need not track them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

SCHEMA = 3
"""Version of the record's layout, raised when a key is added, removed or changes its type."""

LOW_CONFIDENCE = "low_confidence"
"""Flag of a text whose confidence is below the default minimum for publication."""
PAYWALLED_TEXT_NOT_USED = "paywalled_text_not_used"
"""Flag of a page that is declared not free and carries the whole text without showing it."""

STATED = frozenset({"json-ld", "microdata", "meta"})
"""Sources of evidence that are machine-readable statements of a page about itself."""

ROBOTS_TXT = "robots.txt"
"""Source of evidence that the robots.txt of the page's host gives, on the rights in all of its pages."""

GONE = "gone"
"""Flag of a document that its site deleted, followed by a colon and the first day on which it was missing."""

REDESIGN = "redesign"
"""Flag of a document extracted after a redesign with the template or profile of the earlier design."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A value that a source gives for a field of a document."""

    field: str  # a key of `Fields`, such as "title" or "published"
    value: str  # as text
    # "json-ld", "meta", "microdata", "time-tag", "heading", "text", "url", "feed", "sitemap", "learned", "template",
    # "last_change" (of a sitemap), "portal", "robots.txt" or "user"
    source: str


@dataclass(frozen=True, slots=True)
class RuleHit:
    """A rule of a portal's template with a match on a page."""

    field: str  # key of the template: "remove", "text", "title" ...
    position: int  # of the rule in the list of that key
    misfit: str = ""  # the value found, if it does not fit the field


@dataclass(frozen=True, slots=True)
class ArchiveCapture:
    """The capture of a page in a foreign web archive; empty for a page fetched by our own crawl."""

    source: str = ""  # name of the collection, of its publisher, or of the program that wrote it, if known
    time: str = ""  # of the capture, ISO 8601 with offset


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched document."""

    url: str  # final address after redirects; "" if unknown
    body: bytes  # as received, without content encoding (gzip, br)
    headers: Mapping[str, str] = field(default_factory=dict)  # HTTP response headers, names in lower case
    fetched: str = ""  # time of the fetch, ISO 8601 with offset; "" if unknown
    evidence: tuple[Evidence, ...] = ()  # from discovery: feed entry, news sitemap fields
    capture: ArchiveCapture = ArchiveCapture()  # in a foreign web archive

    @classmethod
    def from_html(cls, text: str, url: str = "", fetched: str = "") -> "Page":
        """Make a page of decoded text; a charset declared in the document is ignored."""
        body = text.encode("utf-8", "replace")
        return cls(url, body, {"content-type": "text/html; charset=utf-8"}, fetched)


class Element(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A block-level element of the page, linked to its parent. Compared by identity."""

    tag: str  # lower-case name
    id: str = ""  # value of `id`, or ""
    classes: str = ""  # value of `class`, or ""
    role: str = ""  # values of `role` and `itemprop`, joined by a space, or ""
    hidden: bool = False  # has `hidden`, `aria-hidden="true"` or an inline `display: none`
    parent: "Element | None" = None  # the nearest block-level ancestor; None at the root
    depth: int = 0  # number of block-level ancestors
    # Name of a custom element, short values of `data-` attributes and `aria-label`, joined by spaces, or ""
    data: str = ""

    @property
    def ancestry(self) -> tuple["Element", ...]:
        """The elements from the root down to this one."""
        chain: list[Element] = []
        here: Element | None = self
        while here is not None:
            chain.append(here)
            here = here.parent
        return tuple(reversed(chain))

    @property
    def is_unseen(self) -> bool:
        """Whether this element or an ancestor is hidden."""
        here: Element | None = self
        while here is not None and not here.hidden:
            here = here.parent
        return here is not None

    @property
    def step(self) -> str:
        """This element as one step of a path: `div#main.content.wide`."""
        return self.tag + (f"#{self.id}" if self.id else "") + "".join(f".{name}" for name in self.classes.split())

    @property
    def path(self) -> str:
        """The path from the root: `html/body/div#main.content/p`."""
        return "/".join(element.step for element in self.ancestry)


class Block(msgspec.Struct, frozen=True, gc=False):
    """The smallest run of visible text inside a block-level element."""

    position: int  # index on the page, from 0
    text: str  # white space collapsed to single spaces, trimmed
    link_text: str  # the part of `text` inside links, white space collapsed
    element: Element  # the block-level element that directly contains the text
    # whether the element contains only this block; False beside block children, and for parts divided by `<br><br>`
    whole: bool = True
    # names of the inline elements in the text, in document order, including images
    inline: tuple[str, ...] = ()
    # number of start and end tags between the last text of the previous block and that of this block
    tags_before: int = 0

    @property
    def tag(self) -> str:
        """Name of the element that contains the text."""
        return self.element.tag

    @property
    def parent(self) -> Element:
        """The element around the block: the parent of its element, or the element itself if the block is a part."""
        return self.element.parent if self.whole and self.element.parent else self.element


class Label(StrEnum):
    """The class of a block."""

    GOOD = "good"
    ALMOST = "almost_good"
    BAD = "bad"


_GOOD = Label.GOOD


class LabelledBlock(msgspec.Struct, frozen=True, gc=False):
    """A block with its label."""

    block: Block
    score: float  # probability of being main text, 0..1 (a published system may use its own scale)
    label: Label  # after all rules
    reasons: tuple[str, ...] = ()  # names of the post-analysis rules that changed the label, in order
    given: float | None = None  # the classifier's score, if a rule changed it

    @property
    def is_good(self) -> bool:
        """Whether the block is main text; Python 3.11 takes six times as long to look up a member of an enumeration."""
        return self.label is _GOOD


@dataclass(frozen=True, slots=True)
class Image:
    """An image of the document."""

    url: str  # absolute
    alt: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of each value of a document, as in `Evidence`; "" without a value."""

    title: str = ""
    lead: str = ""
    authors: str = ""
    published: str = ""
    modified: str = ""
    section: str = ""
    tags: str = ""
    language: str = ""
    license: str = ""
    # "template", "model", "second-opinion", the name of an extractor without a model, such as "bte", or the place of a
    # text that the page does not show: "hidden", "noscript", "template-element", "json-ld" or "state"
    text: str = ""


@dataclass(frozen=True, slots=True)
class Rights:
    """Statements of the site on machine use, verbatim; "" for none."""

    robots: str = ""
    tdm: str = ""
    tdm_policy: str = ""
    content_usage: str = ""
    noai: str = ""
    content_signal: str = ""
    rsl: str = ""  # addresses of licences, divided by spaces


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a document except its text. Dates are ISO 8601; languages are BCP 47 primary tags."""

    title: str = ""
    lead: str = ""
    authors: tuple[str, ...] = ()
    agencies: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    section: str = ""
    tags: tuple[str, ...] = ()
    language: str = ""
    description: str = ""
    images: tuple[Image, ...] = ()
    site_name: str = ""
    canonical_url: str = ""
    license: str = ""
    paywalled: bool = False
    kind: str = ""
    """Type declared by the page, as in schema.org: "NewsArticle", "LiveBlogPosting", "ImageGallery"."""
    rights: Rights = Rights()
    provenance: Provenance = Provenance()

    @property
    def declares_date(self) -> bool:
        """Whether the page declares its date of publication in machine-readable form."""
        return self.provenance.published in STATED


@dataclass(frozen=True, slots=True)
class Article:
    """A page whose main text was found."""

    url: str  # the address of the page
    text: str  # the main text without the headline, one paragraph per line
    fields: Fields  # title, dates, authors and the rest
    extractor: str  # of the text: "template:NAME@VERSION", "model:NAME@VERSION" or an extractor's name
    confidence: float = 0.0  # probability that the text is right, 0..1
    flags: tuple[str, ...] = ()  # remarks, snake_case
    fetched: str = ""  # time of the fetch, as on the page
    capture: ArchiveCapture = ArchiveCapture()  # in a foreign web archive
    rule_hits: tuple[RuleHit, ...] = ()  # rules of the portal's template with a match
    is_article: float | None = None  # probability that the page is an article, 0..1; None without an estimate
    is_list: bool = False  # the text looks like a list of teasers
    listing: str = ""  # reason why the page is a listing, or about its site; "" for none, or if the address is certain


@dataclass(frozen=True, slots=True)
class Rejected:
    """A page that did not become a document."""

    stage: str  # the rejecting step: "fetch", "decode", "parse", "segment", "extract", "quality", "language"
    reason: str  # snake_case
    detail: str = ""  # one line for a person
    url: str = ""  # the address of the page
    excerpt: str = ""  # headline and first words, if there was a text


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the corpus. Every row has every key, always of the same type; "" or [] or 0, never null."""

    id: str  # stable for a document across runs: hash of its canonical URL
    revision: str  # hash of its text
    supersedes: str  # the replaced revision, or ""
    url: str
    source: str  # name of the portal
    site_name: str
    title: str
    lead: str
    text: str
    authors: tuple[str, ...]
    agencies: tuple[str, ...]
    published: str
    modified: str
    section: str
    tags: tuple[str, ...]
    language: str
    language_score: float  # of the detector, 0..1
    description: str
    images: tuple[Image, ...]
    license: str
    paywalled: bool
    rights: Rights
    provenance: Provenance
    capture: ArchiveCapture
    extractor: str
    confidence: float
    n_words: int
    flags: tuple[str, ...]
    fetched: str
    cluster: str = ""  # id of the group of near-duplicates that the document represents; "" for none
    cluster_size: int = 1  # documents in that group
    schema: int = SCHEMA  # version of this layout
