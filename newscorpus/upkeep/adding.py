"""Draft the file of a portal from its front page, and classify addresses as a crawl would."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from newscorpus.data import Page, Rejected, Rights
from newscorpus.discover.patterns import MOST_LINKS, Pattern, Proposed, SeenLink, propose
from newscorpus.errors import PortalError
from newscorpus.page.extractor import ParsedPage, parse_page
from newscorpus.page.fields.reading import read_fields
from newscorpus.page.links import read_link_texts, read_tree
from newscorpus.page.parsing.decode import declared_charset
from newscorpus.page.quality.language import judge_language
from newscorpus.page.refusals import CONSENT_WALL
from newscorpus.page.rights import reservations
from newscorpus.page.walls import find_wall
from newscorpus.portal.addresses import (
    PAGE_KINDS,
    AddressTrust,
    FetchKind,
    find_kind,
    find_trap,
    find_trust,
    plain_address,
)
from newscorpus.portal.portal import Portal
from newscorpus.portal.schema import string_item
from newscorpus.store.ledger.addresses import MetAddress, met_addresses
from newscorpus.store.ledger.values import UrlState, evidence_of
from newscorpus.urls import host_of, is_loopback, is_within, literal_address, public_suffix

FEW_LINKS = 10
"""Minimum internal links of a front page; a newspaper's has a hundred and more."""

CONSENT_HOST = re.compile(r"(?:^|[./-])(?:consent|cmp|privacy)[./-]")

LISTS = (FetchKind.FEED, FetchKind.SITEMAP, FetchKind.MAYBE_LIST)
MOST_LISTS = 20
"""Maximum feeds and sitemaps in a drafted file; the crawl finds others through them."""

ARTICLE, SECTION, IGNORED, TRAP, ELSEWHERE = "article", "section", "ignored", "trap", "elsewhere"
VERDICTS = (ARTICLE, SECTION, IGNORED, TRAP, ELSEWHERE)

BY_PATTERN = {"ignore": IGNORED, "articles": ARTICLE, "sections": SECTION}
"""Keys of a portal's file, in order of precedence, and their verdicts."""

BY_ITS_LOOK = {
    AddressTrust.LIKELY: "looks like an article's; the page may prove otherwise",
    AddressTrust.DOUBTFUL: "does not look like an article's; the page may prove to be one",
    AddressTrust.UNLIKELY: "looks like a list, a forum or a shop; the page needs strong evidence of an article",
    AddressTrust.LISTED: "names a list or a page about the site; an article only if the page declares one",
    AddressTrust.SECTION: "front page",
}


@dataclass(frozen=True, slots=True)
class FrontPage:
    """Data from the front page of a site."""

    url: str  # that answered
    name: str  # for the portal: of a-z, 0-9 and "-"; "" if the host is an IP address
    domain: str  # host without "www."
    site_name: str  # by the page, or ""
    language: str  # BCP 47 primary tag, detected; "" if unknown
    stated_language: str  # by the page, or ""
    charset: str  # by the page, or ""
    feeds: tuple[str, ...]  # declared or linked addresses that look like feeds or sitemaps
    links: tuple[SeenLink, ...]  # into the site
    rights: Rights  # stated on machine use
    barrier: str  # why it may show little of the site, or ""


def read_front_page(page: Page) -> FrontPage:
    """Read a front page; one from a file gets its canonical address.

    Raises:
        PortalError: it cannot be read, or states no address.
    """
    parsed = parse_page(page)
    if isinstance(parsed, Rejected):
        raise PortalError(f"{page.url or 'the page'} cannot be read: {parsed.reason} {parsed.detail}".rstrip())
    fields = read_fields(parsed.tree, parsed).fields
    url = page.url or fields.canonical_url
    if not (host := host_of(url)):
        raise PortalError("the page does not say its address; name it by --url")
    domain = host.removeprefix("www.")
    texts = read_link_texts(parsed.tree, url)
    links = tuple(SeenLink(address, text) for address, text in texts.items() if is_within(address, [domain]))
    text = " ".join(link.text for link in links)
    return FrontPage(
        url=url,
        name=portal_name(host),
        domain=domain,
        site_name=fields.site_name,
        language=judge_language(text, (), stated=fields.language).language,
        stated_language=fields.language,
        charset=declared_charset(page),
        feeds=read_tree(parsed.tree, url).lists,
        links=links,
        rights=fields.rights,
        barrier=_barrier(parsed, url, len(links)),
    )


def portal_name(host: str) -> str:
    """Return the part of a host that people know it by: "blog-vesti" of blog.vesti.example; "" of an IP address."""
    domain = host.removeprefix("www.")
    suffix = public_suffix(domain) or re.sub(r"^.*\.|^[^.]*$", "", domain)
    called = "" if literal_address(host) else domain.removesuffix(f".{suffix}")
    return re.sub(r"[^a-z0-9]+", "-", called).strip("-")


def _barrier(page: ParsedPage, url: str, n_links: int) -> str:
    """Return why a page has few links into its site, or ""."""
    if n_links >= FEW_LINKS:
        return ""
    parts, wall = urlsplit(url), find_wall(page, None)
    if (wall and wall.reason == CONSENT_WALL) or CONSENT_HOST.search(f"{parts.hostname}{parts.path}"):
        return "a wall that asks for consent seems to stand before the pages"
    if page.tree.find(".//body//script") is not None:
        return "scripts seem to build the pages in the browser"
    return "the page links to hardly any page of its site"


@dataclass(frozen=True, slots=True)
class FirstCrawl:
    """Findings of a first crawl of a portal."""

    links: tuple[SeenLink, ...] = ()  # addresses found, and whether their pages or feeds are articles
    feeds: tuple[str, ...] = ()  # feeds that list pages
    sitemaps: tuple[str, ...] = ()  # sitemaps that no other sitemap lists
    judged: tuple[str, ...] = ()  # pages that became a row or were rejected
    n_kept: int = 0  # of these, articles


