"""BlogMore of PyPI, with its own theme; it wants Python 3.12."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sites.posts import Post
from benchmarks.sites.system import CACHE, TITLE, pip_install, run, serve_files, write_files

PACKAGES = ("blogmore==2.44.2",)


@dataclass
class BlogMore:
    """BlogMore with whole posts in its lists, as it comes."""

    name: str = "blogmore"
    label: str = "BlogMore 2.44: full posts in lists"
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset()
    states: Mapping[str, str] = field(
        default_factory=lambda: {"published": "time", "authors": "first", "section": "all", "tags": "all"}
    )

    def install(self, cache: Path) -> None:
        """Install BlogMore."""
        pip_install(cache / "blogmore", *PACKAGES)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        chosen = [post for post in posts if post.is_public]
        write_files(folder / "content", {f"{post.slug}.md": _source(post) for post in chosen})
        options = ("--site-title", TITLE, "--site-url", base, "--with-sitemap", "--clean-first", "--output", "output")
        run([CACHE / "blogmore" / "venv" / "bin" / "blogmore", "build", *options, "content"], folder)
        return {post.key: f"/{post.published[:10].replace('-', '/')}/{post.slug}.html" for post in chosen}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the built files."""
        return serve_files(folder / "output", base)


def _source(post: Post) -> str:
    head = {
        "title": post.title,
        "date": post.published,
        "category": post.section,
        "tags": post.tags,
        "author": post.authors[0],
    } | ({"modified": post.modified} if post.modified != post.published else {})
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items())
    return "\n".join(("---", *lines, "---", "", post.html, ""))


SYSTEMS = (BlogMore(),)
