"""A news site that misbehaves, on loopback. Run as a script: prints its address, and serves until it is killed.

`/_log` answers with what was asked so far: [{"path", "time", "agent", "busy"}], `busy` being the number of requests
that were under way when this one came.
"""

import gzip
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import brotli  # type: ignore[import-untyped]
from prose import article
from serving import Handler as BaseHandler
from serving import Site, serve

ROBOTS = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /private/\n"

LINKS = [
    *(f"/news/story-of-the-day-{number}.html" for number in range(10001, 10006)),
    "/news/story-of-the-day-10001.html?utm_source=home&fbclid=abc",
    "/section/",
    "/private/secret-story-10050.html",
    "/news/moved-away-10060.html",
    "/news/moved-within-10061.html?utm_source=home",
    "/news/turning-round-10070.html",
    "/news/ever-further-10071.html?n=1",
    "/news/to-the-cloud-10072.html",
    "/news/to-the-disk-10073.html",
    "/news/to-another-port-10074.html",
    "/news/to-another-site-10075.html",
    "/news/back-home-10076.html",
    "/news/to-a-section-10077.html",
    "/news/big-story-10080.html",
    "/news/big-chunked-story-10081.html",
    "/news/bomb-story-10082.html",
    "/news/gzip-story-10083.html",
    "/news/brotli-story-10084.html",
    "/news/cut-short-story-10085.html",
    "/news/wrong-charset-story-10086.html",
    "/news/flaky-story-10090.html",
    "/news/broken-story-10091.html",
    "/news/gone-story-10092.html",
    "/news/slow-story-10093.html",
    "/news/plain-text-story-10094",
    "/news/print-version-story-10095.html",
    "/session/story-with-session-10096.html?PHPSESSID=aaaaaaaaaaaaaaaa1",
    "/loop/loop/",
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.1:1/news/other-port-10098.html",
    "file:///etc/passwd",
    "mailto:editor@example.org",
    "http://elsewhere.example.org/news/story-10099.html",
]

FEED = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Mock</title><language>en</language>
<item><title>From the feed &amp; only there</title><link>{base}/news/only-in-the-feed-10200.html</link>
<dc:creator>Ada Writer</dc:creator><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate><category>Harbour</category></item>
<item><title>No link at all</title></item>
<item><title>Bread & butter&nbsp;news</title><link>{base}/news/broken-markup-in-the-feed-10201.html</link></item>
</channel></rss>"""

SITEMAP_INDEX = """<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>{base}/sitemap-archive.xml.gz</loc></sitemap><sitemap><loc>{base}/sitemap-news.xml</loc></sitemap>
<sitemap><loc>{base}/sitemap-bomb.xml.gz</loc></sitemap></sitemapindex>"""

SITEMAP_ARCHIVE = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{base}/news/only-in-the-archive-10300.html</loc><lastmod>2026-11-01</lastmod></url></urlset>"""

