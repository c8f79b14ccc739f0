"""Crawl a hostile server beside a healthy newspaper, and sites some of whose articles are dead.

Every article of the newspaper, and every live one of such a site, must be kept.
"""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from urllib.request import urlopen

from benchmarks.attacking.attack import NEWSCORPUS, Attack, Outcome, run
from benchmarks.newspapers import PORTAL, ROOT, options, serving, started

ARTICLES = 60
"""Of the newspaper."""
SECONDS, MEGABYTES = 180.0, 500.0
"""What a crawl of both may take; the memory is that of the process that crawls, not of its workers."""
SETTINGS = {
    "NEWSCORPUS_PAGE_SECONDS": 10,
    "NEWSCORPUS_PAUSE_SECONDS": 0.2,
    "DOWNLOAD_TIMEOUT": 30,
    "NEWSCORPUS_BUILD": False,
}

DYING_SERVER = ROOT / "tests" / "mockserver" / "dead_pages.py"
DYING_SETTINGS = {
    "NEWSCORPUS_PAUSE_SECONDS": 0.2,  # a minute for users; what is tried here is the order
    "DOWNLOAD_TIMEOUT": 1,
    "NEWSCORPUS_EXTRACTOR": "bte",  # the quickest
    "NEWSCORPUS_ARCHIVE": False,
    "NEWSCORPUS_BUILD": False,
}
MOST_REQUESTS = 4
"""To a dead page."""

PATHS = ("/robots.txt", "/sitemap.xml", "/story/1")
FRONT = b"<html><body><a href=/story/1>The mayor opens a bridge</a></body></html>"


def sitemap(entries: str) -> bytes:
    """Make a sitemap, packed."""
    return gzip.compress(f"<urlset>{entries}</urlset>".encode(), 1)


def addresses(number: int) -> str:
    """Make entries of a sitemap that lead to other sites."""
    return "".join([f"<url><loc>http://elsewhere.example/{at}</loc></url>" for at in range(number)])


BODIES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "49 MB of & as a sitemap": ("/sitemap.xml", lambda: sitemap("&" * 49_000_000)),
    "3.9 million & in a sitemap": ("/sitemap.xml", lambda: sitemap("& " * 3_900_000)),
    "a sitemap of 50,000 addresses": ("/sitemap.xml", lambda: sitemap(addresses(50_000))),
    "links in links, 5 MB": ("/story/1", lambda: b"<a href=/2><b>" * 900 + b"<i>word</i> " * 400_000),
    "attributes that hold >, 870 kB": ("/story/1", lambda: b"<p " + b"".join(b"a%d='>' " % n for n in range(80_000))),
    "a base of 1 MB and 5,000 links": (
        "/story/1",
        lambda: b"<base href='/%s/'>" % (b"x" * 1_000_000) + b"".join(b"<a href=%d>" % n for n in range(5_000)),
    ),
    "a robots.txt of 30 MB": ("/robots.txt", lambda: b"User-agent: *\nDisallow: /no\n" + b"#" * 30_000_000),
    "a robots.txt for 15,000 robots": (
        "/robots.txt",
        lambda: b"".join(b"User-agent: robot%d\n" % n for n in range(15_000)) + b"Disallow: /a\n" * 15_000,
    ),
}
"""What the hostile server sends, and where."""
ENDLESS = "headers without end"