NO_CRAWL = FirstCrawl()


def read_first_crawl(corpus: Path, portal: str) -> FirstCrawl:
    """Read the findings of the crawl of a portal into `corpus`.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    met = met_addresses(corpus, portal, 2 * MOST_LINKS)
    lists = [one for one in met if one.kind in LISTS and one.n_named and one.named_by not in LISTS]
    feeds = {one.url for one in lists if one.kind != FetchKind.SITEMAP and "sitemap" not in one.url.lower()}
    return FirstCrawl(
        links=tuple(SeenLink(one.url, "", _was_article(one)) for one in met if one.kind in PAGE_KINDS),
        feeds=tuple(one.url for one in lists if one.url in feeds)[:MOST_LISTS],
        sitemaps=tuple(one.url for one in lists if one.url not in feeds)[:MOST_LISTS],
        judged=tuple(one.url for one in met if one.reason == "kept" or one.stage),
        n_kept=sum(one.reason == "kept" for one in met),
    )


def _was_article(met: MetAddress) -> bool | None:
    """Whether an address is an article by its page or its feed; None if neither tells."""
    if met.reason == "kept" or met.stage == "language":
        return True
    if met.stage == "discovery" and met.reason in {"section", "no_article"}:
        return False
    if met.state is UrlState.DONE and met.kind == FetchKind.SECTION:
        return False
    return True if met.kind == FetchKind.ARTICLE and evidence_of(met.request) else None


def propose_patterns(front: FrontPage, crawl: FirstCrawl) -> Proposed:
    """Propose patterns from the links of the front page and the findings of a first crawl."""
    return propose([SeenLink(front.url, "", is_article=False), *front.links, *crawl.links])


def draft_portal(front: FrontPage, name: str, crawl: FirstCrawl = NO_CRAWL, proposed: Proposed | None = None) -> str:
    """Draft a portal file, with comments on the origin of each value."""
    lines = [
        *_remarks(front, crawl, proposed),
        f"name = {_text(name)}",
        f"languages = [{_text(front.language or 'en')}]",
        f"domains = [{_text(front.domain)}]",
        f"start = [{_text(front.url)}]",
        *(["delay_seconds = 0  # it is served by this machine"] if is_loopback(front.url) else []),
        *_list("feeds", crawl.feeds),
        *_list("sitemaps", crawl.sitemaps),
        *_list("articles", proposed.articles if proposed else ()),
        *_list("sections", proposed.sections if proposed else ()),
    ]
    return "\n".join(lines) + "\n"


def _remarks(front: FrontPage, crawl: FirstCrawl, proposed: Proposed | None) -> Iterator[str]:
    called = f", {front.site_name}" if front.site_name else ""
    yield _comment(f"{front.url}{called}; drafted by `newscorpus portal add`")
    yield _comment(f"charset: {front.charset or 'none declared'}")
    rights = front.rights  # what reserves the use comes first, then the rest word for word
    stated = (f"{name}={value}" for name in rights.__slots__ if (value := getattr(rights, name)))
    says = ", ".join(dict.fromkeys((*reservations(rights), *stated)))
    yield _comment(f"on machine use the page says: {says or 'nothing'}; robots.txt is obeyed")
    if not front.language:
        yield '# The language could not be told; put its code in place of "en".'
    elif front.stated_language not in {"", front.language}:
        yield _comment(f"the page states {front.stated_language!r}; its words are of {front.language!r}")
    if front.barrier:
        yield _comment(f"careful: {front.barrier}")
    if proposed:
        seen = f"{proposed.n_articles} links that seem to be articles, {proposed.n_sections} sections"
        yield _comment(f"patterns rest on {seen}, {proposed.n_open} undecided; pages judged: {len(crawl.judged)}")


def _list(key: str, values: Iterable[str | Pattern]) -> Iterator[str]:
    if not values:
        return
    yield f"{key} = ["
    for one in values:
        if isinstance(one, str):
            yield f"  {_text(one)},"
            continue
        counts = ((one.articles, "articles"), (one.sections, "sections"))
        met = " and ".join(f"{n} {what}" for n, what in counts if n)
        yield _comment(f"  {met}, such as {' '.join(one.examples)}")
        yield f"  {string_item(one.expression).as_string()},"
    yield "]"


def _comment(text: str) -> str:
    """Make a comment of one line, whatever characters a page has put into it."""
    indent = text[: len(text) - len(text.lstrip())]
    return f"{indent}# " + "".join(c if c.isprintable() else " " for c in text.strip())


def _text(value: str) -> str:
    """Encode a basic string of TOML, which has the escapes of JSON."""
    return json.dumps(value, ensure_ascii=False)


def judge_address(url: str, portal: Portal, today: date) -> tuple[str, str]:
    """Classify an address as a crawl would, one link from a start page, on the day `today`.

    Returns: one of `VERDICTS`, and the reason.
    """
    url = plain_address(url)
    if not portal.covers(url):
        return ELSEWHERE, "no host of the portal's domains"
    if (trap := find_trap(url, today)) and not portal.is_article(url):
        return TRAP, trap
    for key, verdict in BY_PATTERN.items():
        if pattern := portal.find_pattern(key, url):
            return verdict, f"by '{pattern}'"
    kind = find_kind(url, portal)
    if kind is FetchKind.UNWANTED:
        return IGNORED, "only_articles: no pattern takes it"
    return ARTICLE if kind is FetchKind.ARTICLE else SECTION, BY_ITS_LOOK[find_trust(url, portal)]
