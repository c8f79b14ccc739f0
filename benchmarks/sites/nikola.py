"""Nikola of PyPI, with its default theme."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sites.posts import ZONE, Post
from benchmarks.sites.system import CACHE, TITLE, pip_install, run, serve_files, write_files

PACKAGES = ("Nikola==8.3.3",)

CONFIG = """
BLOG_TITLE = {title!r}
SITE_URL = {base!r} + "/"
BLOG_AUTHOR = {title!r}
TIMEZONE = {zone!r}
POSTS = (("posts/*.md", "posts", "post.tmpl"),)
PAGES = ()
COMPILERS = {{"markdown": (".md",), "html": (".html",)}}
NAVIGATION_LINKS = {{DEFAULT_LANG: (("/archive.html", "Archive"), ("/categories/", "Tags"), ("/rss.xml", "RSS feed"))}}
{more}
"""


@dataclass
class Nikola:
    """Nikola with its defaults, and more lines of its configuration."""

    name: str
    label: str
    more: str = ""
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset({"scheduled"})
    # The section of a post stands on the pages of its sections alone, not on its own, nor in the feed.
    states: Mapping[str, str] = field(default_factory=lambda: {"published": "time", "authors": "all", "tags": "all"})

    def install(self, cache: Path) -> None:
        """Install Nikola."""
        pip_install(cache / "nikola", *PACKAGES)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Begin a site as Nikola does it, put our lines at the end of its configuration, and build."""
        command = CACHE / "nikola" / "venv" / "bin" / "nikola"
        if not (folder / "conf.py").exists():
            folder.rmdir()
            run([command, "init", "--quiet", folder], folder.parent)
            with (folder / "conf.py").open("a", encoding="utf-8") as file:
                file.write(CONFIG.format(title=TITLE, base=base, zone=ZONE.key, more=self.more))
        chosen = [post for post in posts if post.kind != "protected"]
        write_files(folder / "posts", {f"{post.slug}.md": _source(post) for post in chosen})
        run([command, "build"], folder)
        return {post.key: f"/posts/{post.slug}/" for post in chosen}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the generated files."""
        return serve_files(folder / "output", base)


def _source(post: Post) -> str:
    zone = f"UTC{post.published[19:]}"
    head = {
        "title": post.title,
        "slug": post.slug,
        "date": f"{post.published[:19].replace('T', ' ')} {zone}",
        "updated": f"{post.modified[:19].replace('T', ' ')} UTC{post.modified[19:]}",
        "author": ", ".join(post.authors),
        "category": post.section,
        "tags": ", ".join(post.tags),
    }
    meta = "\n".join(f".. {name}: {value}" for name, value in head.items())
    first, _, rest = post.html.partition("\n")
    return f"<!--\n{meta}\n-->\n\n{first}\n{'<!-- TEASER_END -->' if rest else ''}\n{rest}\n"


SYSTEMS = (
    Nikola("nikola", "Nikola 8.3, bootblog4, its defaults: full posts in lists"),
    Nikola("nikola-teasers", "Nikola 8.3, bootblog4, teasers in lists", "INDEX_TEASERS = True"),
)
