"""Measure how soon the alarm notices a redesign, and how often it errs.

    python benchmarks/redesign.py DATA [SITES]

DATA is the folder of the pages with gold text (docs/data.md). The hosts with ten pages and more are watched, at most
SITES of them. Sequences are drawn from the pages of a host, with replacement, since no set has as many pages of one
host as a crawl. Without a redesign every alarm is false. A redesign begins after 60 pages; it is found in time if the
alarm comes by its twentieth page. Writes benchmarks/results/redesign.md.
"""

import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from math import sqrt
from pathlib import Path
from urllib.parse import urlsplit

from lxml import html as lxml_html
from lxml.html import HtmlElement

from newscorpus.config import Limits
from newscorpus.data import Page
from newscorpus.lab.gold.pages import GoldPage, has_article, read_pages
from newscorpus.page.fields.dates import find_dates
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Rules
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.store.ledger.portals import Alarm, Look
from newscorpus.store.redesigns import PortalWatch, look_of
from newscorpus.workers import in_order

SETS = ("article_extraction", "daniel", "dragnet", "fundus", "ir_research", "l3s_gn1", "misinformation", "wcxb")
RESULTS = Path(__file__).parent / "results" / "redesign.md"
OTHERS = re.compile(r"(^|\.)(google\.com|archive\.org|yahoo\.com)$")
"""Hosts whose pages are those of other sites."""
LEAST_PAGES, MOST_PAGES = 10, 12
BEFORE, IN_TIME, NEAR = 60, 20, 3
CALM_PAGES, SHUFFLES = 200, 1_000
SECTIONS = 3


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of a host in its own design and in others."""

    host: str
    looks: Mapping[str, Sequence[Look]]  # by kind of redesign; "" for its own


def sites(data: Path, most: int) -> list[Site]:
    """Read the pages of hosts, and make them over in every way."""
    by_host: defaultdict[str, list[GoldPage]] = defaultdict(list)
    for name in SETS:
        for page in read_pages(data / f"{name}.jsonl.zst"):
            host = (urlsplit(page.url).hostname or "").removeprefix("www.")
            if page.text and has_article(page.page_type) and host and not OTHERS.search(host):
                by_host[host].append(page)
    large = (host for host, pages in by_host.items() if len(pages) >= LEAST_PAGES)
    chosen = sorted(large, key=lambda host: sha256(host.encode()).digest())[:most]
    given = [(host, kind, page) for host in chosen for page in by_host[host][:MOST_PAGES] for kind in ("", *MADE_OVER)]
    found: defaultdict[str, defaultdict[str, list[Look]]] = defaultdict(lambda: defaultdict(list))
    for (host, kind, _), look in in_order(_look, given, 2, Limits().page_seconds):
        if isinstance(look, Look):
            found[host][kind].append(look)
    return [Site(host, looks) for host, looks in found.items()]


def _look(given: tuple[str, str, GoldPage]) -> Look | None:
    host, kind, gold = given
    html = gold.html
    if kind:
        tree = lxml_html.document_fromstring(html.encode("utf-8", "replace"), lxml_html.HTMLParser(encoding="utf-8"))
        if not MADE_OVER[kind](tree):
            return None
        html = lxml_html.tostring(tree, encoding="unicode")
    page = SourcePage(Page.from_html(html, gold.url, "2026-11-22T00:00:00+00:00"), host)
    return look_of(page, judge(page, Rules(Recipe(), reads_links=True)))


def rename(tree: HtmlElement) -> bool:
    """Give every class and id another name."""
    for element in tree.xpath("//*[@class or @id]"):
        for name in ("class", "id"):
            if value := element.get(name):
                element.set(name, " ".join(f"new-{word}" for word in value.split()))
    return True


def move_date(tree: HtmlElement) -> bool:
    """Put the first date that stands alone at the end of the page; False where none does."""
    for element in tree.xpath("//body//*[not(*)]"):
        text = element.text or ""
        if len(text) < 60 and element.tag != "script" and next(iter(find_dates(text)), None):
            line = lxml_html.fragment_fromstring("<div class='dateline'></div>")
            tree.find("body").append(line)
            line.append(element)
            return True
    return False


def put_up_paywall(tree: HtmlElement) -> bool:
    """Take all long paragraphs but the first out, and say that the rest is for subscribers."""
    long = [one for one in tree.xpath("//body//p") if len(one.text_content()) > 80]
    for one in long[1:]:
        one.drop_tree()
    if long:
        wall = "<div class='paywall'><p>Subscribe to read on.</p></div>"
        long[0].addnext(lxml_html.fragment_fromstring(wall))
    return bool(long)


def add_banner(tree: HtmlElement) -> bool:
    """Put a banner above the page."""
    body = tree.find("body")
    if body is None:
        return False
    body.insert(0, lxml_html.fragment_fromstring("<div class='consent'><p>We and our partners use cookies.</p></div>"))
    return True


MADE_OVER: Mapping[str, Callable[[HtmlElement], bool]] = {
    "names": rename,
    "date moved": move_date,
    "paywall": put_up_paywall,
    "banner": add_banner,
}
KINDS = ("other site", *MADE_OVER, "half of the answers", "one section")


def drawn(chance: random.Random, looks: Sequence[Look], n: int, section: int | None = None) -> Iterator[Look]:
    """Draw pages with replacement, each under an address of its own in one of three sections."""
    for _ in range(n):
        where = chance.randrange(SECTIONS) if section is None else section
        yield replace(chance.choice(looks), url=f"https://news.example/section-{'abc'[where]}/{chance.getrandbits(40)}")


def redesigned(chance: random.Random, site: Site, other: Site, kind: str) -> Iterator[tuple[Look, bool]]:
    """Draw pages of a site, first in its own design, then in another; the flag says which it is."""
    old = site.looks[""]
    yield from ((look, False) for look in drawn(chance, old, BEFORE))
    new = other.looks[""] if kind == "other site" else site.looks.get(kind) or site.looks["names"]
    while True:
        where = chance.randrange(SECTIONS)
        is_new = where == 0 if kind == "one section" else kind != "half of the answers" or chance.random() < 1 / 2
        yield next(drawn(chance, new if is_new else old, 1, where)), is_new


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one redesign."""

    kind: str
    pages: int | None  # of the new design, up to the alarm; None: found too late
    off: int  # pages between the first of the new design and the page named
    is_early: bool  # an alarm came before


