"""Ghost of npm with SQLite and the two themes that it comes with."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from benchmarks.sites.posts import ZONE, Post, write_posts
from benchmarks.sites.system import TITLE, System, run, serve_process

VERSION = "5.130.6"
PRODUCTION = {"NODE_ENV": "production"}
FILL = Path(__file__).with_suffix(".js")
HTML_CARD = re.compile(r"<(table|blockquote)\b(?! class).*?</\1>(?:(?=\n)|\Z)", re.DOTALL)
"""A table or a quotation, which the editor's own paragraphs would change."""
EMBED = re.compile(r'<blockquote class="twitter-tweet">.*?</blockquote>')
GALLERY = re.compile(r'<figure class="gallery">(.*?)</figure>(?=\n|\Z)')
PICTURE = re.compile(r"<figure>(<img [^>]+>)<figcaption>(.*?)</figcaption></figure>")


@dataclass
class Ghost(System):
    """Ghost with one theme; its members alone read the protected posts."""

    theme: str
    is_structured: bool = True

    states: ClassVar = {
        "published": "time", "authors": "all", "section": "all", "tags": "with section", "changes": "sitemap",
    }  # fmt: skip

    def install(self) -> None:
        """Unpack Ghost, install what it needs, and build its SQLite; no other native code is needed."""
        if not (self.home / "installed.txt").exists():
            shutil.rmtree(self.home, ignore_errors=True)
        options = ("--omit=dev", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund")
        commands = (
            ["npm", "pack", f"ghost@{VERSION}"],
            ["tar", "-xzf", f"ghost-{VERSION}.tgz", "--strip-components=1"],
            ["npm", "pkg", "delete", "devDependencies"],  # its tests need a package of GitHub
            ["npm", "install", *options],
            ["npm", "rebuild", "--build-from-source", "sqlite3"],
        )
        self.install_by(commands, VERSION)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Put the posts into the database, by Ghost's own models."""
        content = folder / "content"
        if not content.exists():
            shutil.copytree(self.home / "content", content)
            shutil.copy(self.home / "package.json", folder)
        host, _, port = base.removeprefix("http://").partition(":")
        config = {
            "url": base,
            "server": {"host": host, "port": int(port)},
            "database": {
                "client": "sqlite3", "connection": {"filename": str(folder / "ghost.db")}, "useNullAsDefault": True,
            },
            "paths": {"contentPath": str(content)},
            "privacy": dict.fromkeys(("useUpdateCheck", "useGravatar", "useRpcPing"), False)
            | {"useStructuredData": self.is_structured},
            "logging": {"level": "error", "transports": ["stdout"]},
        }  # fmt: skip
        (folder / "config.production.json").write_text(json.dumps(config), "utf-8")
        write_posts([replace(post, html=_source(post)) for post in posts], folder / "posts.json")
        arguments = (self.home, folder / "posts.json", self.theme, TITLE, ZONE.key)
        run(["node", FILL, *arguments], folder, PRODUCTION)
        return {post.key: f"/{post.slug}/" for post in posts}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Run Ghost."""
        return serve_process(("node", self.home / "index.js"), folder, PRODUCTION, base)


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


class PlainGhost(Ghost):
    """Ghost without structured data."""

    states: ClassVar = {"published": "day", "authors": "all", "section": "all", "changes": "sitemap"}


SYSTEMS: Sequence[System] = (
    Ghost("ghost", "Ghost 5.130, source", "source"),
    Ghost("ghost-casper", "Ghost 5.130, casper", "casper"),
    PlainGhost("ghost-plain", "Ghost 5.130, source, no structured data", "source", is_structured=False),
)
