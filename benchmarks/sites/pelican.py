"""Pelican of PyPI, with the theme it comes with and another one of PyPI."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from benchmarks.sites.posts import ZONE, Post
from benchmarks.sites.system import CACHE, TITLE, pip_install, run, serve_files, write_files

PACKAGES = ("pelican==4.12.0", "pelican-theme-reflex==4.0.1")

CONFIG = """
SITENAME = {title!r}
SITEURL = {base!r}
PATH = "content"
TIMEZONE = {zone!r}
DEFAULT_LANG = "en"
FEED_ALL_ATOM = "feeds/all.atom.xml"
CATEGORY_FEED_ATOM = "feeds/{{slug}}.atom.xml"
DEFAULT_PAGINATION = 10
WITH_FUTURE_DATES = False
DELETE_OUTPUT_DIRECTORY = True
{more}
"""


@dataclass
class Pelican:
    """Pelican with one theme, and more lines of its configuration."""

    name: str
    label: str
    more: str = ""
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset({"scheduled"})
    states: Mapping[str, str] = field(
        default_factory=lambda: {
            "published": "time",
            "authors": "all",
            "section": "all",
            "tags": "all",
            "changes": "feed",
        }
    )

    def install(self, cache: Path) -> None:
        """Install Pelican and its themes."""
        pip_install(cache / "pelican", *PACKAGES)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the articles as HTML files and generate the site."""
        config = CONFIG.format(title=TITLE, base=base, zone=ZONE.key, more=self.more)
        (folder / "pelicanconf.py").write_text(config, "utf-8")
        chosen = [post for post in posts if post.kind != "protected"]
        write_files(folder / "content", {f"{post.slug}.html": _source(post) for post in chosen})
        run([CACHE / "pelican" / "venv" / "bin" / "pelican", "-q"], folder)
        return {post.key: f"/{post.slug}.html" for post in chosen}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the generated files."""
        return serve_files(folder / "output", base)


def _source(post: Post) -> str:
    head = {
        "date": post.published[:16].replace("T", " "),
        "authors": "; ".join(post.authors) + ";",
        "category": post.section,
        "tags": "; ".join(post.tags) + ";",
        "slug": post.slug,
    } | ({"modified": post.modified[:16].replace("T", " ")} if post.modified != post.published else {})
    meta = "".join(f'<meta name="{name}" content="{escape(value)}">\n' for name, value in head.items())
    return f"<html><head><title>{escape(post.title)}</title>\n{meta}</head><body>\n{post.html}\n</body></html>"


SYSTEMS = (
    Pelican("pelican", "Pelican 4.12, notmyidea"),
    Pelican("pelican-full", "Pelican 4.12, notmyidea, full posts in lists", "SUMMARY_MAX_LENGTH = None"),
    Pelican("pelican-simple", "Pelican 4.12, simple", 'THEME = "simple"'),
    Pelican(
        "pelican-reflex",
        "Pelican 4.12, Reflex 4.0",
        f'THEME = "reflex"\nSITETITLE = "{TITLE}"\nCC_LICENSE = {{"name": "", "version": "4.0", "slug": "by"}}',
        states={"published": "time", "section": "all", "tags": "all", "changes": "feed"},  # of authors the first alone
    ),
)