SITEMAP_NEWS = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>{base}/news/only-in-the-news-10301.html</loc>
<news:news><news:publication><news:name>Mock</news:name><news:language>en</news:language></news:publication>
<news:publication_date>2026-11-20</news:publication_date><news:title>From the news sitemap</news:title></news:news>
</url></urlset>"""


class MockServer(Site):  # type: ignore[misc]
    """The site, and a log of what was asked."""

    def __init__(self) -> None:
        super().__init__(Handler)
        self.log: list[dict[str, object]] = []
        self.asked: Counter[str] = Counter()
        self._busy = 0
        self._lock = threading.Lock()

    @contextmanager
    def logged(self, path: str, agent: str) -> Iterator[int]:
        """Log a request; gives how often this path was asked, this time included."""
        with self._lock:
            self.asked[path] += 1
            self.log.append({"path": path, "time": time.monotonic(), "agent": agent, "busy": self._busy})
            self._busy += 1
            count = self.asked[path]
        try:
            yield count
        finally:
            with self._lock:
                self._busy -= 1


class Handler(BaseHandler):  # type: ignore[misc]
    """Answers by the first pattern of ROUTES that begins the path."""

    server: MockServer
    wbufsize = -1
    """The end of an answer leaves when its request no longer counts as under way."""

    def do_GET(self) -> None:
        if self.path == "/_log":
            self.answer(json.dumps(self.server.log).encode(), content_type="application/json")
            return
        with self.server.logged(self.path, self.headers.get("User-Agent", "")) as count:
            matching = (answer for start, answer in ROUTES if self.path.startswith(start))
            route = _home if self.path == "/" else next(matching, None)
            if route is None:
                self.answer(b"not here", 404)
            else:
                route(self, count)

    def redirect(self, where: str) -> None:
        self.answer(b"", 302, Location=where)


Answer = Callable[[Handler, int], None]


def _story(handler: Handler, _count: int) -> None:
    handler.answer(article(handler.path.partition("?")[0]).encode())


def _home(handler: Handler, _count: int) -> None:
    calendar = f"/calendar/{datetime.now(UTC):%Y/%m}/"
    links = "".join(f'<li><a href="{link}">{link}</a></li>' for link in (*LINKS, calendar))
    handler.answer(f"<html><head><title>Mock</title></head><body><ul>{links}</ul></body></html>".encode())


def _section(handler: Handler, _count: int) -> None:
    handler.answer(b"<html><body><a href='/news/only-in-the-section-10400.html'>one</a></body></html>")


def _xml(text: str) -> Answer:
    return lambda handler, _count: handler.answer(
        text.format(base=handler.server.base).encode(), content_type="application/xml"
    )


def _gzipped_file(make: Callable[[Handler], bytes]) -> Answer:
    return lambda handler, _count: handler.answer(gzip.compress(make(handler)), content_type="application/gzip")


def _redirect(where: str) -> Answer:
    return lambda handler, _count: handler.redirect(where)


def _without_query(handler: Handler, count: int) -> None:
    if "?" in handler.path:
        handler.redirect(handler.path.partition("?")[0])
    else:
        _story(handler, count)


def _ever_further(handler: Handler, _count: int) -> None:
    handler.redirect(f"/news/ever-further-10071.html?n={int(handler.path.rpartition('=')[2]) + 1}")


def _encoded(encoding: str, pack: Callable[[bytes], bytes]) -> Answer:
    return lambda handler, _count: handler.answer(pack(article(handler.path).encode()), Content_Encoding=encoding)


def _big(handler: Handler, _count: int) -> None:
    handler.answer(b"<html><body>" + b"<p>long</p>" * 2_000_000)


def _big_chunked(handler: Handler, _count: int) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    chunk = b"%x\r\n%s\r\n" % (1_000_000, b"x" * 1_000_000)
    try:
        for _ in range(22):
            handler.wfile.write(chunk)
        handler.wfile.write(b"0\r\n\r\n")
    except OSError:
        handler.close_connection = True


def _cut_short(handler: Handler, _count: int) -> None:
    body = article(handler.path).encode()
    handler.answer(body[:600], Content_Length=str(len(body)))
    handler.close_connection = True


def _wrong_charset(handler: Handler, _count: int) -> None:
    page = article(handler.path).replace("</h1>", "</h1><p>Žluťoučký kůň úpěl ďábelské ódy before the elections.</p>")
    handler.answer(page.encode(), content_type="text/html; charset=iso-8859-1")


def _flaky(handler: Handler, count: int) -> None:
    if count == 1:
        handler.answer(b"busy", 503)
    else:
        _story(handler, count)


def _slow(handler: Handler, count: int) -> None:
    time.sleep(3)
    _story(handler, count)


def _print_version(handler: Handler, _count: int) -> None:
    canonical = '<link rel="canonical" href="/news/story-of-the-day-10002.html">'
    handler.answer(article("/news/story-of-the-day-10002.html", canonical).encode())


def _with_permalink(handler: Handler, _count: int) -> None:
    page = article(handler.path).replace("<footer>", f"<footer><a href='{handler.path}'>permalink</a>")
    handler.answer(page.encode())


def _session(handler: Handler, _count: int) -> None:
    following = f"?PHPSESSID={len(handler.server.log):017}"
    page = article("session").replace("<footer>", f"<footer><a href='{following}'>again</a>")
    handler.answer(page.encode())


def _calendar(handler: Handler, _count: int) -> None:
    year, month = map(int, handler.path.strip("/").split("/")[1:3])
    following = f"/calendar/{year + month // 12}/{month % 12 + 1:02}/"
    handler.answer(f"<html><body><a href='{following}'>next</a></body></html>".encode())


def _growing(handler: Handler, _count: int) -> None:
    handler.answer(b"<html><body><a href='loop/'>deeper</a></body></html>")


ROUTES: list[tuple[str, Answer]] = [
    ("/robots.txt", lambda handler, _count: handler.answer(ROBOTS, content_type="text/plain")),
    ("/feed.xml", _xml(FEED)),
    ("/not-a-feed.xml", _section),
    ("/sitemap-index.xml", _xml(SITEMAP_INDEX)),
    (
        "/sitemap-archive.xml.gz",
        _gzipped_file(lambda handler: SITEMAP_ARCHIVE.format(base=handler.server.base).encode()),
    ),
    ("/sitemap-news.xml", _xml(SITEMAP_NEWS)),
    ("/sitemap-bomb.xml.gz", _gzipped_file(lambda _handler: b" " * 60_000_000)),
    ("/section/", _section),
    ("/other-section/", _section),
    ("/news/moved-away-10060", _redirect("/news/moved-here-10062.html")),
    ("/news/moved-here-10062", _with_permalink),
    ("/news/moved-within-10061", _without_query),
    ("/news/turning-round-10070", _redirect("/news/turning-back-10070.html")),
    ("/news/turning-back-10070", _redirect("/news/turning-round-10070.html")),
    ("/news/ever-further-10071", _ever_further),
    ("/news/to-the-cloud-10072", _redirect("http://169.254.169.254/latest/meta-data/")),
    ("/news/to-the-disk-10073", _redirect("file:///etc/passwd")),
    ("/news/to-another-port-10074", _redirect("http://127.0.0.1:1/inside-10074.html")),
    ("/news/to-another-site-10075", _redirect("http://elsewhere.example.org/story-10075.html")),
    ("/news/back-home-10076", _redirect("/section/")),
    ("/news/to-a-section-10077", _redirect("/other-section/")),
    ("/news/big-story-10080", _big),
    ("/news/big-chunked-story-10081", _big_chunked),
    ("/news/bomb-story-10082", _encoded("gzip", lambda _page: gzip.compress(b" " * 60_000_000))),
    ("/news/gzip-story-10083", _encoded("gzip", gzip.compress)),
    ("/news/brotli-story-10084", _encoded("br", brotli.compress)),
    ("/news/cut-short-story-10085", _cut_short),
    ("/news/wrong-charset-story-10086", _wrong_charset),
    ("/news/flaky-story-10090", _flaky),
    ("/news/broken-story-10091", lambda handler, _count: handler.answer(b"broken", 503)),
    ("/news/gone-story-10092", lambda handler, _count: handler.answer(b"gone", 404)),
    ("/news/slow-story-10093", _slow),
    ("/news/plain-text-story-10094", lambda handler, _count: handler.answer(b"words", content_type="text/plain")),
    ("/news/print-version-story-10095", _print_version),
    ("/session/", _session),
    ("/calendar/", _calendar),
    ("/loop/", _growing),
    ("/news/", _story),
    ("/private/", _story),
]


if __name__ == "__main__":
    served = MockServer()
    serve(served.base, served)
