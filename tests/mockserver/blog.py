"""A blog on loopback, in the shape that publishing systems give one: `python blog.py POSTS [--bare]`.

Every post has two tags, an author and a category, each with an archive in pages, like the front page, and like months
and days, and a topic whose archive does not exist; under each post stand links to reply, to share and to a picture. A
feed names the last ten posts, an index of sitemaps all posts and archives, and the feed of each tag; with `--bare`
there are none of these. Prints its address, and serves until it is killed; `/_log` lists what was asked for, `/_day`
publishes thirty more posts and changes ten.
"""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from prose import WORDS, paragraphs
from serving import Handler as BaseHandler
from serving import Site, serve

PAGE_LENGTH = 10
FIRST_DAY = datetime(2023, 1, 2, 8, 30, tzinfo=UTC)
DAYS = 3 * 365
NEW, CHANGED = 30, 10
NAMES = sorted({word for word in WORDS if len(word) > 4})
AUTHORS = ("ann-lee", "bo-ek", "cy-ray", "di-moss", "ed-orr", "flo-kim")
CATEGORIES = ("culture", "sport", "town", "world", "money", "nature")


class Blog:
    """The posts, by number: the higher, the newer."""

    def __init__(self, n_posts: int, *, is_bare: bool) -> None:
        self.n_posts = self.n_first = n_posts
        self.is_bare = is_bare
        self.base = ""
        self.log: list[str] = []

    def title(self, n: int) -> str:
        words = [NAMES[(n * step + step) % len(NAMES)] for step in (1, 7, 11)][: 1 + n % 3]
        return " ".join((*words, str(n), *(["corrected"] if self.has_changed(n) else []))).capitalize()

    def slug(self, n: int) -> str:
        return (
            "-".join((*(NAMES[(n * step + step) % len(NAMES)] for step in (1, 7, 11)),))[: 8 + 30 * (n % 3)] + f"-{n}"
        )

    def has_changed(self, n: int) -> bool:
        return self.n_posts > self.n_first and n % 7 == 3 and self.n_first - 7 * CHANGED <= n < self.n_first

    def day(self, n: int) -> datetime:
        return FIRST_DAY + timedelta(days=n * DAYS // self.n_first)

    def groups(self, n: int) -> tuple[str, ...]:
        """The archives that a post stands in, beside the front page."""
        tags = (f"/tag/{NAMES[n % 37]}/", f"/tag/no-{n * 3 % 29}/")
        dates = (f"/{self.day(n):%Y/%m}/", f"/{self.day(n):%Y/%m/%d}/")
        return (f"/category/{CATEGORIES[n % 6]}/", f"/author/{AUTHORS[n * 5 % 6]}/", *tags, *dates)

    def answer(self, path: str) -> tuple[str, str] | None:
        """Content type and text; None where there is nothing."""
        plain, _, query = path.partition("?")
        plain, _, number = plain.partition("/page/")
        plain = plain.rstrip("/") + "/"
        if not self.is_bare and (found := LISTS.get(path)):
            return "application/xml", found(self)
        if plain.startswith("/tag/") and plain.endswith(".xml/"):
            group = plain.replace(".xml", "")
            return "application/xml", self.feed(tuple(n for n in range(self.n_posts) if group in self.groups(n)))
        if plain.endswith("/feed/"):
            return "application/xml", self.feed(())
        if query.startswith("attachment_id="):
            return "text/html", self.page("A picture", "<p><img src='/wp/picture.jpg'></p>")
        posts = [n for n in range(self.n_posts - 1, -1, -1) if plain in ("/", *self.groups(n))]
        pages = [posts[start : start + PAGE_LENGTH] for start in range(0, len(posts), PAGE_LENGTH)]
        at = int(number.strip("/") or 1)
        if at <= len(pages):
            return "text/html", self.listing(plain, pages[at - 1], at, len(pages))
        number = plain.strip("/").rpartition("-")[2]
        is_post = number.isdigit() and int(number) < self.n_posts and plain == f"/{self.slug(int(number))}/"
        return ("text/html", self.post(int(number))) if is_post else None

    def post(self, n: int) -> str:
        own = f"/{self.slug(n)}/"
        text = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs(self.title(n), 4))
        groups = (*self.groups(n), f"/topic/removed-{NAMES[n % len(NAMES)]}/")
        links = "".join(f"<a rel='tag' href='{group}'>{group.split('/')[2]}</a> " for group in groups)
        more = "".join(f"<a rel='nofollow' href='{own}?replytocom={i}#respond'>Reply</a> " for i in range(3))
        more += f"<a rel='nofollow noopener' href='{own}?share=mail&nb=1'>Mail</a> <a href='{own}feed/'>Follow</a>"
        more += f"<a href='/?attachment_id={n}'><img src='/wp/{n}.jpg'></a> <a href='{own}source.rst'>Source</a>"
        body = (
            f"<article><h1>{self.title(n)}</h1><time datetime='{self.day(n).isoformat()}'>then</time>{text}</article>"
        )
        head = f"<meta property='og:type' content='article'><link rel='canonical' href='{self.base}{own}'>"
        head += f"<link rel='alternate' type='application/rss+xml' href='{own}feed/'>"
        return self.page(self.title(n), f"{body}<p>{links}</p><p>{more}</p>", head)

    def listing(self, path: str, posts: list[int], at: int, n_pages: int) -> str:
        teasers = "".join(
            f"<article><h2><a href='/{self.slug(n)}/'>{self.title(n)}</a></h2>"
            f"<p>{paragraphs(self.title(n), 1)[0][:150]}</p></article>"
            for n in posts
        )
        following = f"<a class='next' href='{path}page/{at + 1}/'>Older posts</a>" if at < n_pages else ""
        head = "" if self.is_bare else "<link rel='alternate' type='application/rss+xml' href='/feed/'>"
        return self.page(path, teasers + following, head)

    def page(self, title: str, body: str, head: str = "") -> str:
        menu = "".join(f"<li><a href='/category/{name}/'>{name}</a></li>" for name in CATEGORIES)
        menu += "<li><a href='/wp-login.php'>Log in</a></li>"
        return (
            f"<!DOCTYPE html><html lang='en'><head><title>{title}</title>{head}</head><body><nav><ul>"
            f"<li><a href='/'>Home</a></li>{menu}</ul></nav><main>{body}</main></body></html>"
        )

    def feed(self, posts: tuple[int, ...] | None = None) -> str:
        """The last ten posts."""
        last = range(self.n_posts - 1, self.n_posts - 11, -1) if posts is None else posts
        items = "".join(
            f"<item><title>{self.title(n)}</title><link>{self.base}/{self.slug(n)}/</link>"
            f"<pubDate>{self.day(n):%a, %d %b %Y %H:%M:%S +0000}</pubDate></item>"
            for n in last
        )
        return f"<rss version='2.0'><channel><title>Blog</title>{items}</channel></rss>"

    def index(self) -> str:
        tags = {group for n in range(self.n_posts) for group in self.groups(n) if group.startswith("/tag/")}
        paths = (*list(LISTS)[2:], *(f"{tag.rstrip('/')}.xml" for tag in sorted(tags)))
        maps = "".join(f"<sitemap><loc>{self.base}{path}</loc></sitemap>" for path in paths)
        return f"<sitemapindex>{maps}</sitemapindex>"

    def posts(self) -> str:
        stated = ((n, self.day(n) + timedelta(days=400 * self.has_changed(n))) for n in range(self.n_posts))
        return _map((f"{self.base}/{self.slug(n)}/", f"<lastmod>{day.isoformat()}</lastmod>") for n, day in stated)

    def archives(self, kind: str) -> str:
        found = {group for n in range(self.n_posts) for group in self.groups(n) if group.startswith(kind)}
        return _map((f"{self.base}{group}", "") for group in sorted(found))


