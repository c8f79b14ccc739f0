"""Measure `newscorpus portal add`: do the patterns that it proposes tell articles from sections?

Of every host of the data with ten addresses and more a front page is made: it links to half of its articles, by their
headlines, and to all of the host that these link to. The other half decides, and the menus: what at least half of the
host's pages link to by three words at most. Once the front page is given as a saved one, once some hosts are replayed
here and crawled. Pages of other types (wcxb) decide apart: patterns are proposed from the links of the page alone, and
should not take the page itself; those proposed from an article's links should.

    python -m benchmarks.new_portals DATA [--crawled N]
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.newspapers import environment
from newscorpus.data import Page
from newscorpus.discover.patterns import HEADLINE_WORDS, SeenLink, propose
from newscorpus.errors import PortalError
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.portal.addresses import is_front
from newscorpus.portal.schema import load_portal
from newscorpus.tokens import count_words
from newscorpus.upkeep.adding import NO_CRAWL, FrontPage, draft_portal, propose_patterns, read_front_page
from newscorpus.urls import document_id, host_of, is_web
from tests.mockserver.hosts import serving_host

LEAST_PAGES = 10
LEAST_SHARE = 0.5
"""Of a host's pages that link to what counts as a section of it."""
SECONDS = 600
"""Longest time for one host."""
NEWSCORPUS = (sys.executable, "-c", "from newscorpus.cli import main; main()")


@dataclass(frozen=True, slots=True)
class Host:
    """A host of the data."""

    name: str
    shown: Mapping[str, GoldPage]  # articles that its front page links to, by address
    links: Mapping[str, str]  # of its front page, texts by address
    held_out: tuple[str, ...]  # addresses of the other articles
    sections: tuple[str, ...]  # addresses of its menus


def front_of(page: GoldPage) -> FrontPage | None:
    """Read a page as `portal add` reads one that was saved; None where it cannot be read."""
    try:
        return read_front_page(Page.from_html(page.html, page.url))
    except PortalError:
        return None


def hosts_of(data: Path) -> Iterator[Host]:
    """The hosts with ten addresses and more, by name."""
    pages: defaultdict[str, dict[str, GoldPage]] = defaultdict(dict)
    for file in sorted(data.glob("*.jsonl.zst")):
        for page in read_pages(file):
            if is_web(page.url) and not is_front(page.url):
                pages[host_of(page.url)][page.url] = page
    for name, found in sorted(pages.items()):
        if len(found) >= LEAST_PAGES:
            drawn = sorted(found, key=lambda url: hashlib.sha256(url.encode()).digest())
            shown = {url: found[url] for url in drawn[: len(drawn) // 2]}
            links = {url: page.title or " ".join(page.text.split()[:8]) for url, page in shown.items()}
            others = {link.url: link.text for page in shown.values() for link in _links(page, name)}
            yield Host(name, shown, others | links, tuple(drawn[len(drawn) // 2 :]), _sections(name, found))


def _links(page: GoldPage, host: str) -> list[SeenLink]:
    front = front_of(page)
    return [link for link in front.links if host_of(link.url) == host] if front else []


def _sections(host: str, pages: Mapping[str, GoldPage]) -> tuple[str, ...]:
    """The addresses on a host that half of its pages link to by a few words: its menus."""
    counted: Counter[str] = Counter()
    for page in pages.values():
        menu = (link.url for link in _links(page, host) if 0 < count_words(link.text) < HEADLINE_WORDS)
        counted.update(url for url in menu if not is_front(url))
    known = {document_id(url) for url in pages}
    least = max(3, LEAST_SHARE * len(pages))
    return tuple(url for url, n in counted.items() if n >= least and document_id(url) not in known)


def read_saved(host: Host, folder: Path) -> Path:
    """Write the file of a portal as `portal add` does of a saved front page; gives its path."""
    links = "".join(f'<a href="{escape(url)}">{escape(text)}</a> ' for url, text in host.links.items())
    front = read_front_page(Page.from_html(f"<html><body>{links}</body></html>", f"http://{host.name}/"))
    file = folder / "paper.toml"
    file.write_text(draft_portal(front, "paper", NO_CRAWL, propose_patterns(front, NO_CRAWL)), "utf-8")
    return file


def add_replayed(host: Host, folder: Path) -> Path:
    """Run `newscorpus portal add` on a host that is replayed here; gives the file that it wrote."""
    pages = {url: page.html for url, page in host.shown.items()}
    with serving_host(pages, host.links, host.sections) as base:
        command = [*NEWSCORPUS, "portal", "add", base, "--name", "paper"]
        subprocess.run(command, cwd=folder, env=environment(), timeout=SECONDS, capture_output=True, check=False)
    return folder / "portals" / "paper.toml"


def print_hosts(hosts: Iterable[Host], add: Callable[[Host, Path], Path]) -> None:
    """Print how the patterns of each host do."""
    total: Counter[str] = Counter()
    print("| host | articles held out | taken | sections | taken |\n|---|--:|--:|--:|--:|")
    for host in hosts:
        with tempfile.TemporaryDirectory() as folder:
            file = add(host, Path(folder))
            portal = load_portal(file)
            right, wrong = (sum(map(portal.is_article, urls)) for urls in (host.held_out, host.sections))
        print(f"| {host.name} | {len(host.held_out)} | {right} | {len(host.sections)} | {wrong} |", flush=True)
        total.update(held=len(host.held_out), right=right, sections=len(host.sections), wrong=wrong)
    print(f"| together | {total['held']} | {total['right']} | {total['sections']} | {total['wrong']} |\n")


def print_types(pages: Iterable[GoldPage]) -> None:
    """Print how often the patterns proposed from the links of a page take the page itself, by its type."""
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        if is_web(page.url) and (front := front_of(page)):
            others = [link for link in front.links if document_id(link.url) != document_id(page.url)]
            proposed = propose([SeenLink(front.url, "", is_article=None), *others])
            counted[page.page_type].update(pages=1, any=bool(proposed.articles), own=proposed.takes(page.url))
    print("| type of page | pages | with a pattern | taken |\n|---|--:|--:|--:|")
    for name, n in sorted(counted.items()):
        print(f"| {name} | {n['pages']} | {n['any']} | {n['own']} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--crawled", type=int, default=8, metavar="N", help="hosts that are replayed and crawled")
    given = parser.parse_args()
    hosts = sorted(hosts_of(given.data), key=lambda host: hashlib.sha256(host.name.encode()).digest())
    print("A saved front page, nothing fetched:\n")
    print_hosts(hosts, read_saved)

    print("Replayed and crawled:\n")
    print_hosts(hosts[: given.crawled], add_replayed)
    print("The links of one page alone, and the page itself:\n")
    print_types(read_pages(given.data / "wcxb.jsonl.zst"))


if __name__ == "__main__":
    main()
