"""Ghost of npm with SQLite and the two themes that it comes with."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.sites.posts import ZONE, Post, write_posts
from benchmarks.sites.system import CACHE, TITLE, run, serve_process

VERSION = "5.130.6"
PRODUCTION = {"NODE_ENV": "production"}
FILL = Path(__file__).with_suffix(".js")
HTML_CARD = re.compile(r"<(table|blockquote)\b(?! class).*?</\1>(?:(?=\n)|\Z)", re.DOTALL)
"""A table or a quotation, which the editor's own paragraphs would change."""
EMBED = re.compile(r'<blockquote class="twitter-tweet">.*?</blockquote>')
GALLERY = re.compile(r'<figure class="gallery">(.*?)</figure>(?=\n|\Z)')
PICTURE = re.compile(r"<figure>(<img [^>]+>)<figcaption>(.*?)</figcaption></figure>")


@dataclass
class Ghost:
    """Ghost with one theme; its members alone read the protected posts."""

    theme: str
    name: str
    label: str
    is_structured: bool = True
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset({"sticky", "protected", "scheduled"})
    states: Mapping[str, str] = field(
        default_factory=lambda: {
            "published": "time",
            "authors": "all",
            "section": "all",
            "tags": "with section",
            "changes": "sitemap",
        }
    )

    def install(self, cache: Path) -> None:
        """Unpack Ghost, install what it needs, and build its SQLite; no other native code is needed."""
        folder = cache / "ghost"
        if (folder / "installed.txt").exists():
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        run(["npm", "pack", f"ghost@{VERSION}"], folder)
        run(["tar", "-xzf", f"ghost-{VERSION}.tgz", "--strip-components=1"], folder)
        # its tests need a package of GitHub
        run(["npm", "pkg", "delete", "devDependencies"], folder)
        options = ("--omit=dev", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund")
        run(["npm", "install", *options], folder)
        run(["npm", "rebuild", "--build-from-source", "sqlite3"], folder)
        (folder / "installed.txt").write_text(VERSION, "utf-8")

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Put the posts into the database, by Ghost's own models."""
        content = folder / "content"
        if not content.exists():
            shutil.copytree(CACHE / "ghost" / "content", content)
            shutil.copy(CACHE / "ghost" / "package.json", folder)
        host, _, port = base.removeprefix("http://").partition(":")
        config = {
            "url": base,
            "server": {"host": host, "port": int(port)},
            "database": {
                "client": "sqlite3",
                "connection": {"filename": str(folder / "ghost.db")},
                "useNullAsDefault": True,
            },
            "paths": {"contentPath": str(content)},
            "privacy": dict.fromkeys(("useUpdateCheck", "useGravatar", "useRpcPing"), False)
            | {"useStructuredData": self.is_structured},
            "logging": {"level": "error", "transports": ["stdout"]},
        }
        (folder / "config.production.json").write_text(json.dumps(config), "utf-8")
        write_posts([replace(post, html=_source(post)) for post in posts], folder / "posts.json")
        arguments = (CACHE / "ghost", folder / "posts.json", self.theme, TITLE, ZONE.key)
        run(["node", FILL, *arguments], folder, PRODUCTION)
        return {post.key: f"/{post.slug}/" for post in posts}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Run Ghost."""
        return serve_process(("node", CACHE / "ghost" / "index.js"), folder, PRODUCTION, base)


def _source(post: Post) -> str:
    """Write the body with the cards that Ghost's editor makes; members read on after the first paragraph."""
    html = HTML_CARD.sub(lambda match: _card(match[0]), post.html)
    html = EMBED.sub(lambda match: _card(f'<figure class="kg-card kg-embed-card">{match[0]}</figure>'), html)
    html = GALLERY.sub(_gallery, html)
    return html.replace("\n", "\n<!--members-only-->\n", 1) if post.kind == "protected" else html


def _gallery(match: re.Match[str]) -> str:
    """A gallery has one caption."""
    pictures = PICTURE.findall(match[1])
    images = "".join(f'<div class="kg-gallery-image">{image}</div>' for image, _ in pictures)
    row = f'<div class="kg-gallery-container"><div class="kg-gallery-row">{images}</div></div>'
    caption = f"<figcaption><p><span>{pictures[0][1]}</span></p></figcaption>"
    return _card(f'<figure class="kg-card kg-gallery-card kg-width-wide kg-card-hascaption">{row}{caption}</figure>')


def _card(html: str) -> str:
    return f"<!--kg-card-begin: html-->{html}<!--kg-card-end: html-->"


SYSTEMS = (
    Ghost("source", "ghost", "Ghost 5.130, source"),
    Ghost("casper", "ghost-casper", "Ghost 5.130, casper"),
    Ghost(
        "source",
        "ghost-plain",
        "Ghost 5.130, source, no structured data",
        is_structured=False,
        states={"published": "day", "authors": "all", "section": "all", "changes": "sitemap"},
    ),
)
