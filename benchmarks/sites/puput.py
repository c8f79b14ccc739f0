"""Puput, the blog of the Django system Wagtail, both of PyPI, with its own theme."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from benchmarks.sites.posts import ZONE, Post, slug_of, write_posts
from benchmarks.sites.system import TITLE, System, run, serve_process

ENVIRONMENT = {"DJANGO_SETTINGS_MODULE": "settings"}
SETTINGS = """
from puput import PUPUT_APPS
SECRET_KEY, DEBUG, ALLOWED_HOSTS, ROOT_URLCONF = "bench", False, ["*"], "urls"
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": "site.db"}}}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
TIME_ZONE, USE_TZ, LANGUAGE_CODE, STATIC_URL = {zone!r}, True, "en", "/static/"
INSTALLED_APPS = (
    *("django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"),
    *("django.contrib.messages", "django.contrib.staticfiles", "django.contrib.sitemaps", *PUPUT_APPS),
)
MIDDLEWARE = (
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
)
TEMPLATES = [{{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {{
    "context_processors": [
        "django.template.context_processors.request",
        "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages",
    ],
}}}}]
WAGTAIL_SITE_NAME, WAGTAILADMIN_BASE_URL = {title!r}, {base!r}
"""

URLS = """
from django.urls import include, path
from django.views.generic import RedirectView
urlpatterns = [path("", RedirectView.as_view(url="/blog/")), path("", include("puput.urls"))]
"""

FILL = """
import json, django
django.setup()
from datetime import datetime
from puput.models import BlogPage, Category, CategoryEntryPage, EntryPage
from wagtail.models import Page, Site

blog = BlogPage.objects.first()
if not blog:
    root = Page.objects.get(depth=1)
    blog = root.add_child(instance=BlogPage(title={title!r}, slug="blog"))
    Site.objects.update(root_page=root, hostname={host!r}, port={port}, site_name={title!r})
posts = json.load(open("posts.json"))
for entry in EntryPage.objects.exclude(slug__in=[post["slug"] for post in posts]):
    entry.delete()
for post in posts:
    entry = EntryPage.objects.filter(slug=post["slug"]).first() or EntryPage(slug=post["slug"])
    if entry.title == post["title"]:
        continue
    entry.title, entry.body = post["title"], post["html"]
    entry.date = datetime.fromisoformat(post["published"])
    entry.first_published_at, entry.last_published_at = entry.date, datetime.fromisoformat(post["modified"])
    if entry.pk:
        entry.save()
        continue
    blog.add_child(instance=entry)
    entry.tags.add(*post["tags"])
    category = Category.objects.get_or_create(name=post["section"], defaults={{"slug": {slugs!r}[post["section"]]}})[0]
    entry.entry_categories.add(CategoryEntryPage(category=category))
    entry.save()
"""


class Puput(System):
    """Puput as it comes; it would show the login names of authors."""

    packages = ("puput==2.2.0", "wagtail==6.4.2", "django==5.2.19")
    states: ClassVar = {"published": "day", "section": "all", "tags": "all", "changes": "sitemap"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Put the entries into the database."""
        host, _, port = base.removeprefix("http://").partition(":")
        chosen = [post for post in posts if post.is_public]
        write_posts(chosen, folder / "posts.json")
        settings = SETTINGS.format(zone=ZONE.key, title=TITLE, base=base)
        (folder / "settings.py").write_text(settings, "utf-8")
        (folder / "urls.py").write_text(URLS, "utf-8")
        slugs = {post.section: slug_of(post.section) for post in chosen}
        (folder / "fill.py").write_text(FILL.format(title=TITLE, host=host, port=port, slugs=slugs), "utf-8")
        for command in (("-m", "django", "migrate", "--verbosity=0"), ("fill.py",)):
            run([self.bin / "python", *command], folder, ENVIRONMENT | {"PYTHONPATH": str(folder)})
        # the day of an address is that of UTC, though the pages show the local one
        days = {post.key: datetime.fromisoformat(post.published).astimezone(UTC) for post in chosen}
        return {post.key: f"/blog/{days[post.key]:%Y/%m/%d}/{post.slug}/" for post in chosen}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Run Django's own server."""
        options = ("runserver", "--noreload", "--insecure", base.removeprefix("http://"))
        command = (self.bin / "python", "-m", "django", *options)
        return serve_process(command, folder, ENVIRONMENT | {"PYTHONPATH": str(folder)}, base)


SYSTEMS: Sequence[System] = (Puput("puput", "Wagtail 6.4, Puput 2.2"),)
