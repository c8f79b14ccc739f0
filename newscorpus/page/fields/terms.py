"""Read the visible section and tags: links, labelled lists, breadcrumbs, classes, address."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from itertools import chain, islice
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Evidence
from newscorpus.page.fields.markup import Markup, join, opening, plain
from newscorpus.page.fields.nearby import MAX_MARK, SHORT, marks_of, preceding, short_text
from newscorpus.page.fields.people import squeezed
from newscorpus.page.fields.visible import OTHERS, is_elsewhere
from newscorpus.resources import read_toml
from newscorpus.urls import document_id

WORDS = read_toml(__package__, "terms.toml")
SECTION, TAGS = "section", "tags"
KINDS = (SECTION, TAGS)
EITHER = "either"
STEPS: Mapping[str, str] = {step: kind for kind in (*KINDS, EITHER) for step in WORDS["addresses"][kind].split()}
"""Path segments before the name of a section or tag."""
STEP = re.compile(rf"[/?&]({'|'.join(map(re.escape, STEPS))})(?:[/:](?=[^/?#])|=(?=.))")
GENERIC = frozenset(WORDS["generic"]["steps"].split())
LABELS = {
    kind: re.compile(rf"(?:^|(?<=[\s(|·•,]))(?:{'|'.join(map(re.escape, WORDS['labels'][kind]))})\s*[:：]?$")
    for kind in KINDS
}
"""Labels directly before a list, lower case."""
LABELLED = {
    kind: re.compile(rf"(?:{'|'.join(map(re.escape, WORDS['labels'][kind]))})\s*[:：]\s*(.+)", re.IGNORECASE)
    for kind in KINDS
}
"""A plain-text list after its label."""
MARKS = {
    SECTION: re.compile(
        r"(?:^|[\s_-])(?:post|article|entry|item)?(?:cats?|categor\w*|kategor\w*|rubri[ckq]\w*)(?=$|[\s_-])"
    ),
    TAGS: re.compile(
        r"(?:^|[\s_-])(?:post|article|entry|item)?(?:(?:hash)?tags?|taglist|keywords?|stitky)(?=$|[\s_-])"
    ),
}
"""Names of elements with sections or tags."""
MICROFORMAT = re.compile(r"\bp-category\b")
"""The class of a category in microformats, also used for tags."""
CRUMBS = re.compile(r"bread-?crumb|(?:^|[\s_-])crumbs?(?=$|[\s_-])|drobec|drobeck")
SEPARATORS = frozenset(">»›→")
"""Between two links of a trail that has no name."""
CURRENT = re.compile(r"(?:^|[\s_-])(?:active|current|selected)(?=$|[\s_-])")
ENTRY = re.compile(r"(?:^|\s)(?:hentry|post|post-\d+|type-post|single-post|post-template)(?=\s|$)")
"""Classes of a post's element."""
is_entry = lru_cache(4_096)(ENTRY.search)
SLUG = re.compile(r"(?:^|\s)(category|tag)-(?!hash-)([\w%-]*[^\W\d][\w%-]*)(?=\s|$)")
"""Classes that name a post's section or tag."""
NO_TERM = GENERIC | {"uncategorized", "uncategorised"}
NO_NAME = re.compile("[{<@€$]")
"""Signs of code, accounts, prices and arrows, which names of sections and tags lack."""
COUNTER = re.compile(r"(?i:count(?:er)?)(?=$|[\s_-])|(?:^|[\s_-])(?:badge|num(?:ber)?)(?=$|[\s_-])")
COUNT = re.compile(r"\s\(\d{1,3}\)$")
"""The number of articles behind the name of a section or tag: the class of its element, or in parentheses."""
RELATIONS = frozenset({"tag", "category"})
"""Values of `rel` for the topics of a page."""
PATH_END = re.compile("[?#]")
YEAR_STEP = re.compile(r"(?:19|20)\d\d")
MAX_LINKS, MAX_LABELLED = 3_000, 3_000
"""Links and elements examined on a page; 99 of 100 pages of our sets have fewer."""
MAX_TERM, MAX_WORDS = 60, 6
"""Maximum length of the name of a section or tag, in characters and words."""
MAX_SECTIONS, MAX_TAGS = 3, 40
"""Maximum number of adjacent sections and tags without a label: more are a menu or a tag cloud (a choice)."""
MAX_BETWEEN = 3
"""Maximum characters between two links of a list: a comma or "and"."""
ITEMS = frozenset({"li", "span", "b", "strong", "dd"})
"""Elements around the links of a list."""
HOLDERS = frozenset({"article", "main", "body"})
WRAPPERS = 3
"""Ancestors of a link whose names reveal its kind, and levels of elements within it."""
LOOK_ABOVE = 20
"""Elements above the headline that are searched for a single link to the section."""
MAX_BESIDE = 80
"""Elements before a link searched for its label."""


