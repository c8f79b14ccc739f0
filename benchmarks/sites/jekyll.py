"""Jekyll with minima, both of Debian."""

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sites.posts import ZONE, Post, slug_of
from benchmarks.sites.system import TITLE, MissingError, run, serve_files, write_files

THEME = Path("/usr/share/rubygems-integration/all/gems/minima-2.5.1")
DEBIAN = "jekyll jekyll-theme-minima ruby-jekyll-feed ruby-jekyll-seo-tag ruby-jekyll-sitemap"

CONFIG = """title: {title}
url: {base}
timezone: {zone}
theme: minima
plugins: [jekyll-feed, jekyll-seo-tag, jekyll-sitemap]
{more}
"""


@dataclass
class Jekyll:
    """Jekyll with minima, and more lines of its configuration."""

    name: str
    label: str
    more: str = ""
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset({"scheduled"})
    states: Mapping[str, str] = field(
        default_factory=lambda: {"published": "time", "authors": "all", "section": "address", "changes": "sitemap"}
    )

    def install(self, cache: Path) -> None:  # noqa: ARG002 -- Debian's packages have their place
        """Look for the packages of Debian."""
        if not THEME.is_dir() or not shutil.which("jekyll"):
            raise MissingError(f"needs apt-get install {DEBIAN}")

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        (folder / "_config.yml").write_text(CONFIG.format(title=TITLE, base=base, zone=ZONE.key, more=self.more))
        (folder / "index.md").write_text("---\nlayout: home\n---\n")
        (folder / "about.md").write_text("---\nlayout: page\ntitle: About\npermalink: /about/\n---\n\nInvented news.\n")
        chosen = [post for post in posts if post.kind != "protected"]
        write_files(folder / "_posts", {f"{post.published[:10]}-{post.slug}.html": _source(post) for post in chosen})
        run(["jekyll", "build", "--quiet"], folder)
        site = folder / "_site"
        paths = {path.stem: path.relative_to(site) for path in site.glob("*/20*/*/*/*.html")}
        return {post.key: f"/{paths[post.slug]}" for post in chosen if post.slug in paths}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the generated files."""
        return serve_files(folder / "_site", base)


def _source(post: Post) -> str:
    head = {
        "layout": "post",
        "title": post.title,
        "date": f"{post.published[:19].replace('T', ' ')} {post.published[19:]}",
        "author": ", ".join(post.authors),
        "categories": [slug_of(post.section)],
        "tags": post.tags,
    } | ({"last_modified_at": post.modified} if post.modified != post.published else {})
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items())
    first, _, rest = post.html.partition("\n")
    return "\n".join(("---", *lines, "---", first, "", rest))


SYSTEMS = (
    Jekyll("jekyll", "Jekyll 4.3, minima 2.5"),
    Jekyll("jekyll-excerpts", "Jekyll 4.3, minima 2.5, excerpts in lists", "show_excerpts: true"),
    Jekyll(
        "jekyll-full",
        "Jekyll 4.3, minima 2.5, full posts in lists",
        'show_excerpts: true\nexcerpt_separator: "<!--no-->"',
    ),
)
