"""Measure `newscorpus portal add`: do the patterns that it proposes tell articles from sections?

Every host of the data with ten addresses and more is replayed here: its front page links to half of its articles, by
their headlines, and to the sections that at least half of its pages link to by three words at most. The other articles
decide, which the file was written without. Pages of other types (wcxb) decide apart: patterns are proposed from the
links of the page alone, and should not take the page itself; those proposed from an article's links should.

    python -m benchmarks.new_portals DATA [--hosts N]
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.newspapers import environment
from newscorpus.data import Page
from newscorpus.discovery.addresses import is_front
from newscorpus.discovery.patterns import HEADLINE_WORDS, SeenLink, propose
from newscorpus.errors import PortalError
from newscorpus.gold.pages import GoldPage, read_pages
from newscorpus.portals.schema import load_portal
from newscorpus.tokens import count_words
from newscorpus.upkeep.front_page import FrontPage, read_front_page
from newscorpus.urls import document_id, host_of, is_web
from tests.mockserver.hosts import serving_host

LEAST_PAGES = 10
LEAST_SHARE = 0.5
"""Of a host's pages that link to what counts as a section of it."""
MINUTES = 5


@dataclass(frozen=True, slots=True)
class Host:
    """A host of the data."""

    name: str
    shown: Mapping[str, GoldPage]  # articles that its front page links to, by address
    held_out: tuple[str, ...]  # addresses of the others
    sections: Mapping[str, str]  # names by address


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
            held_out = tuple(url for url in found if hashlib.sha256(url.encode()).digest()[0] % 2)
            shown = {url: page for url, page in found.items() if url not in held_out}
            yield Host(name, shown, held_out, _sections(name, found))


def _sections(host: str, pages: Mapping[str, GoldPage]) -> dict[str, str]:
    """The addresses on a host that half of its pages link to by a few words: its menus."""
    counted: Counter[str] = Counter()
    names: dict[str, str] = {}
    for front in filter(None, map(front_of, pages.values())):
        links = {link.url: link.text for link in front.links if host_of(link.url) == host}
        counted.update(list(links))
        names |= links
    least = max(3, LEAST_SHARE * len(pages))
    known = {document_id(url) for url in pages}
    often = (url for url, n in counted.items() if n >= least and document_id(url) not in known and not is_front(url))
    return {url: names[url] for url in often if 0 < count_words(names[url]) < HEADLINE_WORDS}


def add(host: Host, folder: Path) -> Path:
    """Run `newscorpus portal add` on a host, replayed here; gives the file that it wrote."""
    headlines = {url: page.title or page.text[:60] or "A headline of five words" for url, page in host.shown.items()}
    articles = {url: page.html for url, page in host.shown.items()}
    with serving_host(articles, headlines, host.sections) as base:
        code = "from newscorpus.cli import main; main()"
        command = [sys.executable, "-c", code, "portal", "add", base, "--name", "paper"]
        subprocess.run(command, cwd=folder, env=environment(), timeout=60 * MINUTES, capture_output=True, check=False)
    return folder / "portals" / "paper.toml"


def taken(file: Path, urls: Iterable[str]) -> list[str]:
    """Those addresses that a portal file takes for certain articles."""
    portal = load_portal(file)
    return [url for url in urls if portal.is_article(url)]


def print_hosts(hosts: Iterable[Host]) -> None:
    """Print how the patterns of each host do."""
    total: Counter[str] = Counter()
    print("| host | articles held out | taken | sections | taken |\n|---|--:|--:|--:|--:|")
    for host in hosts:
        with tempfile.TemporaryDirectory() as folder:
            file = add(host, Path(folder))
            right, wrong = len(taken(file, host.held_out)), len(taken(file, host.sections))
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
    parser.add_argument("--hosts", type=int, default=None, help="only the first N hosts")
    given = parser.parse_args()
    print_hosts(list(hosts_of(given.data))[: given.hosts])
    print_types(read_pages(given.data / "wcxb.jsonl.zst"))


if __name__ == "__main__":
    main()