class Tier(IntEnum):
    """How certain it is that a link belongs to the document, most certain first."""

    DECLARED = 0  # `rel` says so
    WITHIN = 1  # in the article's element, or near the headline
    LABELLED = 2  # labelled by the words before it, anywhere
    CURRENT = 3  # the current item of a menu, or named by the article's classes
    BESIDE = 4  # in an element with the headline and most paragraphs


@dataclass(frozen=True, slots=True)
class Term:
    """A section or tag that a page names."""

    kind: str  # "section" or "tags"
    name: str
    tier: Tier


def read_terms(
    tree: HtmlElement,
    headline: HtmlElement | None,
    near: Collection[HtmlElement],
    markup: Markup,
    given: Sequence[Evidence],
    is_sectioned: bool,
) -> Iterator[Evidence]:
    """Yield evidence of the visible section and tags; `near` are elements around the headline.

    `given` comes from feeds, which mix sections and tags; addresses of the page's links separate them. The address,
    breadcrumbs and a link above the headline are read only if nothing else names a section; `is_sectioned` pages
    declare one.
    """
    links = list(islice(tree.iter("a"), MAX_LINKS))
    around, post = _around(tree, headline)
    called = {link: kind for link in links if (kind := _kind_by_address(link, markup))}
    terms = [*_linked(links, called, around, near, post, markup), *_from_classes(around, called)]
    if not any(term.kind == TAGS for term in terms):
        terms += _plain_lists(tree, around, near)
    if given:
        sections = {squeezed(name_of(link)) for link, kind in called.items() if kind == SECTION}
        sections -= {squeezed(term.name) for term in terms if term.kind == TAGS}
        yield from (Evidence(SECTION, each.value, each.source) for each in given if squeezed(each.value) in sections)
    for kind in KINDS:
        said = [term for term in terms if term.kind == kind]
        best = min((term.tier for term in said), default=None)
        yield from (Evidence(kind, term.name, "text") for term in said if term.tier == best)
    if not is_sectioned and not any(term.kind == SECTION for term in terms):
        steps = urlsplit(markup.url).path.strip("/").split("/")
        is_dated = len(steps) > 2 and YEAR_STEP.fullmatch(steps[1]) and not _is_generic(steps[0])
        # As in /town/2024/02/03/bridge.
        step = [Evidence(SECTION, unquote(steps[0]).replace("-", " "), "url")] if is_dated else []
        found = chain(_above(links, markup), _crumbs(tree, headline, markup), _kicker(headline, called, around), step)
        yield from islice(found, 1)


def _around(tree: HtmlElement, headline: HtmlElement | None) -> tuple[Collection[HtmlElement], HtmlElement | None]:
    """Return the elements that hold the headline, the `<article>` with most paragraphs, and the post's element.

    Most of the page's paragraphs are in that `<article>`, which may lie below the headline. If there is none, the
    innermost element with the headline and most paragraphs is the post's, unless it is the page's.
    """
    around = frozenset(headline.iterancestors() if headline is not None else (tree,))
    if any(each.tag == "article" for each in around):
        return around, None
    paragraphs = list(islice(tree.iter("p"), MAX_LABELLED))
    holders = Counter(next(each.iterancestors("article"), None) for each in paragraphs)
    article = next((each for each, count in holders.items() if each is not None and 2 * count > len(paragraphs)), None)
    if article is not None or headline is None:
        return around | {article} if article is not None else around, None
    counts = Counter(next(each for each in one.iterancestors() if each in around) for one in paragraphs)
    total = 0
    for each in headline.iterancestors():
        total += counts[each]
        if 2 * total > len(paragraphs):
            return around, None if each.tag in HOLDERS else each
    return around, None