@contextmanager
def hostile_server(path: str, make: Callable[[], bytes] | None) -> Iterator[str]:
    """Serve a front page, and at `path` what attacks, or without it endless headers; gives the address."""
    body = make() if make else b""

    class Hostile(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer."""
            is_attack = self.path == path
            self.send_response(200 if is_attack or self.path == "/" else 404)
            self.send_header("Content-Type", "text/html" if self.path not in PATHS[:2] else "text/plain")
            if is_attack and make is None:
                pour_headers(self)
                return
            self.end_headers()
            with suppress(OSError):  # the crawl has enough of it
                self.wfile.write(body if is_attack else FRONT)

    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def pour_headers(handler: BaseHTTPRequestHandler) -> None:
    """Send small headers as fast as they are taken."""
    handler.flush_headers()
    with suppress(OSError):
        for number in count():
            handler.wfile.write(b"%x:\r\n" % number)


def crawl(path: str, make: Callable[[], bytes] | None, folder: Path) -> Outcome:
    """Crawl both sites."""
    (folder / "portals").mkdir()
    with serving(ARTICLES, 1) as site, hostile_server(path, make) as base:
        portals = {"healthy": PORTAL.format(name="healthy", base=site.bases[0])}
        portals["hostile"] = PORTAL.format(name="hostile", base=base) + f'sitemaps = ["{base}/sitemap.xml"]\n'
        for name, text in portals.items():
            (folder / "portals" / f"{name}.toml").write_text(text, encoding="utf-8")
        given = options(SETTINGS | {"NEWSCORPUS_CORPUS": folder / "corpus"})
        ended = run((NEWSCORPUS, "crawl", ",".join(portals), *given), folder, SECONDS)
    report = folder / "corpus" / "crawl-report.json"
    wrong = "a traceback" if "Traceback" in ended.errors else ""
    if not report.is_file():
        return Outcome(f"exit code {ended.code}", ended.seconds, ended.main_megabytes, ARTICLES, "no report")
    portals = json.loads(report.read_bytes())["by_portal"]
    kept, rejected = portals["healthy"]["kept"], portals["hostile"]["rejected"]
    said = f"{kept} kept of the newspaper; " + ", ".join(f"{n} {reason}" for reason, n in rejected.items())
    return Outcome(said[:200], ended.seconds, ended.main_megabytes, max(0, ARTICLES - kept), wrong)


def read_archive(folder: Path) -> Outcome:
    """Read a WARC file of a million places that look like records."""
    (folder / "false.warc").write_bytes(b"WARC/1.0\r\n" * 1_000_000)
    command = (NEWSCORPUS.with_name("scrapy"), "crawl", "warc", "-a", "files=false.warc")
    corpus = ("-s", f"NEWSCORPUS_CORPUS={folder / 'corpus'}")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = newscorpus.settings\n")
    ended = run((*command, *corpus), folder, SECONDS)
    rejected = (folder / "corpus" / "rejected.jsonl").read_text(encoding="utf-8").splitlines()
    wrong = "" if len(rejected) == 1 else "one rejection was expected"
    return Outcome(f"{len(rejected)} rejections", ended.seconds, ended.main_megabytes, wrong=wrong)


def crawl_dying(articles: int, share: float, folder: Path) -> Outcome:
    """Crawl a site with a share of articles that answer 500 or 404, break off, or are silent, in one start."""
    (folder / "portals").mkdir()
    with started(DYING_SERVER, articles, share) as base:
        (folder / "portals" / "dying.toml").write_text(PORTAL.format(name="dying", base=base))
        ended = run((NEWSCORPUS, "crawl", "dying", *options(DYING_SETTINGS)), folder, 3_600)
        dead, asked = (json.load(urlopen(f"{base}/{path}")) for path in ("_dead", "_log"))
    report = json.loads((folder / "corpora" / "dying" / "crawl-report.json").read_bytes())
    kept, queued = (report["by_portal"]["dying"][name] for name in ("kept", "queued"))
    most = max(asked.get(path, 0) for path in dead)
    wrong = f"exit code {ended.code}, {queued} queued" if ended.code or queued else ""
    if most > MOST_REQUESTS:
        wrong = f"a dead page asked for {most} times"
    said = f"{len(dead)} dead, {kept} kept, a dead page asked for at most {most} times"
    return Outcome(said, ended.seconds, ended.main_megabytes, articles - len(dead) - kept, wrong)


ATTACKS = (
    *(
        Attack(
            f"{share:.1%} of {articles:,} articles dead", partial(crawl_dying, articles, share), seconds, 500, is_short
        )
        for articles, seconds in ((300, 240), (18_000, 3_600))
        for share in (0.005, 0.014, 0.05, 0.2)
        for is_short in [articles == 300 and share == 0.2]
    ),
    *(
        Attack(name, partial(crawl, path, make), SECONDS, MEGABYTES, name.startswith("links"))
        for name, (path, make) in BODIES.items()
    ),
    Attack(ENDLESS, partial(crawl, "/story/1", None), SECONDS, MEGABYTES, is_short=True),
    Attack("a WARC file of a million false starts", read_archive, SECONDS, MEGABYTES, is_short=True),
)