LISTS: dict[str, Callable[[Blog], str]] = {
    "/feed/": Blog.feed,
    "/sitemap.xml": Blog.index,
    "/sitemap-posts-1.xml": Blog.posts,
    "/sitemap-tags-1.xml": lambda blog: blog.archives("/tag/"),
    "/sitemap-authors-1.xml": lambda blog: blog.archives("/author/"),
}


def _map(entries: Iterator[tuple[str, str]]) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc>{more}</url>' for url, more in entries)}</urlset>"


class Handler(BaseHandler):  # type: ignore[misc]
    """Answers for one blog."""

    blog: Blog

    def do_GET(self) -> None:
        """Answer."""
        blog = self.blog
        if self.path == "/_log":
            found: tuple[str, str] | None = ("application/json", json.dumps(blog.log))
        elif self.path == "/_day":
            blog.n_posts += NEW
            blog.log.clear()
            found = "text/plain", '"done"'
        else:
            blog.log.append(self.path)
            found = blog.answer(self.path)
        kind, text = found or ("text/html", "<title>Nothing</title>")
        self.answer(text, 200 if found else 404, f"{kind}; charset=utf-8")


if __name__ == "__main__":
    Handler.blog = Blog(int(sys.argv[1]), is_bare="--bare" in sys.argv)
    site = Site(Handler)
    Handler.blog.base = site.base
    serve(site.base, site)