def _linked(
    links: Iterable[HtmlElement],
    called: Mapping[HtmlElement, str],
    around: Collection[HtmlElement],
    near: Collection[HtmlElement],
    post: HtmlElement | None,
    markup: Markup,
) -> Iterator[Term]:
    """Yield the terms of the document's links."""
    crowds: dict[tuple[HtmlElement | None, str], list[Term]] = {}
    for link in links:
        by_address, by_marks = called.get(link, ""), _kind_by_marks(link)
        relations = RELATIONS.intersection(rel.lower().split()) if (rel := link.get("rel")) else frozenset[str]()
        is_named = relations or by_address or ((by_marks or link in near) and _leads_on(link, markup))
        if not is_named or not (name := name_of(link)):
            continue
        is_apart = _is_apart(link, around)
        label = _label(link, 1 if is_apart else WRAPPERS + 1)
        labelled = next((kind for kind in KINDS if LABELS[kind].search(label)), "")
        kind = ((SECTION if labelled == SECTION else TAGS) if by_address == EITHER else by_address) or by_marks
        kind = kind or (labelled if label.endswith((":", "：")) else "")
        if relations:
            kind = SECTION if "category" in relations else by_marks or labelled or kind or TAGS
            tier = Tier.DECLARED
        elif kind and labelled == kind and (kind == SECTION or not is_apart or link in near):
            tier = Tier.LABELLED
        elif kind and not is_apart and (link in near or _within_article(link, around)):
            tier = Tier.WITHIN
        elif by_address == SECTION and _is_current(link):
            tier = Tier.CURRENT
        elif not is_apart and by_address and post in link.iterancestors():
            tier = Tier.BESIDE
        else:
            continue
        if is_elsewhere(link, around) or _in_text(link):  # last, since it costs most
            continue
        if tier == Tier.DECLARED:
            yield Term(kind, name, tier)
        else:
            # Items of menus count together
            place = (
                None if tier == Tier.CURRENT else next(each for each in link.iterancestors() if each.tag not in ITEMS)
            )
            crowds.setdefault((place, kind), []).append(Term(kind, name, tier))
    yield from chain.from_iterable(map(_as_one, crowds.values()))


def _as_one(terms: Sequence[Term]) -> Sequence[Term]:
    """Give all terms of a list the tier of its best, since only some may be near the headline; long lists have none."""
    best = min(term.tier for term in terms)
    is_short = len(terms) <= {SECTION: MAX_SECTIONS, TAGS: MAX_TAGS}[terms[0].kind]
    return [replace(term, tier=best) for term in terms] if is_short else []


def name_of(link: HtmlElement) -> str:
    """Return the name shown by a link to a section or tag; "" if it cannot be one."""
    last = link
    for _ in range(WRAPPERS):
        last = last[-1] if len(last) else last
    count = plain(opening(last, SHORT)) if last.tag == "sup" or COUNTER.search(str(last.get("class", ""))) else ""
    shown = plain(opening(link, 2 * MAX_TERM))
    name = COUNT.sub("", shown.removesuffix(count) if count.isdigit() else shown).strip(" #,;:/|›»·•-–\"'")
    if len(name) > MAX_TERM or NO_NAME.search(name) or len(name.split()) > MAX_WORDS or not any(map(str.isalpha, name)):
        return ""
    return "" if squeezed(name) in NO_TERM else name


def _kind_by_address(link: HtmlElement, markup: Markup) -> str:
    """Return a link's kind by an address of the site, such as `/tag/x`; "" for none."""
    href = link.get("href", "")
    found = STEP.search(f"/{unquote(href) if '%' in href else href}".lower())
    is_own = found and (_is_of_site(join(markup.base, href), markup) or _is_hashtag(link, markup))
    return STEPS[found[1]] if found and is_own else ""


def _is_of_site(address: str, markup: Markup) -> bool:
    return urlsplit(address).netloc == urlsplit(markup.url).netloc


def _is_hashtag(link: HtmlElement, markup: Markup) -> bool:
    """Tell whether a link is shown as "#name" and leads to the parent domain of the page's host or to a subdomain."""
    if not opening(link, SHORT).strip().startswith("#"):
        return False
    address = join(markup.base, link.get("href", ""))
    shorter, longer = sorted((urlsplit(each).netloc.removeprefix("www.") for each in (address, markup.url)), key=len)
    return "." in shorter and f".{longer}".endswith(f".{shorter}")


def _kind_by_marks(link: HtmlElement) -> str:
    """Return a link's kind by the names of its element and nearest ancestors; "" for neither or both."""
    element: HtmlElement | None = link
    for _ in range(WRAPPERS + 1):
        if element is None or element.tag in HOLDERS:
            return ""
        classes = element.get("class", "")[:MAX_MARK]
        if classes and is_entry(classes):
            return ""
        if classes and (kind := _kind_of_classes(classes)):
            return kind
        element = element.getparent()
    return ""


