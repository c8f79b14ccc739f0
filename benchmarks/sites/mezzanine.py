"""Mezzanine, a publishing system on Django, of PyPI, with its own theme."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

from benchmarks.sites.posts import ZONE, Post, slug_of, write_posts
from benchmarks.sites.system import TITLE, System, run, serve_process

PROJECT = "project"
FILL = """
import json, django
django.setup()
from datetime import datetime
from django.contrib.auth.models import User
from django.contrib.sites.models import Site
from mezzanine.blog.models import BlogCategory, BlogPost
from mezzanine.generic.models import Keyword

Site.objects.update(domain={host!r}, name={title!r})
posts = json.load(open("posts.json"))
BlogPost.objects.exclude(slug__in=[post["slug"] for post in posts]).delete()
for post in posts:
    entry = BlogPost.objects.filter(slug=post["slug"]).first() or BlogPost(slug=post["slug"])
    if entry.title == post["title"]:
        continue
    first, _, last = post["authors"][0].partition(" ")
    login = {logins!r}[post["authors"][0]]
    entry.user = User.objects.get_or_create(username=login, defaults={{"first_name": first, "last_name": last}})[0]
    entry.title, entry.content = post["title"], post["html"]
    entry.publish_date = datetime.fromisoformat(post["published"])
    entry.save()
    entry.categories.set([BlogCategory.objects.get_or_create(title=post["section"])[0]])
    for tag in post["tags"]:
        entry.keywords.get_or_create(keyword=Keyword.objects.get_or_create(title=tag)[0])
"""


class Mezzanine(System):
    """Mezzanine as it comes, with its pages about the site, contact and gallery.

    Its pages say how long ago an article appeared ("4 months, 2 weeks ago"); only the feeds date the newest twenty.
    """

    packages = ("mezzanine==6.1.1", "django==4.2.30")
    states: ClassVar = {"published": "newest", "authors": "first", "tags": "all"}

    @property
    def environment(self) -> Mapping[str, str]:
        """Where Django finds the settings, and Mezzanine its programs."""
        return {"DJANGO_SETTINGS_MODULE": f"{PROJECT}.settings", "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Begin a project as Mezzanine does it, with its pages, and put the posts into the database."""
        project = folder / PROJECT
        if not project.exists():
            project.mkdir()
            run([self.bin / "mezzanine-project", PROJECT, project], folder, self.environment)
            with (project / PROJECT / "local_settings.py").open("a", encoding="utf-8") as file:
                file.write(f"\nDEBUG, ALLOWED_HOSTS, TIME_ZONE = False, ['*'], {ZONE.key!r}\n")
            run([self.bin / "python", "manage.py", "createdb", "--noinput"], project, self.environment)
        chosen = [post for post in posts if post.is_public]
        write_posts(chosen, project / "posts.json")
        logins = {name: slug_of(name) for post in chosen for name in post.authors}
        script = FILL.format(title=TITLE, host=base.removeprefix("http://"), logins=logins)
        (project / "fill.py").write_text(script, "utf-8")
        run([self.bin / "python", "fill.py"], project, self.environment)
        return {post.key: f"/blog/{post.slug}/" for post in chosen}

    def serve(self, folder: Path, base: str) -> AbstractContextManager[None]:
        """Run Django's own server."""
        options = ("runserver", "--noreload", "--insecure", base.removeprefix("http://"))
        command = (self.bin / "python", "manage.py", *options)
        return serve_process(command, folder / PROJECT, self.environment, base)


SYSTEMS: Sequence[System] = (Mezzanine("mezzanine", "Mezzanine 6.1"),)
