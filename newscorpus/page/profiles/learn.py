"""Learn the profile of a portal from its unlabelled pages; the model's verdicts serve as labels.

Paths and texts of blocks get names that are stable across the pages of a portal.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

from lxml.html import HtmlElement

from newscorpus.data import Block, Element, LabelledBlock
from newscorpus.page.extractor import PreparedPage
from newscorpus.page.fields.visible import UPDATE
from newscorpus.page.source_page import Named
from newscorpus.portal.profile import PathFacts, Profile, Repeated
from newscorpus.tokens import count_words
from newscorpus.urls import document_address, id_of_page

KEY_BYTES = 8
"""Bytes of a hash: a million texts collide with a probability of 3 in a hundred million (birthday bound)."""
CACHED = 20_000
MAX_NAME = 80
"""Longest meaningful id or class."""
SHORT_HUMP = 3
"""Minimum mean length of the parts of a name such as `articleBody`; generated ones have less: `bdVaJa`."""
MIN_HASH = 5
"""Minimum length of a hash in a name."""

_NUMBER = re.compile(r"\d+")
_PART = re.compile(r"([-_:]+)")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_MIXED = re.compile(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d")
_MAKERS = frozenset({"css", "sc", "jsx", "jss", "svelte", "emotion"})
"""Prefixes of generated hashes."""
_PAGE_TAGS = frozenset({"html", "body"})
_OF_ENTRY = re.compile(r"(?:category|tag|status|format|post-password)-")

UNSEEN = frozenset("head script style noscript template svg iframe object select".split())
"""Elements that are not rendered."""
MOST_SIGNS = 2_000
"""Maximum number of signs of a page; news pages have some 200."""


def paths_of(blocks: Sequence[Block]) -> list[str]:
    """Name the path to each block: `html/body/div#main.content/p`, without parts that differ between pages."""
    known: dict[Element, str] = {}

    def path(element: Element) -> str:
        if element not in known:
            step = step_of(element.tag, element.id, element.classes, element.data)
            known[element] = f"{path(element.parent)}/{step}" if element.parent else step
        return known[element]

    return [path(block.element) for block in blocks]


def step_of(tag: str, identifier: str, classes: str, data: str = "") -> str:
    """Name an element by tag, stable id and classes, or, where it has neither, by its `data-` attributes."""
    # The names of the page's own elements describe the page
    return tag if tag in _PAGE_TAGS else _step(tag, identifier[:MAX_NAME], classes, data)


@lru_cache(CACHED)
def _step(tag: str, identifier: str, classes: str, data: str) -> str:
    words = classes.split()
    if "hentry" in words:  # a microformat, whose classes also name the entry's terms
        words = [word for word in words if not _OF_ENTRY.match(word)]
    stable = sorted({name for word in words if (name := stable_name(word[:MAX_NAME]))})
    name = stable_name(identifier)
    names = (f"#{name}" if name else "") + "".join(f".{each}" for each in stable)
    if not names and (name := stable_name("-".join(data.split())[:MAX_NAME])):
        names = f"[{name}]"
    return tag + names


@lru_cache(CACHED)
def stable_name(name: str) -> str:
    """Strip generated parts from a name and write numbers as `0`; "" where no letter is left."""
    first, *rest = _PART.split(name)
    parts = [first, *map("".join, zip(rest[::2], rest[1::2], strict=True))]
    kept = [part for part in parts if not is_hash(part.lstrip("-_:"))]
    if len(kept) < len(parts) and kept[:1] and kept[0] in _MAKERS:
        return ""
    stable = _NUMBER.sub("0", "".join(kept))
    return stable if any(map(str.isalpha, stable)) else ""


def is_hash(part: str) -> bool:
    """Tell whether a part of a name is generated, such as `bdVaJa` or `1q2w3e`."""
    if len(part) < MIN_HASH or not part.isascii():
        return False
    if _MIXED.search(part):
        return True
    humps = _HUMP.findall(part)
    return len(humps) > 1 and sum(map(len, humps)) / len(humps) < SHORT_HUMP


def text_key(text: str) -> str:
    """Return a key of a text that ignores digits and case."""
    alike = _NUMBER.sub("0", text.casefold())
    return blake2b(alike.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).hexdigest()


_names_update = lru_cache(CACHED)(UPDATE.search)


def markup_signs(tree: HtmlElement) -> frozenset[str]:
    """Return all pairs of parent and child, such as `div.story > p`, by tags and stable names.

    Excluded are those named after an update: changed articles alone have them, and revisits fetch many of these.
    """
    signs: set[str] = set()
    pending: list[tuple[HtmlElement, str]] = [(tree, "html")]
    while pending:
        around, step = pending.pop()
        for child in around[:]:  # faster than to iterate over the node
            if len(signs) == MOST_SIGNS:
                return frozenset(signs)
            if isinstance(tag := child.tag, str) and tag not in UNSEEN:
                inner = step_of(tag, child.get("id") or "", (child.get("class") or "")[: 10 * MAX_NAME])
                if (sign := f"{step} > {inner}") not in signs and not _names_update(sign):
                    signs.add(sign)
                if len(child):
                    pending.append((child, inner))
    return frozenset(signs)


MOST_PAGES = 300
"""Maximum number of pages for a profile; more hardly change it."""
LEAST_PAGES = 5
"""Minimum number of pages for a profile."""
EXCERPT = 60
"""Characters shown of a repeated text."""
SAME_TEXT = 0.5
"""A page is a copy of another with the same title if it shares this part of the words of its main text."""
MOSTLY = 0.5
"""Share of main text from which a path counts as mostly main text."""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """An article page of a portal, judged by the model alone."""

    id: str  # of its document
    labelled: tuple[LabelledBlock, ...]  # its blocks with the verdicts; the scores are probabilities
    title: str


def learn(pages: Iterable[SeenPage], source: str, extractor: str) -> Profile:
    """Learn a profile from pages of one portal or site, each document once, judged by `extractor`.

    Copies of an article count as one page; of more than `MOST_PAGES`, a sample is used. The order does not matter.
    """
    seen = _without_copies(sorted(pages, key=lambda page: sample_key(page.id)))[:MOST_PAGES]
    places: defaultdict[str, _Place] = defaultdict(_Place)
    n_pages: Counter[str] = Counter()
    texts: dict[str, str] = {}
    for page in seen:
        keys = {text_key(item.block.text): item.block.text[:EXCERPT] for item in page.labelled}
        n_pages.update(keys.keys())
        texts = keys | texts
        at: defaultdict[str, list[LabelledBlock]] = defaultdict(list)
        for path, item in zip(paths_of([item.block for item in page.labelled]), page.labelled, strict=True):
            at[path].append(item)
        for path, items in at.items():
            places[path].add(items)
    return Profile(
        source=source,
        extractor=extractor,
        pages=tuple(sorted(page.id for page in seen)),
        paths={path: place.facts() for path, place in places.items() if place.pages > 1},
        texts={key: Repeated(n, texts[key]) for key, n in n_pages.items() if n > 1},
    )


def choose_sample(documents: Iterable[Named]) -> frozenset[Named]:
    """Choose the documents for the profile of each source, independent of their order."""
    by_source: defaultdict[str, set[str]] = defaultdict(set)
    for source, document in documents:
        by_source[source].add(document)
    enough = {source: held for source, held in by_source.items() if len(held) >= LEAST_PAGES}
    return frozenset(
        (source, document) for source, held in enough.items() for document in sorted(held, key=sample_key)[:MOST_PAGES]
    )


def document_of(prepared: PreparedPage) -> str:
    """Return the id of the document on a page, as in its row; without an address, from its content."""
    url = document_address(prepared.page.url, prepared.fields.canonical_url)
    return id_of_page(url, prepared.page.body)


def sample_key(document: str) -> str:
    """Return a sort key for a random but reproducible order; samples are the first documents."""
    return hashlib.sha256(document.encode()).hexdigest()


def _without_copies(pages: Sequence[SeenPage]) -> list[SeenPage]:
    """Drop pages with the same title and mostly the same text as an earlier one."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    kept = []
    for page in pages:
        words = Counter[str]()
        for item in page.labelled:
            if item.is_good:
                words[text_key(item.block.text)] += count_words(item.block.text)
        same = sum(n for key, n in words.items() if key in known[page.title])
        if same <= SAME_TEXT * words.total():
            kept.append(page)
            known[page.title] |= words.keys()
    return kept


@dataclass(slots=True)
class _Place:
    """Counts at a path."""

    pages: int = 0
    good_pages: int = 0
    blocks: int = 0
    words: int = 0
    good_words: float = 0.0
    texts: set[str] = field(default_factory=set)

    def add(self, items: Sequence[LabelledBlock]) -> None:
        """Count the blocks of one more page."""
        words = [count_words(item.block.text) for item in items]
        good = sum(n * item.score for n, item in zip(words, items, strict=True))
        self.pages += 1
        self.good_pages += good > MOSTLY * sum(words)
        self.blocks += len(items)
        self.words += sum(words)
        self.good_words += good
        self.texts.update(text_key(item.block.text) for item in items)

    def facts(self) -> PathFacts:
        """Return the facts for the profile."""
        good_words = round(self.good_words, 1)
        return PathFacts(self.pages, self.good_pages, self.blocks, len(self.texts), self.words, good_words)
