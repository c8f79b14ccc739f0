"""Say what a crawl of a portal would fetch each address for, and why, without asking anyone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from newscorpus.portal.addresses import AddressTrust, FetchKind, find_kind, find_trap, find_trust, plain_address
from newscorpus.portal.portal import Portal

ARTICLE, SECTION, IGNORED, TRAP, ELSEWHERE = "article", "section", "ignored", "trap", "elsewhere"
VERDICTS = (ARTICLE, SECTION, IGNORED, TRAP, ELSEWHERE)

BY_PATTERN = {"ignore": IGNORED, "articles": ARTICLE, "sections": SECTION}
"""Keys of a portal's file in the order in which they decide, and what each makes of an address."""

BY_ITS_LOOK = {
    AddressTrust.LIKELY: "looks like an article's; its page may say otherwise",
    AddressTrust.DOUBTFUL: "does not look like an article's; its page may prove one",
    AddressTrust.UNLIKELY: "looks like a list, a forum or a shop; its page has to prove an article well",
    AddressTrust.LISTED: "numbers a page of a list; only a page that declares an article is one",
    AddressTrust.SECTION: "front page",
}


@dataclass(frozen=True, slots=True)
class AddressVerdict:
    """What an address is to a crawl."""

    url: str
    verdict: str  # one of `VERDICTS`
    why: str


def judge_address(url: str, portal: Portal, today: date) -> AddressVerdict:
    """Say what a crawl would fetch `url` for, one link from a start page, on the day `today`."""
    url = plain_address(url)
    if not portal.covers(url):
        return AddressVerdict(url, ELSEWHERE, "no host of the portal's domains")
    if (trap := find_trap(url, today)) and not portal.is_article(url):
        return AddressVerdict(url, TRAP, trap)
    for key, verdict in BY_PATTERN.items():
        if pattern := portal.find_pattern(key, url):
            return AddressVerdict(url, verdict, f"by '{pattern}'")
    kind = find_kind(url, portal)
    if kind is FetchKind.UNWANTED:
        return AddressVerdict(url, IGNORED, "only_articles: no pattern takes it")
    return AddressVerdict(url, ARTICLE if kind is FetchKind.ARTICLE else SECTION, BY_ITS_LOOK[find_trust(url, portal)])


def judge_addresses(urls: Iterable[str], portal: Portal, today: date) -> list[AddressVerdict]:
    """Judge each address once."""
    return [judge_address(url, portal, today) for url in dict.fromkeys(urls)]
