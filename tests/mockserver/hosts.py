"""Real pages of one news site on loopback, each under its own path, with a front page and sections made for them.

The front page carries the links that it is given; every section shows the front page. Whatever else pages link to is
missing.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from html import escape

from newscorpus.portal.portal import target_of
from tests.mockserver.serving import PageSite


@contextmanager
def serving_host(articles: Mapping[str, str], links: Mapping[str, str], sections: Collection[str]) -> Iterator[str]:
    """Serve a site while the context lasts; gives its address.

    Args:
        articles: the HTML of each by its address, whose host is taken away wherever the pages name it.
        links: texts of the links of the front page, by address.
        sections: addresses of the sections.
    """
    host = next(iter(articles)).split("/")[2]
    items = (f'<li><a href="{escape(_path(url))}">{escape(text)}</a></li>' for url, text in links.items())
    front = f"<html><body><ul>{''.join(items)}</ul></body></html>"
    pages = dict.fromkeys(map(_path, sections), front) | {"/": front}
    for url, html in articles.items():
        pages[_path(url)] = html.replace(f"https://{host}", "").replace(f"http://{host}", "")
    with PageSite(pages).served() as base:
        yield f"{base}/"


def _path(url: str) -> str:
    """Path and query of an address; two slashes at the beginning would name another host."""
    return "/" + target_of(url).lstrip("/")
