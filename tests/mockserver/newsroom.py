"""A news site on loopback whose lists are found from its front page, and that changes.

Run as a script, `newsroom.py N`: prints its address, and serves until it is killed. `/_log` answers with
[[path, status]] of what was asked; `/_change` changes three articles and what the sitemap says of them; `/_rewrite`
changes three others, of which the sitemap says nothing.
"""

import json
import sys

import prose
from serving import HTML, Site, serve
from serving import Handler as BaseHandler

CHANGED = (20003, 20005, 20007)
REWRITTEN = (20002, 20004, 20006)
MAP = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
INDEX = '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'
DAYS = {"archive": "2024-03-05", "in-march": "2024-03-09", "in-may": "2023-05-09"}
FRONT = "/news/a-story-of-the-site-60003.html"
"""An address of an article that shows the front page, at another hour."""
LONG = "/news/long-story-30001.html"


class Newsroom(Site):  # type: ignore[misc]
    """The site, and a log of what was asked."""

    def __init__(self, n_articles: int) -> None:
        super().__init__(Handler)
        self.n_articles = n_articles
        self.changed: set[int] = set()
        self.log: list[tuple[str, int]] = []

    def pages(self) -> dict[str, str]:
        """All that is there, by path."""
        parts = {1: LONG, 2: f"{LONG}?page=2", 3: f"{LONG}?page=3"}
        return {
            "/robots.txt": f"User-agent: *\nAllow: /\nSitemap: {self.base}/maps/index.xml\n",
            "/": self.front_page(),
            "/rss/": listing(["/feeds/latest.xml", "/feeds/culture.xml"]),
            "/feeds/latest.xml": self.feed("/news/only-in-the-feed-40004.html"),
            "/feeds/culture.xml": self.feed("/news/only-in-another-feed-40005.html"),
            "/maps/index.xml": self.index(),
            "/maps/current.xml": self.current(),
            "/maps/2024-03.xml": self.map([("/news/in-march-2024-40001.html", "2024-03-09")]),
            "/maps/2023-05.xml": self.map([("/news/in-may-2023-40002.html", "2023-05-09")]),
            "/archive/2024/03/05": listing(["/news/only-in-the-archive-40003.html"]),
            "/section/": listing(["/news/plain-story-50001.html/amp", "/news/phone-only-50002.html"]),
            "/news/phone-only-50002.html": phone("/news/for-readers-50003.html"),
            **{path: self.part(number) for number, path in parts.items()},
        }

    def front_page(self) -> str:
        head = '<link rel="alternate" type="application/rss+xml" href="/feeds/latest.xml">'
        links = ["/rss/", "/section/", "/news/dead-story-60001.html", FRONT, LONG]
        teasers = "".join(f"<p>It is 12:05. {text}</p>" for text in prose.paragraphs("/"))
        return listing(links, head).replace("<ul>", f"{teasers}<ul>")

    def feed(self, path: str) -> str:
        item = f"<item><title>Only in a feed</title><link>{self.base}{path}</link></item>"
        return f'<?xml version="1.0"?><rss version="2.0"><channel>{item}</channel></rss>'

    def index(self) -> str:
        dated = {"current": "2026-11-20", "2024-03": "2024-04-01", "2023-05": "2023-06-01"}
        maps = (f"<loc>{self.base}/maps/{name}.xml</loc><lastmod>{day}</lastmod>" for name, day in dated.items())
        return INDEX.format("".join(f"<sitemap>{each}</sitemap>" for each in maps))

    def current(self) -> str:
        numbers = range(20001, 20001 + self.n_articles)
        return self.map([(f"/news/story-of-the-day-{number}.html", self.day(number)) for number in numbers])

    def day(self, number: int) -> str:
        return "2026-11-21" if number in self.changed & set(CHANGED) else "2026-11-01"

    def map(self, entries: list[tuple[str, str]]) -> str:
        urls = (f"<url><loc>{self.base}{path}</loc><lastmod>{day}</lastmod></url>" for path, day in entries)
        return MAP.format("".join(urls))

    def part(self, number: int) -> str:
        turns = "".join(f'<a href="{LONG}?page={other}">{other}</a> ' for other in (2, 3) if other != number)
        head = f'<link rel="canonical" href="{LONG}">'
        return story(f"part {number}", head).replace("</article>", f"</article><div>{turns}</div>")

    def page(self, path: str) -> str:
        """Any other path: an article, as far as it was written, or what this site takes for an apology."""
        if path == FRONT:
            return self.front_page().replace("12:05", "13:10").replace("dead-story", "other-story")
        if not path.startswith("/news/") or "dead-story" in path:
            return story("nothing here, the page was moved or never written")
        number = int(path.rpartition("-")[2].removesuffix(".html"))
        day = next((day for part, day in DAYS.items() if part in path), "2026-11-01")
        head = f'<meta property="article:published_time" content="{day}T08:00:00Z">'
        return story(path + (" again" if number in self.changed else ""), head)


class Handler(BaseHandler):  # type: ignore[misc]
    """Answers with validators; what is not there, with status 200."""

    server: Newsroom

    def do_GET(self) -> None:
        if self.path == "/_log":
            self.answer(json.dumps(self.server.log))
        elif self.path in {"/_change", "/_rewrite"}:
            self.server.changed |= set(CHANGED if self.path == "/_change" else REWRITTEN)
            self.answer('"changed"')
        else:
            pages = self.server.pages()
            body = pages[self.path] if self.path in pages else self.server.page(self.path)
            etag = f'"{hash(body)}"'
            fresh = self.headers.get("If-None-Match") == etag
            self.server.log.append((self.path, 304 if fresh else 200))
            kind = "application/xml" if body.startswith("<?xml") else HTML
            self.answer("" if fresh else body, 304 if fresh else 200, kind, ETag=etag)


def story(seed: str, head: str = "") -> str:
    """A page that holds an article."""
    page: str = prose.article(seed, head)
    return page


def listing(paths: list[str], head: str = "") -> str:
    """A page of links."""
    links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in paths)
    return f"<html><head><title>Newsroom</title>{head}</head><body><ul>{links}</ul></body></html>"


def phone(canonical: str) -> str:
    """An AMP page of the article at `canonical`."""
    page = story("/news/for-readers", f'<link rel="canonical" href="{canonical}">')
    return page.replace("<html", "<html amp")


if __name__ == "__main__":
    room = Newsroom(int(sys.argv[1]))
    serve(room.base, room)