def run(seed: int, site: Site, other: Site, kind: str) -> Run:
    """Watch a redesign."""
    watch, looks, flags = PortalWatch(), [], []
    for look, is_new in redesigned(random.Random(f"{seed} {site.host} {kind}"), site, other, kind):
        looks.append(look)
        flags.append(is_new)
        alarm = watch.add(look)
        if alarm and not any(flags):
            return Run(kind, None, 0, is_early=True)
        if alarm or sum(flags) >= IN_TIME:
            break
    named = next((n for n, look in enumerate(looks) if alarm and look.url == alarm.url), 0)
    return Run(kind, sum(flags) if alarm else None, abs(named - flags.index(True)), is_early=False)


def calm(seed: int, site: Site) -> Alarm | None:
    """Watch pages in random order, and give the first alarm."""
    watch = PortalWatch()
    looks = drawn(random.Random(f"{seed} {site.host}"), site.looks[""], CALM_PAGES)
    return next(filter(None, map(watch.add, looks)), None)


def main(data: Path, most: int) -> None:
    """Watch all sequences, and write the table."""
    found = [site for site in sites(data, most) if len(site.looks[""]) >= LEAST_PAGES - 2]
    false = [alarm for seed in range(-(-SHUFFLES // len(found))) for site in found if (alarm := calm(seed, site))]
    shuffles = -(-SHUFFLES // len(found)) * len(found)
    others = found[1:] + found[:1]
    runs = [run(0, site, other, kind) for site, other in zip(found, others, strict=True) for kind in KINDS]
    # the upper 95 % bound of a rate (Wilson 1927, one-sided)
    z, share = 1.645, len(false) / shuffles
    middle = share + z * z / (2 * shuffles)
    spread = z * sqrt(share * (1 - share) / shuffles + z * z / (4 * shuffles * shuffles))
    bound = (middle + spread) / (1 + z * z / shuffles)
    calmly = (
        f"{len(found)} hosts. {shuffles} sequences of {CALM_PAGES} pages without a redesign: {len(false)} alarms"
        f" (upper 95 % bound of the rate {bound:.4f} a sequence, {bound / CALM_PAGES:.6f} a page)."
    )
    lines = [
        calmly,
        "",
        f"{len(runs)} redesigns, each after {BEFORE} pages:",
        "",
        f"| redesign | runs | found within {IN_TIME} pages | median pages | first page within {NEAR} | alarm before |",
        "|---|--:|--:|--:|--:|--:|",
        *(_row(kind, [one for one in runs if one.kind == kind]) for kind in KINDS),
        _row("all", runs),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    for alarm in islice(false, 10):
        print(alarm)


def _row(name: str, runs: Sequence[Run]) -> str:
    hits = sorted(one.pages for one in runs if one.pages is not None)
    near = sum(one.off <= NEAR for one in runs if one.pages is not None)
    early = sum(one.is_early for one in runs)
    median = hits[len(hits) // 2] if hits else ""
    return f"| {name} | {len(runs)} | {len(hits)} ({len(hits) / len(runs):.0%}) | {median} | {near} | {early} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000)
