"""Hexo with several themes, all of npm."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sites.posts import ZONE, Post
from benchmarks.sites.system import CACHE, TITLE, npm_install, run, serve_files, write_files

PACKAGES = (
    *("hexo@8.1.2", "hexo-renderer-ejs@2.0.0", "hexo-renderer-marked@7.0.1", "hexo-renderer-pug@3.0.0"),
    *("hexo-renderer-stylus@3.0.1", "hexo-generator-index@4.0.0", "hexo-generator-archive@2.0.0"),
    *("hexo-generator-category@2.0.0", "hexo-generator-tag@2.0.0", "hexo-generator-feed@3.0.0"),
    *("hexo-generator-sitemap@3.0.1", "hexo-theme-next@8.29.0", "hexo-theme-landscape@1.1.0"),
    *("hexo-theme-fluid@1.9.9", "hexo-theme-butterfly@5.7.0", "hexo-theme-keep@4.3.0", "hexo-theme-icarus@6.1.1"),
    *("hexo-renderer-inferno@1.0.2", "hexo-component-inferno@3.1.1", "bulma-stylus@0.8.0", "semver@7.6.0"),
)

CONFIG = """title: {title}
author: ""
language: en
timezone: {zone}
url: {base}
future: false
theme: {theme}
sitemap: {{path: sitemap.xml}}
feed: {{type: atom, path: atom.xml, limit: 20}}
"""


@dataclass
class Hexo:
    """Hexo with one theme; its lists hold whole posts, or their first paragraphs."""

    theme: str
    name: str
    label: str
    has_excerpts: bool = True
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset({"sticky", "scheduled"})
    states: Mapping[str, str] = field(
        default_factory=lambda: {"published": "time", "section": "all", "tags": "all", "changes": "sitemap"}
    )

    def install(self, cache: Path) -> None:
        """Install Hexo and all themes."""
        npm_install(cache / "hexo", *PACKAGES)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and generate the site."""
        modules = CACHE / "hexo" / "node_modules"
        if not (folder / "node_modules").exists():
            (folder / "node_modules").symlink_to(modules)
        wanted = {path.name: "*" for path in modules.glob("hexo*")}
        (folder / "package.json").write_text(json.dumps({"hexo": {"version": "8.1.2"}, "dependencies": wanted}))
        (folder / "_config.yml").write_text(CONFIG.format(title=TITLE, zone=ZONE.key, base=base, theme=self.theme))
        chosen = [post for post in posts if post.kind != "protected"]
        write_files(folder / "source" / "_posts", {f"{post.slug}.md": self._source(post) for post in chosen})
        run([modules / ".bin" / "hexo", "generate"], folder)
        public = folder / "public"
        paths = {path.parent.name: path.parent.relative_to(public) for path in public.glob("20*/*/*/*/index.html")}
        return {post.key: f"/{paths[post.slug]}/" for post in chosen if post.slug in paths}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the generated files."""
        return serve_files(folder / "public", base)

    def _source(self, post: Post) -> str:
        head = {
            "title": post.title,
            "date": post.published[:19].replace("T", " "),
            "updated": post.modified[:19].replace("T", " "),
            "categories": [post.section],
            "tags": post.tags,
        } | ({"sticky": 10} if post.kind == "sticky" else {})
        lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items())
        first, _, rest = post.html.partition("\n")
        text = f"{first}\n\n<!-- more -->\n\n{rest}" if self.has_excerpts and rest else post.html
        return "\n".join(("---", *lines, "---", text, ""))


SYSTEMS = (
    Hexo("landscape", "hexo-landscape", "Hexo 8.1, landscape 1.1"),
    Hexo("landscape", "hexo-landscape-full", "Hexo 8.1, landscape 1.1, full posts in lists", has_excerpts=False),
    Hexo("next", "hexo-next", "Hexo 8.1, NexT 8.29"),
    Hexo("next", "hexo-next-full", "Hexo 8.1, NexT 8.29, full posts in lists", has_excerpts=False),
    Hexo("butterfly", "hexo-butterfly", "Hexo 8.1, Butterfly 5.7"),
    Hexo("fluid", "hexo-fluid", "Hexo 8.1, Fluid 1.9"),
    Hexo("icarus", "hexo-icarus", "Hexo 8.1, Icarus 6.1"),
    Hexo("keep", "hexo-keep", "Hexo 8.1, Keep 4.3, its default author"),
)
