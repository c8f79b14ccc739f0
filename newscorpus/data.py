"""Define the values that travel from a fetched page to a row of the corpus. All are immutable.

They are frozen dataclasses, but for the three of which a page has hundreds: a frozen msgspec struct is made some ten
times faster. None of these three can be part of a cycle, so that the garbage collector need not follow them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

SCHEMA = 2
"""Version of the record's layout; raised when a key is added, removed or changes its type. Older ones are read."""

SINCE = "since"
"""Key of a field's metadata: the schema that brought it; without the key, the first one did."""


LOW_CONFIDENCE = "low_confidence"
"""Flag of a text that its model trusts less than what is published by default."""
PAYWALLED_TEXT_NOT_USED = "paywalled_text_not_used"
"""Flag of a text that stands whole where the page does not show it, but the page is declared not free."""

STATED = frozenset({"json-ld", "microdata", "meta"})
"""Sources of evidence in which a page makes statements on itself, to machines."""

GONE = "gone"
"""Flag of a document that its site deleted, with the day on which it was first missing behind a colon."""

REDESIGN = "redesign"
"""Flag of a document that was read after a redesign by what had been made for the design before."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One value that one source claims for one field of a document."""

    field: str  # a key of `Fields`, such as "title" or "published"
    value: str  # what the source says, as text
    # "json-ld", "meta", "microdata", "time-tag", "heading", "text", "url", "feed", "sitemap", "learned", "template",
    # "portal" or "user"
    source: str


@dataclass(frozen=True, slots=True)
class RuleHit:
    """A rule of a portal's template that found something on a page."""

    field: str  # key of the template: "remove", "text", "title" ...
    position: int  # of the rule in the list of that key
    misfit: str = ""  # the value found, where it cannot be what the field is


@dataclass(frozen=True, slots=True)
class ArchiveCapture:
    """The capture in somebody's web archive that a page was taken from; empty for a page that our own crawl fetched."""

    source: str = ""  # name of the collection, of its publisher, or of the program that wrote it, as far as it is known
    time: str = ""  # when it was captured, ISO 8601 with offset


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched document."""

    url: str  # the final address, after redirects; "" where unknown
    body: bytes  # the bytes as they came, content encoding (gzip, br) undone
    headers: Mapping[str, str] = field(default_factory=dict)  # HTTP response headers, names in lower case
    fetched: str = ""  # time of the fetch, ISO 8601 with offset; "" where unknown
    evidence: tuple[Evidence, ...] = ()  # what discovery knew of the document: feed entry, news sitemap fields
    capture: ArchiveCapture = ArchiveCapture()  # the web archive that it was taken from

    @classmethod
    def from_html(cls, text: str, url: str = "", fetched: str = "") -> "Page":
        """Make a page of text that is decoded already; a charset the document declares for itself is overruled."""
        body = text.encode("utf-8", "replace")
        return cls(url, body, {"content-type": "text/html; charset=utf-8"}, fetched)


class Element(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A block-level element of the page, linked to the one that holds it. Compared by identity."""

    tag: str  # lower-case name
    id: str = ""  # value of `id`, or ""
    classes: str = ""  # value of `class`, or ""
    role: str = ""  # values of `role` and `itemprop`, joined by a space, or ""
    hidden: bool = False  # carries `hidden`, `aria-hidden="true"` or an inline `display: none`
    parent: "Element | None" = None  # the nearest block-level ancestor; None at the root
    depth: int = 0  # number of block-level ancestors
    # Name of a custom element, short values of `data-` attributes and `aria-label`, joined by spaces, or ""
    data: str = ""

    @property
    def ancestry(self) -> tuple["Element", ...]:
        """The chain from the root down to this element."""
        chain: list[Element] = []
        here: Element | None = self
        while here is not None:
            chain.append(here)
            here = here.parent
        return tuple(reversed(chain))

    @property
    def is_unseen(self) -> bool:
        """Whether this element, or one around it, is hidden."""
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
        """The way from the root: `html/body/div#main.content/p`."""
        return "/".join(element.step for element in self.ancestry)


class Block(msgspec.Struct, frozen=True, gc=False):
    """The smallest run of visible text inside one block-level element."""

    position: int  # index on the page, from 0
    text: str  # white space collapsed to single spaces, trimmed
    link_text: str  # the part of `text` that stands inside links, white space collapsed
    element: Element  # the block-level element that holds the text directly
    # the element holds this block and nothing else; False for text beside block children and for the parts that
    # `<br><br>` makes
    whole: bool = True
    # names of the inline elements dissolved into the text, in document order, images included
    inline: tuple[str, ...] = ()
    # number of start and end tags between the previous block's last text and this block's last text
    tags_before: int = 0

    @property
    def tag(self) -> str:
        """Name of the element that holds the text."""
        return self.element.tag

    @property
    def parent(self) -> Element:
        """The element around the block: what holds its element, or the element itself where the block is a part."""
        return self.element.parent if self.whole and self.element.parent else self.element


