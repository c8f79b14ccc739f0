"""Write the file of a new portal from what its front page and a first crawl showed."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from newscorpus.discover.patterns import MOST_LINKS, Pattern, Proposed, SeenLink, propose
from newscorpus.page.rights import reservations
from newscorpus.portal.addresses import PAGE_KINDS, FetchKind
from newscorpus.portal.writing import string_item
from newscorpus.public_addresses import is_loopback
from newscorpus.store.ledger.rows import UrlState, evidence_of
from newscorpus.store.ledger.views.addresses import MetAddress, met_addresses
from newscorpus.upkeep.adding.front_page import FrontPage

LISTS = (FetchKind.FEED, FetchKind.SITEMAP, FetchKind.MAYBE_LIST)
MOST_LISTS = 20
"""Feeds, and sitemaps, that a file names; the crawl finds the others through them."""


@dataclass(frozen=True, slots=True)
class FirstCrawl:
    """What a first crawl of a portal found out."""

    links: tuple[SeenLink, ...] = ()  # addresses met, with what their pages and feeds said
    feeds: tuple[str, ...] = ()  # that named pages
    sitemaps: tuple[str, ...] = ()  # that no other sitemap names
    judged: tuple[str, ...] = ()  # pages that became a row or were rejected
    n_kept: int = 0  # of these, articles


NO_CRAWL = FirstCrawl()


def read_first_crawl(corpus: Path, portal: str) -> FirstCrawl:
    """Read what the crawl of a portal into `corpus` found out.

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
    """What the page of an address, or the feed that describes it, said; None where neither did."""
    if met.reason == "kept" or met.stage == "language":
        return True
    if met.stage == "discovery" and met.reason in {"section", "no_article"}:
        return False
    if met.state is UrlState.DONE and met.kind == FetchKind.SECTION:
        return False
    return True if met.kind == FetchKind.ARTICLE and evidence_of(met.request) else None


def propose_patterns(front: FrontPage, crawl: FirstCrawl) -> Proposed:
    """Propose patterns from the links of the front page and from what a first crawl met and found out."""
    start = [SeenLink(front.url, "", is_article=False)]
    return propose([*start, *front.links, *crawl.links])


def draft_portal(front: FrontPage, name: str, crawl: FirstCrawl = NO_CRAWL, proposed: Proposed | None = None) -> str:
    """The text of a portal file, with comments on where each value comes from."""
    lines = [
        *_remarks(front, crawl, proposed),
        f"name = {_text(name)}",
        *_languages(front),
        f"domains = [{_text(front.domain)}]",
        f"start = [{_text(front.url)}]",
        *(["delay_seconds = 0  # it is served by this machine"] if is_loopback(front.url) else []),
        *_list("feeds", crawl.feeds),
        *_list("sitemaps", crawl.sitemaps),
        *_patterns("articles", proposed.articles if proposed else ()),
        *_patterns("sections", proposed.sections if proposed else ()),
    ]
    return "\n".join(lines) + "\n"


def _remarks(front: FrontPage, crawl: FirstCrawl, proposed: Proposed | None) -> Iterator[str]:
    called = f", {front.site_name}" if front.site_name else ""
    yield _comment(f"{front.url}{called}; drafted by `newscorpus portal add`")
    yield _comment(f"charset: {front.charset or 'none declared'}")
    yield _comment(f"on machine use the page says: {', '.join(_statements(front)) or 'nothing'}; robots.txt is obeyed")
    if front.barrier:
        yield _comment(f"careful: {front.barrier}")
    if proposed:
        seen = f"{proposed.n_articles} links that seem to be articles, {proposed.n_sections} sections"
        yield _comment(f"patterns rest on {seen}, {proposed.n_open} undecided; pages judged: {len(crawl.judged)}")


def _statements(front: FrontPage) -> list[str]:
    """What the page states on machine use: what reserves the use first, then the rest word for word."""
    rights = front.rights
    stated = (f"{name}={value}" for name in rights.__slots__ if (value := getattr(rights, name)))
    return list(dict.fromkeys((*reservations(rights), *stated)))


def _languages(front: FrontPage) -> Iterator[str]:
    if not front.language:
        yield '# The language could not be told; put its code in place of "en".'
    elif front.stated_language not in {"", front.language}:
        yield _comment(f"the page states {front.stated_language!r}; its words are of {front.language!r}")
    yield f"languages = [{_text(front.language or 'en')}]"


def _list(key: str, values: Sequence[str]) -> Iterator[str]:
    if values:
        yield f"{key} = ["
        yield from (f"  {_text(value)}," for value in values)
        yield "]"


def _patterns(key: str, patterns: Iterable[Pattern]) -> Iterator[str]:
    found = list(patterns)
    if found:
        yield f"{key} = ["
        for one in found:
            yield _comment(f"  {_counts(one)}, such as {' '.join(one.examples)}")
            yield f"  {string_item(one.expression).as_string()},"
        yield "]"


def _counts(pattern: Pattern) -> str:
    parts = ((pattern.articles, "articles"), (pattern.sections, "sections"))
    return " and ".join(f"{n} {what}" for n, what in parts if n)


def _comment(text: str) -> str:
    """A comment of one line, whatever a page put into it."""
    indent = text[: len(text) - len(text.lstrip())]
    return f"{indent}# " + "".join(c if c.isprintable() else " " for c in text.strip())


def _text(value: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(value, ensure_ascii=False)