@lru_cache(4_096)  # a site has few different classes around links
def _kind_of_classes(classes: str) -> str:
    marks = MICROFORMAT.sub("", classes.lower())
    said = [kind for kind in KINDS if MARKS[kind].search(marks)]
    return said[0] if len(said) == 1 else ""


def _leads_on(link: HtmlElement, markup: Markup) -> bool:
    """Tell whether a link leads to another page of the site."""
    address = join(markup.base, link.get("href", "")).partition("#")[0]
    return _is_of_site(address, markup) and address.rstrip("/") != markup.url.rstrip("/")


def _label(link: HtmlElement, levels: int) -> str:
    """Return the words before a list of links, lower case: unlinked text beside them or their container."""
    here = link
    for _ in range(levels):
        parent = here.getparent()
        if parent is None or parent.tag in HOLDERS:
            return ""
        pieces = []
        for beside in islice(here.itersiblings(preceding=True), MAX_BESIDE):
            is_label = isinstance(beside.tag, str) and next(beside.iter("a"), None) is None and levels > 1
            tail = (beside.tail or "").strip()
            is_between = beside.tag == "a" and len(tail) <= MAX_BETWEEN and not LABELS[SECTION].search(tail.lower())
            pieces.append(f"{opening(beside, SHORT) if is_label else ''} {'' if is_between else tail}")
        words = " ".join(f"{parent.text or ''} {' '.join(reversed(pieces))}".split()).strip(" ,;|/·•#")
        if words:
            return words[-MAX_TERM:].lower()
        here = parent
    return ""


def _in_text(link: HtmlElement) -> bool:
    """Tell whether a link stands in a paragraph of the text, most of which is not linked."""
    holder = next(link.iterancestors("p", "li", "td", "dd", "blockquote", "div"), None)
    if holder is None or holder.tag not in {"p", "blockquote"} or short_text(holder):
        return False
    text = sum(len(piece.strip()) for piece in islice(holder.itertext(), MAX_BESIDE))
    linked = sum(len(each.text_content().strip()) for each in islice(holder.iter("a"), MAX_BESIDE))
    return 2 * linked <= text


def _is_apart(link: HtmlElement, around: Collection[HtmlElement]) -> bool:
    """Tell whether a link stands in a menu, a side bar or the site's footer."""
    for ancestor in link.iterancestors():
        if ancestor in around:
            return False
        if ancestor.tag in {"aside", "nav", "footer"} and not _within_article(ancestor, around):
            return True
        if ancestor.tag == "aside" or OTHERS.search(marks_of(ancestor)):
            return True
    return False


def _within_article(element: HtmlElement, around: Collection[HtmlElement]) -> bool:
    """Tell whether an element shares an `<article>` or similar element with the headline."""
    shared = (each for each in element.iterancestors() if each in around)
    return any(each.tag == "article" or ENTRY.search(each.get("class", "")) for each in shared if each.tag != "body")


def _is_current(link: HtmlElement) -> bool:
    """Tell whether a link is marked as the current item of a menu."""
    parent = link.getparent()
    item = parent.get("class", "") if parent is not None and parent.tag == "li" else ""
    return bool(link.get("aria-current") or CURRENT.search(link.get("class", "")) or CURRENT.search(item))


def _plain_lists(tree: HtmlElement, around: Collection[HtmlElement], near: Collection[HtmlElement]) -> Iterator[Term]:
    """Yield unlinked terms: elements named for a tag, and lists after their label."""
    for element in islice(tree.iter("span", "li", "p", "div", "dd"), MAX_LABELLED):
        if not (text := (element.text or "").strip()[: 2 * SHORT]):
            continue
        marked = _kind_of_classes(element.get("class", "")[:MAX_MARK]) == TAGS
        label = next((kind for kind in KINDS if LABELLED[kind].match(text)), "") if ":" in text or "：" in text else ""
        if not (marked or label) or next(element.iter("a"), None) is not None:
            continue
        if not (element in near or _within_article(element, around)) or is_elsewhere(element, around):
            continue
        whole = short_text(element)
        is_label = whole.endswith(":") or any(pattern.fullmatch(whole.lower()) for pattern in LABELS.values())
        if label and (found := LABELLED[label].fullmatch(whole)):
            names = (name.strip(" #\"'.") for name in re.split("[,;|]", found[1]))
            yield from (Term(label, name, Tier.LABELLED) for name in names if 1 < len(name) <= MAX_TERM)
        elif marked and not is_label and not len(element) and 1 < len(whole) <= MAX_TERM:
            yield Term(TAGS, whole.strip(" #,"), Tier.WITHIN)


