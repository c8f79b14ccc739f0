"""Read the front page of a site that nobody has a portal file for yet: its links, and what it says of itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from newscorpus.data import Page, Rejected, Rights
from newscorpus.discover.patterns import SeenLink
from newscorpus.errors import PortalError
from newscorpus.page.extractor import ParsedPage, parse_page
from newscorpus.page.fields import read_fields
from newscorpus.page.links import read_link_texts, read_tree
from newscorpus.page.parsing.decode import declared_charset
from newscorpus.page.quality.language import judge_language
from newscorpus.urls import SUFFIX_LIST, host_of, is_within

FEW_LINKS = 10
"""Links into its own site that a front page has at least; one of a newspaper has a hundred and more."""

CONSENT = re.compile(
    r"\b(?:cookies?|consent|consentement|gdpr|rgpd|dsgvo|zustimm\w+|souhlas\w*|privol\w*|zgod[aęy])\b", re.IGNORECASE
)
"""Words of the pages that ask for consent before they show anything."""
CONSENT_HOST = re.compile(r"(?:^|[./-])(?:consent|cmp|privacy)[./-]")


@dataclass(frozen=True, slots=True)
class FrontPage:
    """What the front page of a site says."""

    url: str  # that answered
    name: str  # for the portal: of a-z, 0-9 and "-"
    domain: str  # host without "www."
    site_name: str  # as the site calls itself, or ""
    language: str  # BCP 47 primary tag; "" where it cannot be told
    stated_language: str  # as the page states it, or ""
    charset: str  # as the page declares it, or ""
    feeds: tuple[str, ...]  # addresses that it declares or links to, and that look like feeds or sitemaps
    links: tuple[SeenLink, ...]  # into the site
    rights: Rights  # what it states on machine use
    barrier: str  # why it may show little of the site, or ""


def read_front_page(page: Page) -> FrontPage:
    """Read a front page; one without an address, from a file, is found by the address that it gives as its own.

    Raises:
        PortalError: it cannot be read, or gives no address.
    """
    parsed = parse_page(page)
    if isinstance(parsed, Rejected):
        raise PortalError(f"{page.url or 'the page'} cannot be read: {parsed.reason} {parsed.detail}".rstrip())
    fields = read_fields(parsed.tree, parsed).fields
    url = page.url or fields.canonical_url
    if not (host := host_of(url)):
        raise PortalError("the page does not say its address; name it by --url")
    domain = host.removeprefix("www.")
    links = tuple(_links_within(parsed, url, domain))
    text = " ".join(link.text for link in links)
    return FrontPage(
        url=url,
        name=_name_of(domain),
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


def _links_within(page: ParsedPage, url: str, domain: str) -> Iterator[SeenLink]:
    for address, text in read_link_texts(page.tree, url).items():
        if is_within(address, [domain]):
            yield SeenLink(address, text)


def _name_of(domain: str) -> str:
    """The part of a host that people know it by: "vesti" of vesti.example, "blog-vesti" of blog.vesti.example."""
    suffix = SUFFIX_LIST(domain).suffix or re.sub(r"^.*\.|^[^.]*$|^[\d.]+$", "", domain)
    return re.sub(r"[^a-z0-9]+", "-", domain.removesuffix(f".{suffix}")).strip("-")


def _barrier(page: ParsedPage, url: str, n_links: int) -> str:
    """Say why a page has hardly a link into its site."""
    if n_links >= FEW_LINKS:
        return ""
    parts = urlsplit(url)
    text = " ".join(page.tree.xpath("//body//text()[not(parent::script or parent::style)]"))
    if CONSENT.search(text) or CONSENT_HOST.search(f"{parts.hostname}{parts.path}"):
        return "a wall that asks for consent seems to stand before the pages"
    if page.tree.find(".//body//script") is not None:
        return "scripts seem to build the pages in the browser"
    return "the page links to hardly any page of its site"
