"""Count the articles that a crawl loses on the way: `python -m benchmarks.lost DATA [--found-by links ...] [--part N]`.

The article pages of the sets are served on loopback as sites: one site for each host with five pages and more, mixed
sites of 100 pages for the rest, at their real paths and queries. Each site has an address of its own (127.0.x.y), and a
portal file of the four keys that must be there (and no delay). Links to the original host lead to the site; what it
does not have answers 404. A quarter of the sites also hold sections, tag pages, author pages and print versions of our
own making, and one site holds the pages of wcxb that are no articles.

The crawl finds the articles by links only, by a feed only, by a sitemap only, or by all of them. For each way the table
counts the pages that were reached (fetched), judged (handed to extraction), extracted, and kept, duplicates being kept;
below it stands every reason for which an article is missing, and every page kept that is none. With `--kills N` the
rows of a crawl that is killed N times are compared with those of an undisturbed one, for each way.
"""

import argparse
import html
import json
import random
import re
import sqlite3
import subprocess
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from urllib.parse import quote, urlsplit

from benchmarks.newspapers import crawl_command
from newscorpus.config import BuildConfig
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.layout import INTAKE
from newscorpus.page.rows import Row
from newscorpus.store.intake import read_intake
from newscorpus.urls import document_id

SETS = ("article_extraction", "daniel", "dragnet", "fundus", "ir_research", "l3s_gn1", "misinformation", "wcxb")
"""Sets whose pages are articles; of wcxb those of that type."""

LEAST_PAGES = 5
"""Pages of a host from which on it is a site of its own."""

MIXED_PAGES = 100
"""Pages of a site that holds pages of many hosts."""

LISTED = 20
"""Articles that one section page links to."""

LANGUAGES = MappingProxyType({"isolezwe.co.za": "zu", "dizindaba.co.za": "xh"})
"""What these hosts write; the set calls both Swahili, which a portal file would not."""

WAYS = ("links", "feed", "sitemap", "all")

ANSWERS = (1, 60)
"""Fewest and most answers of the sites from a start to the kill: it comes amid the work on any machine."""

PORTAL = """name = "{name}"
languages = {languages}
domains = ["{host}"]
start = ["{base}/"]
delay_seconds = 0
"""

STAGES = {"extract": "judged", "language": "extracted", "quality": "extracted", "rights": "extracted"}
"""How far a page came that was rejected at a stage; at any other it was only reached."""


@dataclass
class Site:
    """One portal on loopback."""

    name: str  # of the portal
    host: str  # its address, an own one in 127.0.0.0/8
    pages: dict[str, bytes] = field(default_factory=dict)  # HTML by path and query
    articles: list[str] = field(default_factory=list)  # paths and queries of the articles, in order
    languages: set[str] = field(default_factory=set)  # of its articles


def path_of(page: GoldPage) -> str:
    """The path and query of a page; made of its id where it has no address."""
    parts = urlsplit(page.url)
    path = quote(f"/{parts.path.lstrip('/')}", safe="/%:@!$&'()*+,;=~-._")
    if path == "/" and not parts.query:
        path = f"/text/{quote(page.id, safe='')}"
    return path + (f"?{quote(parts.query, safe='/%:@!$&()*+,;=~-._?')}" if parts.query else "")


def read_sites(data: Path, part: int) -> list[Site]:
    """The sites, of every `part`-th page."""
    by_host: dict[str, list[GoldPage]] = defaultdict(list)
    others = []
    for name in SETS:
        for number, page in enumerate(read_pages(data / f"{name}.jsonl.zst")):
            if number % part:
                continue
            if page.page_type in {"", "article"}:
                by_host[urlsplit(page.url).netloc].append(page)
            else:
                others.append(page)
    groups = [pages for host, pages in sorted(by_host.items()) if host and len(pages) >= LEAST_PAGES]
    alone = [page for host, pages in sorted(by_host.items()) if not host or len(pages) < LEAST_PAGES for page in pages]
    groups += [alone[start : start + MIXED_PAGES] for start in range(0, len(alone), MIXED_PAGES)]
    sites: list[Site] = []
    left: list[GoldPage] = []
    for pages in groups:
        sites.append(_site(len(sites), pages, left))
    while left:  # pages whose path their site has already
        again: list[GoldPage] = []
        sites.append(_site(len(sites), left, again))
        left = again
    strangers = _site(len(sites), others, [])
    strangers.articles.clear()
    strangers.languages = {"en"}
    return [*sites, strangers]