def _from_classes(around: Collection[HtmlElement], called: Mapping[HtmlElement, str]) -> Iterator[Term]:
    """Yield terms named by the classes of the article's element, spelled as in the page's links."""
    said = {
        (SECTION if found[1] == "category" else TAGS, unquote(found[2]))
        for element in around
        if ENTRY.search(classes := element.get("class", "").lower())
        for found in SLUG.finditer(classes)
    }
    if not said:
        return
    for link, kind in called.items():
        slug = unquote(urlsplit(link.get("href", "").lower()).path.rstrip("/").rpartition("/")[2])
        term = (TAGS if kind == EITHER else kind, slug)
        if term in said and (name := name_of(link)):
            said.remove(term)
            yield Term(term[0], name, Tier.CURRENT)


def _crumbs(tree: HtmlElement, headline: HtmlElement | None, markup: Markup) -> Iterator[Evidence]:
    """Yield the sections in the breadcrumbs, widest first: a trail named so, or links from the front page on."""
    for trail in tree.iter("nav", "ol", "ul", "div", "p", "section"):
        said = " ".join(trail.values()).lower()
        if ("crumb" in said or "drobec" in said) and CRUMBS.search(
            f"{marks_of(trail)} {trail.get('aria-label')} {trail.get('itemtype')}".lower()
        ):
            links = trail.iter("a")
            break
    else:
        above = preceding(headline, LOOK_ABOVE) if headline is not None else []
        first = next((each for each in above if each.tag == "a" and (each.tail or "").strip() in SEPARATORS), None)
        if first is None or urlsplit(join(markup.base, first.get("href", ""))).path.strip("/"):
            return
        links = first.itersiblings("a")
    home = document_id(markup.url)
    for link in islice(links, MAX_TAGS):
        address = join(markup.base, link.get("href", ""))
        is_other = document_id(address) != home and not _is_generic(urlsplit(address).path)
        if is_other and (name := name_of(link)):
            yield Evidence(SECTION, name, "text")


def _is_generic(path: str) -> bool:
    """Tell whether a path names no section: "/en/blog", "/2024"."""
    return all(step in GENERIC or step.isdigit() or len(step) <= 2 for step in path.strip("/").lower().split("/"))


def _above(links: Iterable[HtmlElement], markup: Markup) -> Iterator[Evidence]:
    """Yield the section that contains the page's canonical address, named as in a link to it."""
    canonicals = (
        url for url in markup.links.get("canonical", ()) if _is_of_site(url, markup) and urlsplit(url).path[1:]
    )
    own = urlsplit(next(canonicals, markup.url))
    steps = own.path.strip("/").split("/")
    first, best, name = steps[0], "", ""
    for link in links if len(steps) > 1 else ():
        href = link.get("href", "")
        last = PATH_END.split(href, 1)[0].rstrip("/").rpartition("/")[2]
        if (first not in href and "/" in href) or (last.strip(". ") and last.strip() not in steps):
            continue
        address = urlsplit(join(markup.base, href))
        step = address.path.rstrip("/")
        is_above = len(step) > len(best) and own.path.startswith(step + "/") and own.path.rstrip("/") != step
        is_above = is_above and address.netloc == own.netloc and not address.query and not _is_generic(step)
        if is_above and (called := name_of(link)):
            best, name = step, called
    if name:
        yield Evidence(SECTION, name, "url")


def _kicker(
    headline: HtmlElement | None, called: Mapping[HtmlElement, str], around: Collection[HtmlElement]
) -> Iterator[Evidence]:
    """Yield the section of the last link above the headline, if it is the only one there to a section or tag.

    It is right on 32 of 42 pages that declare a section (fundus, wcxb, misinformation, article_extraction, 2026-11).
    """
    above = preceding(headline, LOOK_ABOVE) if headline is not None else []
    links = [
        each
        for each in above
        if each in called or (each.tag == "a" and RELATIONS & set(each.get("rel", "").lower().split()))
    ]
    own = [link for link in links if not _is_apart(link, around) and not is_elsewhere(link, around)]
    if len(own) != 1 or own[0] is not next((each for each in reversed(above) if each.tag == "a"), None):
        return
    below = above[above.index(own[0]) + 1 :]
    between = sum(len((each.text or "").strip()) + len((each.tail or "").strip()) for each in below)
    if between <= MAX_TERM and (name := name_of(own[0])):
        yield Evidence(SECTION, name, "text")
