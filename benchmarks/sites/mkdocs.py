"""The blog of MkDocs with the theme Material, of PyPI."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sites.posts import Post, slug_of
from benchmarks.sites.system import CACHE, TITLE, pip_install, run, serve_files, write_files

PACKAGES = ("mkdocs==1.6.1", "mkdocs-material==9.6.20")

CONFIG = """site_name: {title}
site_url: {base}/
theme: {{name: material}}
markdown_extensions: [tables]
plugins: [{{blog: {{pagination_per_page: 10}}}}, tags]
"""


@dataclass
class MkDocs:
    """Its lists hold the first paragraphs, and the author's name lies in a file of its own."""

    name: str = "mkdocs-material"
    label: str = "MkDocs 1.6 blog, Material 9.6"
    languages: Sequence[str] = ()
    kinds: frozenset[str] = frozenset()
    states: Mapping[str, str] = field(
        default_factory=lambda: {"published": "day", "authors": "all", "section": "all", "tags": "all"}
    )

    def install(self, cache: Path) -> None:
        """Install MkDocs and the theme."""
        pip_install(cache / "mkdocs", *PACKAGES)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        blog = folder / "docs" / "blog"
        chosen = [post for post in posts if post.is_public]
        write_files(blog / "posts", {f"{post.slug}.md": _source(post) for post in chosen})
        (folder / "mkdocs.yml").write_text(CONFIG.format(title=TITLE, base=base))
        (folder / "docs" / "index.md").write_text(f"# {TITLE}\n\n[News](blog/index.md)\n")
        (blog / "index.md").write_text("# News\n")
        names = sorted({name for post in posts for name in post.authors})
        authors = {slug_of(name): {"name": name, "description": "Writer", "avatar": "/a.png"} for name in names}
        (blog / ".authors.yml").write_text(f"authors: {json.dumps(authors, ensure_ascii=False)}\n", "utf-8")
        run([CACHE / "mkdocs" / "venv" / "bin" / "mkdocs", "build", "--quiet"], folder)
        return {post.key: f"/blog/{post.published[:10].replace('-', '/')}/{post.slug}/" for post in chosen}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Serve the built files."""
        return serve_files(folder / "site", base)


def _source(post: Post) -> str:
    head = {
        "slug": post.slug,
        "authors": [slug_of(name) for name in post.authors],
        "categories": [post.section],
        "tags": post.tags,
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    lines.append(f"date: {post.published[:10]}")
    first, _, rest = post.html.partition("\n")
    return "\n".join(("---", *lines, "---", "", f"# {post.title}", "", first, "", "<!-- more -->", "", rest, ""))


SYSTEMS = (MkDocs(),)
