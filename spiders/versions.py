"""Other versions of an article: for phones (AMP) and for print, folded into the one that readers see."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lxml.html import HtmlElement

PATH_END = re.compile(
    r"(?:/(?:amp|print|tisk|tlac|stampaj|stampa|ispis|drukuj|druck)/?$|\.amp(?=(?:\.html|/)?$))", re.IGNORECASE
)
"""How a path says that it leads to another version, in the languages at hand; `/story.amp.html` keeps its ending."""
PATH_BEGIN = re.compile(r"^/amp(?=/.)", re.IGNORECASE)
SWITCHES = frozenset({"amp", "print", "tisk"})
CHOICES = frozenset({"outputtype", "output", "view", "format", "version"})
VERSIONS = frozenset({"amp", "print"})


def plain_address(url: str) -> str:
    """The address of the article of which `url` is another version, by its writing; `url` itself for all others."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = PATH_BEGIN.sub("", PATH_END.sub(_slash, parts.path))
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not _asks_for_version(name, value)]
    if path == parts.path and len(kept) == len(pairs):
        return url
    query = parts.query if len(kept) == len(pairs) else urlencode(kept)
    return urlunsplit(parts._replace(path=path or "/", query=query))


def is_version(root: HtmlElement) -> bool:
    """Whether a page says of itself that it is AMP: `<html amp>` or `<html ⚡>`."""
    page = next(root.iter("html"), None)
    return page is not None and bool({"amp", "⚡"} & {str(name).lower() for name in page.attrib})


def _slash(found: re.Match[str]) -> str:
    """A path that ended with a slash keeps it."""
    return "/" if found[0].endswith("/") else ""


def _asks_for_version(name: str, value: str) -> bool:
    name, value = name.lower(), value.lower()
    return (name in SWITCHES and value in {"", "1", "true", "yes"}) or (name in CHOICES and value in VERSIONS)