def _site(number: int, pages: Sequence[GoldPage], left: list[GoldPage]) -> Site:
    site = Site(f"site{number:03}", f"127.0.{1 + number // 200}.{1 + number % 200}")
    for page in pages:
        path = path_of(page)
        if path in site.pages or f"{path}/" in site.pages or path.rstrip("/") in site.pages:
            left.append(page)
            continue
        own = re.escape(urlsplit(page.url).netloc)
        text = re.sub(rf"https?://{own}(?=[/\"'?#<])", "http://@@", page.html) if own else page.html
        site.pages[path] = text.encode("utf-8", "replace")
        site.articles.append(path)
        site.languages.add(LANGUAGES.get(page.domain, page.language or "en"))
    return site


class SiteServer(ThreadingHTTPServer):
    """Serves one site, with lists of its articles that depend on the way they are found."""

    daemon_threads = True

    def __init__(self, site: Site, port: int, way: str, *, with_noise: bool) -> None:
        super().__init__((site.host, port), SiteHandler)
        self.base = f"http://{site.host}:{self.server_port}"
        self.n_answers = 0
        own = f"{site.host}:{self.server_port}".encode()
        self.bodies = {
            path: ("text/html; charset=utf-8", body.replace(b"@@", own)) for path, body in site.pages.items()
        }
        for path, kind, text in self._lists(site, way, with_noise=with_noise):
            self.bodies.setdefault(path, (kind, text.encode()))

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of connections that a killed crawl resets."""

    def _lists(self, site: Site, way: str, *, with_noise: bool) -> Iterator[tuple[str, str, str]]:
        paths = list(site.pages)
        page = "text/html; charset=utf-8"
        names = []
        if way in {"links", "all"}:
            for number, start in enumerate(range(0, len(paths), LISTED)):
                names.append(f"/section{number}/")
                yield names[-1], page, _listing(f"Section {number}", paths[start : start + LISTED])
        if with_noise:
            names += ["/tag/water/", "/author/jane-doe/", "/print/about"]
            yield "/tag/water/", page, _listing("Water", paths[:5])
            yield "/author/jane-doe/", page, _listing("Texts by Jane Doe", paths[:5])
            yield "/print/about", page, "<title>About us</title><h1>About us</h1><p>We are a newspaper.</p>"
        feed = '<link rel="alternate" type="application/rss+xml" href="/news.rss">' if way in {"feed", "all"} else ""
        yield "/", page, _listing("News", names, feed)
        urls = [html.escape(self.base + path) for path in paths]
        if way in {"feed", "all"}:
            items = "".join(f"<item><link>{url}</link></item>" for url in urls)
            yield "/news.rss", "application/rss+xml", f'<rss version="2.0"><channel>{items}</channel></rss>'
        if way in {"sitemap", "all"}:
            yield "/robots.txt", "text/plain", f"User-agent: *\nAllow: /\nSitemap: {self.base}/sitemap.xml\n"
            places = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
            space = "http://www.sitemaps.org/schemas/sitemap/0.9"
            yield "/sitemap.xml", "application/xml", f'<urlset xmlns="{space}">{places}</urlset>'


def _listing(title: str, paths: Sequence[str], head: str = "") -> str:
    links = "".join(f'<li><a href="{html.escape(path)}">Read</a></li>' for path in paths)
    return f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><ul>{links}</ul></body></html>"


class SiteHandler(BaseHTTPRequestHandler):
    """Answers with a page, or 404."""

    protocol_version = "HTTP/1.1"
    server: SiteServer

    def do_GET(self) -> None:
        """Answer."""
        self.server.n_answers += 1
        kind, body = self.server.bodies.get(self.path, ("text/plain", b""))
        self.send_response(200 if self.path in self.server.bodies else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name in the base class
        """Log nothing."""


def crawl(
    sites: Sequence[Site], way: str, folder: Path, kills: int = 0, ports: Mapping[str, int] = MappingProxyType({})
) -> Mapping[str, SiteServer]:
    """Serve the sites, crawl all of them as a user would, and give the servers by name of the site.

    With `kills`, the crawl is ended by SIGKILL that often, after some answers each time, and started again. A site that
    is named in `ports` is served there, others at any free port.
    """
    servers: dict[str, SiteServer] = {}
    (folder / "portals").mkdir(parents=True)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = newscorpus.settings\n")
    for number, site in enumerate(sites):
        server = servers[site.name] = SiteServer(site, ports.get(site.name, 0), way, with_noise=number % 4 == 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        languages = json.dumps(sorted(site.languages))
        text = PORTAL.format(name=site.name, languages=languages, host=site.host, base=server.base)
        (folder / "portals" / f"{site.name}.toml").write_text(text)
    settings = {"NEWSCORPUS_CORPUS": "corpus", "NEWSCORPUS_WORKERS": 2, "LOG_LEVEL": "WARNING"}
    command = crawl_command(servers, settings)
    with (folder / "crawl.log").open("wb") as log:
        for left in range(kills, -1, -1):
            process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
            last = _answers(servers) + random.randint(*ANSWERS)
            while left and process.poll() is None and _answers(servers) < last:
                time.sleep(0.02)
            if left:
                process.kill()
            process.wait()
    for server in servers.values():
        server.shutdown()
        server.server_close()
    return servers


def _answers(servers: Mapping[str, SiteServer]) -> int:
    return sum(server.n_answers for server in servers.values())


def rows(corpus: Path) -> list[tuple[str, str]]:
    """Address and revision of every row of the intake, in order."""
    lines = (line for _, line in read_intake(corpus / INTAKE, BuildConfig().signature))
    return sorted((line.record.url, line.record.revision) for line in lines if isinstance(line, Row))


def compare(sites: Sequence[Site], way: str, kills: int) -> None:
    """Print whether a crawl that is killed has the rows of one that is not; the ports are equal, as texts name them."""
    found = []
    ports: dict[str, int] = {}
    for times in (0, kills):
        with TemporaryDirectory() as folder:
            servers = crawl(sites, way, Path(folder), times, ports)
            ports = {name: server.server_port for name, server in servers.items()}
            found.append(Counter(rows(Path(folder) / "corpus")))
    undisturbed, killed = found
    equal = killed == undisturbed
    print(f"{way}, {kills} kills: {killed.total()} rows, undisturbed {undisturbed.total()}, equal: {equal}", flush=True)
    for name, more in (("only undisturbed", undisturbed - killed), ("only killed", killed - undisturbed)):
        print("".join(f"  - {name}: {url}\n" for url, _ in sorted(more)), end="")


@dataclass
class Count:
    """What became of the pages of all sites."""

    articles: int = 0
    reached: int = 0
    judged: int = 0
    extracted: int = 0
    kept: int = 0
    missing: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    strangers: list[str] = field(default_factory=list)


def count(sites: Sequence[Site], servers: Mapping[str, SiteServer], corpus: Path) -> Count:
    """Count by the ledger what became of every article, and what was kept beside them."""
    done = Count()
    with closing(sqlite3.connect(corpus / "ledger.sqlite")) as ledger:
        rows = {document_id(row[0]): row for row in ledger.execute("SELECT url, kind, stage, reason, detail FROM urls")}
    expected = set()
    for url in (servers[site.name].base + path for site in sites for path in site.articles):
        expected.add(document_id(url))
        _, kind, stage, reason, detail = rows.get(document_id(url)) or (url, "", "", "never_met", "")
        is_kept, never_fetched = reason == "kept", {"never_met", "trap", "ignored", "url_too_long"}
        done.articles += 1
        done.reached += bool(reason) and stage != "fetch" and reason not in never_fetched
        done.judged += is_kept or stage in STAGES
        done.extracted += is_kept or STAGES.get(stage) == "extracted"
        done.kept += is_kept
        if not is_kept:
            why = f"{stage}/{reason}" if stage else f"{reason or 'not fetched'} as {kind}"
            done.missing[why].append(f"{url} {detail}")
    done.strangers = sorted(row[0] for key, row in rows.items() if row[3] == "kept" and key not in expected)
    return done


def main() -> None:
    """Crawl by each way and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of the sets")
    parser.add_argument("--found-by", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--part", type=int, default=1, help="take every N-th page only")
    parser.add_argument("--examples", type=int, default=5, help="examples shown for each reason")
    parser.add_argument("--kills", type=int, default=0, help="only compare with crawls that are killed so often")
    asked = parser.parse_args()
    sites = read_sites(asked.data, asked.part)
    print(f"{len(sites)} sites")
    if asked.kills:
        for way in asked.found_by:
            compare(sites, way, asked.kills)
        return
    print("| found by | articles | reached | judged | extracted | kept | share kept | kept that are no articles |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    counts = {}
    for way in asked.found_by:
        with TemporaryDirectory() as folder:
            servers = crawl(sites, way, Path(folder))
            done = counts[way] = count(sites, servers, Path(folder) / "corpus")
        figures = (done.articles, done.reached, done.judged, done.extracted, done.kept)
        print(
            f"| {way} | {' | '.join(map(str, figures))} | {done.kept / done.articles:.4f} | {len(done.strangers)} |",
            flush=True,
        )
    for way, done in counts.items():
        print(f"\n## Found by {way}\n")
        for reason, urls in sorted(done.missing.items(), key=lambda item: -len(item[1])):
            print(f"- {reason}: {len(urls)}")
            print("".join(f"  - {url}\n" for url in urls[: asked.examples]), end="")
        print(f"- kept that are no articles: {dict(Counter(urlsplit(url).netloc for url in done.strangers))}")
        print("".join(f"  - {url}\n" for url in done.strangers[: asked.examples * 4]), end="")


if __name__ == "__main__":
    main()
