"""The blog of Docusaurus, of npm."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sites.posts import Post
from benchmarks.sites.system import CACHE, TITLE, npm_install, run, serve_files, write_files

PACKAGES = (
    *("@docusaurus/core@3.10.2", "@docusaurus/preset-classic@3.10.2", "react@19.2.0", "react-dom@19.2.0"),
    "@mdx-js/react@3.1.1",
)

CONFIG = """module.exports = {{
  title: {title}, url: {base}, baseUrl: '/', onBrokenLinks: 'ignore', markdown: {{format: 'detect'}},
  i18n: {{defaultLocale: 'en', locales: ['en']}},
  presets: [['classic', {{docs: false, blog: {{onInlineAuthors: 'ignore', onInlineTags: 'ignore',
    onUntruncatedBlogPosts: 'ignore', showReadingTime: true, showLastUpdateTime: true}}}}]],
  themeConfig: {{navbar: {{title: {title}, items: [{{to: '/blog', label: 'Blog'}}]}}}},
}};
"""


@dataclass
class Docusaurus:
    """Its classic preset without documents; lists hold whole posts unless they are truncated."""

    name: str
    label: str
    is_truncated: bool = False
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset()
    states: Mapping[str, str] = field(default_factory=lambda: {"published": "time", "authors": "all", "tags": "all"})

    def install(self, cache: Path) -> None:
        """Install the packages."""
        npm_install(cache / "docusaurus", *PACKAGES)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        modules = CACHE / "docusaurus" / "node_modules"
        write_files(folder / "src" / "pages", {"index.md": f"# {TITLE}\n\n[Read the blog](/blog)\n"})
        if not (folder / "node_modules").exists():
            (folder / "node_modules").symlink_to(modules)
        (folder / "package.json").write_text('{"name": "site", "private": true}')
        config = CONFIG.format(title=json.dumps(TITLE), base=json.dumps(base))
        (folder / "docusaurus.config.js").write_text(config)
        chosen = [post for post in posts if post.is_public]
        write_files(folder / "blog", {f"{post.published[:10]}-{post.slug}.md": self._source(post) for post in chosen})
        run([modules / ".bin" / "docusaurus", "build"], folder, {"DOCUSAURUS_NO_PERSISTENT_CACHE": "true"})
        return {post.key: f"/blog/{post.slug}" for post in chosen}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the built files."""
        return serve_files(folder / "build", base)

    def _source(self, post: Post) -> str:
        head = {
            "title": post.title,
            "slug": post.slug,
            "authors": [{"name": name} for name in post.authors],
            "tags": post.tags,
            "last_update": {"date": post.modified},
        }
        lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
        lines.append(f"date: {post.published}")  # a quoted one is taken for UTC
        first, _, rest = post.html.partition("\n")
        mark = "<!-- truncate -->\n\n" if self.is_truncated and rest else ""
        return "\n".join(("---", *lines, "---", "", first, "", f"{mark}{rest}", ""))


SYSTEMS = (
    Docusaurus("docusaurus", "Docusaurus 3.10 blog, its defaults: full posts in lists"),
    Docusaurus("docusaurus-truncated", "Docusaurus 3.10 blog, truncated posts in lists", is_truncated=True),
)