class Label(StrEnum):
    """The class of a block."""

    GOOD = "good"
    ALMOST = "almost_good"
    BAD = "bad"


class LabelledBlock(msgspec.Struct, frozen=True, gc=False):
    """A block with its label."""

    block: Block  # the block
    score: float  # probability of being main text, 0..1 (a published system may use its own scale)
    label: Label  # the verdict now
    # names of the post-analysis rules that changed the verdict, in order; empty if the classifier's stands
    reasons: tuple[str, ...] = ()
    given: float | None = None  # the classifier's score, where a rule changed it


@dataclass(frozen=True, slots=True)
class Image:
    """An image that belongs to the document; the address is absolute."""

    url: str
    alt: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where each value of a document came from: a source name of `Evidence`, or "" where there is no value."""

    title: str = ""
    lead: str = ""
    authors: str = ""
    published: str = ""
    modified: str = ""
    section: str = ""
    tags: str = ""
    language: str = ""
    license: str = ""
    # "template", "model", "second-opinion", the name of an extractor that has no model, such as "bte", or where a text
    # stands that the page does not show: "hidden", "noscript", "template-element", "json-ld" or "state"
    text: str = field(default="", metadata={SINCE: 2})


@dataclass(frozen=True, slots=True)
class Rights:
    """What the site states on machine use, word for word; "" where it states nothing."""

    robots: str = ""
    tdm: str = ""
    tdm_policy: str = ""
    content_usage: str = ""
    noai: str = ""


@dataclass(frozen=True, slots=True)
class Fields:
    """All that is known of a document beside its text. Dates are ISO 8601; languages are BCP 47 primary tags."""

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
    """What the page declares itself to be, as schema.org names it: "NewsArticle", "LiveBlogPosting", "ImageGallery"."""
    rights: Rights = Rights()
    provenance: Provenance = Provenance()

    @property
    def declares_date(self) -> bool:
        """Whether the day of publication is a statement of the page on itself, in what it says to machines."""
        return self.provenance.published in STATED


@dataclass(frozen=True, slots=True)
class Article:
    """A page whose main text was found."""

    url: str  # the address of the page
    text: str  # the main text, one paragraph a line, headline excluded
    fields: Fields  # title, dates, authors and the rest
    extractor: str  # what decided on the text: "template:NAME@VERSION", "model:NAME@VERSION" or an extractor's name
    confidence: float = 0.0  # probability that the text is right, 0..1
    flags: tuple[str, ...] = ()  # remarks for the reader, snake_case
    fetched: str = ""  # time of the fetch, as on the page
    capture: ArchiveCapture = ArchiveCapture()  # the web archive that the page was taken from
    rule_hits: tuple[RuleHit, ...] = ()  # the rules of the portal's template that found something
    is_article: float | None = None  # probability that the page is one, 0..1; None where the extractor states none
    is_list: bool = False  # the text looks like a list of teasers
    listing: str = ""  # why the page is a list of others, or one about its site, whatever its text; "": nothing says so


@dataclass(frozen=True, slots=True)
class Rejected:
    """A page that did not become a document."""

    stage: str  # the step that refused it: "fetch", "decode", "parse", "segment", "extract", "quality", "language"
    reason: str  # snake_case
    detail: str = ""  # one line for a person
    url: str = ""  # the address of the page
    excerpt: str = ""  # headline and first words of what was refused, where there was a text


@dataclass(frozen=True, slots=True)
class Record:
    """One row of the corpus. Every key is always there, of the same type; "" or [] or 0, never null."""

    id: str  # stable for a document across runs: hash of its canonical URL
    revision: str  # hash of its text
    supersedes: str  # the revision this one replaced, or ""
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
    capture: ArchiveCapture = field(default=ArchiveCapture(), kw_only=True, metadata={SINCE: 2})
    extractor: str
    confidence: float
    n_words: int
    flags: tuple[str, ...]
    fetched: str
    cluster: str = ""  # id of the group of near-duplicates the document leads, or "" when it stands alone
    cluster_size: int = 1  # documents in that group; 1 when it stands alone
    schema: int = SCHEMA  # version of this layout
